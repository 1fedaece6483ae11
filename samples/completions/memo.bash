# Completion of memo(1) for bash. Copy it to ~/.local/share/bash-completion/completions/memo, or read it
# in ~/.bashrc. A first word that is no verb begins a note: nothing of memo's is offered after it.

_memo_verbs='flush log show search copy resend cancel status view watch key help'

# The names of the accounts, as the settings have them: memo(5).
_memo_accounts() {
  sed -n 's/^[[:blank:]]*\[account[[:blank:]]\{1,\}\(.*[^[:blank:]]\)[[:blank:]]*\][[:blank:]]*$/\1/p' \
    "${XDG_CONFIG_HOME:-$HOME/.config}/memo/config" 2>/dev/null
}

# Offers what of the lines begins with the word.
_memo_offer() {
  local line word=$1
  while IFS= read -r line; do
    [[ $line != "$word"* ]] || COMPREPLY+=("$(printf %q "$line")")
  done
}

_memo_words() { COMPREPLY+=($(compgen -W "$2" -- "$1")); }

_memo_files() {
  local kind=$1 word=$2
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$kind" -- "$word")
}

# Ids, each with its time and first line while there is a choice.
_memo_ids() {
  local word=$1 id rest lines=() ids=() width=${COLUMNS:-80}
  while read -r id rest; do
    [[ $id == [0-9a-f]* && $id == "$word"* ]] || continue
    ids+=("$id")
    lines+=("$(printf '%-8s %.*s' "$id" $((width > 30 ? width - 14 : 16)) "$rest")")
  done < <("$memo" log -n 50 "${@:2}" 2>/dev/null </dev/null)
  compopt -o nosort 2>/dev/null
  # What is put into the line one by one is the id alone: menu-complete (37) and insert-completions (42).
  if ((${#ids[@]} == 1)) || [[ ${COMP_TYPE-} == 37 || ${COMP_TYPE-} == 42 ]]; then
    COMPREPLY=("${ids[@]}")
  else
    COMPREPLY=("${lines[@]}")
  fi
}

# The options before a note's first word.
_memo_note() {
  local word=$1 i given
  for ((i = 1; i < COMP_CWORD; i++)); do
    given=${COMP_WORDS[i]}
    case $given in
      -s | --subject | -a | --attach | -A | --account)
        ((++i < COMP_CWORD)) || { _memo_value "$given" "$word"; return; }
        ;;
      -?*) [[ $given != -- ]] || { compopt -o default 2>/dev/null; return; } ;;
      *) compopt -o default 2>/dev/null; return ;;
    esac
  done
  [[ $word != -* ]] || _memo_words "$word" '-s --subject -a --attach -A --account -e --editor -v --verbose
    -n --dry-run --'
}

_memo_value() {
  case $1 in
    -a | --attach) _memo_files -f "$2" ;;
    -A | --account) _memo_offer "$2" < <(_memo_accounts) ;;
  esac
}

_memo_view() {
  local word=$1 i=2
  while [[ ${COMP_WORDS[i]} == -n ]] && ((i < COMP_CWORD)); do ((i += 2)); done
  [[ ${COMP_WORDS[i]} != -- ]] || ((i == COMP_CWORD)) || ((i++))
  if ((COMP_CWORD > i)); then
    compopt -o default 2>/dev/null
  elif ((COMP_CWORD < i)); then
    return
  elif [[ $word == -* ]]; then
    _memo_words "$word" '-n --imap --'
  elif [[ -n $word ]]; then
    mapfile -t COMPREPLY < <(compgen -c -- "$word" | sort -u)
  fi
}

_memo_key() {
  local word=$1 action=${COMP_WORDS[2]} flags=
  if ((COMP_CWORD == 2)); then
    _memo_words "$word" 'show export passphrase recover rotate rewrap'
    return
  fi
  case $action in
    export) flags='--certificate --pem --pkcs12 --old --passphrase-file' ;;
    passphrase) flags='--remove' ;;
    recover) flags='--to --key --passphrase-file' ;;
    rewrap) flags='--remove-old' ;;
  esac
  if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --to ]]; then
    _memo_files -d "$word"
  elif [[ $word == -* ]]; then
    _memo_words "$word" "$flags"
  elif [[ $action == export || $action == recover ]]; then
    _memo_files -f "$word"
  fi
}

_memo() {
  local memo=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} flags=
  COMPREPLY=()
  memo=${memo/#\~\//$HOME/}
  if ((COMP_CWORD == 1)); then
    _memo_note "$word"
    _memo_words "$word" "$_memo_verbs"
    [[ $word != -* ]] || _memo_words "$word" '--help --version'
    return
  fi
  case $verb in
    flush) flags='--now -v --verbose -n --dry-run' ;;
    log) flags='-n --outbox --sent --failed --json' ;;
    show) flags='--raw --headers --json --save' ;;
    search) flags='--json --' ;;
    status) flags='--json' ;;
    copy | resend | cancel | watch) ;;
    help)
      ((COMP_CWORD > 2)) || _memo_words "$word" "$_memo_verbs"
      return
      ;;
    view | key)
      "_memo_$verb" "$word"
      return
      ;;
    *)
      _memo_note "$word"
      return
      ;;
  esac
  if [[ $word == -* ]]; then
    _memo_words "$word" "$flags"
    return
  fi
  case $verb in
    show)
      if [[ ${COMP_WORDS[COMP_CWORD - 1]} == --save ]]; then _memo_files -d "$word"; else _memo_ids "$word"; fi
      ;;
    copy | resend) _memo_ids "$word" ;;
    cancel) _memo_ids "$word" --outbox ;;
  esac
}

complete -F _memo memo

# Completion of memo(1) for fish. Copy it to ~/.config/fish/completions/memo.fish. A first word that is no
# verb begins a note: nothing of memo's is offered after it.

# The names of the accounts, as the settings have them: memo(5).
function __memo_accounts
    set -l folder $XDG_CONFIG_HOME
    test -n "$folder"; or set folder $HOME/.config
    sed -n 's/^[[:blank:]]*\[account[[:blank:]]\{1,\}\(.*[^[:blank:]]\)[[:blank:]]*\][[:blank:]]*$/\1/p' $folder/memo/config 2>/dev/null
end

# Ids, each with its time and first line.
function __memo_ids
    set -l memo (commandline -opc)[1]
    $memo log -n 50 $argv 2>/dev/null </dev/null | string match -r '^[0-9a-f].*' | string replace -r ' +' \t
end

# Whether the line is at its first word, or has this verb.
function __memo_first
    test (count (commandline -opc)) -eq 1
end

function __memo_verb
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv
end

# Whether the line has this action of key.
function __memo_key
    __memo_verb key; or return
    set -l words (commandline -opc)
    test (count $words) -gt 2; and contains -- $words[3] $argv
end

# Whether all words up to here are options of a note, or an option's value.
function __memo_options
    set -l words (commandline -opc)
    set -l value no
    for word in $words[2..-1]
        if test $value = yes
            set value no
            continue
        end
        switch $word
            case -s --subject -a --attach -A --account
                set value yes
            case --
                return 1
            case '-?*'
            case '*'
                return 1
        end
    end
end

complete -c memo -n __memo_first -f -a flush -d 'send what waits'
complete -c memo -n __memo_first -f -a log -d 'list notes, newest first'
complete -c memo -n __memo_first -f -a show -d 'show a note'
complete -c memo -n __memo_first -f -a search -d 'list the notes that have the words'
complete -c memo -n __memo_first -f -a copy -d 'the text of a note to the clipboard'
complete -c memo -n __memo_first -f -a resend -d 'send again, now'
complete -c memo -n __memo_first -f -a cancel -d 'remove before it is sent'
complete -c memo -n __memo_first -f -a status -d 'how things stand'
complete -c memo -n __memo_first -f -a view -d 'open them in a mail client'
complete -c memo -n __memo_first -f -a watch -d 'stay, send what there is'
complete -c memo -n __memo_first -f -a key -d 'the key of the notes'
complete -c memo -n __memo_first -f -a help -d 'how it is used'
complete -c memo -n __memo_first -l help -d 'how it is used'
complete -c memo -n __memo_first -l version -d 'print the version'

complete -c memo -n __memo_options -x -s s -l subject -d 'the subject, else it is the first line'
complete -c memo -n __memo_options -r -F -s a -l attach -d 'attach a file'
complete -c memo -n __memo_options -x -s A -l account -a '(__memo_accounts)' -d 'send it by this account'
complete -c memo -n __memo_options -s e -l editor -d 'write it in an editor'
complete -c memo -n __memo_options -s v -l verbose -d 'print the note\'s id'
complete -c memo -n __memo_options -s n -l dry-run -d 'print the message, keep nothing'

complete -c memo -n '__memo_verb flush log show search copy resend cancel status watch help' -f

complete -c memo -n '__memo_verb flush' -l now -d 'also those not due yet'
complete -c memo -n '__memo_verb flush' -s v -l verbose -d 'tell what happens'
complete -c memo -n '__memo_verb flush' -s n -l dry-run -d 'tell what would be sent'

complete -c memo -n '__memo_verb log' -x -s n -d 'only the newest'
complete -c memo -n '__memo_verb log' -l outbox -d 'only those that wait'
complete -c memo -n '__memo_verb log' -l sent -d 'only those delivered'
complete -c memo -n '__memo_verb log' -l failed -d 'only those that failed'
complete -c memo -n '__memo_verb log' -l json -d 'one JSON object a line'

complete -c memo -n '__memo_verb show' -l raw -d 'the whole message'
complete -c memo -n '__memo_verb show' -l headers -d 'its header'
complete -c memo -n '__memo_verb show' -l json -d 'a JSON object'
complete -c memo -n '__memo_verb show' -x -l save -a '(__fish_complete_directories)' -d 'save its files'

complete -c memo -n '__memo_verb search' -l json -d 'one JSON object a line'
complete -c memo -n '__memo_verb status' -l json -d 'a JSON object'

complete -c memo -n '__memo_verb show copy resend' -k -a '(__memo_ids)'
complete -c memo -n '__memo_verb cancel' -k -a '(__memo_ids --outbox)'

complete -c memo -n '__memo_verb view' -x -s n -d 'only the newest'
complete -c memo -n '__memo_verb view' -l imap -d 'serve them by IMAP'
complete -c memo -n '__memo_verb view; and test (count (commandline -opc)) -eq 2' -f -a '(__fish_complete_command)'

complete -c memo -n '__memo_verb help; and test (count (commandline -opc)) -eq 2' -a 'flush log show search copy resend cancel status view watch key help'

complete -c memo -n '__memo_verb key; and not __memo_key export recover' -f
complete -c memo -n '__memo_verb key; and test (count (commandline -opc)) -eq 2' -a show -d 'what there is of it'
complete -c memo -n '__memo_verb key; and test (count (commandline -opc)) -eq 2' -a export -d 'a copy'
complete -c memo -n '__memo_verb key; and test (count (commandline -opc)) -eq 2' -a passphrase -d 'set, change or remove it'
complete -c memo -n '__memo_verb key; and test (count (commandline -opc)) -eq 2' -a recover -d 'the messages in sealed files'
complete -c memo -n '__memo_verb key; and test (count (commandline -opc)) -eq 2' -a rotate -d 'a new key'
complete -c memo -n '__memo_verb key; and test (count (commandline -opc)) -eq 2' -a rewrap -d 'seal all notes to the present key'
complete -c memo -n '__memo_key export' -l certificate -d 'only the certificate'
complete -c memo -n '__memo_key export' -r -F -l pem -d 'as PEM into a file'
complete -c memo -n '__memo_key export' -r -F -l pkcs12 -d 'as PKCS#12 into a file'
complete -c memo -n '__memo_key export' -l old -d 'for old programs'
complete -c memo -n '__memo_key export recover' -r -F -l passphrase-file -d 'its first line is the passphrase'
complete -c memo -n '__memo_key passphrase' -l remove -d 'without one from now on'
complete -c memo -n '__memo_key recover' -x -l to -a '(__fish_complete_directories)' -d 'into a Maildir'
complete -c memo -n '__memo_key recover' -r -F -l key -d 'another key'
complete -c memo -n '__memo_key rewrap' -l remove-old -d 'and remove the old keys'

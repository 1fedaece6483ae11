#!/bin/bash
# Shows that a started server does what the tests rely on: mail by STARTTLS and by implicit TLS with
# login and certificate check is accepted and delivered, a wrong password and clear mail are refused,
# IMAP shows both mails.
#
# usage: check.sh DIR        needs: curl, python3; DIR as given to start.sh
set -euo pipefail
folder=${1:?usage: check.sh DIR}
value() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$folder/ready" "$1"; }
user=$(value user) password=$(value password) ca=$(value ca) maildir=$(value maildir)
mark=check-$$-$RANDOM

# send URL PASSWORD SUBJECT [CURL-OPTION...]
send() {
  local url=$1 secret=$2 subject=$3
  shift 3
  printf 'From: %s\r\nTo: %s\r\nSubject: %s\r\n\r\nhello\r\n' "$user" "$user" "$subject" |
    curl -sS --max-time 20 --cacert "$ca" --url "$url" "$@" ${secret:+-u "$user:$secret"} \
      --mail-from "$user" --mail-rcpt "$user" -T - >/dev/null 2>&1
}
refused() {
  ! "$@" || {
    echo "accepted what should be refused: $*"
    exit 1
  }
}
delivered() {
  for _ in $(seq 100); do
    ! grep -rqs "^Subject: $1" "$maildir/new" "$maildir/cur" || return 0
    sleep 0.05
  done
  echo "not delivered: $1"
  exit 1
}

starttls=smtp://localhost:$(value submission) implicit=smtps://localhost:$(value submissions)
send "$starttls" "$password" "$mark-starttls" --ssl-reqd || { echo 'STARTTLS: refused'; exit 1; }
send "$implicit" "$password" "$mark-implicit" || { echo 'implicit TLS: refused'; exit 1; }
refused send "$starttls" wrong "$mark-wrong" --ssl-reqd
refused send "$implicit" wrong "$mark-wrong"
refused send "$starttls" '' "$mark-clear"
delivered "$mark-starttls"
delivered "$mark-implicit"

imap=imap://localhost:$(value imap)/INBOX
seen=$(curl -sS --max-time 20 -u "$user:$password" --url "$imap" -X "SEARCH SUBJECT $mark" | wc -w)
# "* SEARCH 1 2": two words, then one for each mail.
[ "$seen" = 4 ] || { echo "IMAP shows $((seen - 2)) mails of 2"; exit 1; }
echo 'ok: STARTTLS, implicit TLS, wrong password refused, clear mail refused, IMAP'

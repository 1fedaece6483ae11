#!/bin/bash
# Starts Postfix (submission with STARTTLS, and with implicit TLS) and Dovecot (IMAP) on 127.0.0.1.
#
# usage: start.sh DIR            DIR is made; everything of this server lies in it; ../stop.sh DIR ends it
# needs: root, unshare, openssl, and the first time apt's network
#   P587 P465 P143 P993   ports; free ones are picked for those not given
#   SMTP_USER SMTP_PASS   the login, me@test.example and s3cret-pass if not given
#   SIZE_LIMIT       octets of the largest message, 10485760 if not given
#
# DIR/ready is a JSON object once it answers: submission, submissions, imap, imaps (ports), host, ca, user,
# password, maildir. Mail for the user lands in DIR/mail/NAME/Maildir/new, mail for other addresses of
# test.example in DIR/mail/catchall/Maildir/new. Logs are in DIR/log. Exit status 77: cannot run here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: start.sh DIR}
user=${SMTP_USER:-me@test.example} password=${SMTP_PASS:-s3cret-pass}

. "$here/../common.sh"
need_namespaces
usr=$("$here/../fetch.sh" postfix-dovecot postfix dovecot-core dovecot-imapd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ ! -e "$folder/postfix" ] || fail "already set up: $folder"

# MARK: - Users

# The users the daemons were built for, on a copy of the machine's list: NAME:ID pairs.
users=(postfix:64591 dovecot:64592 dovenull:64593)
mkdir -p "$folder/etc"
cp /etc/passwd /etc/group "$folder/etc/"
for entry in "${users[@]}"; do
  name=${entry%:*} number=${entry#*:}
  grep -q "^$name:" /etc/group || echo "$name:x:$number:" >>"$folder/etc/group"
  group=$(awk -F: -v name="$name" '$1 == name { print $3 }' "$folder/etc/group")
  grep -q "^$name:" /etc/passwd ||
    echo "$name:x:$number:$group::/nonexistent:/usr/sbin/nologin" >>"$folder/etc/passwd"
done
grep -q '^postdrop:' /etc/group || echo 'postdrop:x:64594:' >>"$folder/etc/group"
uid() { awk -F: -v name="$1" '$1 == name { print $3 }' "$folder/etc/passwd"; }
gid() { awk -F: -v name="$1" '$1 == name { print $3 }' "$folder/etc/group"; }
postfix_uid=$(uid postfix) postfix_gid=$(gid postfix)

# MARK: - Folders

umask 022
mkdir -p "$folder"/{postfix,data,mail,log,tls,dovecot/run}
mkdir -p "$folder"/spool/{active,bounce,corrupt,defer,deferred,flush,hold,incoming,maildrop,pid}
mkdir -p "$folder"/spool/{private,public,saved,trace}
chmod 755 "$folder"
chmod 700 "$folder"/spool/{active,bounce,corrupt,defer,deferred,flush,hold,incoming,private,saved,trace}
chown "$postfix_uid:0" "$folder"/{data,spool/{active,bounce,corrupt,defer,deferred,flush,hold}}
chown "$postfix_uid:0" "$folder"/spool/{incoming,private,saved,trace}
chown "$postfix_uid:$(gid postdrop)" "$folder"/spool/{maildrop,public}
chmod 730 "$folder/spool/maildrop"
chmod 710 "$folder/spool/public"
chown "$postfix_uid:$postfix_gid" "$folder/mail"

# MARK: - Certificates: an authority of this server's own, and one for localhost

certificates() {
  cd "$folder/tls"
  local key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc)
  openssl req -x509 "${key[@]}" -days 30 -subj '/CN=memo test CA' -keyout ca.key -out ca.pem
  openssl req "${key[@]}" -subj '/CN=localhost' -keyout server.key -out server.csr
  printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\n' >extensions
  openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 \
    -extfile extensions -out server.pem
  chmod 600 ca.key server.key
}
(certificates) >"$folder/log/openssl" 2>&1 || fail "openssl: $(tail -1 "$folder/log/openssl")"

# MARK: - Settings

name=${user%%@*}
echo "$user:{PLAIN}$password:$postfix_uid:$postfix_gid::/mnt/mail/$name::" >"$folder/dovecot/users"
chown "0:$(gid dovecot)" "$folder/dovecot/users"
chmod 640 "$folder/dovecot/users"
printf '%s %s/Maildir/\n@test.example catchall/Maildir/\n' "$user" "$name" >"$folder/postfix/mailboxes"
# "1:2.3.19.1+dfsg1-2" or "1:2.4.1+dfsg1-6": 2.4 reads other settings.
case $(awk '$1 == "dovecot-core" { print $2 }' "$usr/../versions") in
  *:2.[0-3].*) dovecot=dovecot-2.3.conf ;;
  *) dovecot=dovecot-2.4.conf ;;
esac

settings() {
  sed -e "s/@SUBMISSION@/$submission/" -e "s/@SUBMISSIONS@/$submissions/" -e "s/@IMAP@/$imap/" \
    -e "s/@IMAPS@/$imaps/" \
    -e "s/@POSTFIX_UID@/$postfix_uid/" -e "s/@POSTFIX_GID@/$postfix_gid/" \
    -e "s/@SIZE@/${SIZE_LIMIT:-10485760}/" "$here/$1"
}


# MARK: - Start

alive() { kill -0 "$child" 2>/dev/null; }
up() { answers "$submission" && answers "$submissions" && answers "$imap" && answers "$imaps" && [ -S "$folder/spool/private/auth" ]; }

start() {
  submission=${P587:-$(free_port)} submissions=${P465:-$(free_port)} imap=${P143:-$(free_port)}
  imaps=${P993:-$(free_port)}
  settings main.cf >"$folder/postfix/main.cf"
  settings master.cf >"$folder/postfix/master.cf"
  settings "$dovecot" >"$folder/dovecot/dovecot.conf"
  setsid unshare --mount --pid --fork --propagation private \
    bash "$here/../inside.sh" "$folder" "$usr" "$here/daemons.sh" >"$folder/log/start" 2>&1 </dev/null &
  child=$!
  for _ in $(seq 150); do
    alive || return 1
    ! up || return 0
    sleep 0.05
  done
  "$here/../stop.sh" "$folder"
  return 1
}

# Another program may take a free port between the choice and the start.
started=no
for _ in 1 2 3; do
  if start; then
    started=yes
    break
  fi
done
[ $started = yes ] || {
  tail -n 5 "$folder"/log/{start,postfix,dovecot} >&2 || true
  fail "did not start: see $folder/log"
}

# up() could have reached another server's port: ours is the one that did not end.
alive || fail "ended at once: see $folder/log"
cat >"$folder/ready.new" <<READY
{"submission": $submission, "submissions": $submissions, "imap": $imap, "imaps": $imaps, "host": "localhost", "ca": "$folder/tls/ca.pem", "user": "$user", "password": "$password", "maildir": "$folder/mail/$name/Maildir"}
READY
mv "$folder/ready.new" "$folder/ready"
cat "$folder/ready"

#!/bin/bash
# Starts Exim (submission with STARTTLS, and with TLS from the start; GnuTLS) on 127.0.0.1.
#
# usage: start.sh DIR            DIR is made; everything of this server lies in it; ../stop.sh DIR ends it
# needs: root, unshare, openssl, and the first time apt's network
#   SMTP_USER SMTP_PASS   the login, me@test.example and s3cret-pass if not given
#
# DIR/ready is a JSON object once it answers: submission, submissions (ports), host, ca, user, password,
# maildir. Mail for test.example lands in DIR/mail/Maildir/new, logs in DIR/log. Exit status 77: cannot run here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:?usage: start.sh DIR}
user=${SMTP_USER:-me@test.example} password=${SMTP_PASS:-s3cret-pass}

. "$here/../common.sh"
need_namespaces
usr=$("$here/../fetch.sh" exim exim4-daemon-light)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ ! -e "$folder/exim.conf" ] || fail "already set up: $folder"

# The user it was built for, on a copy of the machine's list.
name=Debian-exim number=64595
mkdir -p "$folder"/{etc,log,mail,spool,tls}
cp /etc/passwd /etc/group "$folder/etc/"
grep -q "^$name:" /etc/group || echo "$name:x:$number:" >>"$folder/etc/group"
group=$(awk -F: -v name=$name '$1 == name { print $3 }' "$folder/etc/group")
grep -q "^$name:" /etc/passwd ||
  echo "$name:x:$number:$group::/nonexistent:/usr/sbin/nologin" >>"$folder/etc/passwd"
uid=$(awk -F: -v name=$name '$1 == name { print $3 }' "$folder/etc/passwd")

cp "$("$here/../certificates.sh")"/{ca.pem,srv.pem,srv.key} "$folder/tls/"
chmod 755 "$folder"
chown -R "$uid:$group" "$folder"/{log,mail,spool,tls}
chmod 600 "$folder/tls/srv.key"

start() {
  submission=$(free_port) submissions=$(free_port)
  sed -e "s/@SUBMISSION@/$submission/" -e "s/@SUBMISSIONS@/$submissions/" \
    -e "s/@USER@/$user/" -e "s/@PASSWORD@/$password/" "$here/exim.conf" >"$folder/exim.conf"
  setsid unshare --mount --pid --fork --propagation private \
    bash "$here/../inside.sh" "$folder" "$usr" "$here/daemon.sh" >"$folder/log/start" 2>&1 </dev/null &
  child=$!
  for _ in $(seq 150); do
    kill -0 "$child" 2>/dev/null || return 1
    ! { answers "$submission" && answers "$submissions"; } || return 0
    sleep 0.05
  done
  "$here/../stop.sh" "$folder"
  return 1
}

# Another program may take a free port between the choice and the start.
start || start || start || {
  tail -n 5 "$folder/log/start" "$folder"/log/*log >&2 || true
  fail "did not start: see $folder/log"
}
cat >"$folder/ready.new" <<READY
{"submission": $submission, "submissions": $submissions, "host": "localhost", "ca": "$folder/tls/ca.pem", "user": "$user", "password": "$password", "maildir": "$folder/mail/Maildir"}
READY
mv "$folder/ready.new" "$folder/ready"
cat "$folder/ready"

#!/bin/bash
# Runs Postfix and Dovecot in the foreground, as process 1 of a process namespace of their own and
# with private mounts, so that nothing of the machine changes and nothing outlives this script.
# Started by start.sh only.     usage: inside.sh DIR USR
set -euo pipefail
folder=$1 usr=$2

# /proc is still the outer one: the number by which the outside knows this process.
read -r outer _ </proc/self/stat
echo "$outer" >"$folder/pid"

mount --bind "$folder/etc/passwd" /etc/passwd
mount --bind "$folder/etc/group" /etc/group
mount -t overlay overlay -o "lowerdir=$usr:/usr" /usr
# A short name for the folder: socket names are limited to 107 bytes, and the way to the folder may
# be closed to the daemons' users.
mount --bind "$folder" /mnt
mount -t proc proc /proc

/usr/lib/postfix/sbin/master -c /mnt/postfix &
postfix=$!
/usr/sbin/dovecot -F -c /mnt/dovecot/dovecot.conf &
dovecot=$!
trap 'kill "$postfix" "$dovecot" 2>/dev/null || true' TERM
# The end of either ends both.
wait -n || true
kill "$postfix" "$dovecot" 2>/dev/null || true
wait "$postfix" "$dovecot" || true

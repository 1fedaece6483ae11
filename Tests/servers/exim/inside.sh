#!/bin/bash
# Runs Exim in the foreground, as process 1 of a process namespace of its own and with private mounts,
# so that nothing of the machine changes and nothing outlives this script. Started by start.sh only.
# usage: inside.sh DIR USR
set -euo pipefail
folder=$1 usr=$2

# /proc is still the outer one: the number by which the outside knows this process.
read -r outer _ </proc/self/stat
echo "$outer" >"$folder/pid"

mount --bind "$folder/etc/passwd" /etc/passwd
mount --bind "$folder/etc/group" /etc/group
mount -t overlay overlay -o "lowerdir=$usr:/usr" /usr
# The way to the folder may be closed to Exim's user.
mount --bind "$folder" /mnt
mount -t proc proc /proc

/usr/sbin/exim4 -C /mnt/exim.conf -bdf -q5s &
exim=$!
trap 'kill "$exim" 2>/dev/null || true' TERM
wait "$exim" || true

#!/bin/bash
# Runs a server in the foreground, as process 1 of a process namespace of its own and with private
# mounts, so that nothing of the machine changes and nothing outlives this script. It finds its own
# folder at /mnt, a short name, as names of sockets are limited to 107 bytes, and as the way to the
# folder may be closed to the server's users. Started by a start.sh only.
#
# usage: inside.sh DIR USR SCRIPT     SCRIPT starts the server and ends with it; USR lies over /usr
set -euo pipefail
folder=$1 usr=$2 script=$3

# /proc is still the outer one: the number by which the outside knows this process.
read -r outer _ </proc/self/stat
echo "$outer" >"$folder/pid"

mount --bind "$folder/etc/passwd" /etc/passwd
mount --bind "$folder/etc/group" /etc/group
mount -t overlay overlay -o "lowerdir=$usr:/usr" /usr
mount --bind "$folder" /mnt
mount -t proc proc /proc

. "$script"

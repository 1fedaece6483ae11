#!/bin/bash
# Stops the server that start.sh began in DIR: its process 1, and with it everything it started.
#
# usage: stop.sh DIR [--purge]      --purge removes DIR as well
set -euo pipefail
folder=${1:?usage: stop.sh DIR [--purge]}
rm -f "$folder/ready"

running() { [ -e "/proc/$pid" ] && ! grep -q '^State:[[:space:]]Z' "/proc/$pid/status" 2>/dev/null; }
# The number may have gone to another process since: ours is bash on inside.sh with this folder.
ours() { tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "inside.sh $(cd "$folder" && pwd) "; }

if [ -s "$folder/pid" ]; then
  pid=$(<"$folder/pid")
  if running && ours; then
    kill -TERM "$pid" 2>/dev/null || true
    for _ in $(seq 100); do
      running || break
      sleep 0.05
    done
    # The kernel ends every process of the namespace with its first.
    ! running || kill -KILL "$pid" 2>/dev/null || true
  fi
  rm -f "$folder/pid"
fi
[ "${2-}" != --purge ] || rm -rf -- "$folder"

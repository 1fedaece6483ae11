#!/bin/bash
# usage: stop.sh DIR [--purge]
#
# Stops the server that start.sh started; --purge removes DIR as well.
dir=${1:?usage: stop.sh DIR [--purge]}
pid=$(cat "$dir/pid") || exit 1
kill -TERM "$pid" 2>/dev/null
for _ in $(seq 50); do
  kill -0 "$pid" 2>/dev/null || break
  sleep 0.1
done
kill -0 "$pid" 2>/dev/null && { echo "$pid still runs" >&2; exit 1; }
[ "${2-}" = --purge ] && rm -rf -- "$dir"
exit 0

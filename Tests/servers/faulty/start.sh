#!/bin/bash
# usage: start.sh DIR [PLANS]
#
# Starts faulty_smtp.py with its files in DIR; its certificates are in DIR/tls.
# Ports: STARTTLS $P587 (2590), implicit TLS $P465 (2468), clear $P25 (2591); 0 takes a free one.
# The ports in use are in DIR/ready, the process in DIR/pid.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:?usage: start.sh DIR [PLANS]}
mkdir -p "$dir"
rm -f "$dir/ready"
python3 "$here/faulty_smtp.py" "$dir" --starttls "${P587:-2590}" --tls "${P465:-2468}" \
  --plain "${P25:-2591}" ${2:+--plans "$2"} >"$dir/out" 2>&1 </dev/null &
for _ in $(seq 50); do
  [ -e "$dir/ready" ] && { echo "up: $(cat "$dir/ready")"; exit 0; }
  sleep 0.1
done
cat "$dir/out" >&2
exit 1

#!/bin/bash
# Prints a folder with the certificates that mkcert.sh makes, good and bad: made once a day, shared by
# all test servers of this clone.
#
# usage: certificates.sh
#   MEMO_PEERS  the folder it lies under, instead of .build/peers of the clone
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
peers=${MEMO_PEERS:-$here/../../.build/peers}
mkdir -p "$peers"
folder=$(cd "$peers" && pwd)/certificates-$(date -u +%Y%m%d)
exec 9>"$peers/certificates.lock"
flock 9
if [ ! -e "$folder" ]; then
  rm -rf "$peers"/certificates-*
  "$here/mkcert.sh" "$folder.new" >&2
  mv "$folder.new" "$folder"
fi
echo "$folder"

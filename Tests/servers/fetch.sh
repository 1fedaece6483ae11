#!/bin/bash
# Unpacks packages with servers into an ignored folder and prints that folder. Nothing is installed:
# the packages would start daemons and replace the machine's own mail transport agent.
#
# usage: fetch.sh NAME PACKAGE...     needs: apt-get, dpkg-deb, flock, the network the first time only
#   MEMO_PEERS  the folder to unpack under, instead of .build/peers of the clone
#
# Beside the folder lies versions: a package and its version a line.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
peers=${MEMO_PEERS:-$here/../../.build/peers}
name=${1:?usage: fetch.sh NAME PACKAGE...}
wanted=("${@:2}")

. /etc/os-release
cache=$peers/$name-${VERSION_CODENAME:-unknown}-$(dpkg --print-architecture)
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# Several tests may start a server at once; the first fetches, the others wait for it.
exec 9>"$cache/lock"
flock 9
if [ -e "$cache/complete" ]; then
  echo "$cache/usr"
  exit 0
fi

# The names of the packages an installation would add: the wanted ones and the libraries missing.
# Ones that are on the machine already are not listed, and so are used from there.
to_add() {
  apt-get install --print-uris --no-install-recommends -qq "${wanted[@]}" 2>>"$cache/apt.log" |
    awk '{ sub(/_.*/, "", $2); print $2 }' | grep '^lib' || true
}

# apt-get download leaves the files in the current folder.
download() {
  (cd "$cache/deb" && apt-get download "$@") >>"$cache/apt.log" 2>&1
}

rm -rf "$cache/deb" "$cache/root" "$cache/usr"
mkdir -p "$cache/deb" "$cache/root"
: >"$cache/apt.log"
mapfile -t libraries < <(to_add)
if ! download "${wanted[@]}" "${libraries[@]}"; then
  apt-get update >>"$cache/apt.log" 2>&1 || true
  mapfile -t libraries < <(to_add)
  download "${wanted[@]}" "${libraries[@]}" || {
    echo "fetch.sh: cannot download ${wanted[*]}: $(tail -1 "$cache/apt.log")" >&2
    exit 1
  }
fi

for package in "$cache"/deb/*.deb; do
  dpkg-deb -x "$package" "$cache/root"
done
# Debian 12 packages still ship /lib and /sbin beside /usr; the machine's own are links into /usr.
for folder in lib lib64 sbin bin; do
  if [ -d "$cache/root/$folder" ]; then
    mkdir -p "$cache/root/usr/$folder"
    cp -a "$cache/root/$folder/." "$cache/root/usr/$folder/"
  fi
done
mv "$cache/root/usr" "$cache/usr"
# Daemons that run as another user must reach these, whatever the umask was.
chmod -R u=rwX,go=rX "$cache/usr"
for package in "$cache"/deb/*.deb; do
  dpkg-deb -W --showformat='${Package} ${Version}\n' "$package"
done >"$cache/versions"
rm -rf "$cache/deb" "$cache/root"
touch "$cache/complete"
echo "$cache/usr"

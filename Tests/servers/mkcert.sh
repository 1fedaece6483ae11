#!/bin/bash
# usage: mkcert.sh DIR
#
# Makes a CA (ca.pem) and a certificate for localhost, 127.0.0.1 and ::1 (srv.pem, srv.key), and
# beside them what a TLS client must refuse: expired, not yet valid, another host's, self-signed,
# of another CA, with a weak key or digest, for clients only; and one with a CN and no SAN.
set -euo pipefail

mkdir -p "${1:?usage: mkcert.sh DIR}"
cd "$1"

from=$(date -u -d '-1 hour' +%Y%m%d%H%M%SZ)
until=$(date -u -d '+30 days' +%Y%m%d%H%M%SZ)
names=DNS:localhost,IP:127.0.0.1,IP:::1

# Elliptic curves, as RSA keys take seconds to make; the weak key can only be an RSA one.
key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256)

quietly() { openssl "$@" 2>/dev/null; }

authority() { # NAME COMMON-NAME
  quietly req -x509 "${key[@]}" -nodes -days 30 -subj "/CN=$2" -keyout "$1.key" -out "$1.pem" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
}

leaf() { # NAME CA FROM UNTIL SAN EXTENDED-KEY-USAGE DIGEST [KEY-OPTION...]
  local new=("${key[@]}")
  [ $# -le 7 ] || new=("${@:8}")
  quietly req "${new[@]}" -nodes -subj /CN=localhost -keyout "$1.key" -out "$1.csr"
  : >"$1.db"
  cat >"$1.cnf" <<END
[ca]
default_ca = c
[c]
database = $1.db
new_certs_dir = .
rand_serial = yes
policy = p
default_md = $7
copy_extensions = none
[p]
commonName = supplied
[e]
basicConstraints = CA:FALSE
extendedKeyUsage = $6
${5:+subjectAltName = $5}
END
  quietly ca -batch -config "$1.cnf" -extensions e -startdate "$3" -enddate "$4" \
    -cert "$2.pem" -keyfile "$2.key" -in "$1.csr" -out "$1.pem" -notext
  rm -f "$1".db* "$1.cnf" "$1.csr"
}

authority ca "test CA"
authority otherca "another CA"
leaf srv ca "$from" "$until" $names serverAuth sha256
leaf expired ca 20200101000000Z 20200201000000Z $names serverAuth sha256
leaf future ca 20400101000000Z 20410101000000Z $names serverAuth sha256
leaf wronghost ca "$from" "$until" DNS:mail.example.org serverAuth sha256
leaf wildcard ca "$from" "$until" 'DNS:*' serverAuth sha256
leaf untrusted otherca "$from" "$until" $names serverAuth sha256
leaf weakkey ca "$from" "$until" $names serverAuth sha256 -newkey rsa:1024
leaf sha1 ca "$from" "$until" $names serverAuth sha1
leaf clienteku ca "$from" "$until" $names clientAuth sha256
leaf cnonly ca "$from" "$until" '' serverAuth sha256
quietly req -x509 "${key[@]}" -nodes -days 30 -subj /CN=localhost \
  -addext "subjectAltName=$names" -keyout selfsigned.key -out selfsigned.pem
chmod 600 ./*.key
# openssl ca leaves a second copy of each certificate under its serial number.
find . -name '*.old' -delete -o -regextype posix-extended -regex '\./[0-9A-F]{30,}\.pem' -delete

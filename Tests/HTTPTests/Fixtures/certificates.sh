#!/bin/sh
# certificates.sh DIRECTORY: a private authority and three leaves (good, for another host, expired).
set -eu
cd "$1"
openssl ecparam -name prime256v1 -genkey -noout -out ca.key
openssl ecparam -name prime256v1 -genkey -noout -out leaf.key
openssl req -x509 -new -key ca.key -days 2 -subj "/CN=Test authority" -out ca.pem
openssl ecparam -name prime256v1 -genkey -noout -out other.key
openssl req -x509 -new -key other.key -days 2 -subj "/CN=Other authority" -out other-ca.pem

: > index.txt
echo 01 > serial
cat > ca.cnf <<END
[ca]
default_ca = here
[here]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
END
leaf() {  # leaf NAME SAN START END
    echo "subjectAltName = $2" > "$1.ext"
    openssl req -new -key leaf.key -subj "/CN=$1" -out "$1.csr"
    openssl ca -batch -notext -config ca.cnf -keyfile ca.key -cert ca.pem -in "$1.csr" -extfile "$1.ext" \
        -startdate "$3" -enddate "$4" -out "$1.pem"
}
start=$(date -u -d "-1 day" +%Y%m%d%H%M%SZ)
leaf good "IP:127.0.0.1,DNS:localhost" "$start" "$(date -u -d "+1 day" +%Y%m%d%H%M%SZ)"
leaf wrong "DNS:other.example" "$start" "$(date -u -d "+1 day" +%Y%m%d%H%M%SZ)"
leaf expired "IP:127.0.0.1,DNS:localhost" 20200101000000Z 20200201000000Z

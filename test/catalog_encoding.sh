#!/bin/sh
# A log is UTF-8 whatever the encoding of the database is.  Prints TAP.
# Needs what dump_restore.sh needs.
set -u

db=deltacc_encoding_$$
n=0
trap 'dropdb --if-exists -f "$db" 2>/dev/null' EXIT
trap 'exit 130' INT TERM

PGOPTIONS='-c client_min_messages=warning'
PGCLIENTENCODING=UTF8
export PGOPTIONS PGCLIENTENCODING

sql() {
	psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$db" -c "$1" 2>&1
}

is() {
	n=$((n + 1))
	if [ "$1" = "$2" ]; then
		echo "ok $n - $3"
	else
		echo "not ok $n - $3"
		printf 'got: %s\nexpected: %s\n' "$1" "$2" | sed 's/^/# /'
	fi
}

echo 1..8
for encoding in LATIN1 SQL_ASCII; do
	createdb -T template0 -E "$encoding" --locale=C "$db" || exit 1
	sql "CREATE EXTENSION deltacc"
	is "$(sql "SELECT deltacc.ingest('orders', '$DELTACC_TEST_DATA/logs/orders') > 0")" t "$encoding: a log is ingested"
	is "$(sql "SELECT deltacc.ingest('windows', '$DELTACC_TEST_DATA/ingest/windows')")" 2 "$encoding: a log with a byte order mark"
	is "$(sql "SELECT deltacc.ingest('bad', '$DELTACC_TEST_DATA/ingest/bad_utf8')" | grep -c 'bad_utf8/_delta_log/00000000000000000001.json.*UTF8')" 1 "$encoding: bytes that are no UTF-8 are an error"
	is "$(sql "SELECT deltacc.canonical_path('%C3%A9')")" "é" "$encoding: a path is decoded from UTF-8"
	dropdb -f "$db"
done

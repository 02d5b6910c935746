#!/bin/sh
# Dump, restore and the next insert work: both tables and the sequence of the
# table ids are in the dump.  Prints TAP.
#
# Needs psql, pg_dump, pg_restore, createdb and dropdb on PATH, a server with
# deltacc installed (PGHOST, PGPORT, PGUSER), and DELTACC_TEST_DATA, the absolute
# path of test/data, readable for the server.
set -u

old=deltacc_dump_old_$$
new=deltacc_dump_new_$$
scratch=$(mktemp -d)
n=0
trap 'dropdb --if-exists -f "$old" 2>/dev/null; dropdb --if-exists -f "$new" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

PGOPTIONS='-c client_min_messages=warning'
export PGOPTIONS

sql() {
	psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$1" -c "$2" 2>&1
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

restored() {
	is "$1" 0 "$2"
	[ "$1" = 0 ] || sed 's/^/# /' "$scratch/log"
}

digest="SELECT md5(string_agg(t.table_id || ' ' || t.name || ' ' || coalesce(t.location, '-') || ' ' || c.version || ' ' || c.actions::text,
	E'\n' ORDER BY t.name, c.version)) || (SELECT ' ' || count(*) || ' ' || md5(string_agg(v.table_id || v.id || encode(v.bytes, 'hex'), ',' ORDER BY v.id))
	FROM deltacc.deletion_vectors AS v) FROM deltacc.tables AS t JOIN deltacc.commits AS c USING (table_id)"

echo 1..11
createdb "$old" || exit 1
sql "$old" "CREATE EXTENSION deltacc"
is "$(sql "$old" "SELECT deltacc.ingest(t, '$DELTACC_TEST_DATA/logs/' || t) > 0 FROM unnest(ARRAY['orders', 'accounts']) AS t")" "t
t" "two logs are ingested"
# A gap in the ids, so that the highest id is not the number of rows.
sql "$old" "INSERT INTO deltacc.tables (name) VALUES ('gone'); DELETE FROM deltacc.tables WHERE name = 'gone'"
sql "$old" "INSERT INTO deltacc.tables (name, location) VALUES ('by hand', 's3://lake/x')"
sql "$old" "INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, 0, '{\"add\":{\"path\":\"\\u0000 \\\\ \\t\",\"partitionValues\":{}}}' FROM deltacc.tables WHERE name = 'by hand'"
before=$(sql "$old" "$digest")
highest=$(sql "$old" "SELECT max(table_id) FROM deltacc.tables")

# A plain dump, read by psql.
pg_dump -d "$old" -f "$scratch/plain.sql"
is $? 0 "pg_dump makes a plain dump"
createdb "$new" || exit 1
psql -X -q -v ON_ERROR_STOP=1 -d "$new" -f "$scratch/plain.sql" >"$scratch/log" 2>&1
restored $? "psql restores it"
is "$(sql "$new" "$digest")" "$before" "all rows are back"
is "$(sql "$new" "INSERT INTO deltacc.tables (name) VALUES ('next') RETURNING table_id > $highest")" t "the next insert has a new id"
is "$(sql "$new" "SELECT deltacc.ingest('orders', '$DELTACC_TEST_DATA/logs/orders')")" 0 "ingesting again adds nothing"
is "$(sql "$new" "SELECT deltacc.ingest('events', '$DELTACC_TEST_DATA/logs/events') > 0")" t "a new log is added"
dropdb -f "$new"

# A custom one, read by pg_restore.
pg_dump -Fc -d "$old" -f "$scratch/custom"
createdb "$new" || exit 1
pg_restore --exit-on-error -d "$new" "$scratch/custom" >"$scratch/log" 2>&1
restored $? "pg_restore restores a custom dump"
is "$(sql "$new" "$digest")" "$before" "all rows are back"
is "$(sql "$new" "INSERT INTO deltacc.tables (name) VALUES ('next') RETURNING table_id > $highest")" t "the next insert has a new id"
is "$(sql "$new" "SELECT count(*) = (SELECT count(*) FROM deltacc.commits) FROM deltacc.history")" t "the history is there"

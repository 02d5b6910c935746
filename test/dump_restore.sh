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
	FROM deltacc.deletion_vectors AS v)
	|| (SELECT ' ' || md5(string_agg(s.table_id || ' ' || s.version || ' ' || s.is_base || ' ' || s.state::text, E'\n' ORDER BY s.table_id, s.version)) FROM deltacc.snapshots AS s)
	|| (SELECT ' ' || md5(string_agg(a::text, E'\n' ORDER BY a.transaction_id)) FROM deltacc.aborted_transactions AS a)
	FROM deltacc.tables AS t JOIN deltacc.commits AS c USING (table_id)"

echo 1..14
createdb "$old" || exit 1
sql "$old" "CREATE EXTENSION deltacc"
is "$(sql "$old" "SELECT deltacc.ingest(t, '$DELTACC_TEST_DATA/logs/' || t) > 0 FROM unnest(ARRAY['orders', 'accounts']) AS t")" "t
t" "two logs are ingested"
# A gap in the ids, so that the highest id is not the number of rows.
sql "$old" "INSERT INTO deltacc.tables (name) VALUES ('gone'); DELETE FROM deltacc.tables WHERE name = 'gone'"
sql "$old" "INSERT INTO deltacc.tables (name, location) VALUES ('by hand', 's3://lake/x')"
sql "$old" "INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, 0, '{\"add\":{\"path\":\"\\u0000 \\\\ \\t\",\"partitionValues\":{}}}' FROM deltacc.tables WHERE name = 'by hand'"
# A log that begins with a state, kept states, a job that failed.
sql "$old" "UPDATE deltacc.tables SET snapshot_interval = 5; SELECT deltacc.refresh('accounts'); SELECT deltacc.forget('orders', 4)
	FROM deltacc.refresh('orders')" >/dev/null
sql "$old" "INSERT INTO deltacc.aborted_transactions (table_name, job_name, reads, read_version) VALUES ('orders', 'a job', ARRAY['customer_id BETWEEN 900000 AND 901000'], 10)"
# What a dashboard reads.
views="contention contention_by replay simulations aborted suggest history files"
is "$(sql "$old" "CREATE MATERIALIZED VIEW contention AS SELECT * FROM deltacc.contention('accounts', 3);
	CREATE MATERIALIZED VIEW contention_by AS SELECT * FROM deltacc.contention_by_operation;
	CREATE MATERIALIZED VIEW replay AS SELECT * FROM deltacc.replay('accounts');
	CREATE MATERIALIZED VIEW simulations AS SELECT * FROM deltacc.simulations WHERE layout = 'clustered';
	CREATE MATERIALIZED VIEW aborted AS SELECT * FROM deltacc.aborted_conflicts;
	CREATE MATERIALIZED VIEW suggest AS SELECT * FROM deltacc.suggest('orders', 10, 'customer_id BETWEEN 0 AND 1000', 12);
	CREATE MATERIALIZED VIEW history AS SELECT h.*, deltacc.state_at(h.table_name, h.version) IS NOT NULL AS known FROM deltacc.history AS h WHERE h.table_name <> 'by hand';
	CREATE MATERIALIZED VIEW files AS SELECT * FROM deltacc.live_files('orders');
	CREATE VIEW reading AS SELECT e.* FROM deltacc.evaluate(deltacc.state_at('orders'), 'customer_id = 5', (SELECT deltacc.reconcile(version, actions) FROM deltacc.table_log('orders'))) AS e")" '' 'materialized views over every function'
seen() {
	for view in $views; do sql "$1" "SELECT '$view', count(*), md5(string_agg(v::text, E'\n' ORDER BY v::text COLLATE \"C\")) FROM $view AS v"; done
	sql "$1" "SELECT count(*) FROM reading"
}
before=$(sql "$old" "$digest")
highest=$(sql "$old" "SELECT max(table_id) FROM deltacc.tables")

# A plain dump, read by psql.
pg_dump -d "$old" -f "$scratch/plain.sql"
is $? 0 "pg_dump makes a plain dump"
createdb "$new" || exit 1
psql -X -q -v ON_ERROR_STOP=1 -d "$new" -f "$scratch/plain.sql" >"$scratch/log" 2>&1
restored $? "psql restores it"
is "$(sql "$new" "$digest")" "$before" "all rows are back"
is "$(seen "$new")" "$(seen "$old")" "... and the materialized views"
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
is "$(seen "$new")" "$(seen "$old")" "... and the materialized views"
is "$(sql "$new" "INSERT INTO deltacc.tables (name) VALUES ('next') RETURNING table_id > $highest")" t "the next insert has a new id"
is "$(sql "$new" "SELECT count(*) = (SELECT count(*) FROM deltacc.commits) FROM deltacc.history")" t "the history is there"

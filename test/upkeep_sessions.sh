#!/usr/bin/env bash
# Sessions that ingest, refresh, forget and change commits of one table at the
# same time wait for each other, and leave what one after the other would.
# Prints TAP.
#
# Needs psql, createdb and dropdb on PATH, a server with deltacc installed
# (PGHOST, PGPORT, PGUSER), and DELTACC_TEST_DATA, the absolute path of test/data,
# readable for the server.
set -u

base=deltacc_sessions_$$
dir=$(mktemp -d)
trap 'dropdb --if-exists -f "$base" 2>/dev/null; rm -rf "$dir"' EXIT
export LC_ALL=C.UTF-8 PGOPTIONS='-c client_min_messages=warning'
log=$DELTACC_TEST_DATA/logs/orders
n=0

is() {
	n=$((n + 1))
	if [ "$1" = "$2" ]; then echo "ok $n - $3"; else
		echo "not ok $n - $3"
		printf 'got: %s\nexpected: %s\n' "$1" "$2" | sed 's/^/# /'
	fi
}

sql() {
	psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$base" -c "$1" 2>&1
}

# race FIRST SECOND: the second session begins while the first one holds its
# transaction open, and the first one ends when the second one waits for it.
race() {
	psql -X -q -A -t -v ON_ERROR_STOP=1 -d "$base" >"$dir/first" 2>&1 <<-END &
		SET application_name = 'first';
		BEGIN;
		$1;
		DO \$\$ BEGIN
			FOR i IN 1 .. 3000 LOOP
				PERFORM pg_stat_clear_snapshot();
				EXIT WHEN EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'second' AND wait_event_type = 'Lock')
					OR EXISTS (SELECT FROM done);
				PERFORM pg_sleep(0.01);
			END LOOP;
		END \$\$;
		COMMIT;
	END
	local first=$!
	# when the first one has got so far
	for _ in $(seq 3000); do
		[ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'first' AND query LIKE 'DO%'")" = 0 ] || break
		kill -0 "$first" 2>/dev/null || break
		sleep 0.01
	done
	sql "SET application_name = 'second'; $2" >"$dir/second"
	sql 'INSERT INTO done VALUES (1)'
	wait "$first"
	sql 'TRUNCATE done'
	echo "$(tr -d '\n' <"$dir/first") $(tr '\n' ' ' <"$dir/second")" | sed 's/^ *//; s/ *$//'
}

held="SELECT concat_ws(' ', (SELECT string_agg(version || CASE WHEN is_base THEN '*' ELSE '' END, ',' ORDER BY version) FROM deltacc.snapshots), min(version), max(version), count(*)) FROM deltacc.commits"

createdb "$base"
sql 'CREATE EXTENSION deltacc; CREATE TABLE done (x int)'

is "$(race "SELECT deltacc.ingest('orders', '$log')" "SELECT deltacc.ingest('orders', '$log')")" '27 0' 'two sessions ingest a new table'
sql "UPDATE deltacc.tables SET snapshot_interval = 5; DELETE FROM deltacc.commits WHERE version > 22"
is "$(race "SELECT deltacc.refresh('orders')" "SELECT deltacc.refresh('orders')")" '4 0' 'two sessions refresh it'
is "$(sql "$held")" '5,10,15,20,25 0 26 27' '... and keep the states once'
sql 'DELETE FROM deltacc.snapshots'
is "$(race "SELECT deltacc.keep_snapshots('orders')" "UPDATE deltacc.commits SET added_at = added_at WHERE version = 12")" '5' 'a commit is changed while states are computed'
is "$(sql "$held")" '5,10 0 26 27' '... which takes the wrong ones along'
is "$(race "UPDATE deltacc.commits SET added_at = added_at WHERE version = 3" "SELECT deltacc.keep_snapshots('orders')")" '5' 'states are computed while a commit is changed'
is "$(race "SELECT deltacc.forget('orders', 10)" "SELECT deltacc.ingest('orders', '$log')")" '10 0' 'what a session forgets, another one doesn'"'"'t take in again'
is "$(race "SELECT deltacc.forget('orders', 12)" "SELECT deltacc.forget('orders', 17)")" '2 5' 'two sessions forget'
is "$(sql "$held")" '16*,20,25 17 26 10' '... one after the other'
check="SELECT count(*) FROM deltacc.check_commit('orders', 16, ARRAY['true'])"
conflicts=$(sql "$check")
is "$(race "SELECT deltacc.forget('orders', 20)" "$check")" "3 $conflicts" 'a check neither waits nor sees half of it'
is "$(sql "SELECT count(DISTINCT version) FROM deltacc.live_files('orders'), deltacc.commits")" 7 'the log is whole'
echo "1..$n"

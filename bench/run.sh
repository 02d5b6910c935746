#!/usr/bin/env bash
# Times deltacc against named rivals in the same run, in turn, and prints one
# Markdown table of medians.  Only the ratios mean something on another machine.
#
#   bench/run.sh [option value]...
#     --files N       adds of the raw commit (10000)
#     --columns N     columns with statistics in it (32)
#     --stored N      adds of the stored commit (100000)
#     --versions N    versions of the long log, 100 files each (10000)
#     --commits N     commits of 100 files for contention (1000)
#     --megabytes N   size of the commit whose parsing is watched for memory (500)
#     --runs N        runs that the median is taken of (7)
#     --rivals off    without delta-rs and DuckDB, which are fetched by pip
#     --delta PROGRAM a program that answers for Delta itself (env DELTACC_DELTA):
#                     see DeltaFilesForScan.scala
. "$(dirname "$0")/../tools/lib.sh"

files=10000 columns=32 stored=100000 versions=10000 commits=1000 megabytes=500 runs=7 rivals=on delta=${DELTACC_DELTA:-}
while [ $# -gt 0 ]; do
	case ${1#--} in
		files | columns | stored | versions | commits | megabytes | runs | rivals | delta)
			[ $# -gt 1 ] || { echo "$1 takes a value" >&2; exit 2; }
			declare "${1#--}=$2" ;;
		*) sed -n '2,/^\./s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
	shift 2
done

run_sql() {
	psql -X -q -tA -v ON_ERROR_STOP=1 -v files="$files" -v columns="$columns" -v stored="$stored" -v versions="$versions" \
		-v commits="$commits" -v runs="$runs" -v megabytes="$megabytes" "$@"
}

# The log of the raw commit as a table of Delta's, for those who read files.
write_log() {
	mkdir -p "$work/log/_delta_log"
	run_sql -c "\\copy (SELECT unnest(string_to_array(rtrim(bench.table_lines($columns), E'\\n'), E'\\n')) UNION ALL SELECT line FROM bench.raw) TO '$work/log/_delta_log/00000000000000000000.json' (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')"
}

# install_rivals: the two Python packages into an environment of their own.
install_rivals() {
	python3 -m venv "$work/venv" >"$work/pip.log" 2>&1 || return 1
	"$work/venv/bin/pip" install -q --disable-pip-version-check duckdb deltalake >>"$work/pip.log" 2>&1 || return 1
	"$work/venv/bin/python" -c 'import duckdb, deltalake' >>"$work/pip.log" 2>&1
}

if [ -z "${DELTACC_IN_CHECK:-}" ]; then
	make_work
	need_packages
	private_prefix
	build
	# What the machine does beside this is noise; what the server does is not needed.
	DELTACC_SERVER_OPTIONS="-c shared_buffers=1GB -c max_wal_size=8GB -c work_mem=64MB -c autovacuum=off ${DELTACC_SERVER_OPTIONS:-}" start_server
else
	work=$(mktemp -d)
	trap 'rm -rf "$work"; dropdb --if-exists deltacc_bench 2>/dev/null' EXIT
fi
dropdb --if-exists deltacc_bench 2>/dev/null
createdb deltacc_bench
export PGDATABASE=deltacc_bench
psql -X -q -c 'CREATE EXTENSION deltacc'
run_sql -f "$checkout/bench/log.sql" -f "$checkout/bench/measure.sql"

echo "PostgreSQL $(run_sql -c 'SHOW server_version' | cut -d' ' -f1), deltacc $(run_sql -c "SELECT extversion FROM pg_extension WHERE extname = 'deltacc'"), $(nproc) cores, medians of $runs"
run_sql -o /dev/null -f "$checkout/bench/bench.sql"
run_sql -o /dev/null -f "$checkout/bench/memory.sql"
write_log
if [ "$rivals" = off ]; then
	echo "- delta-rs and DuckDB: not asked for"
elif install_rivals; then
	"$work/venv/bin/python" "$checkout/bench/rivals.py" "$work/log" "$runs" "$columns" >"$work/rivals.sql" 2>"$work/rivals.err" ||
		echo "- delta-rs and DuckDB failed: $(tail -1 "$work/rivals.err")"
	run_sql -o /dev/null -f "$work/rivals.sql"
else
	echo "- delta-rs and DuckDB can't be had: $(tail -1 "$work/pip.log")"
fi
if [ -z "$delta" ]; then
	echo "- Delta itself: no program given (--delta)"
else
	"$delta" "$work/log" "$runs" | sed -n 's/^\(cold\|warm\) \([0-9.]*\)$/SELECT bench.delta('"'\\1', \\2, $files, $columns, $runs"');/p' | run_sql -o /dev/null -f -
fi

echo
echo '| what | items | ours | rival | theirs | ours : rival | target | met |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- |'
run_sql -c "SELECT format('| %s. %s | %s | %s | %s | %s | %s | %s | %s |', point, what, items, ours, rival, theirs, ratio, target, CASE met WHEN true THEN 'yes' WHEN false THEN 'no' END) FROM bench.results ORDER BY point, n"

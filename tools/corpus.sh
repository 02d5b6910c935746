#!/usr/bin/env bash
# Runs what the real Delta decided (test/data/corpus) against deltacc and
# prints, per file, how many questions agree, which kinds don't, and the first
# misses.  Fails if a file falls below its number in test/corpus/recorded.tsv.
#
#   tools/corpus.sh [--misses N]     N first misses of each kind (default 3)
. "$(dirname "$0")/lib.sh"

misses=3
[ "${1:-}" = --misses ] && misses=$2

if [ -z "${DELTACC_IN_CHECK:-}" ]; then
	make_work
	need_packages
	private_prefix
	build
	start_server
	psql -X -q -v ON_ERROR_STOP=1 -c 'DROP EXTENSION IF EXISTS deltacc CASCADE' -c 'CREATE EXTENSION deltacc' 2>/dev/null
	DELTACC_TEST_DATA=$work/build/test/data
fi

here=$checkout/test/corpus
sql() { psql -X -q -v ON_ERROR_STOP=1 -v data="$DELTACC_TEST_DATA" -v misses="$misses" "$@"; }

failed=0
sql -f "$here/setup.sql"
for part in skip sharp scenarios race field; do
	sql -o /dev/null -f "$here/$part.sql" || { echo "not ok - $part.sql stopped"; failed=$((failed + 1)); }
done

sql -c 'CREATE TABLE corpus.recorded (file text PRIMARY KEY, agree int NOT NULL)' \
	-c 'CREATE TABLE corpus.known (file text, kind text, reason text)' \
	-c "\\copy corpus.recorded FROM '$here/recorded.tsv'" \
	-c "\\copy corpus.known FROM '$here/known_misses.tsv'"
sql -f "$here/report.sql"
# passed and failed, one test a corpus file
read -r passed short < <(sql -tA -F ' ' -c 'SELECT count(*) FILTER (WHERE passed), count(*) FILTER (WHERE NOT passed) FROM corpus.verdict')
echo "$passed passed, $((short + failed)) failed"
[ $((short + failed)) = 0 ]

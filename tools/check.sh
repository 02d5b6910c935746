#!/usr/bin/env bash
# Builds deltacc and runs every test: pg_regress, pgTAP, the scripts in
# test/*.sh, the corpora and the demo.  A suite that fails doesn't stop the
# next.  The last line is "N passed, N failed" over all of them.
. "$(dirname "$0")/lib.sh"

count() { passed=$((passed + $1)); failed=$((failed + $2)); echo "-- $3: $1 passed, $2 failed"; }

# tally FILE: the "ok" and "not ok" lines of TAP output
tally() { echo "$(grep -cE '^ok' "$1" || true) $(grep -cE '^not ok' "$1" || true)"; }

promise_report
make_work
need_packages
private_prefix
if ! COPT=-Werror build; then
	count 0 1 build
	report
	exit
fi
count 1 0 'build without a warning'

echo "== lint"
"$checkout/tools/lint.sh" "$work/build/deltacc.so" >"$work/tap.out" 2>&1 || true
read -r ok bad < <(tally "$work/tap.out")
[ "$ok" != 0 ] || bad=$((bad > 0 ? bad : 1))
[ "$bad" = 0 ] || grep -A20 '^not ok' "$work/tap.out"
count "$ok" "$bad" lint

start_server
export DELTACC_TEST_DATA=$work/build/test/data
export DELTACC_IN_CHECK=1

echo "== pg_regress"
if as_owner env PATH="$PATH" PGHOST="$PGHOST" PGPORT="$PGPORT" PGUSER="$PGUSER" make "${make_flags[@]}" installcheck \
	>"$work/regress.log" 2>&1; then :; else
	cat "$work/build/regression.diffs" 2>/dev/null || cat "$work/regress.log"
fi
ok=$(grep -cE '^(ok [0-9]|test .*\.\.\. ok)' "$work/regress.log" || true)
wanted=$(find "$checkout/sql" -maxdepth 1 -name '*.sql' | wc -l)
count "$ok" $((wanted - ok)) pg_regress

echo "== pgTAP"
psql -X -q -v ON_ERROR_STOP=1 -c 'DROP EXTENSION IF EXISTS deltacc, pgtap CASCADE' -c 'CREATE EXTENSION deltacc' -c 'CREATE EXTENSION pgtap SCHEMA public' 2>&1 | grep -v NOTICE || true
for file in "$checkout"/test/*.sql; do
	[ -e "$file" ] || continue
	name=$(basename "$file")
	rc=0
	psql -X -q -v ON_ERROR_STOP=1 -f "$file" >"$work/tap.out" 2>"$work/tap.err" || rc=$?
	read -r ok bad < <(tally "$work/tap.out")
	planned=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$work/tap.out" | tail -1)
	# A file that dies, plans nothing or runs another number of tests than it planned has failed.
	if [ "$rc" != 0 ] || [ -z "$planned" ] || [ "$planned" != $((ok + bad)) ]; then
		bad=$((bad + 1))
		echo "not ok - $name ended early (exit $rc, planned ${planned:-nothing}, ran $((ok + bad - 1)))"
		cat "$work/tap.err"
	fi
	[ "$bad" = 0 ] || grep -E -A6 '^not ok' "$work/tap.out" || true
	count "$ok" "$bad" "$name"
done

echo "== scripts"
for file in "$checkout"/test/*.sh; do
	[ -e "$file" ] || continue
	rc=0
	bash "$file" >"$work/tap.out" 2>"$work/tap.err" || rc=$?
	read -r ok bad < <(tally "$work/tap.out")
	if [ "$rc" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
	[ "$ok" != 0 ] || bad=$((bad > 0 ? bad : 1))
	[ "$bad" = 0 ] || { cat "$work/tap.out" "$work/tap.err"; }
	count "$ok" "$bad" "$(basename "$file")"
done

echo "== corpora"
"$checkout/tools/corpus.sh" >"$work/corpus.out" 2>&1 || true
sed '$d' "$work/corpus.out"
read -r ok bad < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/corpus.out" | tail -1)
[ -n "${ok:-}" ] || { tail -5 "$work/corpus.out"; ok=0 bad=1; }
count "$ok" "$bad" corpora

# A backend that crashed anywhere above is a failure of its own.
if grep -qE 'was terminated by signal|PANIC' "$work/server.log"; then
	grep -E -B2 -A2 'was terminated by signal|PANIC' "$work/server.log"
	count 0 1 'no backend crashed'
else
	count 1 0 'no backend crashed'
fi
report

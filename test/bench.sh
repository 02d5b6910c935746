#!/usr/bin/env bash
# bench/run.sh runs, at sizes that say nothing about speed, and its table has its rows.
# Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1

out=$(mktemp)
trap 'rm -f "$out"' EXIT
n=0
check() { # check NAME COMMAND...
	local name=$1
	shift
	n=$((n + 1))
	if "$@"; then echo "ok $n - $name"; else
		echo "not ok $n - $name"
		sed 's/^/# /' "$out"
	fi
}

DELTACC_IN_CHECK=1 bench/run.sh --files 60 --columns 8 --stored 500 --versions 60 --commits 30 --megabytes 1 --runs 1 --rivals off >"$out" 2>&1
rc=$?
check 'the benchmark runs' [ "$rc" = 0 ]
check 'versions and cores stand above the table' grep -qE '^PostgreSQL [0-9.]+, deltacc [0-9.]+, [0-9]+ cores, medians of 1$' "$out"
check 'there is one table' [ "$(grep -c '^| --- |' "$out")" = 1 ]
check 'it has its rows' [ "$(grep -cE '^\| [1-6]\. .*( yes| no) \|$' "$out")" = 22 ]
check 'each row has eight cells' [ -z "$(grep '^|' "$out" | awk -F'|' 'NF != 10')" ]
check 'a predicate is bound once a query' grep -qE '^\| 5\. predicates bound .* \| 1 \| yes \|$' "$out"
check 'what is left out says why' grep -q '^- delta-rs and DuckDB: not asked for' "$out"
check 'an option that is none is refused' eval '! bench/run.sh --nonsense 1 >/dev/null 2>&1'
echo "1..$n"

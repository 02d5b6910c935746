#!/usr/bin/env bash
# Every ```sql block of README.md and docs/ is executed, page by page in one
# session each; a ```text block right behind one is the output it has to have.
# Prints TAP.  In the pages the shipped logs lie under /lake.
set -u
cd "$(dirname "$0")/.." || exit 1

dir=$(mktemp -d)
trap 'rm -rf "$dir"; dropdb --if-exists deltacc_docs 2>/dev/null' EXIT
export LC_ALL=C.UTF-8

n=0
for page in README.md docs/*.md; do
	grep -q '^```sql' "$page" || continue
	# blocks: N.sql, and N.txt where an output follows
	rm -f "$dir"/*
	awk -v dir="$dir" '
		/^```sql/ { n++; out = sprintf("%s/%03d.sql", dir, n); next }
		/^```text/ && last == n && n > 0 { out = sprintf("%s/%03d.txt", dir, n); printf "" > out; next }
		/^```/ { if (out) { close(out); last = (out ~ /sql$/) ? n : -1; out = "" } next }
		out { print > out; next }
		/[^ ]/ { last = -1 }
	' "$page"
	dropdb --if-exists deltacc_docs 2>/dev/null
	createdb deltacc_docs && psql -X -q -d deltacc_docs -c 'CREATE EXTENSION deltacc'
	{
		printf '\\set ON_ERROR_STOP 1\n\\pset footer off\nSET client_min_messages = warning;\n'
		for block in "$dir"/*.sql; do
			printf '\\o %s\n' "${block%.sql}.out"
			sed "s#/lake/#$DELTACC_TEST_DATA/logs/#g" "$block"
			printf '\\o\n'
		done
	} >"$dir/session"
	psql -X -q -d deltacc_docs -f "$dir/session" >"$dir/errors" 2>&1
	rc=$?
	n=$((n + 1))
	if [ $rc = 0 ]; then echo "ok $n - $page runs"; else
		echo "not ok $n - $page runs"
		sed 's/^/# /' "$dir/errors"
	fi
	for want in "$dir"/*.txt; do
		[ -e "$want" ] || continue
		n=$((n + 1))
		got=${want%.txt}.out
		# trailing blanks and the empty line that psql ends a table with don't count
		if diff <(sed 's/ *$//; /^$/d' "$want") <(sed "s/ *\$//; /^\$/d; s#$DELTACC_TEST_DATA/logs/#/lake/#g" "$got" 2>/dev/null) >"$dir/diff"; then
			echo "ok $n - $page, block $(basename "${want%.txt}")"
		else
			echo "not ok $n - $page, block $(basename "${want%.txt}")"
			sed 's/^/# /' "$dir/diff"
		fi
	done
done
echo "1..$n"

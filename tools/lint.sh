#!/usr/bin/env bash
# Rules that no compiler knows.  Prints TAP; check.sh runs it.
#
#   tools/lint.sh [deltacc.so]     with a module, its exported names too
set -uo pipefail
module=${1:+$(realpath "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# rule NAME: the rule holds if there are no lines on stdin; they are what breaks it
rule() {
	local found
	found=$(cat)
	if [ -z "$found" ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		sed 's/^/# /' <<<"$found"
	fi
}

# Every room may use itself and the rooms behind it.
awk '
	BEGIN { split("udf conflict skipping predicate delta base", room); for (i in room) rank[room[i]] = i }
	match($0, /^#include "[a-z_]+\//) {
		split(FILENAME, part, "/")
		wanted = substr($0, 11, RLENGTH - 11)
		if (wanted in rank && rank[wanted] < rank[part[2]]) print FILENAME ": " $0
	}' src/*/*.[chyl] | rule 'the arrows between the rooms go down'

find src -mindepth 1 -maxdepth 1 -type d ! -name base ! -name delta ! -name predicate ! -name skipping ! -name conflict ! -name udf |
	rule 'there is no other room'

for file in src/*/*.c; do
	[[ $file == */pred_gram.c || $file == */pred_scan.c ]] ||
		[ "$(grep -m1 '^#include' "$file")" = '#include "postgres.h"' ] || echo "$file"
done | rule 'postgres.h is the first thing a .c file includes'

grep -n '"postgres.h"' src/*/*.h | rule 'no header includes postgres.h'

for file in $(grep -l '^#include <jansson.h>' src/*/*.[ch]); do
	grep -q '^#pragma GCC poison json_object$' "$file" || echo "$file"
done | rule 'whoever includes jansson.h has json_object poisoned'

for file in sql/*.sql; do
	[ -e "expected/$(basename "$file" .sql).out" ] || echo "$file"
done | rule 'every sql/*.sql has its expected/*.out'

for file in expected/*.out; do
	name=$(basename "$file" .out)
	# An alternative output is called like the first with a digit behind.
	[ -e "sql/$name.sql" ] || [ -e "sql/${name%_[0-9]}.sql" ] || echo "$file"
done | rule 'every expected/*.out has its sql/*.sql'

comm -3 \
	<(sed -n 's/^PG_FUNCTION_INFO_V1(\(.*\));.*/\1/p' src/*/*.c | sort -u) \
	<(grep -oh "'MODULE_PATHNAME', *'[a-z0-9_]*'" sql/install/*.sql | sed "s/.*, *'//; s/'//" | sort -u) |
	rule 'the C functions are those that the SQL declares'

grep -nEi 'create +or +replace|create +[a-z ]+ +if +not +exists|security +definer' sql/install/*.sql sql/upgrade/*.sql 2>/dev/null |
	rule 'the installation replaces nothing, and lends nobody its rights'

for file in sql/install/*.sql; do
	awk -v file="$file" '
		function end_it() { if (name != "" && text !~ /SET search_path = pg_catalog, pg_temp/) print file ": " name; name = text = "" }
		/^CREATE (FUNCTION|PROCEDURE)/ { end_it(); name = $3; text = "" }
		{ text = text $0 "\n" }
		# A body that is parsed at once looks nothing up later.
		/LANGUAGE +C|LANGUAGE +internal|^BEGIN ATOMIC|^RETURN / { name = "" }
		END { end_it() }' "$file"
done | rule 'every function in SQL or plpgsql sets its search_path'

# What is parsed when it is called may be parsed with any setting.
for file in sql/install/*.sql; do
	awk -v file="$file" '
		function end_it() { if (name != "" && body ~ /[^A-Za-z]'\''[^'\''\n]*\\[^'\''\n]*'\''/ && text !~ /SET standard_conforming_strings = on/) print file ": " name; name = "" }
		/^CREATE / { end_it() }
		/^CREATE FUNCTION/ { name = $3; text = body = "" }
		body != "" || /^AS \$\$/ { body = body $0 "\n" }
		{ text = text $0 "\n" }
		/^BEGIN ATOMIC/ { name = "" }
		END { end_it() }' "$file"
done | rule 'a function body with a backslash in a literal sets standard_conforming_strings'

for file in tools/*.sh test/*.sh .ci/run; do
	case $(basename "$file") in lib.sh) continue ;; esac
	[ -x "$file" ] || echo "$file is not executable"
done | rule 'scripts are executable'

for file in tools/*.sh test/*.sh .ci/run; do
	bash -n "$file" 2>&1
done | rule 'scripts have no syntax error'

# Nothing but the repository may be needed, and no one's machine.
find . -name .git -prune -o -name results -prune -o -type f ! -name '*.o' ! -name '*.so' ! -path ./tools/lint.sh -print0 |
	xargs -0 grep -nIE '(^|[^A-Za-z0-9_.-])/(work|root|home)/|\.\./shared|/tmp/(dev-|pgd|pgsrc|pgmatrix|oracle|fresh)' | cut -c1-200 |
	rule 'no file knows a path of the machine that it was made on'

for page in README.md CHANGELOG.md docs/*.md; do
	grep -oE '\]\([^)#: ]+(#[^)]*)?\)' "$page" | sed -E 's/^\]\(//; s/[#)].*//' | while read -r link; do
		[ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
	done
done | rule 'links between the pages lead somewhere'

if [ -n "$module" ]; then
	nm -D --defined-only "$module" | awk '$3 !~ /^(deltacc_|pg_finfo_deltacc_|Pg_magic_func$|_PG_init$|_PG_fini$|_init$|_fini$)/ { print $3 }' |
		rule 'every exported name is ours: deltacc_*'
fi

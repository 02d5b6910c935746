#!/usr/bin/env bash
# The property tests of test/properties.sql with new seeds, without end: builds,
# starts a private server and goes on until it is stopped or N minutes are over.
# A failure ends it, with the seed, the expression and the file in question.
#
#   tools/soak.sh [--minutes N] [--seed FIRST]
. "$(dirname "$0")/lib.sh"

minutes=
seed=
while [ $# -gt 0 ]; do
	case $1 in
		--minutes) minutes=$2; shift 2 ;;
		--seed) seed=$2; shift 2 ;;
		*) echo "usage: tools/soak.sh [--minutes N] [--seed FIRST]" >&2; exit 2 ;;
	esac
done
: "${seed:=$(($(date +%s) * 1000))}"

make_work
need_packages
private_prefix
build
start_server
psql -X -q -v ON_ERROR_STOP=1 -c 'DROP EXTENSION IF EXISTS deltacc CASCADE' -c 'CREATE EXTENSION deltacc' 2>/dev/null

end=0
[ -z "$minutes" ] || end=$(($(date +%s) + minutes * 60))
rounds=0
points=0
echo "from seed $seed on; stop with Ctrl-C"
while [ "$end" = 0 ] || [ "$(date +%s)" -lt "$end" ]; do
	out=$(psql -X -q -tA -v ON_ERROR_STOP=1 -v seed="$seed" <<-SQL
		\i '$checkout/test/data/properties.psql'
		\i '$checkout/test/data/judged.psql'
		SELECT pg_temp.round(:seed, 40, 3, 400), pg_temp.judge(:seed, 40, 2000) \g /dev/null
		SELECT 'violation: ' || v::text || ' in ' || pg_temp.add_line(substr(path, 2)::int) FROM violation v LIMIT 10;
		SELECT 'refused: ' || r::text FROM refused r WHERE sqlstate <> '42804' LIMIT 10;
		SELECT sum(exact_points) FROM asked;
	SQL
	) || { echo "$out"; echo "seed $seed: the run broke off"; exit 1; }
	if [ "$(wc -l <<<"$out")" != 1 ]; then
		echo "$out"
		echo "not ok - seed $seed; again with: tools/soak.sh --seed $seed"
		exit 1
	fi
	rounds=$((rounds + 1))
	points=$((points + out))
	echo "seed $seed: ok, $points points in $rounds rounds"
	seed=$((seed + 1))
done
echo "ok - $rounds rounds, $points points, no outcome outside of its ranges, no row left out that PostgreSQL finds true"

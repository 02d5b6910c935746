#!/usr/bin/env bash
# The binary input functions under hostile bytes: whatever COPY BINARY brings,
# the answer is a row or an ordinary error, and the server goes on.  Prints TAP.
set -u

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sql() { psql -X -q -tA "$@" 2>&1; }

sql -c 'CREATE TABLE binary_input_actions (v deltacc.actions)' -c 'CREATE TABLE binary_input_predicate (v deltacc.predicate)' >/dev/null

# copy_file FILE PAYLOAD-FILE: one row of one column in COPY BINARY's format
copy_file() {
	local n
	n=$(stat -c %s "$2")
	{
		printf 'PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0\0\001'
		printf "\\x$(printf %02x $((n >> 24 & 255)))\\x$(printf %02x $((n >> 16 & 255)))\\x$(printf %02x $((n >> 8 & 255)))\\x$(printf %02x $((n & 255)))"
		cat "$2"
		printf '\377\377'
	} >"$1"
}

echo 1..4
for type in actions predicate; do
	# what the type itself writes comes back equal
	case $type in
		actions) value='{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}' ;;
		predicate) value="a = 'x' AND b IN (1, 2)" ;;
	esac
	psql -X -q -c "\\copy (SELECT '${value//\'/\'\'}'::deltacc.$type) TO '$dir/good' (FORMAT binary)"
	sql -c "\\copy binary_input_$type FROM '$dir/good' (FORMAT binary)"
	if [ "$(sql -c "SELECT count(*) FROM binary_input_$type WHERE v::text = ('${value//\'/\'\'}'::deltacc.$type)::text")" = 1 ]; then
		echo "ok - $type survives COPY BINARY"
	else
		echo "not ok - $type survives COPY BINARY"
	fi

	# and bytes that it never wrote are refused or read, 300 times
	internal=0
	for i in $(seq 300); do
		LC_ALL=C awk -v seed="$i" -v keep="$((i % 3))" 'BEGIN {
			srand(seed); n = int(rand() * 200)
			if (keep) printf "%c", 1                       # a plausible version byte
			for (j = 0; j < n; j++) printf "%c", int(rand() * 255) + 1 }' >"$dir/payload"
		copy_file "$dir/bad" "$dir/payload"
		out=$(sql -v VERBOSITY=verbose -c "\\copy binary_input_$type FROM '$dir/bad' (FORMAT binary)")
		case $out in *XX0*|*'server closed'*|*'connection to server'*) internal=$((internal + 1)); echo "# $out" ;; esac
	done
	if [ $internal = 0 ] && [ "$(sql -c 'SELECT 1')" = 1 ]; then
		echo "ok - $type refuses hostile bytes"
	else
		echo "not ok - $type refuses hostile bytes"
	fi
done
sql -c 'DROP TABLE binary_input_actions, binary_input_predicate' >/dev/null

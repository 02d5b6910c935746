#!/usr/bin/env bash
# Times deltacc against a named rival in the same run and prints a Markdown
# table: medians of seven, and their ratio.  Only the ratio means something on
# another machine.
#
#   bench/run.sh [--files N] [--columns N]     default: 10,000 files, 32 columns
. "$(dirname "$0")/../tools/lib.sh"

files=10000
columns=32
while [ $# -gt 0 ]; do
	case $1 in
		--files) files=$2 ;;
		--columns) columns=$2 ;;
		*) echo "unknown option $1" >&2; exit 2 ;;
	esac
	shift 2
done

make_work
need_packages
private_prefix
build
start_server
psql -X -q -c 'CREATE EXTENSION IF NOT EXISTS deltacc'
echo "$(psql -X -tA -c 'SELECT version()' | cut -d'(' -f1), deltacc $(psql -X -tA -c "SELECT extversion FROM pg_extension WHERE extname = 'deltacc'"), $(nproc) cores, $files files of $columns columns"
echo
psql -X -q -tA -v ON_ERROR_STOP=1 -v files="$files" -v columns="$columns" -f "$checkout/bench/bench.sql"

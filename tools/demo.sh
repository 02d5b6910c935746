#!/usr/bin/env bash
# Builds deltacc, starts a private PostgreSQL and runs the main job on a real
# log.  Leaves nothing behind but packages that were missing.
. "$(dirname "$0")/lib.sh"

make_work
need_packages
private_prefix
build
start_server
psql -X -q -c 'CREATE EXTENSION deltacc'
if psql -X -q -v data="$work/build/test/data" -f "$checkout/tools/demo.sql"; then
	echo "1 passed, 0 failed"
else
	echo "0 passed, 1 failed"
	exit 1
fi

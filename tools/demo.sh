#!/usr/bin/env bash
# Builds deltacc, starts a private PostgreSQL and runs the main job on a real
# log.  Leaves nothing behind but packages that were missing.
. "$(dirname "$0")/lib.sh"

promise_report
make_work
need_packages
private_prefix
build
start_server
psql -X -q -c 'CREATE EXTENSION deltacc'
if psql -X -q -v data="$work/build/test/data" -f "$checkout/tools/demo.sql"; then
	passed=1
else
	failed=1
fi
report

#!/usr/bin/env bash
# For working on deltacc: builds the checkout into a scratch server that stays
# up between calls, makes the extension anew and runs psql on it.
#
#   DELTACC_WORK=/tmp/my-deltacc tools/dev.sh [psql arguments]
#   DELTACC_WORK=/tmp/my-deltacc tools/dev.sh stop
. "$(dirname "$0")/lib.sh"

: "${DELTACC_WORK:=/tmp/deltacc-dev-$(id -un)}"
make_work
need_packages
private_prefix
if [ "${1:-}" = stop ]; then
	stop_server
	exit
fi
build
start_server
psql -X -q -v ON_ERROR_STOP=1 -c 'DROP EXTENSION IF EXISTS deltacc CASCADE' -c 'CREATE EXTENSION deltacc' 2>&1 | grep -v NOTICE || true
psql -X "$@"

# Sourced by the other tools: packages, a private copy of PostgreSQL with
# deltacc built into it, and a throw-away server.
#
# Nothing is written outside $work but missing apt packages; no cluster that is
# there is touched; root is needed for nothing but those packages.
# shellcheck shell=bash

set -euo pipefail

# What the caller's environment says about other servers, builds and languages
# is not for us.  PG_CONFIG and PG_MAJOR are: see private_prefix.
if [ -z "${DELTACC_IN_CHECK:-}" ]; then
	for variable in "${!PG@}" MAKEFLAGS MFLAGS MAKELEVEL DESTDIR PROFILE EXTRA_REGRESS_OPTS CDPATH LANGUAGE; do
		case $variable in PG_CONFIG | PG_MAJOR) ;; *) unset "$variable" ;; esac
	done
	export LC_ALL=C.UTF-8 PSQL_PAGER=cat
fi

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The sum over all suites is the last line of demo.sh and check.sh, whatever
# happened.  A trap runs with the redirections of the command that it broke into,
# so their own stdout is kept.
passed=0
failed=0
report_at_exit=

promise_report() {
	exec 3>&1
	report_at_exit=1
}

report() {
	report_at_exit=
	echo "$passed passed, $failed failed" >&3
	[ "$failed" = 0 ]
}

at_exit() {
	local status=$?
	[ -n "${DELTACC_WORK:-}" ] || clean_up
	if [ -n "$report_at_exit" ]; then
		failed=$((failed + 1))
		report || true
	fi
	exit "$status"
}

# As root the server has to run as somebody else.
as_owner() {
	if [ "$(id -u)" = 0 ]; then
		(cd "$work" && runuser -u "$owner" -- env HOME="$work" "$@")
	else
		"$@"
	fi
}

newest_major() {
	# The newest installed server that extensions can be built for; else nothing.
	local dir
	for dir in $(ls -d /usr/lib/postgresql/*/lib/pgxs/src/makefiles/pgxs.mk 2>/dev/null | sort -t/ -k5,5nr); do
		dir=${dir%/lib/pgxs/*}
		[ -x "$dir/bin/initdb" ] && basename "$dir" && return
	done
	return 0
}

# Packages that are not installed, of those named.
missing() {
	local package
	for package in "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || echo "$package"
	done
}

sudo_apt() {
	"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$work/apt.log" 2>&1 </dev/null ||
		{ cat "$work/apt.log" >&2; echo "apt-get $* failed" >&2; return 1; }
}

# need_packages [more...]: installs what building and running takes, if it is
# missing.  What is there is left at the version that it has.
need_packages() {
	local needed=(gcc make flex bison pkg-config libjansson-dev rsync "$@") wanted=() server=() sudo=() no_cluster=
	major=${PG_MAJOR:-$(newest_major)}
	mapfile -t wanted < <(missing "${needed[@]}")
	[ -n "$major" ] && pgtap_there && [ ${#wanted[@]} = 0 ] && return

	echo "installing: ${wanted[*]} PostgreSQL $major" | tr -s ' ' >&2
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null ||
			{ echo "packages are missing, and there is no sudo: run this once as root" >&2; return 1; }
		sudo=(sudo)
	fi
	sudo_apt update || true		# one broken source of many may not matter
	if [ -z "$major" ]; then
		major=$(apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -1)
	fi
	mapfile -t server < <(missing "postgresql-$major" "postgresql-server-dev-$major" "postgresql-$major-pgtap")
	sudo_apt install -y --no-install-recommends $(missing postgresql-common) "${wanted[@]}"

	# A new server comes with a cluster, unless it is told not to.
	if [[ " ${server[*]} " == *" postgresql-$major "* ]]; then
		no_cluster=/etc/postgresql-common/createcluster.d/deltacc.conf
		"${sudo[@]}" mkdir -p "${no_cluster%/*}"
		echo 'create_main_cluster = false' | "${sudo[@]}" tee "$no_cluster" >/dev/null
	fi
	local status=0
	[ ${#server[@]} = 0 ] || sudo_apt install -y --no-install-recommends "${server[@]}" || status=$?
	if [ -n "$no_cluster" ]; then
		"${sudo[@]}" rm -f "$no_cluster"
		"${sudo[@]}" rmdir --ignore-fail-on-non-empty "${no_cluster%/*}"
	fi
	return "$status"
}

pgtap_there() {
	[ -f "/usr/share/postgresql/$major/extension/pgtap.control" ]
}

# make_work: the scratch directory, removed on exit unless DELTACC_WORK names one.
make_work() {
	local base=${TMPDIR:-/tmp}
	if [ -n "${DELTACC_WORK:-}" ]; then
		mkdir -p "$DELTACC_WORK"
		work=$(cd "$DELTACC_WORK" && pwd)
	else
		# make takes no blanks, a socket's name is short, and as root somebody else
		# has to get there.
		if [[ $base =~ [^A-Za-z0-9/._+-] || $base != /* || ${#base} -gt 70 || ! -w $base ]] ||
			{ [ "$(id -u)" = 0 ] && ! runuser -u nobody -- test -x "$base"; }; then
			base=/tmp
		fi
		work=$(mktemp -d "$base/deltacc.XXXXXX")
	fi
	trap at_exit EXIT
	trap 'exit 130' INT TERM HUP
	chmod 755 "$work"
}

clean_up() {
	stop_server
	rm -rf "$work"
}

# private_prefix: copies the server's tree; PostgreSQL finds its parts relative
# to its own binary, so the copy is complete in itself.  If PG_CONFIG names a
# server that is not Debian's, that one is used as it stands, and deltacc is
# installed into it: for trying other majors and builds.
private_prefix() {
	owner=postgres
	[ "$(id -u)" = 0 ] || owner=$(id -un)
	if [ -n "${PG_CONFIG:-}" ]; then
		bin=$("$PG_CONFIG" --bindir)
		if [[ $bin == /usr/lib/postgresql/* ]]; then
			major=$(basename "$(dirname "$bin")")
		else
			foreign=1
			[ -e "$("$PG_CONFIG" --sharedir)/extension/pgtap.control" ] ||
				cp "/usr/share/postgresql/$major/extension"/pgtap* "$("$PG_CONFIG" --sharedir)/extension/"
			if [ "$(id -u)" = 0 ]; then chown "$owner": "$work"; fi
			export PATH="$bin:$PATH"
			return
		fi
	fi
	prefix=$work/prefix
	bin=$prefix/usr/lib/postgresql/$major/bin
	if [ ! -x "$bin/postgres" ]; then
		mkdir -p "$prefix/usr/lib/postgresql" "$prefix/usr/share/postgresql" "$prefix/usr/include"
		cp -a "/usr/lib/postgresql/$major" "$prefix/usr/lib/postgresql/"
		cp -a "/usr/share/postgresql/$major" "$prefix/usr/share/postgresql/"
		ln -sfn /usr/include/postgresql "$prefix/usr/include/postgresql"
		if [ "$(id -u)" = 0 ]; then chown "$owner": "$work" && chown -R "$owner": "$prefix"; fi
	fi
	export PATH="$bin:$PATH"
}

# build: copies the checkout into $work/build, builds and installs it there.
build() {
	mkdir -p "$work/build"
	rsync -a --delete --exclude .git --exclude '*.o' --exclude '*.bc' --exclude '*.so' --exclude results \
		--exclude 'pred_gram.[ch]' --exclude pred_scan.c --exclude 'deltacc--*.sql' --exclude 'regression.*' \
		"$checkout/" "$work/build/"
	if [ "$(id -u)" = 0 ]; then chown -R "$owner": "$work/build"; fi
	make_flags=(-s -C "$work/build" PG_CONFIG="$bin/pg_config" with_llvm=no)
	# A server may have been built by a newer gcc, whose warnings ours doesn't know.
	local flags
	flags=$("$bin/pg_config" --cflags)
	if [[ $flags == *-Wmissing-variable-declarations* ]] && ! gcc -Wmissing-variable-declarations -E -x c - </dev/null >/dev/null 2>&1; then
		make_flags+=("CFLAGS=${flags/-Wmissing-variable-declarations/} ${COPT:-}")
	fi
	as_owner make "${make_flags[@]}" -j"$(nproc)" COPT="${COPT:-}" all >"$work/build.log" 2>&1 ||
		{ cat "$work/build.log" >&2; echo "the build failed" >&2; return 1; }
	# What the compiler warns about is worth seeing.
	grep -E 'warning:' "$work/build.log" >&2 || true
	local installer=as_owner
	[ -z "${foreign:-}" ] || installer=
	$installer make "${make_flags[@]}" install >"$work/install.log" 2>&1 ||
		{ cat "$work/install.log" >&2; echo "the installation failed" >&2; return 1; }
}

# start_server: a new cluster (or the one in $work), on a socket of its own.
# DELTACC_SERVER_OPTIONS are for trying others: '-c force_parallel_mode=regress'.
start_server() {
	export PGHOST=$work/socket PGPORT=5432 PGUSER=tester PGDATABASE=deltacc PGTZ=UTC
	if [ ! -d "$work/data" ]; then
		mkdir -p "$PGHOST"
		if [ "$(id -u)" = 0 ]; then chown "$owner": "$work" "$PGHOST"; fi
		as_owner initdb -D "$work/data" -U tester -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$work/initdb.log" 2>&1 ||
			{ cat "$work/initdb.log" >&2; return 1; }
	fi
	if ! as_owner pg_ctl -D "$work/data" status >/dev/null 2>&1; then
		as_owner pg_ctl -w -D "$work/data" -l "$work/server.log" \
			-o "-c listen_addresses= -c unix_socket_directories=$PGHOST -c fsync=off -c timezone=UTC -c log_timezone=UTC -c max_stack_depth=2MB ${DELTACC_SERVER_OPTIONS:-}" \
			start >/dev/null 3>&- || { tail -20 "$work/server.log" >&2; return 1; }
	fi
	psql -X -q -d postgres -tAc "SELECT 1 FROM pg_database WHERE datname = 'deltacc'" | grep -q 1 || createdb deltacc
}

stop_server() {
	[ -n "${work:-}" ] && [ -d "$work/data" ] || return 0
	as_owner pg_ctl -D "$work/data" -m immediate stop >/dev/null 2>&1 || true
}

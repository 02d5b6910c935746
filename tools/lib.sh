# Sourced by the other tools: packages, a private copy of PostgreSQL with
# deltacc built into it, and a throw-away server.
#
# Nothing is written outside $work but missing apt packages; no cluster that is
# there is touched; root is needed for nothing but those packages.
# shellcheck shell=bash

set -euo pipefail

checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

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

sudo_apt() {
	local sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	DEBIAN_FRONTEND=noninteractive $sudo apt-get -qq -o Dpkg::Use-Pty=0 "$@" >"$work/apt.log" 2>&1 ||
		{ cat "$work/apt.log" >&2; echo "apt-get $* failed" >&2; return 1; }
}

# need_packages [more...]: installs what building and running takes, if it is missing.
need_packages() {
	local missing=() package sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	major=${PG_MAJOR:-$(newest_major)}
	for package in gcc make flex bison pkg-config libjansson-dev rsync "$@"; do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
	done
	if [ -z "$major" ] || [ ${#missing[@]} -gt 0 ] || ! pgtap_there; then
		echo "installing: ${missing[*]} ${major:+PostgreSQL $major}${major:-PostgreSQL}" | sed 's/  */ /g' >&2
		sudo_apt update
		# Keeps the package from making a cluster of its own.
		sudo_apt install -y --no-install-recommends postgresql-common "${missing[@]}"
		if [ -z "$major" ]; then
			major=$(apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -1)
		fi
		if ! dpkg-query -W -f '${Status}' "postgresql-$major" 2>/dev/null | grep -q 'ok installed'; then
			$sudo mkdir -p /etc/postgresql-common/createcluster.d
			echo 'create_main_cluster = false' | $sudo tee /etc/postgresql-common/createcluster.d/deltacc.conf >/dev/null
		fi
		sudo_apt install -y --no-install-recommends \
			"postgresql-$major" "postgresql-server-dev-$major" "postgresql-$major-pgtap" libtap-parser-sourcehandler-pgtap-perl
	fi
}

pgtap_there() {
	[ -f "/usr/share/postgresql/$major/extension/pgtap.control" ] && command -v pg_prove >/dev/null
}

# make_work: the scratch directory, removed on exit unless DELTACC_WORK names one.
make_work() {
	if [ -n "${DELTACC_WORK:-}" ]; then
		work=$DELTACC_WORK
		mkdir -p "$work"
	else
		work=$(mktemp -d "${TMPDIR:-/tmp}/deltacc.XXXXXX")
		trap clean_up EXIT
		trap 'exit 130' INT TERM
	fi
	chmod 755 "$work"
}

clean_up() {
	stop_server
	rm -rf "$work"
}

# private_prefix: copies the server's tree; PostgreSQL finds its parts relative
# to its own binary, so the copy is complete in itself.  With PG_CONFIG set that
# server is used as it stands, and deltacc is installed into it: for trying other
# majors and builds.
private_prefix() {
	owner=postgres
	[ "$(id -u)" = 0 ] || owner=$(id -un)
	if [ -n "${PG_CONFIG:-}" ]; then
		bin=$("$PG_CONFIG" --bindir)
		[ -e "$("$PG_CONFIG" --sharedir)/extension/pgtap.control" ] ||
			cp "/usr/share/postgresql/$major/extension"/pgtap* "$("$PG_CONFIG" --sharedir)/extension/"
		if [ "$(id -u)" = 0 ]; then
			chown "$owner": "$work"
			chown -R "$owner": "$("$PG_CONFIG" --sharedir)" "$("$PG_CONFIG" --pkglibdir)"
		fi
		export PATH="$bin:$PATH"
		return
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
	as_owner make -s -j"$(nproc)" -C "$work/build" PG_CONFIG="$bin/pg_config" with_llvm=no \
		COPT="${COPT:-}" all >"$work/build.log" 2>&1 ||
		{ cat "$work/build.log" >&2; echo "the build failed" >&2; return 1; }
	# What the compiler warns about is worth seeing.
	grep -E 'warning:' "$work/build.log" >&2 || true
	as_owner make -s -C "$work/build" PG_CONFIG="$bin/pg_config" with_llvm=no install >"$work/install.log" 2>&1 ||
		{ cat "$work/install.log" >&2; echo "the installation failed" >&2; return 1; }
}

# start_server: a new cluster (or the one in $work), on a socket of its own.
start_server() {
	export PGHOST=$work/socket PGPORT=5432 PGUSER=tester PGDATABASE=deltacc PGOPTIONS='' PGTZ=UTC
	unset PGSERVICE PGPASSWORD PGHOSTADDR
	if [ ! -d "$work/data" ]; then
		mkdir -p "$PGHOST"
		if [ "$(id -u)" = 0 ]; then chown "$owner": "$work" "$PGHOST"; fi
		as_owner initdb -D "$work/data" -U tester -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$work/initdb.log" 2>&1 ||
			{ cat "$work/initdb.log" >&2; return 1; }
	fi
	if ! as_owner pg_ctl -D "$work/data" status >/dev/null 2>&1; then
		as_owner pg_ctl -w -D "$work/data" -l "$work/server.log" \
			-o "-c listen_addresses= -c unix_socket_directories=$PGHOST -c fsync=off -c timezone=UTC -c log_timezone=UTC -c max_stack_depth=2MB" \
			start >/dev/null || { tail -20 "$work/server.log" >&2; return 1; }
	fi
	psql -X -q -d postgres -tAc "SELECT 1 FROM pg_database WHERE datname = 'deltacc'" | grep -q 1 || createdb deltacc
}

stop_server() {
	[ -n "${work:-}" ] && [ -d "$work/data" ] || return 0
	as_owner pg_ctl -D "$work/data" -m immediate stop >/dev/null 2>&1 || true
}

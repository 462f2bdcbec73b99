#!/bin/sh
# Runs a command against a throw-away PostgreSQL cluster (PGHOST and friends are set for it).
set -eu
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
home=$(mktemp -d)
chown postgres "$home"
as() { su postgres -s /bin/sh -c "$1"; }
as "$bin/initdb -D $home/data -A trust" > "$home/log" 2>&1
as "$bin/pg_ctl -D $home/data -w -o '-k $home -h \"\"' -l $home/server start" > "$home/log" 2>&1
status=0
PGHOST=$home PGUSER=postgres "$@" || status=$?
as "$bin/pg_ctl -D $home/data -m fast stop" > "$home/log" 2>&1
rm -rf "$home"
exit $status

#!/bin/sh
# Starts a PostgreSQL server in memory, runs a file of psql in it and ends it:
#     with_postgres.sh init               makes an empty database, database.tar in this folder
#     with_postgres.sh FILE [START...]    runs FILE in a copy of it
# START stands before the server, such as homenode run --interleave=all. PostgreSQL does not run as
# root: for root, its server takes the user 65534.
set -e
for programs in /usr/lib/postgresql/*/bin; do PATH=$programs:$PATH; done
here=$PWD
own=
[ "$(id -u)" -ne 0 ] || own='setpriv --reuid=65534 --regid=65534 --clear-groups'
enter_folder() {
  folder=$(mktemp -d "$1/postgres.XXXXXX")
  [ -z "$own" ] || chown 65534:65534 "$folder"
  cd "$folder"
}
if [ "$1" = init ]; then
  enter_folder /tmp
  $own initdb -D data -U postgres -A trust -N -E UTF8 --locale=C > initdb.log
  tar -cf "$here/database.tar" data
  cd "$here"
  rm -r "$folder"
  exit
fi
file=$here/$1
shift
enter_folder /dev/shm
$own tar -xf - < "$here/database.tar"
export PGHOST="$folder" PGUSER=postgres PGDATABASE=postgres
$own "$@" postgres -D data -k "$folder" -c listen_addresses= -c fsync=off > server.log 2>&1 &
until psql -c '' > psql.log 2>&1; do sleep 0.2; done
status=0
psql -qAt -v ON_ERROR_STOP=1 -f "$file" || status=$?
kill -INT $!
wait
cd "$here"
rm -r "$folder"
exit $status

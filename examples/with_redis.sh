#!/bin/sh
# Starts a Redis server of its own that keeps nothing on disk, puts 100,000 values of 200 bytes into
# it, runs COMMAND beside it and ends it:
#     with_redis.sh COMMAND [START...]
# START stands before redis-server, such as homenode run --cpunodebind=1. In COMMAND, `load` makes the
# server read a seventh of the values, three times.
set -e
command=$1
shift
folder=$(mktemp -d)
redis() { redis-cli -s "$folder/socket" "$@"; }
load() {
  redis eval 'local bytes = 0
    for round = 1, 3 do
      for i = 0, 99999, 7 do bytes = bytes + #redis.call("get", "key:" .. i) end
    end
    return bytes' 0
}
"$@" redis-server --port 0 --unixsocket "$folder/socket" --save '' --enable-debug-command yes \
  > "$folder/server.log" 2>&1 &
until redis ping > "$folder/ping.log" 2>&1; do sleep 0.1; done
redis debug populate 100000 key 200 > "$folder/filled.log"
eval "$command"
redis shutdown nosave
wait
rm -r "$folder"

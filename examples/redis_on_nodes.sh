#!/bin/sh
# Runs COMMAND beside a Redis server on each of the nodes 0 to 3: redis_on_nodes.sh COMMAND...
set -e
folder=$(mktemp -d)
for node in 0 1 2 3; do
  homenode run --cpunodebind=$node --preferred=$node -- \
    redis-server --port 0 --unixsocket "$folder/$node" --save '' > "$folder/$node.log" &
  until redis-cli -s "$folder/$node" ping > "$folder/ping.log" 2>&1; do sleep 0.1; done
done
"$@"
for node in 0 1 2 3; do redis-cli -s "$folder/$node" shutdown nosave; done
wait
rm -r "$folder"

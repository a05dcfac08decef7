#!/bin/sh
# Runs a command in a cpuset, as a container with --cpuset-cpus and --cpuset-mems does (as root, with
# cgroups of version 2): in_cpuset.sh CPUS MEMS COMMAND...
set -e
box=/sys/fs/cgroup/box
mkdir -p $box
echo +cpuset > /sys/fs/cgroup/cgroup.subtree_control
echo "$1" > $box/cpuset.cpus
echo "$2" > $box/cpuset.mems
echo $$ > $box/cgroup.procs
shift 2
exec "$@"

#!/bin/sh
# Turns FILE.sysfs back into a tree of files below DIRECTORY, for HWLOC_FSROOT.
# Usage: unpack_sysfs.sh FILE.sysfs DIRECTORY
set -eu
while IFS= read -r line; do
    path=$2${line%%:*}
    mkdir -p "${path%/*}"
    printf '%s\n' "${line#*:}" >>"$path"
done <"$1"

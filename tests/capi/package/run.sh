#!/bin/sh
# Installs the library's components of the build $1 into an empty folder and uses it as a stranger
# would: with CMake and with pkg-config, from C and C++, shared and static, also after a move.
set -eu
build=$1
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for component in library development; do
  cmake --install "$build" --prefix "$work/installed" --component "$component" >"$work/log"
done
mv "$work/installed" "$work/moved"
config=$(find "$work/moved" -name homenode-config.cmake)
libraries=$(dirname "$(dirname "$(dirname "$config")")")

cmake -S "$source" -B "$work/cmake" -Dhomenode_DIR="$(dirname "$config")" >"$work/log"
cmake --build "$work/cmake" >"$work/log" || { cat "$work/log"; exit 1; }
for program in "$work"/cmake/uses_c*; do
  echo "${program##*/}" && "$program"
done

export PKG_CONFIG_PATH="$libraries/pkgconfig"
found() { pkg-config "$@" homenode; }
echo "version $(found --modversion)"
# shellcheck disable=SC2046  # pkg-config gives words.
{
  cc -std=c11 "$source/uses.c" $(found --cflags --libs) -o "$work/shared_c"
  c++ -std=c++20 "$source/uses.cpp" $(found --cflags --libs) -o "$work/shared_cpp"
  for program in shared_c shared_cpp; do
    echo "$program" && LD_LIBRARY_PATH=$libraries "$work/$program"
  done
  rm "$libraries"/libhomenode.so*  # What is left to link is the archive.
  cc -std=c11 "$source/uses.c" $(found --static --cflags --libs) -o "$work/static_c"
  echo static_c && "$work/static_c"
}

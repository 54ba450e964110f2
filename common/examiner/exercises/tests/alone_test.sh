#!/bin/sh
# alone_test.sh REPOSITORY EVERY COMPILE... -- tests that exercises need no file of the project except exercise.h.
# COMPILE is a command that takes a file name. It must compile the files kernel.cu and hunt.cu in exercises/ and
# solutions/. Only every EVERYth file is tested. It must reject a kernel that does not include exercise.h.
set -eu
repository=$1 every=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'failed: %s\n' "$*"; cat "$work/said"; exit 1; }

count=0 compiled=0
for file in "$repository"/exercises/*/kernel.cu "$repository"/exercises/*/hunt.cu \
    "$repository"/solutions/*/kernel.cu "$repository"/solutions/*/hunt.cu; do
    count=$((count + 1))
    [ $((count % every)) = 0 ] || continue
    (cd "$work" && "$@" -I "$repository/exercises" "$file") >"$work/said" 2>&1 || fail "$file does not compile"
    compiled=$((compiled + 1))
done
if [ $compiled = 0 ] || [ $count -le 30 ]; then
    : >"$work/said"
    fail "$compiled of $count files compiled"
fi

grep -v '#include "exercise.h"' "$repository/solutions/03_tiled/kernel.cu" >"$work/bare.cu"
! "$@" -I "$repository/exercises" "$work/bare.cu" >"$work/said" 2>&1 || fail "a kernel without exercise.h compiles"
grep -q 'Launch' "$work/said" || fail "the message does not name Launch"
echo "ok: $compiled of $count files compile"

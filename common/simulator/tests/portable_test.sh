#!/bin/sh
# portable_test.sh BUILD checks that a portable build loads the right library: the AVX2 library on this processor, and
# the plain library on a processor from 2008, which qemu emulates. Both must give the same counters.
set -eu
build=$(cd "$1" && pwd -P)
step=$build/bin/09_vec4_t64
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT
fail() {
    echo "portable_test.sh: $*"
    exit 1
}

# run NAME COMMAND... runs COMMAND, and writes its counters to NAME.json and the name of the loaded library to NAME.txt.
# COMMAND must itself set the library's folder. If the program restarted itself to do so, it would run outside of qemu.
run() {
    name=$1
    shift
    "$@" "$step" --device sim --rows 128 --cols 64 --json "$scratch/$name.json" \
        >"$scratch/$name.txt" 2>&1 || {
        cat "$scratch/$name.txt"
        fail "$step failed: $*"
    }
}
loaded() { sed -n "s|.*calling init: $build/\(lib/.*libcudart.so.13\)\$|\1|p" "$scratch/$1.txt" | tail -n 1; }

# Simulate only a little memory, because qemu keeps a record of every reserved page.
export COALESCE_SIM_MEMORY=268435456
LD_LIBRARY_PATH=$build/lib LD_DEBUG=libs run here env
run old qemu-x86_64 -cpu Nehalem -E "LD_LIBRARY_PATH=$build/lib" -E LD_DEBUG=libs

[ "$(loaded old)" = lib/libcudart.so.13 ] || fail "a processor without AVX2 loaded '$(loaded old)'"
if grep -q '\bavx2\b' /proc/cpuinfo; then
    case $(loaded here) in
    lib/glibc-hwcaps/x86-64-v3/libcudart.so.13) ;;
    *) fail "this processor has AVX2, but what was loaded is '$(loaded here)'" ;;
    esac
fi
cmp "$scratch/here.json" "$scratch/old.json" || fail "they counted differently"

# Check that the test can fail: the AVX2 library must not run on the old processor.
if qemu-x86_64 -cpu Nehalem -E "LD_LIBRARY_PATH=$build/lib/glibc-hwcaps/x86-64-v3" "$step" \
    --device sim --rows 128 --cols 64 >"$scratch/wrong.txt" 2>&1; then
    fail "the library for AVX2 runs without it: this test shows nothing"
fi
echo "ok: here $(loaded here), without AVX2 $(loaded old)"

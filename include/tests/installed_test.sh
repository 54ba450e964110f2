#!/bin/sh
# installed_test.sh CMAKE NVCC GENERATOR LIBRARY CONSUMER CUDART_FOLDER -- installs a copy of LIBRARY, moves the
# installed headers, and builds CONSUMER with them: with find_package, with a copy of single/, and with pkg-config. The
# programs use the libcudart in CUDART_FOLDER.
set -eu
cmake=$1 nvcc=$2 generator=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'failed: %s\n' "$*"; [ ! -e "$work/log" ] || cat "$work/log"; exit 1; }
run_quietly() { "$@" >"$work/log" 2>&1 || fail "$*"; }

cp -r "$4" "$work/library"
cp -r "$5" "$work/consumer"
run_quietly "$cmake" -S "$work/library" -B "$work/library_build" -G "$generator"
run_quietly "$cmake" --install "$work/library_build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
rm -r "$work/library" "$work/library_build"
export LD_LIBRARY_PATH="$6"
check() { [ "$("$1")" = right ] || fail "$1 does not say: right"; }

# ---- find_package ----

# -G turns off optimization, which makes nvcc three times as fast. Other tests check the optimized kernels. All builds
# use the same folder, so that cmake checks the compilers only once.
configure() {
    "$cmake" -S "$work/consumer" -B "$work/built" -G "$generator" -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DCMAKE_CUDA_FLAGS=-G -DCMAKE_CUDA_ARCHITECTURES=90-virtual "$@" >"$work/log" 2>&1
}
configure && fail "without an installation the project was configured"
grep -q coalesceConfig.cmake "$work/log" || fail "not for want of an installation"
configure -DCMAKE_PREFIX_PATH="$work/prefix" || fail "find_package"
run_quietly "$cmake" --build "$work/built"
check "$work/built/turn"
sed -i 's/coalesce 0.2/coalesce 0.9/' "$work/consumer/CMakeLists.txt"
configure -DCMAKE_PREFIX_PATH="$work/prefix" && fail "version 0.9 was found"
grep -q '0\.9' "$work/log" || fail "not for want of version 0.9"

# ---- one file ----

# Copies of the self-contained headers are enough to build both files of the consumer. turn.cu
# includes both headers.
mkdir -p "$work/copied/coalesce"
compile_with_copies() {
    "$nvcc" -G -std=c++17 -I "$work/copied" -gencode arch=compute_75,code=compute_75 "$@" >"$work/log" 2>&1
}
cp "$work/prefix/include/coalesce/transpose.cuh" "$work/copied/coalesce"
compile_with_copies -E "$work/consumer/other.cu" && fail "transpose.cuh was compiled without detail/"
grep -q 'detail/' "$work/log" || fail "not for want of detail/"
cp "$work/prefix/include/coalesce/single/"*.cuh "$work/copied/coalesce"
sed -i '1i #include <coalesce/permute.cuh>' "$work/consumer/turn.cu"
compile_with_copies -cudart shared -o "$work/turn" "$work/consumer/turn.cu" "$work/consumer/other.cu" ||
    fail "single/*.cuh"
check "$work/turn"

# ---- pkg-config ----

command -v pkg-config >"$work/log" || { echo "by find_package and with one file: right; there is no pkg-config here"; exit 0; }
export PKG_CONFIG_PATH="$work/prefix/share/pkgconfig"
run_quietly pkg-config --exists 'coalesce >= 0.2'
pkg-config --exists 'coalesce >= 0.9' && fail "pkg-config found version 0.9"
flags=$(pkg-config --cflags coalesce)
# shellcheck disable=SC2086  # the flags are separate words
run_quietly "$nvcc" -G -std=c++17 $flags -gencode arch=compute_75,code=compute_75 -cudart shared \
    -o "$work/turn" "$work/consumer/turn.cu" "$work/consumer/other.cu"
check "$work/turn"
echo "by find_package, with one file and by pkg-config: right"

#!/bin/sh
# consumer_test.sh CMAKE BUILD CLANG CONSUMER GENERATOR -- installs the build into a folder, then builds and runs a
# separate project that uses only the installation.
set -eu
cmake=$1 build=$2 consumer=$4
export COALESCE_CLANG="$3"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/installed" >"$work/log" || { cat "$work/log"; exit 1; }
for file in bin/simulate bin/cuda-clang lib/coalesce/libcudart.so.13 include/coalesce/coalesce_simulator.h \
    include/coalesce/cuda/cuda_runtime.h include/coalesce/transpose.cuh \
    share/cmake/coalesce/coalesceConfig.cmake; do
    [ -e "$work/installed/$file" ] || { echo "failed: $file was not installed"; exit 1; }
done
# Copy the project to a folder from which it cannot reach the source tree.
cp -r "$consumer" "$work/consumer"
{
    "$cmake" -S "$work/consumer" -B "$work/built" -G "$5" -DCMAKE_PREFIX_PATH="$work/installed"
    "$cmake" --build "$work/built"
} >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
(cd "$work/built" && ctest --output-on-failure --no-tests=error)

#!/bin/sh
# find_test.sh FIND_CUDA_COMPILER -- tests which compilers find-cuda-compiler finds, the order in which it prefers them,
# and which compilers it rejects.
set -eu
find=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CUDA_HOME CUDA_PATH COALESCE_CLANG

# program PATH TEXT: creates a fake compiler that prints TEXT.
program() {
    mkdir -p "$(dirname "$1")"
    printf '#!/bin/sh\necho "%s"\n' "$2" >"$1"
    chmod +x "$1"
}
# expect CODE OUTPUT COMMAND...: the command must exit with CODE and print OUTPUT.
expect() {
    code=$1 wanted=$2
    shift 2
    got=0
    printed=$("$@" 2>"$work/errors") || got=$?
    [ "$got" = "$code" ] && [ "$printed" = "$wanted" ] && return
    printf 'failed: %s\n  code %s (expected %s), printed: %s (expected: %s)\n' "$*" "$got" "$code" "$printed" "$wanted"
    exit 1
}

# The nvcc on the PATH takes precedence over the one in CUDA_HOME, unless it is too old.
program "$work/new/bin/nvcc" 'Cuda compilation tools, release 13.1, V13.1.2'
program "$work/home/bin/nvcc" 'Cuda compilation tools, release 14.0, V14.0.1'
program "$work/old/bin/nvcc" 'Cuda compilation tools, release 12.9, V12.9.41'
expect 0 "$work/new/bin/nvcc" env PATH="$work/new/bin" CUDA_HOME="$work/home" "$find" nvcc
expect 0 "$work/home/bin/nvcc" env PATH="$work/old/bin" CUDA_HOME="$work/home" "$find" nvcc
grep -q "$work/old/bin/nvcc belongs to CUDA 12" "$work/errors" || { echo "failed: an old nvcc is not named"; exit 1; }

# The newest clang++ is chosen.
program "$work/bin/clang++-18" 18.1.8
program "$work/bin/clang++-20" 20.1.0
program "$work/bin/clang++" 23.1.0
expect 0 "$work/bin/clang++-20" env PATH="$work/bin" "$find" clang
expect 0 "$work/bin/clang++-18" env PATH="$work/bin" "$find" clang 17 19
expect 0 "$work/bin/clang++" env PATH="$work/bin" "$find" clang 21
expect 1 '' env PATH="$work/bin" "$find" clang 21 22
expect 1 '' env PATH="$work/nothing" "$find" clang
# If both limits are given, the clang that COALESCE_CLANG names must be within them. Otherwise, it may have any version.
expect 0 "$work/bin/clang++" env PATH="$work/bin" COALESCE_CLANG=clang++ "$find" clang 14
expect 1 '' env PATH="$work/bin" COALESCE_CLANG=clang++ "$find" clang 17 22
expect 2 '' "$find" gcc
echo ok

#!/bin/sh
# build.sh NVCC HOW PROGRAM SOURCE LIBRARY... builds SOURCE like an older CUDA version. The first LIBRARY is our
# libcudart.so.12. HOW is one of:
#     shared     the program needs the libraries
#     run_path   like shared, but with a run path to another libcudart.so.12
#     static     the program defines every function that LIBRARY exports. Each function aborts when called, so simulate
#                must intercept it.
#     static_11  like static, but without the function that tells simulate whether the program was built with CUDA 12
#                or 11
set -eu
nvcc=$1 how=$2 program=$3 source=$4 library=$5
shift 4
work=$program.objects
rm -rf "$work"
mkdir -p "$work"
"$nvcc" -c -arch=sm_90 -lineinfo -std=c++17 -o "$work/program.o" "$source"

write_runtime() {  # emits the functions that do not match PATTERN
    echo '#include <stdio.h>'
    echo '#include <stdlib.h>'
    nm -D --defined-only "$library" | awk '$2 == "T" {sub(/@.*/, "", $3); print $3}' | grep -v "$1" |
        sed 's/.*/void &(void) { fputs("reached: &\\n", stderr); abort(); }/'
}
case $how in
    shared) ;;
    run_path) set -- "$@" -Wl,-rpath,/usr/local/cuda-12/lib64 ;;
    static | static_11)
        left_out='^$'
        [ "$how" = static ] || left_out='^cudaGetDeviceProperties_v2$'
        write_runtime "$left_out" >"$work/runtime.c"
        [ "$how" = static ] || echo 'void cudaGetDeviceProperties_v2(void);' >>"$work/runtime.c"
        # Built with -O0, so that identical functions are not merged and each function is long enough to be patched with
        # a jump.
        cc -O0 -fno-builtin -w -c -o "$work/runtime.o" "$work/runtime.c"
        set -- "$work/runtime.o"
        [ "$how" = static ] || set -- "$@" -Wl,--unresolved-symbols=ignore-all ;;
    *) echo "build.sh: there is no way '$how'" >&2; exit 2 ;;
esac
c++ -o "$program" "$work/program.o" "$@"
rm -rf "$work"

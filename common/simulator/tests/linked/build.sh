#!/bin/sh
# build.sh NVCC HOW PROGRAM FOLDER [OPTIONS...] builds FOLDER/main.cu and FOLDER/kernels.cu with relocatable device
# code. HOW specifies how to link them:
#     together      one call of nvcc links both files
#     library       kernels.cu becomes a static library (nvcc -lib)
#     host_linker   nvcc -dlink links the device code, and the host's compiler the rest (LIBRARY_PATH names the
#                   folder of libcudart.so)
# A line `// machine code alone: FILE` in main.cu builds that file without PTX.
set -eu
nvcc=$1 how=$2 program=$3 folder=$4
shift 4
work=$program.objects
rm -rf "$work"
mkdir -p "$work"

for name in main kernels; do
    file=$name.cu
    arch=-arch=sm_90
    grep -q "^// machine code alone: $file\$" "$folder/main.cu" && arch=-gencode=arch=compute_90,code=sm_90
    "$nvcc" -dc $arch -lineinfo -std=c++17 "$@" -o "$work/$name.o" "$folder/$file"
done

case $how in
    together) "$nvcc" -arch=sm_90 -cudart shared -o "$program" "$work/main.o" "$work/kernels.o" ;;
    library)
        "$nvcc" -lib -o "$work/libkernels.a" "$work/kernels.o"
        "$nvcc" -arch=sm_90 -cudart shared -o "$program" "$work/main.o" -L"$work" -lkernels ;;
    host_linker)
        "$nvcc" -arch=sm_90 -dlink -o "$work/device.o" "$work/main.o" "$work/kernels.o"
        c++ -o "$program" "$work/main.o" "$work/kernels.o" "$work/device.o" -lcudart ;;
    *) echo "build.sh: there is no way '$how' to link" >&2; exit 2 ;;
esac
rm -rf "$work"

#!/bin/sh
# command_test.sh CUDA_CLANG CLANG LIBRARY_FOLDER -- tests which sources cuda-clang builds, and which it rejects.
set -eu
cuda_clang=$1 clang=$2 library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

failed() {
    echo "failed: $*"
    exit 1
}
# refuses STATUS TEXT COMMAND...: the command must exit with STATUS and print TEXT.
refuses() {
    wanted=$1 words=$2
    shift 2
    status=0
    "$@" >said 2>&1 || status=$?
    [ $status = "$wanted" ] || failed "exit code $status instead of $wanted: $*"
    grep -q "$words" said || { cat said; failed "it does not say '$words': $*"; }
}

cat >twice.cu <<'CODE'
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>

__constant__ int factor;
namespace cg = cooperative_groups;

__global__ void twice(float* out, const float* in, int count) {
    extern __shared__ float values[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = i < count ? __ldg(in + i) : 0;
    __syncthreads();
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int sum = cg::reduce(warp, 1, cg::plus<int>());
    if (i < count) out[i] = factor * __half2float(__half(values[threadIdx.x])) + sum - 32;
    if (i == 0) printf("%d threads in a warp, %.1f\n", sum, double(values[3]));
}

int main() {
    float *in, *out;
    int two = 2;
    cudaMallocManaged(&in, 100 * sizeof(float));
    cudaMallocManaged(&out, 100 * sizeof(float));
    for (int i = 0; i < 100; ++i) in[i] = i;
    cudaMemcpyToSymbol(factor, &two, sizeof two);
    twice<<<2, 64, 64 * sizeof(float)>>>(out, in, 100);
    std::printf("%s, %g\n", cudaGetErrorString(cudaDeviceSynchronize()), out[99]);
}
CODE
"$cuda_clang" --clang="$clang" --cudart="$library" -Wall -Wextra -Werror -O2 -o twice twice.cu
[ "$(./twice)" = "32 threads in a warp, 3.0
no error, 198" ] || { ./twice; failed "twice prints something else"; }
# Test that object files can be built. File names and macro definitions may contain blanks and quotes.
"$cuda_clang" --clang="$clang" -DNAME='"a b"' -MD -MF 'a file.d' -c -o 'an object.o' twice.cu
[ -s 'an object.o' ] || failed "there is no object"
grep -q cuda_runtime.h 'a file.d' || failed "the dependencies lack our headers"
"$cuda_clang" --clang="$clang" -ptx -o twice.ptx twice.cu
grep -q '\.loc' twice.ptx || failed "the PTX has no lines"
# Test programs whose PTX ir_to_ptx generated from clang's LLVM IR.
"$cuda_clang" --clang="$clang" --cudart="$library" --through-ir -O2 -o translated twice.cu
[ "$(./translated)" = "$(./twice)" ] || { ./translated; failed "by --through-ir it prints something else"; }
"$cuda_clang" --clang="$clang" --cudart="$library" --through-ir -ptx -o translated.ptx twice.cu
grep -q '\.loc' translated.ptx || failed "our PTX has no lines"
! cmp -s twice.ptx translated.ptx || failed "--through-ir changes nothing"
# Without a run path, the program cannot find the library.
"$cuda_clang" --clang="$clang" --cudart="$library" --no-run-path -o lost twice.cu
if env -u LD_LIBRARY_PATH ./lost >said 2>&1 && ! ldd lost | grep -q '/libcudart'; then
    failed "a program without a run path found the simulated GPU"
fi

echo '__global__ void k() { int x = "text"; }' >wrong.cu
refuses 1 'wrong.cu:1:' "$cuda_clang" --clang="$clang" -c -o wrong.o wrong.cu
refuses 2 'no .cu file' "$cuda_clang" --clang="$clang"
refuses 2 'one .cu file' "$cuda_clang" --clang="$clang" -o x twice.cu wrong.cu
refuses 2 'neither an option' "$cuda_clang" --clang="$clang" -o x twice.txt
refuses 2 'is needed' "$cuda_clang" --clang="$clang" twice.cu
refuses 2 'does not run' "$cuda_clang" --clang=/no/such/clang -o x twice.cu
printf '#!/bin/sh\necho 16.0.6\n' >old && chmod +x old
refuses 2 'needs version 17 to 22' "$cuda_clang" --clang="$PWD/old" --through-ir -o x twice.cu
refuses 0 'Usage' "$cuda_clang" --help
refuses 0 'sm_' "$cuda_clang" --clang="$clang" --version
echo "ok"

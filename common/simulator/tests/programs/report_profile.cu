// Tests the output of simulate: a table per kernel, and source lines with --lines.
//
// simulate: --lines
//
// expect: the sum is 496
// expect-stderr: strided: 2 launches, grid 4, block 32 (the last)
// expect-stderr: global loads                  8               32      4.0    4.0         100 %
// expect-stderr: global stores                 8              256     32.0    4.0          12 %
// expect-stderr: banks<2>: 1 launch, grid 1, block 32
// expect-stderr: shared stores                 1                2      2.0    1.0             1
// expect-stderr: ^ global stores: 8 x 32.0 sectors (ideal 4.0), 12 % of the bytes useful
// expect-stderr: ^ shared stores: 1 x 2.0 wavefronts (ideal 1.0), 1 conflicts
// expect-stderr: | __global__ void strided(int* out, const int* in, int stride) {
// expect-stderr: no reports
#include <cstdio>

__global__ void strided(int* out, const int* in, int stride) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i * stride] = in[i];
}

template <int kStride>
__global__ void banks(int* out) {
    __shared__ int words[32 * kStride];
    words[threadIdx.x * kStride] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = words[(31 - threadIdx.x) * kStride];
}

int main() {
    constexpr int kCount = 128, kStride = 16;
    int host[32];
    int *in, *out;
    cudaMalloc(&in, kCount * sizeof(int));
    cudaMalloc(&out, kCount * kStride * sizeof(int));
    cudaMemset(in, 0, kCount * sizeof(int));
    strided<<<4, 32>>>(out, in, kStride);
    strided<<<4, 32>>>(out, in, kStride);
    banks<2><<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (const int value : host) sum += value;
    std::printf("the sum is %d\n", sum);
    cudaFree(in);
    cudaFree(out);
    return 0;
}

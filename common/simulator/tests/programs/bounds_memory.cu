// The device has the amount of memory that --memory specifies. Larger allocations must fail, and
// the program must continue.
// simulate: --memory 64M
// simulator only
// expect: 65 MiB: cudaErrorMemoryAllocation
// expect: 2^63 bytes: cudaErrorMemoryAllocation
// expect: 48 MiB: cudaSuccess
// expect: 32 MiB more: cudaErrorMemoryAllocation
// expect: a kernel in between: cudaSuccess
// expect: giving it back: cudaSuccess
// expect: 32 MiB now: cudaSuccess
#include "api_check.h"

__global__ void fill(int* out) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

int main() {
    constexpr size_t kMiB = 1 << 20;
    void *first = nullptr, *second = nullptr;
    result("65 MiB", cudaMalloc(&first, 65 * kMiB));
    result("2^63 bytes", cudaMalloc(&first, size_t{1} << 63));
    result("48 MiB", cudaMalloc(&first, 48 * kMiB));
    result("32 MiB more", cudaMalloc(&second, 32 * kMiB));
    fill<<<4, 256>>>(static_cast<int*>(first));
    result("a kernel in between", cudaDeviceSynchronize());
    result("giving it back", cudaFree(first));
    result("32 MiB now", cudaMalloc(&second, 32 * kMiB));
    need(cudaFree(second));
}

// When a launch is stopped, the progress of its remaining blocks depends on the number of workers.
// The table must state that the launch was not counted. Earlier launches are counted.
// simulator only
// expect: before: cudaSuccess
// expect: stopped: cudaErrorIllegalAddress
// expect-stderr: memcheck: out of bounds in fill
// expect-stderr: fill: 2 launches, grid 4000, block 256 (the last)
// expect-stderr: one launch was stopped by an error and not counted
// expect-stderr: global stores            96,000          384,000      4.0    4.0
#include "api_check.h"

__global__ void fill(int* out, int wrong) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int times = 0; times < 3000; ++times) {
        // The array is volatile, so that each store is counted even if the next one overwrites it.
        volatile int* place = &out[blockIdx.x == wrong && times == 2999 ? i + 100000000 : i];
        *place = times;
    }
}
int main() {
    int* out;
    need(cudaMalloc(&out, 4000 * 256 * sizeof(int)));
    fill<<<4, 256>>>(out, -1);
    result("before", cudaDeviceSynchronize());
    fill<<<4000, 256>>>(out, 1);
    result("stopped", cudaDeviceSynchronize());
}

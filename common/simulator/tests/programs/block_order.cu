// Each block draws a number when it starts, so the counters depend on the block order.
// expect: numbers: ok
#include <algorithm>

#include "check.h"

constexpr int kBlocks = 4000, kThreads = 64;

/// Draws a number. The more it differs from the block's index, the more loads the block executes.
__global__ void draw(unsigned* next, int* drawn, const int* in, int* out) {
    __shared__ unsigned number;
    if (threadIdx.x == 0) number = atomicAdd(next, 1u);
    __syncthreads();
    const int away = abs(static_cast<int>(number) - static_cast<int>(blockIdx.x));
    int sum = 0;
    for (int k = 0; k < min(away, 100); ++k) sum += in[(k * kThreads + threadIdx.x) % kBlocks];
    out[blockIdx.x * kThreads + threadIdx.x] = sum;
    if (threadIdx.x == 0) drawn[blockIdx.x] = static_cast<int>(number);
}

int main() {
    DeviceArray<unsigned> next(1);
    DeviceArray<int> drawn(kBlocks), in(kBlocks), out(kBlocks * kThreads);
    draw<<<kBlocks, kThreads>>>(next, drawn, in, out);
    std::vector<int> numbers = drawn.read();
    std::sort(numbers.begin(), numbers.end());
    expect_equal("numbers", numbers, for_threads<int>(kBlocks, [](int i) { return i; }));
}

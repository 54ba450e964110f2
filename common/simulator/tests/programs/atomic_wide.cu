// not built by clang: 16-byte atomics are part of NVIDIA's toolkit
// 128-bit atomics must exchange and compare both halves together.
// expect: exchange of 128 bits: ok
// expect: compare and swap of 128 bits: ok
// expect: in shared memory: ok
#include "check.h"

struct alignas(16) Wide {
    unsigned long long low, high;
    bool operator==(const Wide& other) const { return low == other.low && high == other.high; }
};

constexpr int kThreads = 64;

/// Exchanges values. Both halves of each value must end up together, in the cell or in one thread.
__global__ void exchange(Wide* cell, Wide* got) {
    const unsigned long long i = threadIdx.x + 1;
    got[threadIdx.x] = atomicExch(cell, Wide{i, i * 1000});
}

/// Adds i to the low half and 2 i to the high half in one atomic operation.
__device__ void add(Wide* cell, unsigned long long i) {
    Wide old = *cell, assumed;
    do {
        assumed = old;
        old = atomicCAS(cell, assumed, Wide{assumed.low + i, assumed.high + 2 * i});
    } while (!(old.low == assumed.low && old.high == assumed.high));
}
__global__ void add_all(Wide* cell) {
    add(cell, threadIdx.x);
}

__global__ void in_shared(Wide* out) {
    __shared__ Wide cell;
    if (threadIdx.x == 0) cell = {5, 7};
    __syncthreads();
    const Wide old = atomicCAS(&cell, Wide{5, 8}, Wide{0, 0});
    if (!(old.low == 5 && old.high == 7)) out[1].low = 1;
    __syncthreads();
    if (threadIdx.x == 9) out[0] = atomicExch(&cell, Wide{1, 2});
}

int main() {
    {
        DeviceArray<Wide> cell(1), got(kThreads);
        exchange<<<1, kThreads>>>(cell, got);
        std::vector<Wide> all = got.read();
        all.push_back(cell.read()[0]);
        std::vector<int> seen(kThreads + 1);
        for (const Wide& w : all)
            if (w.low <= kThreads && w.high == w.low * 1000) ++seen[w.low];
        expect_equal("exchange of 128 bits", seen, std::vector<int>(kThreads + 1, 1));
    }
    {
        DeviceArray<Wide> cell({Wide{100, 0}});
        add_all<<<1, kThreads>>>(cell);
        const unsigned long long sum = kThreads * (kThreads - 1) / 2;
        expect_equal("compare and swap of 128 bits", cell.read(), {Wide{100 + sum, 2 * sum}});
    }
    {
        DeviceArray<Wide> out(2);
        in_shared<<<1, kThreads>>>(out);
        expect_equal("in shared memory", out.read(), {Wide{5, 7}, Wide{0, 0}});
    }
}

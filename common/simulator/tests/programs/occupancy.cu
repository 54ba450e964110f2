// Tests how many blocks fit on a multiprocessor, whose quarters have separate registers.
// expect: fewer blocks or as many for each step of registers and threads: yes
// expect: blocks are what four quarters have registers for: 13 kernels, 32 sizes of block
// expect: all registers together would hold more, now and then: yes
#include <algorithm>
#include <utility>

#include "api_check.h"

/// Keeps `kWords` words live at once, so that the kernel needs at least that many registers.
template <int kWords>
__global__ void hold(float* data) {
    float words[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) words[k] = data[k * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kWords; ++k)
        data[k * 1024 + threadIdx.x] = words[kWords - 1 - k] * words[k];
}

constexpr int kWarpsAtOnce = 64, kBlocksAtOnce = 32, kRegisters = 65536, kQuarters = 4;

struct Counts {
    int kernels = 0, right = 0, fewer_than_together = 0;
    bool falling = true;
};

template <int kWords>
static void count(Counts& counts) {
    cudaFuncAttributes attributes;
    need(cudaFuncGetAttributes(&attributes, hold<kWords>));
    const int of_warp = std::max((attributes.numRegs + 7) / 8 * 8, 16) * 32;
    bool right = true;
    int before = kBlocksAtOnce;
    for (int warps = 1; warps <= 32; ++warps) {
        int blocks = -1;
        need(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, hold<kWords>, warps * 32, 0));
        const auto held = [&](int warps_of_all) {
            return std::min({kBlocksAtOnce, kWarpsAtOnce / warps, warps_of_all / warps});
        };
        const int by_quarters = held(kQuarters * (kRegisters / kQuarters / of_warp));
        right = right && blocks == by_quarters;
        counts.fewer_than_together += by_quarters < held(kRegisters / of_warp);
        counts.falling = counts.falling && blocks <= before;
        before = blocks;
    }
    ++counts.kernels;
    counts.right += right;
}

template <int... kSteps>
static Counts count_all(std::integer_sequence<int, kSteps...>) {
    Counts counts;
    (count<4 + 14 * kSteps>(counts), ...);
    return counts;
}

int main() {
    const Counts counts = count_all(std::make_integer_sequence<int, 13>{});
    fact("fewer blocks or as many for each step of registers and threads", counts.falling);
    std::printf("blocks are what four quarters have registers for: %d kernels, 32 sizes of block\n",
                counts.right);
    fact("all registers together would hold more, now and then", counts.fewer_than_together > 0);
}

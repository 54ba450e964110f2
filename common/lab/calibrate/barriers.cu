// Measures the cost of consecutive __syncthreads calls in one block, in cycles per call, for
// different numbers of warps.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

constexpr int timed_barriers = 1024;

__global__ void __launch_bounds__(1024) loop_over_barriers(std::uint64_t* result_counters) {
    long long cycles = 0;
    // The first pass only warms up the instruction cache.
    for (int repetition = 0; repetition < 2; ++repetition) {
        __syncthreads();
        const long long start_cycle = cycles_now();
#pragma unroll 16
        for (int i = 0; i < timed_barriers; ++i) __syncthreads();
        cycles = cycles_now() - start_cycle;
    }
    if (threadIdx.x == 0) result_counters[0] = static_cast<std::uint64_t>(cycles);
}

}  // namespace

void measure_barriers(Bench& bench, RawMeasurements& raw) {
    for (const int warps : {1, 2, 4, 8, 12, 16, 24, 32}) {
        loop_over_barriers<<<1, 32 * warps>>>(bench.result_counters());
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        raw.barrier_costs.push_back(
            {warps, static_cast<double>(bench.read_result_counters(1)[0]) / timed_barriers});
    }
}

}  // namespace coalesce::timing

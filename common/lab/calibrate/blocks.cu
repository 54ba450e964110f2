// Measures how blocks start and end. Unused shared memory limits how many blocks are resident on a
// multiprocessor.
//
// interval: compares a launch of many blocks with a launch of three times as many, so that the cost
// of a launch cancels out. With many resident blocks, the interval is the time that the GPU needs
// to start the next block on a multiprocessor.
// gap: with one resident block, each warp records its first and last clock. Two gaps are measured,
// both from the end of a block's last warp: one to the start of the next block's first warp, the
// other to the start of its last warp.
#include <algorithm>

#include "base/median.h"
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

__device__ void wait_until_cycles_after(long long start_cycle, int cycles_to_wait) {
    while (cycles_now() - start_cycle < cycles_to_wait) {
    }
}

__global__ void wait_in_each_warp(int wait_cycles) {
    if (wait_cycles != 0) wait_until_cycles_after(cycles_now(), wait_cycles);
}

__global__ void record_start_and_end(int cycles, std::uint64_t* result_counters) {
    const long long start = cycles_now();
    if (cycles != 0) wait_until_cycles_after(start, cycles);
    if (threadIdx.x % 32 != 0) return;
    const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32;
    std::uint64_t* warp_record = result_counters + 3 * (std::size_t{blockIdx.x} * warps + warp);
    warp_record[0] = current_multiprocessor();
    warp_record[1] = static_cast<std::uint64_t>(start);
    warp_record[2] = static_cast<std::uint64_t>(cycles_now());
}

struct BlockLifetime {
    std::uint64_t multiprocessor = 0, first_start_cycle = 0, last_start_cycle = 0, end_cycle = 0;
};

void measure_gaps_between_blocks(Bench& bench, BlockTurnover& turnover, std::size_t shared_bytes) {
    const int blocks = 24 * bench.multiprocessors(), warps = turnover.warps;
    allow_dynamic_shared_memory(record_start_and_end, shared_bytes);
    record_start_and_end<<<blocks, 32 * warps, shared_bytes>>>(
        static_cast<int>(turnover.wait_cycles), bench.result_counters());
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const auto seen = bench.read_result_counters(3 * static_cast<std::size_t>(blocks * warps));
    std::vector<BlockLifetime> block_lifetimes(static_cast<std::size_t>(blocks));
    for (std::size_t i = 0; i < seen.size(); i += 3) {
        BlockLifetime& lifetime = block_lifetimes[i / 3 / static_cast<std::size_t>(warps)];
        if (lifetime.end_cycle == 0) lifetime = {seen[i], seen[i + 1], seen[i + 1], seen[i + 2]};
        lifetime.first_start_cycle = std::min(lifetime.first_start_cycle, seen[i + 1]);
        lifetime.last_start_cycle = std::max(lifetime.last_start_cycle, seen[i + 1]);
        lifetime.end_cycle = std::max(lifetime.end_cycle, seen[i + 2]);
    }
    std::sort(block_lifetimes.begin(), block_lifetimes.end(),
              [](const BlockLifetime& a, const BlockLifetime& b) {
                  return a.multiprocessor != b.multiprocessor
                             ? a.multiprocessor < b.multiprocessor
                             : a.first_start_cycle < b.first_start_cycle;
              });
    std::vector<double> gap_cycles, last_warp_gap_cycles;
    for (std::size_t i = 1; i < block_lifetimes.size(); ++i) {
        if (block_lifetimes[i].multiprocessor != block_lifetimes[i - 1].multiprocessor) continue;
        const auto end = static_cast<double>(block_lifetimes[i - 1].end_cycle);
        gap_cycles.push_back(static_cast<double>(block_lifetimes[i].first_start_cycle) - end);
        last_warp_gap_cycles.push_back(static_cast<double>(block_lifetimes[i].last_start_cycle) -
                                       end);
    }
    turnover.gap_cycles = median(gap_cycles);
    turnover.last_warp_gap_cycles = median(last_warp_gap_cycles);
}

void measure_turnover(Bench& bench, RawMeasurements& raw, int resident_blocks, int warps,
                      int wait_cycles) {
    BlockTurnover turnover = {resident_blocks, warps, static_cast<double>(wait_cycles)};
    const std::size_t shared_bytes = shared_bytes_for_residency(raw.machine, resident_blocks);
    allow_dynamic_shared_memory(wait_in_each_warp, shared_bytes);
    const auto launch_ms = [&](int blocks_per_slot) {
        const int blocks = blocks_per_slot * bench.multiprocessors();
        return bench.ms(
            [&] { wait_in_each_warp<<<blocks, 32 * warps, shared_bytes>>>(wait_cycles); });
    };
    const int few_blocks_per_slot = wait_cycles > 1000 ? 500 : 2000;
    turnover.cycles_per_block = bench.cycles_while_memory_idles(launch_ms(3 * few_blocks_per_slot) -
                                                                launch_ms(few_blocks_per_slot)) /
                                (2 * few_blocks_per_slot);
    if (resident_blocks == 1) measure_gaps_between_blocks(bench, turnover, shared_bytes);
    raw.block_turnovers.push_back(turnover);
}

}  // namespace

void measure_blocks(Bench& bench, RawMeasurements& raw) {
    const int max_warps = raw.machine.warps_per_multiprocessor;
    for (const int resident : {1, 2, 4, 8, 16}) {
        for (const int warps : {1, 2, 4, 8, 16, 32}) {
            if (resident * warps > max_warps || resident > raw.machine.blocks_per_multiprocessor)
                continue;
            measure_turnover(bench, raw, resident, warps, 0);
            measure_turnover(bench, raw, resident, warps, 500);
            if (resident <= 2) measure_turnover(bench, raw, resident, warps, 2000);
        }
    }
}

}  // namespace coalesce::timing

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

__device__ void wait_for(long long start, int cycles) {
    while (cycles_now() - start < cycles) {
    }
}

__global__ void run_and_note_times(int cycles) {
    if (cycles != 0) wait_for(cycles_now(), cycles);
}

__global__ void note_clocks(int cycles, std::uint64_t* result_counters) {
    const long long start = cycles_now();
    if (cycles != 0) wait_for(start, cycles);
    if (threadIdx.x % 32 != 0) return;
    const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32;
    std::uint64_t* note = result_counters + 3 * (std::size_t{blockIdx.x} * warps + warp);
    note[0] = current_multiprocessor();
    note[1] = static_cast<std::uint64_t>(start);
    note[2] = static_cast<std::uint64_t>(cycles_now());
}

struct BlockLife {
    std::uint64_t multiprocessor = 0, first_start = 0, last_start = 0, end = 0;
};

void add_gaps(Bench& bench, BlockTurnover& turns, std::size_t shared) {
    const int blocks = 24 * bench.multiprocessors(), warps = turns.warps;
    allow_dynamic_shared_memory(note_clocks, shared);
    note_clocks<<<blocks, 32 * warps, shared>>>(static_cast<int>(turns.wait),
                                                bench.result_counters());
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const auto seen = bench.read_result_counters(3 * static_cast<std::size_t>(blocks * warps));
    std::vector<BlockLife> lives(static_cast<std::size_t>(blocks));
    for (std::size_t i = 0; i < seen.size(); i += 3) {
        BlockLife& life = lives[i / 3 / static_cast<std::size_t>(warps)];
        if (life.end == 0) life = {seen[i], seen[i + 1], seen[i + 1], seen[i + 2]};
        life.first_start = std::min(life.first_start, seen[i + 1]);
        life.last_start = std::max(life.last_start, seen[i + 1]);
        life.end = std::max(life.end, seen[i + 2]);
    }
    std::sort(lives.begin(), lives.end(), [](const BlockLife& a, const BlockLife& b) {
        return a.multiprocessor != b.multiprocessor ? a.multiprocessor < b.multiprocessor
                                                    : a.first_start < b.first_start;
    });
    std::vector<double> gaps, gaps_of_last;
    for (std::size_t i = 1; i < lives.size(); ++i) {
        if (lives[i].multiprocessor != lives[i - 1].multiprocessor) continue;
        const auto end = static_cast<double>(lives[i - 1].end);
        gaps.push_back(static_cast<double>(lives[i].first_start) - end);
        gaps_of_last.push_back(static_cast<double>(lives[i].last_start) - end);
    }
    turns.gap = median(gaps);
    turns.last_warp_gap = median(gaps_of_last);
}

void measure(Bench& bench, RawMeasurements& raw, int resident, int warps, int wait) {
    BlockTurnover turns = {resident, warps, static_cast<double>(wait)};
    const std::size_t shared = shared_bytes_for_residency(raw.machine, resident);
    allow_dynamic_shared_memory(run_and_note_times, shared);
    const auto ms = [&](int blocks_each) {
        const int blocks = blocks_each * bench.multiprocessors();
        return bench.ms([&] { run_and_note_times<<<blocks, 32 * warps, shared>>>(wait); });
    };
    const int few = wait > 1000 ? 500 : 2000;
    turns.interval = bench.cycles_while_memory_idles(ms(3 * few) - ms(few)) / (2 * few);
    if (resident == 1) add_gaps(bench, turns, shared);
    raw.turns.push_back(turns);
}

}  // namespace

void measure_blocks(Bench& bench, RawMeasurements& raw) {
    const int most = raw.machine.warps;
    for (const int resident : {1, 2, 4, 8, 16}) {
        for (const int warps : {1, 2, 4, 8, 16, 32}) {
            if (resident * warps > most || resident > raw.machine.blocks) continue;
            measure(bench, raw, resident, warps, 0);
            measure(bench, raw, resident, warps, 500);
            if (resident <= 2) measure(bench, raw, resident, warps, 2000);
        }
    }
}

}  // namespace coalesce::timing

#include "timing/tests/samples.h"

#include <algorithm>
#include <cmath>

namespace coalesce::timing::samples {
namespace {

/// The timing of identical blocks in a generated timeline. Times are in cycles.
struct Pattern {
    int places, warps;
    double bytes_of_warp;
    double start_distance;  ///< time between the starts of blocks in adjacent slots
    double period, start, latency, spread, work;
};

/// Returns the fraction of the unit of time after `moment` that lies between `begin` and `end`.
double overlap(double moment, double begin, double end) {
    return std::max(0.0, std::min(moment + 1, end) - std::max(moment, begin));
}

void add_block(TimeLine& line, const Pattern& pattern, double begin) {
    const double cycles = line.cycles_per_moment;
    const double together = begin + pattern.start + pattern.latency + pattern.spread;
    for (int warp = 0; warp < pattern.warps; ++warp) {
        const double asked = begin + pattern.start + 2.0 * warp;
        const double late = (warp * 7 % pattern.warps) / static_cast<double>(pattern.warps);
        const double arrived = asked + pattern.latency + late * pattern.spread;
        const double free = std::max(together, arrived), done = free + pattern.work;
        for (std::size_t i = 0; i < line.moments.size(); ++i) {
            const auto at = static_cast<double>(i);
            Moment& moment = line.moments[i];
            const double loading = overlap(at, asked / cycles, arrived / cycles);
            moment.bytes_in_flight += pattern.bytes_of_warp * loading;
            moment.warps_waiting_for_loads += loading;
            moment.warps_at_barrier += overlap(at, arrived / cycles, free / cycles);
            moment.warps_working += overlap(at, free / cycles, done / cycles);
            moment.bytes_stored += pattern.bytes_of_warp *
                                   overlap(at, free / cycles, done / cycles) * cycles /
                                   pattern.work;
        }
    }
}

TimeLine drawn(const Pattern& pattern) {
    TimeLine line{.cycles_per_moment = 20, .moments = std::vector<Moment>(240), .blocks = {}};
    for (int place = 0; place < pattern.places; ++place) {
        for (int turn = -1; turn < 6; ++turn) {
            const double begin = pattern.start_distance * place + pattern.period * turn;
            add_block(line, pattern, begin);
            line.blocks.push_back({place, begin / line.cycles_per_moment,
                                   (begin + pattern.period) / line.cycles_per_moment});
        }
    }
    return line;
}

}  // namespace

Gpu gpu() {
    Gpu gpu;
    gpu.name = "NVIDIA H200";
    gpu.is_measured = true;
    gpu.multiprocessors = 132;
    gpu.clock_ghz = 1.75;
    gpu.peak_gbps = 4900;
    gpu.copy_gbps = 4285;
    gpu.block_interval_cycles = 158;
    gpu.run_costs = {.bytes = {64, 128, 256, 8192},
                     .extra_read_time = {0.33, 0.105, 0.06, 0},
                     .extra_write_time = {0.3, 0.19, 0.095, 0}};
    return gpu;
}

Prediction like_04() {
    Prediction p;
    p.gpu = "NVIDIA H200";
    p.is_gpu_measured = true;
    p.kernel = "padded";
    p.ms = 4.602;
    p.error_band = 0.08;
    p.bottleneck = Bottleneck::barrier;
    p.memory_bytes = useful_bytes;
    p.run_bytes_read = 4096;
    p.run_bytes_written = 128;
    p.resident_blocks = 2;
    p.warps_per_block = 32;
    p.registers = 16;
    p.rounds = 1048576 / 264.0;
    p.bytes_in_flight = 3.4 * 1024;
    p.bytes_needed = 16 * 1024;
    p.fraction_without_loads = 0.38;
    p.latency_cycles = 862;
    p.utilization = {
        .memory = 0.52, .l2_read = 0.12, .l2_write = 0.11, .shared = 0.04, .issue = 0.24};
    p.warp_life = {
        .start = 350, .issue = 240, .loads = 940, .shared = 60, .barrier = 670, .stores = 110};
    static const TimeLine line = drawn({.places = 2,
                                        .warps = 32,
                                        .bytes_of_warp = 128,
                                        .start_distance = 160,
                                        .period = 2370,
                                        .start = 350,
                                        .latency = 700,
                                        .spread = 650,
                                        .work = 500});
    p.time_line = line;
    return p;
}

Prediction like_05() {
    Prediction p = like_04();
    p.kernel = "coarsened";
    p.ms = 2.459;
    p.bottleneck = Bottleneck::memory;
    p.resident_blocks = 8;
    p.warps_per_block = 8;
    p.registers = 24;
    p.rounds = 1048576 / 1056.0;
    p.bytes_in_flight = 21.4 * 1024;
    p.fraction_without_loads = 0;
    p.latency_cycles = 2200;
    p.utilization = {
        .memory = 0.97, .l2_read = 0.23, .l2_write = 0.22, .shared = 0.08, .issue = 0.29};
    p.warp_life = {
        .start = 310, .issue = 260, .loads = 2620, .shared = 80, .barrier = 210, .stores = 90};
    static const TimeLine line = drawn({.places = 8,
                                        .warps = 8,
                                        .bytes_of_warp = 512,
                                        .start_distance = 450,
                                        .period = 3600,
                                        .start = 310,
                                        .latency = 2200,
                                        .spread = 600,
                                        .work = 300});
    p.time_line = line;
    return p;
}

Prediction that_binds(Bottleneck bottleneck) {
    Prediction p = like_04();
    p.bottleneck = bottleneck;
    switch (bottleneck) {
        case Bottleneck::memory: p.utilization.memory = 0.97; break;
        case Bottleneck::flight:
        case Bottleneck::barrier: break;
        case Bottleneck::shared: p.utilization.shared = 0.93; break;
        case Bottleneck::cache: p.utilization.l2_read = 0.94; break;
        case Bottleneck::stores: p.utilization.l2_write = 0.95; break;
        case Bottleneck::issue: p.utilization.issue = 0.91; break;
        case Bottleneck::blocks: p.warp_life.start = 1200; break;
        case Bottleneck::few_blocks: p.rounds = 1.12; break;
    }
    return p;
}

}  // namespace coalesce::timing::samples

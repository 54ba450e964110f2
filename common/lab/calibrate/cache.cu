// Measures the path between multiprocessors and the L2 cache. Persistent blocks read or
// write the same few MiB repeatedly, in whole lines, with enough requests in flight to hide any
// latency. Running one multiprocessor alone shows the limit of its own port; running all of them
// shows each one's share of the cache's bandwidth.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

constexpr int words_per_iteration = 4;

template <bool WRITES>
__global__ void __launch_bounds__(1024) read_repeatedly(uint4* data, std::size_t count, int loops) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int pass = 0; pass < loops; ++pass) {
        for (std::size_t i = first; i < count; i += step * words_per_iteration) {
            uint4 v[words_per_iteration];
#pragma words_per_iteration
            for (int u = 0; u < words_per_iteration; ++u) {
                // Loads bypass the L1 cache.
                if (WRITES) data[i + step * u] = {};
                if (!WRITES) v[u] = __ldcg(data + i + step * u);
            }
#pragma words_per_iteration
            for (int u = 0; u < words_per_iteration; ++u) {
                if (!WRITES) sum ^= xor_components(v[u]);
            }
        }
    }
    if (!WRITES) keep_alive(sum, data);
}

template <bool WRITES>
void measure_bandwidth(Bench& bench, RawMeasurements& raw, int multiprocessors,
                       std::size_t footprint_bytes) {
    // When all multiprocessors take part, each runs two blocks. A single multiprocessor is measured
    // with one block, because two blocks would be placed on two multiprocessors.
    const int blocks = multiprocessors == bench.multiprocessors()
                           ? raw.machine.warps_per_multiprocessor / 32 * multiprocessors
                           : multiprocessors;
    const std::size_t turn =
        std::size_t{1024} * words_per_iteration * static_cast<std::size_t>(blocks);
    const std::size_t word_count = footprint_bytes / 16 / turn * turn;
    if (word_count == 0) return;
    const double wanted_bytes = 4e6 * 16 * multiprocessors / 2;  // 32 MB for each multiprocessor
    const int loops = static_cast<int>(wanted_bytes / (16 * static_cast<double>(word_count))) + 1;
    const double ms = bench.ms([&] {
        read_repeatedly<WRITES>
            <<<blocks, 1024>>>(reinterpret_cast<uint4*>(bench.out()), word_count, loops);
    });
    raw.cache_bandwidths.push_back({WRITES ? "write" : "read", multiprocessors,
                                    static_cast<double>(16 * word_count),
                                    16 * static_cast<double>(word_count) * loops /
                                        bench.cycles_while_memory_idles(ms) / multiprocessors});
}

}  // namespace

void measure_cache_bandwidth(Bench& bench, RawMeasurements& raw) {
    const int all_sms = bench.multiprocessors();
    const std::size_t l2_bytes = static_cast<std::size_t>(raw.machine.l2_bytes);
    for (const int some : {1, 2, 4, 8, 16, all_sms / 4, all_sms / 2, all_sms}) {
        for (const std::size_t footprint : {l2_bytes / 16, l2_bytes / 4, l2_bytes / 3}) {
            measure_bandwidth<false>(bench, raw, some, footprint);
            measure_bandwidth<true>(bench, raw, some, footprint);
        }
    }
    // These footprints range from half of the cache to twice the cache.
    for (const std::size_t footprint : {l2_bytes / 2, l2_bytes * 3 / 4, l2_bytes, 2 * l2_bytes}) {
        measure_bandwidth<false>(bench, raw, all_sms, footprint);
        measure_bandwidth<true>(bench, raw, all_sms, footprint);
    }
}

}  // namespace coalesce::timing

// Measures whole launches: the time of an empty kernel, how much of the data that a launch writes
// is still in the L2 cache when it ends, and how fast recently read data can be read
// again.
#include "harness/flush.h"
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

__global__ void do_nothing() {}

template <bool READS, bool WRITES>
__global__ void __launch_bounds__(256)
    read_or_write_all(const uint4* in, uint4* out, std::size_t count) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const uint4 v = READS ? in[i] : uint4{};
    if (WRITES) out[i] = v;
    if (!WRITES) keep_alive(xor_components(v), out);
}

}  // namespace

void measure_launches(Bench& bench, RawMeasurements& raw) {
    const std::size_t mib = std::size_t{1} << 20;
    const auto l2_bytes = static_cast<std::size_t>(raw.machine.l2_bytes);
    const auto* in = reinterpret_cast<const uint4*>(bench.in());
    auto* out = reinterpret_cast<uint4*>(bench.out());
    // Measure like Stopwatch: between two events, after a kernel that has filled the cache.
    raw.launch_us = 1e3 * bench.median_ms_with_cold_cache([&] { do_nothing<<<1, 32>>>(); }, 101);

    // The other data, which replaces the contents of the cache, is at the far end of the buffer.
    const std::size_t other_bytes = std::min(bench.bytes() / 2, 4 * l2_bytes);
    char* other_data = bench.out() + bench.bytes() - other_bytes;
    const auto write_other_data = [&] {
        read_or_write_all<false, true><<<static_cast<unsigned>(other_bytes / 4096), 256>>>(
            in, reinterpret_cast<uint4*>(other_data), other_bytes / 16);
    };
    const auto read_other_data = [&] { flush_by_reading(other_data, other_bytes); };
    for (std::size_t size : {4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128, 256}) {
        size *= mib;
        const auto write_data = [&] {
            read_or_write_all<false, true>
                <<<static_cast<unsigned>(size / 4096), 256>>>(in, out, size / 16);
        };
        raw.dirty_cache_writes.push_back({static_cast<double>(size / mib),
                                          bench.ms(write_data, 9, read_other_data),
                                          bench.ms(write_data, 9, write_other_data)});
    }
    for (std::size_t size : {1, 2, 4, 8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128}) {
        size *= mib;
        const auto read_data = [&] {
            read_or_write_all<true, false>
                <<<static_cast<unsigned>(size / 4096), 256>>>(in, out, size / 16);
        };
        const auto read_other_data_then_data = [&] {
            read_other_data();
            read_data();
        };
        raw.rereads.push_back({static_cast<double>(size / mib),
                               bench.ms(read_data, 9, read_other_data),
                               bench.ms(read_data, 9, read_other_data_then_data)});
    }
}

}  // namespace coalesce::timing

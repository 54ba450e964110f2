// Measures the cost of short runs. A matrix is cut into strips of `run_bytes` bytes per row, and
// blocks go down one strip after another. Their reads or writes then form runs of `run_bytes`
// bytes, one row (the pitch) apart. Nothing else slows the copy down: requests are 16 bytes per
// lane, every byte is moved once, and a multiprocessor has 64 KiB in flight.
//
// If neighbouring strips follow one another, the blocks in flight cover several strips. Their
// accesses then combine into longer runs while memory still has a row's page open, as in a real
// kernel. Strips that are far apart avoid this.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

/// Maps the index of a 16-byte word to its position in the strips. All sizes except the pitch are
/// powers of two.
struct StripMapping {
    std::size_t pitch = 0;       ///< in 16-byte words
    int words_per_run_log2 = 0;  ///< log2 of the number of words in a run
    int row_count_log2 = 0;
    unsigned strip_index_mask = 0;
    /// an odd number; strips are visited in the order 0, step, 2 step, ...
    unsigned strip_visit_step = 1;
    bool maps_indices = false;

    __device__ std::size_t map_index(std::size_t i) const {
        if (!maps_indices) return i;
        const std::size_t word_in_run = i & ((std::size_t{1} << words_per_run_log2) - 1);
        const std::size_t row = i >> words_per_run_log2 & ((std::size_t{1} << row_count_log2) - 1);
        const auto visit_number = static_cast<unsigned>(i >> (words_per_run_log2 + row_count_log2));
        const std::size_t strip_index = visit_number * strip_visit_step & strip_index_mask;
        return row * pitch + (strip_index << words_per_run_log2) + word_in_run;
    }
};

constexpr int unroll = 2;

template <bool READS, bool WRITES>
__global__ void __launch_bounds__(256, 8)
    move_runs(const uint4* in, uint4* out, StripMapping read_strips, StripMapping write_strips) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * unroll + threadIdx.x;
    uint4 v[unroll] = {};
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
        if (READS) v[u] = in[read_strips.map_index(first + std::size_t{blockDim.x} * u)];
    }
    unsigned sum = 0;
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
        if (WRITES) out[write_strips.map_index(first + std::size_t{blockDim.x} * u)] = v[u];
        if (!WRITES) sum ^= xor_components(v[u]);
    }
    if (!WRITES) keep_alive(sum, out);
}

int floor_log2(std::size_t power_of_two) {
    int exponent = 0;
    while (power_of_two >> (exponent + 1) != 0) ++exponent;
    return exponent;
}

/// Returns the strips of a matrix that has as many rows as fit in `bytes`. The number of bytes used
/// in each row is a power of two.
StripMapping make_strip_mapping(std::size_t bytes, std::size_t pitch_bytes, std::size_t run_bytes,
                                bool are_strips_far_apart) {
    StripMapping strips;
    strips.pitch = pitch_bytes / 16;
    strips.words_per_run_log2 = floor_log2(run_bytes / 16);
    strips.row_count_log2 = floor_log2(bytes / pitch_bytes);
    const std::size_t count = std::size_t{1} << floor_log2(pitch_bytes) >> floor_log2(run_bytes);
    strips.strip_index_mask = static_cast<unsigned>(count - 1);
    // The step is about 0.4 of a row, and odd so that no strip is visited twice.
    strips.strip_visit_step = are_strips_far_apart ? static_cast<unsigned>(count * 2 / 5) | 1 : 1;
    strips.maps_indices = true;
    return strips;
}

void measure_strips(Bench& bench, RawMeasurements& raw, std::size_t pitch_bytes,
                    std::size_t run_bytes, bool are_strips_far_apart) {
    const StripMapping strips = make_strip_mapping(bench.bytes(), pitch_bytes, run_bytes,
                                                   are_strips_far_apart),
                       identity;
    const std::size_t pieces = std::size_t{1}
                               << (strips.words_per_run_log2 + strips.row_count_log2 +
                                   floor_log2(std::size_t{strips.strip_index_mask} + 1));
    const auto blocks = static_cast<unsigned>(pieces / (256 * unroll));
    const auto* in = reinterpret_cast<const uint4*>(bench.in());
    auto* out = reinterpret_cast<uint4*>(bench.out());
    const auto time_kernel = [&](const char* access, auto kernel, StripMapping read_strips,
                                 StripMapping write_strips, double accesses_per_word) {
        const double ms =
            bench.ms([&] { kernel<<<blocks, 256>>>(in, out, read_strips, write_strips); }, 3);
        raw.short_runs.push_back({access, are_strips_far_apart ? "far" : "next",
                                  static_cast<double>(pitch_bytes), static_cast<double>(run_bytes),
                                  accesses_per_word * 16 * static_cast<double>(pieces) / ms / 1e6});
    };
    const auto copy_kernel = move_runs<true, true>;
    time_kernel("copy none", copy_kernel, identity, identity, 2);
    time_kernel("copy reads", copy_kernel, strips, identity, 2);
    time_kernel("copy writes", copy_kernel, identity, strips, 2);
    time_kernel("copy both", copy_kernel, strips, strips, 2);
    time_kernel("read", move_runs<true, false>, strips, identity, 1);
    time_kernel("write", move_runs<false, true>, identity, strips, 1);
}

}  // namespace

void measure_short_runs(Bench& bench, RawMeasurements& raw) {
    constexpr std::size_t kib = 1024;
    for (const std::size_t pitch : {16 * kib, 32 * kib, 64 * kib, 128 * kib, 129 * kib}) {
        for (const std::size_t run :
             {std::size_t{32}, std::size_t{64}, std::size_t{128}, std::size_t{256},
              std::size_t{512}, 1 * kib, 8 * kib, 64 * kib}) {
            if (run > pitch / 2) continue;
            measure_strips(bench, raw, pitch, run, false);
            if (run <= 1 * kib) measure_strips(bench, raw, pitch, run, true);
        }
    }
}

}  // namespace coalesce::timing

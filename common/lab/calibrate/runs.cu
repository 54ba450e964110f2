// Measures the cost of short runs. A matrix is cut into strips of `run` bytes per row, and blocks
// go down one strip after another. Their reads or writes then form runs of `run` bytes, one row
// (the pitch) apart. Nothing else slows the copy down: requests are 16 bytes per lane, every byte
// is moved once, and a multiprocessor has 64 KiB in flight.
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
struct Strips {
    std::size_t pitch = 0;  ///< in 16-byte words
    int pieces_bits = 0;    ///< log2 of the number of words in a run
    int rows_bits = 0;
    unsigned strips_mask = 0;
    /// an odd number; strips are visited in the order 0, step, 2 step, ...
    unsigned strip_step = 1;
    bool is_used = false;

    __device__ std::size_t place(std::size_t i) const {
        if (!is_used) return i;
        const std::size_t piece = i & ((std::size_t{1} << pieces_bits) - 1);
        const std::size_t row = i >> pieces_bits & ((std::size_t{1} << rows_bits) - 1);
        const auto strip = static_cast<unsigned>(i >> (pieces_bits + rows_bits));
        const std::size_t at = strip * strip_step & strips_mask;
        return row * pitch + (at << pieces_bits) + piece;
    }
};

constexpr int unroll = 2;

template <bool READS, bool WRITES>
__global__ void __launch_bounds__(256, 8)
    move_runs(const uint4* in, uint4* out, Strips reads, Strips writes) {
    const std::size_t first = std::size_t{blockIdx.x} * blockDim.x * unroll + threadIdx.x;
    uint4 v[unroll] = {};
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
        if (READS) v[u] = in[reads.place(first + std::size_t{blockDim.x} * u)];
    }
    unsigned sum = 0;
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
        if (WRITES) out[writes.place(first + std::size_t{blockDim.x} * u)] = v[u];
        if (!WRITES) sum ^= mix_components(v[u]);
    }
    if (!WRITES) keep_alive(sum, out);
}

int bits_of(std::size_t power_of_two) {
    int bits = 0;
    while (power_of_two >> (bits + 1) != 0) ++bits;
    return bits;
}

/// Returns the strips of a matrix that has as many rows as fit in `bytes`. The number of bytes used
/// in each row is a power of two.
Strips strips_of(std::size_t bytes, std::size_t pitch, std::size_t run, bool is_far) {
    Strips strips;
    strips.pitch = pitch / 16;
    strips.pieces_bits = bits_of(run / 16);
    strips.rows_bits = bits_of(bytes / pitch);
    const std::size_t count = std::size_t{1} << bits_of(pitch) >> bits_of(run);
    strips.strips_mask = static_cast<unsigned>(count - 1);
    // The step is about 0.4 of a row, and odd so that no strip is visited twice.
    strips.strip_step = is_far ? static_cast<unsigned>(count * 2 / 5) | 1 : 1;
    strips.is_used = true;
    return strips;
}

void measure(Bench& bench, RawMeasurements& raw, std::size_t pitch, std::size_t run, bool is_far) {
    const Strips strips = strips_of(bench.bytes(), pitch, run, is_far), straight;
    const std::size_t pieces = std::size_t{1} << (strips.pieces_bits + strips.rows_bits +
                                                  bits_of(std::size_t{strips.strips_mask} + 1));
    const auto blocks = static_cast<unsigned>(pieces / (256 * unroll));
    const auto* in = reinterpret_cast<const uint4*>(bench.in());
    auto* out = reinterpret_cast<uint4*>(bench.out());
    const auto go = [&](const char* what, auto kernel, Strips reads, Strips writes, double moves) {
        const double ms = bench.ms([&] { kernel<<<blocks, 256>>>(in, out, reads, writes); }, 3);
        raw.short_runs.push_back({what, is_far ? "far" : "next", static_cast<double>(pitch),
                                  static_cast<double>(run),
                                  moves * 16 * static_cast<double>(pieces) / ms / 1e6});
    };
    const auto copy = move_runs<true, true>;
    go("copy none", copy, straight, straight, 2);
    go("copy reads", copy, strips, straight, 2);
    go("copy writes", copy, straight, strips, 2);
    go("copy both", copy, strips, strips, 2);
    go("read", move_runs<true, false>, strips, straight, 1);
    go("write", move_runs<false, true>, straight, strips, 1);
}

}  // namespace

void measure_short_runs(Bench& bench, RawMeasurements& raw) {
    constexpr std::size_t kib = 1024;
    for (const std::size_t pitch : {16 * kib, 32 * kib, 64 * kib, 128 * kib, 129 * kib}) {
        for (const std::size_t run :
             {std::size_t{32}, std::size_t{64}, std::size_t{128}, std::size_t{256},
              std::size_t{512}, 1 * kib, 8 * kib, 64 * kib}) {
            if (run > pitch / 2) continue;
            measure(bench, raw, pitch, run, false);
            if (run <= 1 * kib) measure(bench, raw, pitch, run, true);
        }
    }
}

}  // namespace coalesce::timing

// Stores of part of a sector. Each lane group of a request writes bytes side by side into a row of its own, a
// pitch below the group before; the warp's next request goes on to the right, so that sectors fill up one
// request after the other. Blocks stay and do nothing but store. In a footprint that the second-level cache
// holds, the cost is the cache's own; in a large one memory's is added.
#include "timing/calibrate/bench.h"
#include "timing/calibrate/device.h"

namespace coalesce::timing {
namespace {

/// A warp has rows of its own, 32 / lanes of them, and walks `steps` requests to the right in each piece of the
/// matrix that it takes.
template <int BYTES>
__global__ void __launch_bounds__(256)
    store_groups(char* out, std::size_t pitch, int lanes, std::size_t pieces, std::size_t in_row,
                 int steps) {
    const std::size_t warps = std::size_t{gridDim.x} * blockDim.x / 32;
    const unsigned lane = threadIdx.x % 32;
    const std::size_t group = lane / static_cast<unsigned>(lanes);
    const std::size_t rows = 32 / static_cast<unsigned>(lanes);
    const std::size_t run = static_cast<std::size_t>(lanes) * BYTES;
    std::size_t piece = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
    for (; piece < pieces; piece += warps) {
        // Pieces follow each other down the rows.
        const std::size_t row = piece / in_row * rows + group;
        const std::size_t left = piece % in_row * static_cast<std::size_t>(steps) * run;
        char* at = out + row * pitch + left + lane % static_cast<unsigned>(lanes) * BYTES;
        for (int step = 0; step < steps; ++step, at += run) {
            *reinterpret_cast<Word<BYTES>*>(at) = word_of<Word<BYTES>>(0);
        }
    }
}

template <int BYTES>
void measure(Bench& bench, Raw& raw, int lanes, std::size_t pitch, std::size_t footprint) {
    const std::size_t run = static_cast<std::size_t>(lanes) * BYTES;
    const std::size_t rows = 32 / static_cast<unsigned>(lanes);
    // A warp fills 256 bytes of each of its rows before it goes elsewhere.
    const int steps = static_cast<int>(256 / run < 1 ? 1 : 256 / run);
    const std::size_t in_row = 4096 / (static_cast<std::size_t>(steps) * run);
    // Of each row 4 KiB are used, whatever the pitch.
    const std::size_t height = footprint / 4096;
    const std::size_t pieces = height / rows * in_row;
    if (height * pitch > bench.bytes()) return;
    const int blocks = 8 * bench.multiprocessors();
    const double ms = bench.ms([&] {
        store_groups<BYTES><<<static_cast<unsigned>(blocks), 256>>>(bench.out(), pitch, lanes,
                                                                    pieces, in_row, steps);
    });
    const double requests = static_cast<double>(pieces) * steps;
    const double sectors =
        requests * static_cast<double>(rows) * static_cast<double>((run + 31) / 32);
    raw.stores.push_back({BYTES, lanes, static_cast<double>(pitch), static_cast<double>(footprint),
                          bench.cycles(ms) * bench.multiprocessors() / sectors,
                          requests * 32 * BYTES / ms / 1e6});
}

}  // namespace

void measure_stores(Bench& bench, Raw& raw) {
    const std::size_t mib = std::size_t{1} << 20;
    const auto resident = static_cast<std::size_t>(raw.machine.l2_bytes) / 3 / mib * mib;
    for (const std::size_t pitch :
         {std::size_t{4096}, std::size_t{16384}, std::size_t{131072}, std::size_t{132096}}) {
        for (const std::size_t footprint : {resident, 4 * resident, bench.bytes() / 4}) {
            for (const int lanes : {1, 2, 4, 8, 32}) {
                measure<4>(bench, raw, lanes, pitch, footprint);
            }
            for (const int lanes : {1, 2, 4, 32}) measure<8>(bench, raw, lanes, pitch, footprint);
            for (const int lanes : {1, 2, 4, 8, 32}) {
                measure<16>(bench, raw, lanes, pitch, footprint);
            }
        }
    }
}

}  // namespace coalesce::timing

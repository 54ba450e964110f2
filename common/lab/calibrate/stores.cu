// Stores of part of a sector. Each group of lanes of a request writes bytes side by side into a row of its own, a
// pitch below the group before; the warps of a block write next to each other, at about the same time; blocks
// follow each other down the rows. So a sector fills up by several requests, as where columns are written. Blocks
// stay and do nothing but store. In a footprint that the second-level cache holds, the cost is the cache's own;
// in a large one memory's is added.
#include <algorithm>

#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

/// Powers of two all, but the pitch.
struct Area {
    std::size_t pitch = 0, height = 0, width = 0;  ///< bytes, rows, bytes of a row that are used
    std::size_t footprint() const { return height * width; }
};

/// A tile has 32 / lanes rows, and as many runs side by side as the block has warps.
template <int BYTES>
__global__ void __launch_bounds__(1024)
    store_groups(char* out, std::size_t pitch, unsigned lanes, unsigned tiles, int tiles_down_bits,
                 int turns) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned rows = 32 / lanes, run = lanes * BYTES;
    char* const mine = out + lane / lanes * pitch + warp * run + lane % lanes * BYTES;
    for (int turn = 0; turn < turns; ++turn) {
        for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
            const std::size_t down = tile & ((1u << tiles_down_bits) - 1);
            const std::size_t right = tile >> tiles_down_bits;
            char* at = mine + down * rows * pitch + right * (run * blockDim.x / 32);
            *reinterpret_cast<Word<BYTES>*>(at) = word_of<Word<BYTES>>(tile + turn);
        }
    }
}

int bits_of(std::size_t power_of_two) {
    int bits = 0;
    while (power_of_two >> (bits + 1) != 0) ++bits;
    return bits;
}

template <int BYTES>
void measure(Bench& bench, Raw& raw, int lanes, int threads, const Area& area) {
    const std::size_t run = static_cast<std::size_t>(lanes) * BYTES;
    const std::size_t rows = 32 / static_cast<std::size_t>(lanes);
    const std::size_t tile_width = run * static_cast<std::size_t>(threads) / 32;
    if (tile_width > area.width) return;
    const std::size_t tiles_down = area.height / rows;
    const std::size_t tiles = tiles_down * (area.width / tile_width);
    const int blocks = 32 * raw.machine.warps / threads * bench.multiprocessors();
    // About a hundred microseconds, beside which a launch is nothing.
    const double a_turn = static_cast<double>(tiles) * threads / 32;
    const int turns = 1 + static_cast<int>(6e7 * static_cast<double>(lanes) / a_turn / 32);
    const double ms = bench.ms(
        [&] {
            store_groups<BYTES><<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads)>>>(
                bench.out(), area.pitch, static_cast<unsigned>(lanes), static_cast<unsigned>(tiles),
                bits_of(tiles_down), turns);
        },
        3);
    const double requests = a_turn * turns;
    const double sectors =
        requests * static_cast<double>(rows) * static_cast<double>((run + 31) / 32);
    raw.stores.push_back({BYTES, lanes, threads, static_cast<double>(area.pitch),
                          static_cast<double>(area.footprint()),
                          bench.cycles(ms) * bench.multiprocessors() / sectors,
                          requests * 32 * BYTES / ms / 1e6});
}

void measure_area(Bench& bench, Raw& raw, const Area& area) {
    for (const int threads : {256, 1024}) {
        for (const int lanes : {1, 2, 4, 8, 32}) {
            measure<4>(bench, raw, lanes, threads, area);
            measure<8>(bench, raw, lanes, threads, area);
            measure<16>(bench, raw, lanes, threads, area);
        }
    }
}

}  // namespace

void measure_stores(Bench& bench, Raw& raw) {
    const std::size_t kib = 1024;
    for (const std::size_t pitch : {4 * kib, 16 * kib, 128 * kib, 129 * kib}) {
        const std::size_t below = std::size_t{1} << bits_of(pitch);
        const std::size_t highest = std::size_t{1} << bits_of(bench.bytes() / pitch);
        // A third of the second-level cache at most, and a GiB.
        const auto l2 = static_cast<std::size_t>(raw.machine.l2_bytes);
        const std::size_t narrow = 4 * kib;
        const std::size_t resident = std::size_t{1} << bits_of(l2 / 3 / narrow);
        measure_area(bench, raw, {pitch, std::min(resident, highest), narrow});
        const std::size_t wide = std::min(below, 64 * kib);
        const std::size_t high = (std::size_t{1} << 30) / wide;
        measure_area(bench, raw, {pitch, std::min(high, highest), wide});
    }
}

}  // namespace coalesce::timing

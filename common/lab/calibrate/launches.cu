// Launches as a whole: one that does nothing; ones of few blocks; how much of what a launch writes is still in the
// second-level cache in its end; how fast what was read a moment ago is read again; and what it costs that in the first
// and in the last of few rounds all blocks do the same at the same time.
#include "harness/flush.h"
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

__global__ void nothing() {}

template <bool READS, bool WRITES>
__global__ void __launch_bounds__(256) move_all(const uint4* in, uint4* out, std::size_t count) {
    const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const uint4 v = READS ? in[i] : uint4{};
    if (WRITES) out[i] = v;
    if (!WRITES) use(mixed(v), out);
}

/// Each block copies a piece of its own, 64 KiB of it on their way where it has 1024 threads.
__global__ void __launch_bounds__(1024)
    copy_piece(const uint4* in, uint4* out, std::size_t pieces_of_block) {
    const std::size_t first = blockIdx.x * pieces_of_block + threadIdx.x;
    for (std::size_t i = 0; i < pieces_of_block; i += 4 * blockDim.x) {
        uint4 v[4];
#pragma unroll
        for (int u = 0; u < 4; ++u) v[u] = in[first + i + u * blockDim.x];
#pragma unroll
        for (int u = 0; u < 4; ++u) out[first + i + u * blockDim.x] = v[u];
    }
}

/// A matrix in tiles, one for each block; all in pieces of 16 bytes. One column of tiles as wide as the matrix: each
/// block has one run.
struct Tiles {
    unsigned run_bits = 0;  ///< a row of a tile: 1 << run_bits
    unsigned rows = 0;      ///< of a tile
    unsigned across = 0, down = 0;

    std::size_t pitch() const { return std::size_t{across} << run_bits; }
};

/// Nobody's stores begin before all that a block copies is there, and they go where a transposition would have them: what
/// is read tile after tile along the rows is written tile after tile down the columns.
template <int LOADS>
__global__ void __launch_bounds__(1024)
    copy_in_turn(const uint4* in, uint4* out, Tiles tiles, std::size_t pitch) {
    const auto first = [&](unsigned down, unsigned across) {
        return std::size_t{down} * tiles.rows * pitch + (std::size_t{across} << tiles.run_bits);
    };
    const auto within = [&](unsigned piece) {
        const unsigned row = piece >> tiles.run_bits;
        return row * pitch + (piece - (row << tiles.run_bits));
    };
    in += first(blockIdx.x / tiles.across, blockIdx.x % tiles.across);
    out += first(blockIdx.x % tiles.down, blockIdx.x / tiles.down);
    uint4 v[LOADS];
#pragma unroll
    for (unsigned u = 0; u < LOADS; ++u) v[u] = in[within(u * blockDim.x + threadIdx.x)];
    __syncthreads();
#pragma unroll
    for (unsigned u = 0; u < LOADS; ++u) out[within(u * blockDim.x + threadIdx.x)] = v[u];
}

/// Rows of 4096 floats, in tiles that are as wide as a transposition's of as many bytes; or each block's piece in one run.
Tiles tiles_of(std::size_t bytes, std::size_t of_block, bool is_one_run) {
    constexpr std::size_t piece = 16, pitch = 16 << 10;
    Tiles tiles;
    const std::size_t run = is_one_run ? of_block : of_block < (64 << 10) ? 256 : 512;
    while (piece << tiles.run_bits < run) ++tiles.run_bits;
    tiles.rows = static_cast<unsigned>(of_block / run);
    tiles.across = is_one_run ? 1 : static_cast<unsigned>(pitch / run);
    tiles.down = static_cast<unsigned>(bytes / of_block) / tiles.across;
    return tiles;
}

constexpr int launches_of_rounds = 33;

template <int LOADS>
void measure_rounds(Bench& bench, Raw& raw, int threads, bool is_one_run) {
    const auto kernel = copy_in_turn<LOADS>;
    int resident = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
    const std::size_t of_block = std::size_t{LOADS} * 16 * static_cast<std::size_t>(threads);
    for (const std::size_t shared : {std::size_t{0}, shared_bytes_for(raw.machine, resident)}) {
        allow_shared(kernel, shared);
        if (shared == 0)
            CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                            cudaSharedmemCarveoutMaxL1));
        for (const std::size_t mib : {64, 256, 1024}) {
            if (mib << 20 > bench.bytes()) continue;
            const std::size_t bytes = mib << 20;
            const Tiles tiles = tiles_of(bytes, of_block, is_one_run);
            // Each launch elsewhere, so that what depends on where data lie is not taken for what depends on blocks.
            std::size_t at = 0;
            const auto copy = [&] {
                kernel<<<tiles.across * tiles.down, static_cast<unsigned>(threads), shared>>>(
                    reinterpret_cast<const uint4*>(bench.in() + at),
                    reinterpret_cast<uint4*>(bench.out() + at), tiles, tiles.pitch());
                at = (at + bytes) % bench.bytes();
            };
            const double ms = bench.ms_cold(copy, launches_of_rounds);
            raw.rounds.push_back({threads, resident, static_cast<double>(of_block),
                                  static_cast<double>(std::size_t{16} << tiles.run_bits),
                                  static_cast<double>(shared), static_cast<double>(mib), ms});
        }
    }
}

}  // namespace

void measure_launches(Bench& bench, Raw& raw) {
    const std::size_t mib = std::size_t{1} << 20;
    const auto l2 = static_cast<std::size_t>(raw.machine.l2_bytes);
    const auto* in = reinterpret_cast<const uint4*>(bench.in());
    auto* out = reinterpret_cast<uint4*>(bench.out());
    // As Stopwatch measures everything: between two events, after a kernel that filled the cache.
    raw.launch_us = 1e3 * bench.ms_cold([&] { nothing<<<1, 32>>>(); }, 101);

    // What lies in the far end of a buffer is other data.
    const std::size_t other_bytes = std::min(bench.bytes() / 2, 4 * l2);
    char* other = bench.out() + bench.bytes() - other_bytes;
    const auto write_other = [&] {
        move_all<false, true><<<static_cast<unsigned>(other_bytes / 4096), 256>>>(
            in, reinterpret_cast<uint4*>(other), other_bytes / 16);
    };
    const auto read_other = [&] { flush_by_reading(other, other_bytes); };
    for (std::size_t size : {4, 8, 12, 16, 24, 32, 40, 48, 64, 96, 128, 256}) {
        size *= mib;
        const auto write = [&] {
            move_all<false, true><<<static_cast<unsigned>(size / 4096), 256>>>(in, out, size / 16);
        };
        raw.dirty.push_back({static_cast<double>(size / mib), bench.ms(write, 9, read_other),
                             bench.ms(write, 9, write_other)});
    }
    for (std::size_t size : {1, 2, 4, 8, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128}) {
        size *= mib;
        const auto read = [&] {
            move_all<true, false><<<static_cast<unsigned>(size / 4096), 256>>>(in, out, size / 16);
        };
        const auto read_both = [&] {
            read_other();
            read();
        };
        raw.rereads.push_back({static_cast<double>(size / mib), bench.ms(read, 9, read_other),
                               bench.ms(read, 9, read_both)});
    }
    const int all = bench.multiprocessors();
    for (const int threads : {256, 1024}) {
        for (const int blocks : {1, 2, 4, 8, 16, 32, all / 2, all * 3 / 4, all, all + 1, 2 * all}) {
            for (const std::size_t bytes : {mib / 16, mib}) {
                const double ms = bench.ms_cold([&] {
                    copy_piece<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads)>>>(
                        in, out, bytes / 16);
                });
                raw.few_blocks.push_back({blocks, threads, static_cast<double>(bytes), ms});
            }
        }
    }
    for (const bool is_one_run : {true, false}) {
        for (const int threads : {256, 512, 1024}) {
            measure_rounds<4>(bench, raw, threads, is_one_run);
            measure_rounds<8>(bench, raw, threads, is_one_run);
        }
    }
}

}  // namespace coalesce::timing

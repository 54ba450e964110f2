// Launches as a whole: one that does nothing; ones of few blocks; how much of what a launch writes is still in the
// second-level cache in its end; how fast what was read a moment ago is read again; and what it costs that in the first
// and in the last of few rounds all blocks do the same at the same time.
#include "harness/flush.h"
#include "timing/calibrate/bench.h"
#include "timing/calibrate/device.h"

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

/// Nobody's stores begin before all that a block copies is there: as in a transposition through shared memory.
template <int LOADS>
__global__ void __launch_bounds__(1024) copy_in_turn(const uint4* in, uint4* out) {
    const std::size_t first = std::size_t{blockIdx.x} * LOADS * blockDim.x + threadIdx.x;
    uint4 v[LOADS];
#pragma unroll
    for (int u = 0; u < LOADS; ++u) v[u] = in[first + u * blockDim.x];
    __syncthreads();
#pragma unroll
    for (int u = 0; u < LOADS; ++u) out[first + u * blockDim.x] = v[u];
}

template <int LOADS>
void measure_rounds(Bench& bench, Raw& raw, int threads) {
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
            const auto blocks = static_cast<unsigned>((mib << 20) / of_block);
            const double ms = bench.ms_cold([&] {
                kernel<<<blocks, static_cast<unsigned>(threads), shared>>>(
                    reinterpret_cast<const uint4*>(bench.in()),
                    reinterpret_cast<uint4*>(bench.out()));
            });
            raw.rounds.push_back({threads, resident, static_cast<double>(of_block),
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
    for (const int threads : {256, 512, 1024}) {
        measure_rounds<4>(bench, raw, threads);
        measure_rounds<8>(bench, raw, threads);
    }
}

}  // namespace coalesce::timing

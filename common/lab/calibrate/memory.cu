// Measures memory bandwidth in long runs: copies, reads and writes of a large buffer, by blocks
// that each move one chunk and by persistent blocks. The best result counts, because every slower
// result was limited by something other than memory.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

enum class MemoryAccess { copy, read, write };

/// Each thread moves UNROLL 16-byte words, which are a block's width apart. A persistent block
/// repeats this until the end of the buffer.
template <MemoryAccess MOVES, int UNROLL>
__global__ void move_words(const uint4* in, uint4* out, std::size_t count) {
    const std::size_t chunk = std::size_t{blockDim.x} * UNROLL;
    unsigned sum = 0;
    for (std::size_t first = blockIdx.x * chunk; first < count; first += gridDim.x * chunk) {
        uint4 v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const std::size_t i = first + threadIdx.x + std::size_t{blockDim.x} * u;
            if (MOVES != MemoryAccess::write) v[u] = in[i];
            if (MOVES == MemoryAccess::write) out[i] = {};
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const std::size_t i = first + threadIdx.x + std::size_t{blockDim.x} * u;
            if (MOVES == MemoryAccess::copy) out[i] = v[u];
            if (MOVES == MemoryAccess::read) sum ^= xor_components(v[u]);
        }
    }
    if (MOVES == MemoryAccess::read) keep_alive(sum, out);
}

template <MemoryAccess MOVES, int UNROLL>
void measure(Bench& bench, RawMeasurements& raw, const char* access) {
    const std::size_t count = bench.bytes() / sizeof(uint4);
    const auto time_launch = [&](int threads, std::size_t blocks, const std::string& method) {
        const double ms = bench.ms([&] {
            move_words<MOVES, UNROLL>
                <<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads)>>>(
                    reinterpret_cast<const uint4*>(bench.in()),
                    reinterpret_cast<uint4*>(bench.out()), count);
        });
        const double moved_bytes =
            (MOVES == MemoryAccess::copy ? 2.0 : 1.0) * static_cast<double>(bench.bytes());
        raw.long_runs.push_back({access, method, moved_bytes / ms / 1e6});
    };
    const std::string pieces = std::to_string(UNROLL) + " x 16 bytes per thread, blocks of ";
    for (const int threads : {256, 512}) {
        const std::size_t one_pass_blocks = count / static_cast<std::size_t>(threads * UNROLL);
        time_launch(threads, one_pass_blocks, pieces + std::to_string(threads));
        const auto persistent_blocks =
            static_cast<std::size_t>(2048 / threads * bench.multiprocessors());
        time_launch(threads, persistent_blocks, pieces + std::to_string(threads) + " that stay");
    }
}

}  // namespace

void measure_long_runs(Bench& bench, RawMeasurements& raw) {
    measure<MemoryAccess::copy, 1>(bench, raw, "copy");
    measure<MemoryAccess::copy, 2>(bench, raw, "copy");
    measure<MemoryAccess::copy, 4>(bench, raw, "copy");
    measure<MemoryAccess::read, 1>(bench, raw, "read");
    measure<MemoryAccess::read, 2>(bench, raw, "read");
    measure<MemoryAccess::read, 4>(bench, raw, "read");
    measure<MemoryAccess::write, 1>(bench, raw, "write");
    measure<MemoryAccess::write, 4>(bench, raw, "write");
    const double ms = bench.ms([&] {
        CUDA_CHECK(
            cudaMemcpyAsync(bench.out(), bench.in(), bench.bytes(), cudaMemcpyDeviceToDevice));
    });
    raw.machine.copy_engine_gbps = 2.0 * static_cast<double>(bench.bytes()) / ms / 1e6;
}

}  // namespace coalesce::timing

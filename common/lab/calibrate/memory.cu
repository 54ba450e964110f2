// Measures memory bandwidth in long runs: copies, reads and writes of a large buffer, by blocks
// that each move one chunk and by persistent blocks. The best result counts, because every slower
// result was limited by something other than memory.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

enum class Direction { copy, read, write };

/// Each thread moves UNROLL 16-byte words, which are a block's width apart. A persistent block
/// repeats this until the end of the buffer.
template <Direction MOVES, int UNROLL>
__global__ void move(const uint4* in, uint4* out, std::size_t count) {
    const std::size_t chunk = std::size_t{blockDim.x} * UNROLL;
    unsigned sum = 0;
    for (std::size_t first = blockIdx.x * chunk; first < count; first += gridDim.x * chunk) {
        uint4 v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const std::size_t i = first + threadIdx.x + std::size_t{blockDim.x} * u;
            if (MOVES != Direction::write) v[u] = in[i];
            if (MOVES == Direction::write) out[i] = {};
        }
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
            const std::size_t i = first + threadIdx.x + std::size_t{blockDim.x} * u;
            if (MOVES == Direction::copy) out[i] = v[u];
            if (MOVES == Direction::read) sum ^= mix_components(v[u]);
        }
    }
    if (MOVES == Direction::read) keep_alive(sum, out);
}

template <Direction MOVES, int UNROLL>
void measure(Bench& bench, RawMeasurements& raw, const char* what) {
    const std::size_t count = bench.bytes() / sizeof(uint4);
    const auto go = [&](int threads, std::size_t blocks, const std::string& how) {
        const double ms = bench.ms([&] {
            move<MOVES, UNROLL><<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads)>>>(
                reinterpret_cast<const uint4*>(bench.in()), reinterpret_cast<uint4*>(bench.out()),
                count);
        });
        const double bytes =
            (MOVES == Direction::copy ? 2.0 : 1.0) * static_cast<double>(bench.bytes());
        raw.long_runs.push_back({what, how, bytes / ms / 1e6});
    };
    const std::string pieces = std::to_string(UNROLL) + " x 16 bytes per thread, blocks of ";
    for (const int threads : {256, 512}) {
        const std::size_t once = count / static_cast<std::size_t>(threads * UNROLL);
        go(threads, once, pieces + std::to_string(threads));
        const auto stay = static_cast<std::size_t>(2048 / threads * bench.multiprocessors());
        go(threads, stay, pieces + std::to_string(threads) + " that stay");
    }
}

}  // namespace

void measure_long_runs(Bench& bench, RawMeasurements& raw) {
    measure<Direction::copy, 1>(bench, raw, "copy");
    measure<Direction::copy, 2>(bench, raw, "copy");
    measure<Direction::copy, 4>(bench, raw, "copy");
    measure<Direction::read, 1>(bench, raw, "read");
    measure<Direction::read, 2>(bench, raw, "read");
    measure<Direction::read, 4>(bench, raw, "read");
    measure<Direction::write, 1>(bench, raw, "write");
    measure<Direction::write, 4>(bench, raw, "write");
    const double ms = bench.ms([&] {
        CUDA_CHECK(
            cudaMemcpyAsync(bench.out(), bench.in(), bench.bytes(), cudaMemcpyDeviceToDevice));
    });
    raw.machine.copy_engine_gbps = 2.0 * static_cast<double>(bench.bytes()) / ms / 1e6;
}

}  // namespace coalesce::timing

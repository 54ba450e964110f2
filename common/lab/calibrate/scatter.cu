// Measures how much partial sector stores and memory reads interfere with each other. Blocks of
// several shapes read whole rows and write them down columns, 4 bytes per lane, and each block
// fills the sectors that it writes to. The stores are also measured alone.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

template <bool READS>
__global__ void store_down_columns(const unsigned* in, unsigned* out, std::size_t matrix_side) {
    const std::size_t col = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const std::size_t row = std::size_t{blockIdx.y} * blockDim.y + threadIdx.y;
    out[col * matrix_side + row] = READS ? in[row * matrix_side + col] : 0;
}

/// The side of a matrix that is small enough for the L2 cache to hold everything the
/// resident blocks touch.
constexpr unsigned matrix_side = 8192;

void measure(Bench& bench, RawMeasurements& raw, dim3 block_shape) {
    const dim3 grid(matrix_side / block_shape.x, matrix_side / block_shape.y);
    const auto* in = reinterpret_cast<const unsigned*>(bench.in());
    auto* out = reinterpret_cast<unsigned*>(bench.out());
    const auto measure_ms = [&](auto kernel) {
        return bench.ms([&] { kernel<<<grid, block_shape>>>(in, out, matrix_side); }, 3);
    };
    raw.scattered_stores.push_back({static_cast<int>(block_shape.x),
                                    static_cast<int>(block_shape.y), static_cast<int>(matrix_side),
                                    measure_ms(store_down_columns<true>),
                                    measure_ms(store_down_columns<false>)});
}

}  // namespace

void measure_scattered_stores(Bench& bench, RawMeasurements& raw) {
    const dim3 blocks[] = {{32, 4}, {32, 8}, {32, 32}, {16, 16}, {16, 32}, {8, 32}, {8, 64}};
    for (const dim3& block : blocks) measure(bench, raw, block);
}

}  // namespace coalesce::timing

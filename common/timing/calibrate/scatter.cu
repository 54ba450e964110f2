// Rows that are read whole and written down columns, 4 bytes per lane, by blocks of several shapes: how stores of
// part of a sector and reads of memory get in each other's way. And the stores alone. No parameter follows from
// it: it is what a model of stores can be compared with.
#include "timing/calibrate/bench.h"
#include "timing/calibrate/device.h"

namespace coalesce::timing {
namespace {

template <bool READS>
__global__ void write_columns(const unsigned* in, unsigned* out, std::size_t side,
                              std::size_t pitch) {
    const std::size_t col = blockIdx.x * blockDim.x + threadIdx.x;
    const std::size_t row = blockIdx.y * blockDim.y + threadIdx.y;
    out[col * pitch + row] = READS ? in[row * side + col] : 0;
}

void measure(Bench& bench, Raw& raw, unsigned x, unsigned y, std::size_t side, std::size_t pitch) {
    if (side * pitch * 4 > bench.bytes()) return;
    const dim3 block(x, y), grid(static_cast<unsigned>(side) / x, static_cast<unsigned>(side) / y);
    const auto* in = reinterpret_cast<const unsigned*>(bench.in());
    auto* out = reinterpret_cast<unsigned*>(bench.out());
    Scatter scatter = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(side),
                       4 * static_cast<double>(pitch)};
    scatter.ms = bench.ms([&] { write_columns<true><<<grid, block>>>(in, out, side, pitch); }, 3);
    scatter.ms_of_stores =
        bench.ms([&] { write_columns<false><<<grid, block>>>(in, out, side, pitch); }, 3);
    raw.scatters.push_back(scatter);
}

}  // namespace

void measure_scatters(Bench& bench, Raw& raw) {
    const unsigned shapes[][2] = {{32, 8}, {32, 32}, {16, 16}, {8, 32},  {8, 64},
                                  {4, 64}, {32, 4},  {16, 32}, {1, 256}, {256, 1}};
    for (const auto& [x, y] : shapes) {
        for (const std::size_t side : {32768, 16384, 8192, 4096}) {
            measure(bench, raw, x, y, side, side);
        }
        measure(bench, raw, x, y, 31744, 31744 + 1280);
    }
}

}  // namespace coalesce::timing

// Rows that are read whole and written down columns, 4 bytes per lane, by blocks of several shapes: how stores of
// part of a sector and reads of memory get in each other's way. And the stores alone. In most shapes a block fills
// the sectors that it writes to; in some it writes few rows only, far to the right, and other blocks do the rest of
// its sectors.
#include "lab/calibrate/bench.h"
#include "lab/calibrate/device.h"

namespace coalesce::timing {
namespace {

/// A block has so many rows; what it has more in y lies to the right of them.
template <bool READS>
__global__ void write_columns(const unsigned* in, unsigned* out, std::size_t side,
                              std::size_t pitch, unsigned rows) {
    const std::size_t group = blockIdx.x * (blockDim.y / rows) + threadIdx.y / rows;
    const std::size_t col = group * blockDim.x + threadIdx.x;
    const std::size_t row = blockIdx.y * rows + threadIdx.y % rows;
    out[col * pitch + row] = READS ? in[row * side + col] : 0;
}

struct Shape {
    unsigned x = 0, y = 0, rows = 0;
};

void measure(Bench& bench, Raw& raw, Shape shape, std::size_t side, std::size_t pitch) {
    if (side * pitch * 4 > bench.bytes()) return;
    const auto [x, y, rows] = shape;
    const dim3 block(x, y),
        grid(static_cast<unsigned>(side) / (x * (y / rows)), static_cast<unsigned>(side) / rows);
    const auto* in = reinterpret_cast<const unsigned*>(bench.in());
    auto* out = reinterpret_cast<unsigned*>(bench.out());
    Scatter scatter = {static_cast<int>(x), static_cast<int>(y), static_cast<int>(rows),
                       static_cast<int>(side), 4 * static_cast<double>(pitch)};
    scatter.ms =
        bench.ms([&] { write_columns<true><<<grid, block>>>(in, out, side, pitch, rows); }, 3);
    scatter.ms_of_stores =
        bench.ms([&] { write_columns<false><<<grid, block>>>(in, out, side, pitch, rows); }, 3);
    raw.scatters.push_back(scatter);
}

}  // namespace

void measure_scatters(Bench& bench, Raw& raw) {
    const Shape shapes[] = {
        {32, 8, 8},  {32, 32, 32}, {16, 16, 16}, {8, 32, 32},   {8, 64, 64},
        {4, 64, 64}, {32, 4, 4},   {16, 32, 32}, {1, 256, 256}, {256, 1, 1},
        {32, 8, 1},  {32, 32, 1},  {16, 16, 2},  {16, 64, 2},   {8, 32, 4},
    };
    for (const Shape& shape : shapes) {
        for (const std::size_t side : {32768, 16384, 8192, 4096}) {
            measure(bench, raw, shape, side, side);
        }
        measure(bench, raw, shape, 31744, 31744 + 1280);
    }
}

}  // namespace coalesce::timing

// Correct kernels for every element size.
#include <cstdint>

#include "right_kernels.h"

namespace coalesce::tests {
namespace {

constexpr int TILE_DIM = 32;

template <class Element>
__global__ void right(Element* out, const Element* in, int rows, int cols, Produces::Kind kind) {
    int row = blockIdx.y * TILE_DIM + threadIdx.y, col = blockIdx.x * TILE_DIM + threadIdx.x;
    if (row >= rows || col >= cols) return;
    const Element value = in[row * cols + col];
    const int within_row = row % TILE_DIM, within_col = col % TILE_DIM;
    switch (kind) {
        case Produces::transpose: out[col * rows + row] = value; break;
        case Produces::copy: out[row * cols + col] = value; break;
        // Permutations and computed outputs are produced by other kernels.
        case Produces::permuted:
        case Produces::computed: break;
        case Produces::transposed_tiles: {
            const int to_row = row - within_row + within_col,
                      to_col = col - within_col + within_row;
            if (to_row < rows && to_col < cols) out[to_row * cols + to_col] = value;
            break;
        }
        case Produces::moved_tiles: {
            const int to_row = col - within_col + within_row,
                      to_col = row - within_row + within_col;
            if (to_row < cols && to_col < rows) out[to_row * rows + to_col] = value;
            break;
        }
    }
}

template <class Element>
void launch(Produces produces, void* out, const void* in, int rows, int cols) {
    const dim3 block(TILE_DIM, TILE_DIM);
    const dim3 grid(ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM));
    right<<<grid, block>>>(static_cast<Element*>(out), static_cast<const Element*>(in), rows, cols,
                           produces.kind);
}

}  // namespace

void launch_right(Produces produces, std::size_t element_size, void* out, const void* in, int rows,
                  int cols) {
    switch (element_size) {
        case 1: launch<std::uint8_t>(produces, out, in, rows, cols); break;
        case 2: launch<std::uint16_t>(produces, out, in, rows, cols); break;
        case 4: launch<float>(produces, out, in, rows, cols); break;
        case 8: launch<double>(produces, out, in, rows, cols); break;
        case 16: launch<float4>(produces, out, in, rows, cols); break;
    }
}

}  // namespace coalesce::tests

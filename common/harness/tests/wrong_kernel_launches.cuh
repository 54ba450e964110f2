// Launches kernels with deliberate mistakes in tests.
#pragma once

#include "wrong_kernels.h"

namespace coalesce::tests {

inline constexpr int TILE_DIM = 32;
inline constexpr int BLOCK_ROWS = 8;

#define ROW_AND_COL                                  \
    int col = blockIdx.x * blockDim.x + threadIdx.x; \
    int row = blockIdx.y * blockDim.y + threadIdx.y

using Kernel = void (*)(float*, const float*, int, int);

inline dim3 grid_of(int rows, int cols, dim3 block) {
    return dim3(ceil_div(cols, block.x), ceil_div(rows, block.y));
}

template <Kernel kernel>
void plain(float* out, const float* in, int rows, int cols) {
    dim3 block(32, 8);
    kernel<<<grid_of(rows, cols, block), block>>>(out, in, rows, cols);
}

template <Kernel kernel>
void square(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM, TILE_DIM);
    kernel<<<grid_of(rows, cols, block), block>>>(out, in, rows, cols);
}

template <Kernel kernel>
void low(float* out, const float* in, int rows, int cols) {
    dim3 block(TILE_DIM, BLOCK_ROWS);
    kernel<<<grid_of(rows, cols, dim3(TILE_DIM, TILE_DIM)), block>>>(out, in, rows, cols);
}

}  // namespace coalesce::tests

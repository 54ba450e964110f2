// expect: batches-missed
// mistake: The first row of a tile counts the rows of all matrices.
// says: selects it a second time
#include "exercise.h"  // Launch, ceil_div

constexpr int TILE_DIM = 32, BLOCK_ROWS = 4;
constexpr int MATRIX_ROWS = 64;

constexpr int TILES_DOWN = MATRIX_ROWS / TILE_DIM;

__global__ void transpose_stack(float* out, const float* in, int, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    int matrix = blockIdx.y / TILES_DOWN;
    const float* from = in + matrix * MATRIX_ROWS * cols;
    float* to = out + matrix * MATRIX_ROWS * cols;
    int top = blockIdx.y * TILE_DIM, left = blockIdx.x * TILE_DIM;  // here

    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (top + y < MATRIX_ROWS && left + threadIdx.x < cols) {
            tile[y][threadIdx.x] = from[(top + y) * cols + left + threadIdx.x];
        }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < TILE_DIM; y += BLOCK_ROWS) {
        if (left + y < cols && top + threadIdx.x < MATRIX_ROWS) {
            to[(left + y) * MATRIX_ROWS + top + threadIdx.x] = tile[threadIdx.x][y];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), rows / TILE_DIM}, .block = {TILE_DIM, BLOCK_ROWS}};
}

// expect: misaligned
// mistake: Rows are moved as float4 although their length need not be a multiple of 4.
// says: a row of `in` has cols
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8, VEC = 4;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x * VEC;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;

    float4 values[TILE_DIM / BLOCK_ROWS];
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col + VEC <= cols) {
            values[k / BLOCK_ROWS] =
                *reinterpret_cast<const float4*>(&in[(row + k) * cols + col]);  // here
        }
    }

    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k >= rows) break;
        if (col + VEC <= cols) {
            *reinterpret_cast<float4*>(&out[(row + k) * cols + col]) = values[k / BLOCK_ROWS];
        } else {
            // the last one to three elements of the row
            for (int c = col; c < cols; c++) out[(row + k) * cols + c] = in[(row + k) * cols + c];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM / VEC, BLOCK_ROWS}};
}

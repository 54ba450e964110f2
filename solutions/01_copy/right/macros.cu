// Uses macros, as in C.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

#define INSIDE(r, c) ((r) < rows && (c) < cols)
#define AT(p, r, c) (p)[(r)*cols + (c)]

__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    float values[4];
    int k, n;
    for (k = 0, n = 0; k < TILE_DIM; k += BLOCK_ROWS, n++)
        if (INSIDE(row + k, col)) values[n] = AT(in, row + k, col);
    for (k = 0, n = 0; k < TILE_DIM; k += BLOCK_ROWS, n++)
        if (INSIDE(row + k, col)) AT(out, row + k, col) = values[n];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}

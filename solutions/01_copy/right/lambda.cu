// Uses one lambda for the index and another one for the bounds check.
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    auto row_of = [](int k) { return int(blockIdx.y * TILE_DIM + threadIdx.y) + k; };
    auto col = int(blockIdx.x * TILE_DIM + threadIdx.x);
    auto is_inside = [&](int k) { return row_of(k) < rows && col < cols; };
    auto place = [&](int k) { return row_of(k) * cols + col; };

    float values[TILE_DIM / BLOCK_ROWS];
    for (auto k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        values[k / BLOCK_ROWS] = is_inside(k) ? in[place(k)] : 0.0f;
    }
    for (auto k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (is_inside(k)) out[place(k)] = values[k / BLOCK_ROWS];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}

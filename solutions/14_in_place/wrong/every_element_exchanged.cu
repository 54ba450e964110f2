// expect: race-between-blocks | nothing-written
// mistake: Both threads of a pair swap its two elements.
// never: `in`
// never: `out`
// never: out(
constexpr int TILE_DIM = 32;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < side && col < side) {
        float value = data[row * side + col];             // here
        data[row * side + col] = data[col * side + row];  // here
        data[col * side + row] = value;                   // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}

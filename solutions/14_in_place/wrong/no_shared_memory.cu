// expect: uncoalesced-stores | uncoalesced-loads
// mistake: Elements are swapped one by one, without a tile.
// never: `in`
// never: `out`
// never: out(
constexpr int TILE_DIM = 32;

__global__ void transpose_in_place(float* data, const float*, int side, int) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < col && col < side) {
        float above = data[row * side + col];  // here
        float below = data[col * side + row];  // here
        data[row * side + col] = below;        // here
        data[col * side + row] = above;        // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}

// Writes a tile of 16 x 16 column by column, which takes 8 wavefronts per store.
const int SIDE = 16;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float turned[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int first_col = blockIdx.x * SIDE, first_row = blockIdx.y * SIDE;
    if (first_row + y < rows && first_col + x < cols)
        turned[x][y] = in[(first_row + y) * cols + first_col + x];
    __syncthreads();
    if (first_row + x < rows && first_col + y < cols)
        out[(first_col + y) * rows + first_row + x] = turned[y][x];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, SIDE), ceil_div(rows, SIDE)}, .block = {SIDE, SIDE}};
}

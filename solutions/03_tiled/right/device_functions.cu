// Fills the tile in one function and stores it in another.
constexpr int TILE_DIM = 32;

struct Tile {
    float at[TILE_DIM][TILE_DIM];
};

__device__ void fill(Tile& tile, const float* in, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) tile.at[threadIdx.y][threadIdx.x] = in[row * cols + col];
}

__device__ void empty(float* out, const Tile& tile, int rows, int cols) {
    int col = blockIdx.x * TILE_DIM + threadIdx.y;
    int row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) out[col * rows + row] = tile.at[threadIdx.x][threadIdx.y];
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ Tile tile;
    fill(tile, in, rows, cols);
    __syncthreads();
    empty(out, tile, rows, cols);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}

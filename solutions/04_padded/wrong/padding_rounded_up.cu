// expect: bank-conflicts
// mistake: The alignment of a row rounds its padding up to 256 bytes.
// says: 64 apart
constexpr int TILE_DIM = 32;

struct alignas(128) TileRow {
    float v[TILE_DIM + 1];
};

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ TileRow tile[TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y].v[threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x].v[threadIdx.y];  // here
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}

// expect: misaligned
// mistake: The float4s of a row are aligned only if the number of columns is a multiple of 4.
// says: has cols = 45 floats
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;

__global__ void copy(float* out, const float* in, int rows, int cols) {
    // 8 threads with 4 floats each copy one row of the tile.
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + t / 8;
    int col = blockIdx.x * TILE_DIM + (t % 8) * 4;

    if (row < rows && col < cols) {
        float4 v = *reinterpret_cast<const float4*>(&in[row * cols + col]);  // here
        *reinterpret_cast<float4*>(&out[row * cols + col]) = v;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, BLOCK_ROWS}};
}

// expect: ragged-edge-missed | never-written
// of: the bug hunt
// mistake: Threads whose loaded element is outside return, although they have an element to store.
// says: Remove this return
// never: Compute the condition again
constexpr int TILE_DIM = 32;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM];

    int col = blockIdx.x * TILE_DIM + threadIdx.x;
    int row = blockIdx.y * TILE_DIM + threadIdx.y;
    if (row < rows && col < cols) {
        tile[threadIdx.y][threadIdx.x] = in[row * cols + col];
    }

    __syncthreads();
    if (row >= rows || col >= cols) {  // here
        return;
    }

    col = blockIdx.x * TILE_DIM + threadIdx.y;
    row = blockIdx.y * TILE_DIM + threadIdx.x;
    if (row < rows && col < cols) {
        out[col * rows + row] = tile[threadIdx.x][threadIdx.y];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, TILE_DIM), ceil_div(rows, TILE_DIM)},
            .block = {TILE_DIM, TILE_DIM}};
}

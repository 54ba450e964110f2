// Uses 256 threads in one dimension, with named variables for the warp and the lane.
constexpr int SIDE = 32, WARPS = 8;

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[SIDE][SIDE + 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * SIDE, col0 = blockIdx.x * SIDE;
    for (int r = warp; r < SIDE; r += WARPS) {
        if (row0 + r < rows && col0 + lane < cols) {
            tile[r][lane] = in[(row0 + r) * cols + (col0 + lane)];
        }
    }
    __syncthreads();
    for (int c = warp; c < SIDE; c += WARPS) {
        if (row0 + lane < rows && col0 + c < cols) {
            out[(col0 + c) * rows + (row0 + lane)] = tile[lane][c];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, SIDE), ceil_div(rows, SIDE)}, .block = {32 * WARPS}};
}

// Uses 256 threads in one dimension, and while loops.
constexpr int SIDE = 32, WARPS = 8, SECTOR = 8, LEAD = SECTOR - 1;

__global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows,
                          int cols) {
    __shared__ float tile[SIDE + LEAD][SIDE + 1];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int top = int(blockIdx.y) * SIDE, left = int(blockIdx.x) * SIDE;

    int k = warp;
    while (k < SIDE + LEAD) {
        const int row = top - LEAD + k;
        if (row >= 0 && row < rows && left + lane < cols) {
            tile[k][lane] = in[row * cols + left + lane];
        }
        k += WARPS;
    }
    __syncthreads();
    k = warp;
    while (k < SIDE && left + k < cols) {
        const int first = (left + k) * rows;
        const int early = (first + top) % SECTOR;
        const int row = top - early + lane;
        if (row >= 0 && row < rows) out[first + row] = tile[LEAD - early + lane][k];
        k += WARPS;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, SIDE), ceil_div(rows + LEAD, SIDE)}, .block = {SIDE * WARPS}};
}

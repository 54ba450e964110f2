// expect: bad-warp-mask
// mistake: The lane and the warp are exchanged.
// says: this is the number of the lane
constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int warp = threadIdx.x % 32;  // here
    int lane = threadIdx.x / 32;
    int row = blockIdx.x * WARPS + warp;
    if (row >= rows) return;

    const float* line = in + row * cols;
    float sum = 0;
    for (int col = lane; col < cols; col += 32) sum += line[col];

    for (int offset = 16; offset > 0; offset >>= 1) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, WARPS)}, .block = {32 * WARPS}};
}

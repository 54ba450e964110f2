// expect: missing-barrier
// mistake: Lanes exchange values in shared memory as if they ran in lockstep.
// says: __syncwarp() is missing
constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    __shared__ float part[WARPS][32];
    int warp = threadIdx.y, lane = threadIdx.x;
    int row = blockIdx.x * WARPS + warp;
    if (row >= rows) return;

    float sum = 0;
    for (int col = lane; col < cols; col += 32) {
        sum += in[row * cols + col];
    }
    part[warp][lane] = sum;

    // Each warp has its own row of `part`.
    for (int half = 16; half > 0; half /= 2) {
        if (lane < half) part[warp][lane] += part[warp][lane + half];  // here
    }
    if (lane == 0) out[row] = part[warp][0];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, WARPS)}, .block = {32, WARPS}};
}

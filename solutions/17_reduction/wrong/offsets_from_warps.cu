// expect: wrong-elements
// mistake: The first offset of the shuffles is the number of warps.
// says: combine only 16 lanes
constexpr int WARPS = 8;  // warps per block

__device__ float add_lanes(float sum) {
    for (int offset = WARPS; offset > 0; offset /= 2) {  // here
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    return sum;
}

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * WARPS + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    float sum = 0;
    for (int col = lane; col < cols; col += 32) {
        sum += in[row * cols + col];
    }
    sum = add_lanes(sum);
    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, WARPS)}, .block = {32, WARPS}};
}

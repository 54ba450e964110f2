// expect: misaligned
// mistake: The rows are read as float4 although their length need not be a multiple of 4.
// says: has 45 elements
constexpr int WARPS = 8;  // warps per block

__global__ void row_sums(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.x * WARPS + threadIdx.y;
    int lane = threadIdx.x;
    if (row >= rows) return;

    const float4* quads = reinterpret_cast<const float4*>(in + row * cols);
    float sum = 0;
    for (int i = lane; i < cols / 4; i += 32) {
        float4 quad = quads[i];  // here
        sum += quad.x + quad.y + quad.z + quad.w;
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    }
    if (lane == 0) out[row] = sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(rows, WARPS)}, .block = {32, WARPS}};
}

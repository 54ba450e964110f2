// Calls a function that never stops recursing.
__device__ __noinline__ int walk(int n) { return n < 0 ? n : walk(n + (n < 1000000000)) ^ n; }
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    out[0] = (float)walk(rows);
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}

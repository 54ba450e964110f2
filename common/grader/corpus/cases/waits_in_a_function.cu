// Waits for each load at a barrier, in a function that is not inlined.
__device__ __noinline__ float get(const float* p) { float v = *p; __syncthreads(); return v; }
__device__ float zero_value;
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    const int block = blockIdx.y * gridDim.x + blockIdx.x, tile_row = block % gridDim.y, tile_col = (block / gridDim.y + tile_row) % gridDim.x;
    const int left = tile_col * 32, top = tile_row * 32, x = threadIdx.x, y = threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        const bool ok = top + k + y < rows && left + x < cols;
        float v = get(ok ? &in[(top + k + y) * cols + left + x] : in); if (ok) tile[k + y][x] = v;
    }
    __syncthreads();
    #pragma unroll
    for (int k = y; k < 32; k += 8) if (left + k < cols && top + x < rows) out[(left + k) * rows + top + x] = tile[x][k];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}

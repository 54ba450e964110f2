// Accesses global, shared and local memory through generic pointers.
__device__ __noinline__ float taken(const float* from) {
    return *from;
}
__device__ __noinline__ void put(float* to, float value) {
    *to = value;
}

__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[8][32];
    float local[2];
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= rows || col >= cols) return;
    put(&tile[threadIdx.y][threadIdx.x], taken(&in[row * cols + col]));
    put(&local[row % 2], taken(&tile[threadIdx.y][threadIdx.x]));
    put(&out[col * rows + row], taken(&local[row % 2]));
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}

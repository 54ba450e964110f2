// Changes a global variable through a pointer that is stored in shared memory.
__device__ int flag;
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    __shared__ int* p;
    if (threadIdx.x + threadIdx.y == 0) p = &flag;
    __syncthreads();
    if (row == 1 && col == 0) atomicExch(p, 1);
    if (row > 4 && atomicAdd(p, 0) == 7) return;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}

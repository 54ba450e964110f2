// Copies the matrix into the tile column by column, with a cp.async for each element.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    if (row < rows && col < cols)
        ;
    {
        int c = blockIdx.x * 32 + threadIdx.y, r = blockIdx.y * 32 + threadIdx.x;
        if (r < rows && c < cols)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                             (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x][threadIdx.y])),
                         "l"(in + r * cols + c));
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
    __syncthreads();
    col = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    if (row < cols && col < rows) out[row * rows + col] = tile[threadIdx.x][threadIdx.y];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 32}};
}

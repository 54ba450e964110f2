// Each thread makes a single load of four elements, so there is nothing to overlap.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int number = blockIdx.y * gridDim.x + blockIdx.x;
    int down = number % gridDim.y, across = (number / gridDim.y + down) % gridDim.x;
    int row = down * 32 + threadIdx.y, col = across * 32 + 4 * threadIdx.x;
    if (row < rows) {
        if (cols % 4 == 0 && col < cols) {
            float4 value = *reinterpret_cast<const float4*>(&in[row * cols + col]);
            tile[threadIdx.y][4 * threadIdx.x] = value.x;
            tile[threadIdx.y][4 * threadIdx.x + 1] = value.y;
            tile[threadIdx.y][4 * threadIdx.x + 2] = value.z;
            tile[threadIdx.y][4 * threadIdx.x + 3] = value.w;
        } else {
            for (int k = 0; k < 4; ++k)
                if (col + k < cols) tile[threadIdx.y][4 * threadIdx.x + k] = in[row * cols + col + k];
        }
    }
    __syncthreads();
    int lane = threadIdx.y * 8 + threadIdx.x;
    row = down * 32 + lane % 32;
    for (int k = lane / 32; k < 32; k += 8) {
        col = across * 32 + k;
        if (row < rows && col < cols) out[col * rows + row] = tile[lane % 32][k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {8, 32}};
}

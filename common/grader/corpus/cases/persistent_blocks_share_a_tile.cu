// On large matrices, each block processes several tiles, and refills the tile before it is read.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    int across = (cols + 31) / 32, tiles = across * ((rows + 31) / 32);
    for (int number = blockIdx.x; number < tiles; number += gridDim.x) {
        int left = number % across * 32, top = number / across * 32;
        for (int k = threadIdx.y; k < 32; k += 8)
            if (top + k < rows && left + threadIdx.x < cols) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
        __syncthreads();
        for (int k = threadIdx.y; k < 32; k += 8)
            if (left + k < cols && top + threadIdx.x < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
    }
}

constexpr Launch configure(int rows, int cols) {
    int tiles = ceil_div(cols, 32) * ceil_div(rows, 32);
    return {.grid = {tiles < 48 ? tiles : 48}, .block = {32, 8}};
}

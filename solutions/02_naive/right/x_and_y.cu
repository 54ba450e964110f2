// Uses x for the column and y for the row.
__global__ void transpose(float* dst, const float* src, int height, int width) {
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;

    if (!(x >= width || y >= height)) dst[x * height + y] = src[y * width + x];
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}

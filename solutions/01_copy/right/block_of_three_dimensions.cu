// Uses blocks of 32 x 2 x 4 threads, in which y and z together count the rows.
__global__ void copy(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.z * 2 + threadIdx.y;
    float values[4];
    for (int k = 0; k < 4; k++)
        if (row + 8 * k < rows && col < cols) values[k] = in[(row + 8 * k) * cols + col];
    for (int k = 0; k < 4; k++)
        if (row + 8 * k < rows && col < cols) out[(row + 8 * k) * cols + col] = values[k];
}

constexpr Launch configure(int rows, int cols) {
    dim3 grid(ceil_div(cols, 32), ceil_div(rows, 32));
    dim3 block(32, 2, 4);
    return {grid, block};
}

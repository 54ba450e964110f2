// Uses one block per row, whose threads walk along the row.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    const float* from = in + blockIdx.x * cols;
    float* to = out + blockIdx.x;
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        to[col * rows] = from[col];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = rows, .block = 64};
}

// expect: lanes-idle | too-many-requests
// mistake: In each row of a block, only the thread with threadIdx.x == 0 works.
// says: thread
// never: float2
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (threadIdx.x == 0 && row < rows) {  // here
        for (int i = 0; i < 32; ++i) {
            int col = blockIdx.x * 32 + i;
            if (col < cols) out[col * rows + row] = in[row * cols + col];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}

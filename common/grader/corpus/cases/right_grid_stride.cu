// Uses a grid-stride loop with 7 blocks of 96 threads.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols; i += gridDim.x * blockDim.x)
        out[i % cols * rows + i / cols] = in[i];
}
constexpr Launch configure(int rows, int cols) { return {.grid = {7}, .block = {96}}; }

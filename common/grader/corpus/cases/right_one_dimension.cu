// Launches a one-dimensional grid.
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (unsigned)rows * cols) return;
    out[i % cols * (size_t)rows + i / cols] = in[i];
}
constexpr Launch configure(int rows, int cols) { return {.grid = {ceil_div((unsigned)rows * cols, 256)}, .block = {256}}; }

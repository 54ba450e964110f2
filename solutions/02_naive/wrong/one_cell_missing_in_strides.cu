// expect: never-written
// mistake: The grid is the same for all shapes, its blocks loop, and one element is left out.
// never: configure
// never: grid
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * cols;
         i += gridDim.x * blockDim.x) {
        if (i != 69000) {
            out[i % cols * rows + i / cols] = in[i];  // here
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {528}, .block = {128}};
}

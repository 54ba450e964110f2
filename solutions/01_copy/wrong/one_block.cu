// expect: multiprocessors-idle
// mistake: A single block copies the whole matrix.
__global__ void copy(float* out, const float* in, int rows, int cols) {
    for (int i = threadIdx.x; i < rows * cols; i += 4 * blockDim.x) {
        float values[4];
        for (int k = 0; k < 4; k++)
            if (i + k * 256 < rows * cols) values[k] = in[i + k * 256];
        for (int k = 0; k < 4; k++)
            if (i + k * 256 < rows * cols) out[i + k * 256] = values[k];
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {1}, .block = {256}};  // here
}

// Runs a grid-stride loop over chunks of 1024 elements, with as many blocks as a GPU can hold.
__global__ void copy(float* out, const float* in, int rows, int cols) {
    const size_t count = size_t(rows) * cols;
    const size_t stride = size_t(gridDim.x) * 1024;
    for (size_t piece = size_t(blockIdx.x) * 1024; piece < count; piece += stride) {
        float v[4];
        for (unsigned k = 0; k < 4; k++) {
            size_t i = piece + threadIdx.x + 256 * k;
            if (i >= count) break;
            v[k] = in[i];
        }
        for (unsigned k = 0; k < 4; k++) {
            size_t i = piece + threadIdx.x + 256 * k;
            if (i >= count) break;
            out[i] = v[k];
        }
    }
}

constexpr Launch configure(int rows, int cols) {
    unsigned pieces = ceil_div(rows * cols, 1024);
    return {.grid = {pieces < 528 ? pieces : 528}, .block = {256}};
}

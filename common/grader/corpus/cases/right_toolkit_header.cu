// Includes a header of the CUDA toolkit.
#include <cuda_fp16.h>
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        __half2 unused = __floats2half2_rn(1.0f, 2.0f);
        out[col * rows + row] = __low2float(unused) == 1.0f ? in[row * cols + col] : 0.0f;
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 8)}, .block = {32, 8}};
}

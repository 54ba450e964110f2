// 06_diagonal/example.cu -- copies a matrix tile by tile, every second row from right to left.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/06_diagonal/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <numeric>
#include <vector>

constexpr int TILE = 16;

//! [example]
// The blocks take row after row of tiles, every second row from right to left.
__global__ void copy_back_and_forth(float* out, const float* in, int rows, int cols) {
    int block = blockIdx.y * gridDim.x + blockIdx.x;

    int tile_row = block / gridDim.x;
    int step = block % gridDim.x;
    int tile_col = tile_row % 2 == 0 ? step : gridDim.x - 1 - step;

    // No line below uses blockIdx.
    int row = tile_row * TILE + threadIdx.y;
    int col = tile_col * TILE + threadIdx.x;
    if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];
}
//! [example]

int main() {
    constexpr int rows = 50, cols = 90, bytes = rows * cols * sizeof(float);
    std::vector<float> host(rows * cols), result(rows * cols);
    std::iota(host.begin(), host.end(), 1.0f);

    float *in, *out;
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, host.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, bytes);  // a tile that no block takes stays 0

    dim3 grid((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    copy_back_and_forth<<<grid, dim3(TILE, TILE)>>>(out, in, rows, cols);

    cudaError_t error = cudaMemcpy(result.data(), out, bytes, cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess && result == host;
    std::printf("%s\n", right ? "right: every tile" : "wrong: a tile differs");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

// 04_padded/example.cu -- adds up 32 rows of numbers in shared memory, with and without padding.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/04_padded/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

constexpr int ROWS = 32, COLS = 64;

//! [example]
// Runs as one warp. A row in shared memory has PITCH words, of which COLS are used.
template <int PITCH>
__global__ void row_sums(float* sums, const float* in) {
    __shared__ float table[ROWS][PITCH];

    // The lanes fetch half a row at a time, side by side.
    for (int k = threadIdx.x; k < ROWS * COLS; k += 32) {
        table[k / COLS][k % COLS] = in[k];
    }

    __syncthreads();

    // Each lane adds up its own row. At every moment, the warp reads one column of the table.
    float sum = 0;
    for (int c = 0; c < COLS; c++) sum += table[threadIdx.x][c];
    sums[threadIdx.x] = sum;
}
//! [example]

int main() {
    std::vector<float> host(ROWS * COLS), result(ROWS), expected(ROWS);
    for (int k = 0; k < ROWS * COLS; k++) {
        host[k] = k % 5 + 1.0f;
        expected[k / COLS] += host[k];
    }

    float *in, *sums;
    cudaMalloc(&in, ROWS * COLS * sizeof(float));
    cudaMalloc(&sums, ROWS * sizeof(float));
    cudaMemcpy(in, host.data(), ROWS * COLS * sizeof(float), cudaMemcpyHostToDevice);

    bool right = true;
    for (auto* kernel : {row_sums<COLS>, row_sums<COLS + 1>}) {
        cudaMemset(sums, 0, ROWS * sizeof(float));
        kernel<<<1, 32>>>(sums, in);
        cudaError_t error =
            cudaMemcpy(result.data(), sums, ROWS * sizeof(float), cudaMemcpyDeviceToHost);
        right = right && error == cudaSuccess && result == expected;
    }
    std::printf("%s\n", right ? "right: both sums" : "wrong: a sum differs");
    cudaFree(in);
    cudaFree(sums);
    return right ? 0 : 1;
}

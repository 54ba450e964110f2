// 05_coarsened/example.cu -- computes y = a x + y for one long row, with four elements per thread.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/05_coarsened/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
constexpr int BLOCK = 128, PER_THREAD = 4;

// Each block computes BLOCK * PER_THREAD neighbours. Those of one thread are BLOCK apart.
__global__ void saxpy(float* y, const float* x, float a, int count) {
    int first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;

    // These eight loads do not wait for each other.
    float xs[PER_THREAD], ys[PER_THREAD];
    for (int k = 0; k < PER_THREAD; k++) {
        int i = first + k * BLOCK;
        xs[k] = i < count ? x[i] : 0;
        ys[k] = i < count ? y[i] : 0;
    }

    for (int k = 0; k < PER_THREAD; k++) {
        int i = first + k * BLOCK;
        if (i < count) y[i] = a * xs[k] + ys[k];
    }
}
//! [example]

int main() {
    constexpr int count = 1000, per_block = BLOCK * PER_THREAD;
    constexpr int blocks = (count + per_block - 1) / per_block;
    std::vector<float> xs(count), ys(count), result(count);
    for (int i = 0; i < count; i++) {
        xs[i] = i + 1.0f;
        ys[i] = i % 3;
    }

    float *x, *y;
    cudaMalloc(&x, count * sizeof(float));
    cudaMalloc(&y, count * sizeof(float));
    cudaMemcpy(x, xs.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(y, ys.data(), count * sizeof(float), cudaMemcpyHostToDevice);

    saxpy<<<blocks, BLOCK>>>(y, x, 2.0f, count);

    cudaError_t error = cudaMemcpy(result.data(), y, count * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess;
    for (int i = 0; i < count; i++) right = right && result[i] == 2 * xs[i] + ys[i];
    std::printf("%s\n", right ? "right: every element" : "wrong: an element differs");
    cudaFree(x);
    cudaFree(y);
    return right ? 0 : 1;
}

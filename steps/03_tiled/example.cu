// 03_tiled/example.cu -- loads coordinates of points as adjacent floats, and uses them in threes.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/03_tiled/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
constexpr int BLOCK = 128;  // points per block, one per thread

// Computes out[i] = x + 2 y + 3 z for each point i.
__global__ void weigh(float* out, const float* xyz, int count) {
    __shared__ float buffer[3 * BLOCK];

    // Neighbouring threads fetch neighbouring floats, regardless of which points these belong to.
    int first = blockIdx.x * BLOCK;
    for (int k = threadIdx.x; k < 3 * BLOCK; k += BLOCK) {
        if (3 * first + k < 3 * count) buffer[k] = xyz[3 * first + k];
    }

    __syncthreads();  // from here on, a thread may use floats that other threads have fetched

    int i = first + threadIdx.x;
    if (i < count) {
        const float* point = &buffer[3 * threadIdx.x];
        out[i] = point[0] + 2 * point[1] + 3 * point[2];
    }
}
//! [example]

int main() {
    constexpr int count = 300, blocks = (count + BLOCK - 1) / BLOCK;
    std::vector<float> host(3 * count), result(count);
    for (int k = 0; k < 3 * count; k++) host[k] = k % 7 + 1.0f;

    float *xyz, *out;
    cudaMalloc(&xyz, 3 * count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(xyz, host.data(), 3 * count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, count * sizeof(float));

    weigh<<<blocks, BLOCK>>>(out, xyz, count);

    cudaError_t error =
        cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess;
    for (int i = 0; i < count; i++) {
        const float* point = &host[3 * i];
        right = right && result[i] == point[0] + 2 * point[1] + 3 * point[2];
    }
    std::printf("%s\n", right ? "right: every point" : "wrong: a point differs");
    cudaFree(xyz);
    cudaFree(out);
    return right ? 0 : 1;
}

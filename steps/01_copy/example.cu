// 01_copy/example.cu -- copies a long row of floats, with one element per thread and then two.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/01_copy/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <numeric>
#include <vector>

//! [example]
__global__ void copy_one(float* out, const float* in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i];  // the last block may have more threads than elements
}

// Needs half as many threads. The two elements of a thread are gridDim.x * blockDim.x apart.
__global__ void copy_two(float* out, const float* in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = i + gridDim.x * blockDim.x;

    // Both loads are in flight before the first store needs its value.
    float first = i < count ? in[i] : 0.0f;
    float second = j < count ? in[j] : 0.0f;
    if (i < count) out[i] = first;
    if (j < count) out[j] = second;
}
//! [example]

int main() {
    constexpr int count = 1000, threads = 128;  // 8 blocks of 128 threads, then 4
    std::vector<float> host(count), result(count);
    std::iota(host.begin(), host.end(), 1.0f);

    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);

    bool right = true;
    for (bool two : {false, true}) {
        cudaMemset(out, 0, count * sizeof(float));  // so that a missing store is detected
        int blocks = (count + threads - 1) / threads;
        if (two) {
            copy_two<<<(blocks + 1) / 2, threads>>>(out, in, count);
        } else {
            copy_one<<<blocks, threads>>>(out, in, count);
        }
        cudaError_t error =
            cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
        right = right && error == cudaSuccess && result == host;
    }
    std::printf("%s\n", right ? "right: both copies" : "wrong: a copy differs");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

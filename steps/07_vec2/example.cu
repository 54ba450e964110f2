// 07_vec2/example.cu -- doubles one long row of floats, two with each instruction.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/07_vec2/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
__global__ void twice(float* out, const float* in, int count) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;

    if (first + 1 < count) {
        // `first` is even, so this address is a multiple of 8 bytes.
        float2 pair = *reinterpret_cast<const float2*>(&in[first]);
        pair.x *= 2;
        pair.y *= 2;
        *reinterpret_cast<float2*>(&out[first]) = pair;
    } else if (first < count) {
        out[first] = 2 * in[first];  // the last element, if the count is odd
    }
}
//! [example]

int main() {
    constexpr int count = 999, threads = 128;
    constexpr int pairs = (count + 1) / 2, blocks = (pairs + threads - 1) / threads;
    std::vector<float> host(count), result(count);
    for (int i = 0; i < count; i++) host[i] = i + 1.0f;

    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, count * sizeof(float));

    twice<<<blocks, threads>>>(out, in, count);

    cudaError_t error =
        cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess;
    for (int i = 0; i < count; i++) right = right && result[i] == 2 * host[i];
    std::printf("%s\n", right ? "right: every element" : "wrong: an element differs");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

// 14_in_place/example.cu -- reverses an array in its own memory.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/14_in_place/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
__global__ void reverse_in_place(float* data, int n) {
    int left = blockIdx.x * blockDim.x + threadIdx.x;
    int right = n - 1 - left;

    // The thread of the left element swaps the pair. The element in the middle has no partner.
    if (left >= right) return;

    float a = data[left], b = data[right];  // both are read before either is overwritten
    data[left] = b;
    data[right] = a;
}
//! [example]

int main() {
    constexpr int count = 100001;  // odd: one element is in the middle
    std::vector<float> host(count), result(count), expected(count);
    for (int i = 0; i < count; i++) expected[count - 1 - i] = host[i] = i + 1;

    float* data;
    cudaMalloc(&data, count * sizeof(float));
    cudaMemcpy(data, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);

    int pairs = count / 2;
    reverse_in_place<<<(pairs + 255) / 256, 256>>>(data, count);

    cudaError_t error =
        cudaMemcpy(result.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess && result == expected;
    std::printf("%s\n", right ? "right: reversed" : "wrong: an element differs");
    cudaFree(data);
    return right ? 0 : 1;
}

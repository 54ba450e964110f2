// An array reversed in its own memory: element i and element n - 1 - i change places.

#include <cuda_runtime.h>

#include <cstdio>

//! [example]
__global__ void reverse_in_place(float* data, int n) {
    int left = blockIdx.x * blockDim.x + threadIdx.x;
    int right = n - 1 - left;

    // A pair has one thread: that of its left element. The one in the middle has no partner.
    if (left >= right) return;

    float a = data[left], b = data[right];  // both, before either is overwritten
    data[left] = b;
    data[right] = a;
}
//! [example]

int main() {
    constexpr int N = 262145;  // odd: there is one in the middle
    float* data;
    if (cudaMallocManaged(&data, N * sizeof(float))) {
        std::puts("no memory");
        return 1;
    }
    for (int i = 0; i < N; ++i) data[i] = float(i);
    int pairs = N / 2;
    reverse_in_place<<<(pairs + 255) / 256, 256>>>(data, N);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < N; ++i) right = right && data[i] == float(N - 1 - i);
    std::puts(right ? "reversed, in its own memory" : "WRONG");
    cudaFree(data);
    return right ? 0 : 1;
}

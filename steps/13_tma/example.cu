// 13_tma/example.cu -- reverses an array. One thread requests all bytes that its block needs.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/13_tma/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

#include "tma.h"

//! [example]
constexpr int PIECE = 1024, THREADS = 256;  // floats in a piece; the last piece has fewer

__global__ void reverse(float* out, const float* in, int n) {
    __shared__ float4 piece[PIECE / 4];
    __shared__ Mbarrier arrived;
    int first = blockIdx.x * PIECE;
    int length = min(PIECE, n - first);

    if (threadIdx.x == 0) {
        unsigned bytes = length * sizeof(float);  // exactly the bytes that will arrive
        init(arrived);
        expect(arrived, bytes);
        load_row(piece, in + first, bytes, arrived);
    }
    __syncthreads();   // the other threads may wait at the mbarrier only after it is initialized
    wait(arrived, 0);  // phase 0 is complete after one arrival and all bytes

    const float* floats = reinterpret_cast<const float*>(piece);
    for (int k = threadIdx.x; k < length; k += THREADS) {
        out[n - 1 - first - k] = floats[k];
    }
}
//! [example]

int main() {
    constexpr int count = 100008;  // 97 whole pieces, and one of 680 floats, a multiple of 16 bytes
    std::vector<float> host(count), result(count), expected(count);
    for (int i = 0; i < count; i++) expected[count - 1 - i] = host[i] = i + 1;

    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, count * sizeof(float));

    reverse<<<(count + PIECE - 1) / PIECE, THREADS>>>(out, in, count);

    cudaError_t error =
        cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess && result == expected;
    std::printf("%s\n", right ? "right: reversed" : "wrong: an element differs");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

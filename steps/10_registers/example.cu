// 10_registers/example.cu -- interleaves two arrays: rrr..., iii... -> ririri...
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/10_registers/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
constexpr int THREADS = 128;

// Returns the index of float4 number n in the tile. The 8 threads that are served together store
// every second float4, so neighbours are swapped in every second group of 8 float4s.
__device__ int swizzled(int n) {
    return n ^ (n / 8 % 2);
}

__global__ void make_pairs(float4* out, const float4* reals, const float4* imaginaries) {
    __shared__ float4 tile[2 * THREADS];

    int i = blockIdx.x * THREADS + threadIdx.x;
    float4 r = reals[i], m = imaginaries[i];
    tile[swizzled(2 * threadIdx.x + 0)] = {r.x, m.x, r.y, m.y};
    tile[swizzled(2 * threadIdx.x + 1)] = {r.z, m.z, r.w, m.w};

    __syncthreads();

    // Lanes now walk along `out`.
    for (int k = threadIdx.x; k < 2 * THREADS; k += THREADS) {
        out[blockIdx.x * 2 * THREADS + k] = tile[swizzled(k)];
    }
}
//! [example]

int main() {
    constexpr int count = 1 << 15;  // complex numbers
    std::vector<float> planes(2 * count), result(2 * count), expected(2 * count);
    for (int i = 0; i < 2 * count; i++) planes[i] = i + 1;
    for (int i = 0; i < count; i++) {
        expected[2 * i] = planes[i];
        expected[2 * i + 1] = planes[count + i];
    }

    float4 *in, *out;
    cudaMalloc(&in, 2 * count * sizeof(float));
    cudaMalloc(&out, 2 * count * sizeof(float));
    cudaMemcpy(in, planes.data(), 2 * count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 2 * count * sizeof(float));

    make_pairs<<<count / 4 / THREADS, THREADS>>>(out, in, in + count / 4);

    cudaError_t error =
        cudaMemcpy(result.data(), out, 2 * count * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess && result == expected;
    std::printf("%s\n", right ? "right: every pair" : "wrong: a pair differs");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

// Two planes become pairs: r r r ... and i i i ... -> r i r i r i ..., as complex numbers are stored.

#include <cuda_runtime.h>

#include <cstdio>

//! [example]
constexpr int THREADS = 128;

// Where the tile keeps float4 number n. The 8 threads that are served together store 2 apart: numbers
// 0, 2, ... 14. The places of a group of 8 are exchanged in pairs in every second group.
__device__ int swizzled(int n) {
    return n ^ (n / 8 % 2);
}

__global__ void make_pairs(float4* out, const float4* real, const float4* imaginary) {
    __shared__ float4 tile[2 * THREADS];

    int i = blockIdx.x * THREADS + threadIdx.x;
    float4 r = real[i], m = imaginary[i];
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
    constexpr int N = 1 << 17;  // complex numbers
    float *planes, *pairs;
    if (cudaMallocManaged(&planes, 2 * N * sizeof(float)) ||
        cudaMallocManaged(&pairs, 2 * N * sizeof(float))) {
        std::puts("no memory");
        return 1;
    }
    for (int i = 0; i < 2 * N; ++i) planes[i] = float(i);
    const float4* real = reinterpret_cast<const float4*>(planes);
    make_pairs<<<N / 4 / THREADS, THREADS>>>(reinterpret_cast<float4*>(pairs), real, real + N / 4);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < N; ++i) {
        right = right && pairs[2 * i] == planes[i] && pairs[2 * i + 1] == planes[N + i];
    }
    std::puts(right ? "two planes became pairs" : "WRONG");
    cudaFree(planes);
    cudaFree(pairs);
    return right ? 0 : 1;
}

// An array rotated by one, 16 bytes per access: one kernel, two sizes of tile.

#include <cuda_runtime.h>

#include <cstdio>

//! [example]
// out[i] = in[i + 1]. A float4 of `out` begins in the middle of one of `in`, so both go through a tile.
// A block has TILE / 4 of them, of which each of its THREADS threads takes a share.
template <int TILE, int THREADS>
__global__ void rotate(float* out, const float* in, int n) {
    __shared__ __align__(16) float tile[TILE + 1];
    int first = blockIdx.x * TILE;
    for (int k = threadIdx.x * 4; k < TILE; k += THREADS * 4) {
        reinterpret_cast<float4&>(tile[k]) = reinterpret_cast<const float4&>(in[first + k]);
    }
    if (threadIdx.x == 0) tile[TILE] = in[(first + TILE) % n];  // the next tile's first float
    __syncthreads();
    for (int k = threadIdx.x * 4; k < TILE; k += THREADS * 4) {
        float4 v = {tile[k + 1], tile[k + 2], tile[k + 3], tile[k + 4]};
        reinterpret_cast<float4&>(out[first + k]) = v;
    }
}
//! [example]

template <int TILE, int THREADS>
static bool is_right(float* out, const float* in, int n) {
    cudaMemset(out, 0xFF, n * sizeof(float));
    rotate<TILE, THREADS><<<n / TILE, THREADS>>>(out, in, n);
    if (cudaDeviceSynchronize() != cudaSuccess) return false;
    for (int i = 0; i < n; ++i) {
        if (out[i] != in[(i + 1) % n]) return false;
    }
    return true;
}

int main() {
    constexpr int N = 1 << 18;
    float *in, *out;
    if (cudaMallocManaged(&in, N * sizeof(float)) || cudaMallocManaged(&out, N * sizeof(float))) {
        std::puts("no memory");
        return 1;
    }
    for (int i = 0; i < N; ++i) in[i] = float(i);
    // 256 floats: one float4 per thread. 1024: four per thread, and a quarter as many blocks.
    bool right = is_right<256, 64>(out, in, N) && is_right<1024, 64>(out, in, N);
    std::puts(right ? "rotated, by tiles of 256 and of 1024 floats" : "WRONG");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

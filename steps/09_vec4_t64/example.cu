// 09_vec4_t64/example.cu -- shifts an array by one, 16 bytes per access, with two tile sizes.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/09_vec4_t64/example.cu
// Run     build/bin/simulate ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
// out[i] = in[i + 1]. A float4 of `out` takes its floats from two float4s of `in`, so all floats go
// through a tile of TILE floats. The THREADS threads of a block share the tile's TILE / 4 float4s.
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

int main() {
    constexpr int count = 1 << 16;
    std::vector<float> host(count), result(count), expected(count);
    for (int i = 0; i < count; i++) host[i] = i;
    for (int i = 0; i < count; i++) expected[i] = host[(i + 1) % count];

    float *in, *out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, count * sizeof(float));
    cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);

    // A tile of 256 floats has one float4 per thread. A tile of 1024 floats has four, and needs a
    // quarter of the blocks.
    bool right = true;
    for (bool is_large : {false, true}) {
        cudaMemset(out, 0, count * sizeof(float));
        if (is_large) {
            rotate<1024, 64><<<count / 1024, 64>>>(out, in, count);
        } else {
            rotate<256, 64><<<count / 256, 64>>>(out, in, count);
        }
        cudaError_t error =
            cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
        right = right && error == cudaSuccess && result == expected;
    }
    std::printf("%s\n", right ? "right: both tiles" : "wrong: an element differs");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

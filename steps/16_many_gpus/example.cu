// 16_many_gpus/example.cu -- reverses an array, half of which is on each of two GPUs.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/16_many_gpus/example.cu
// Run     build/bin/simulate --devices 2 ./example

#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
// `mine` is a half of `in`, in the memory of the GPU that runs this kernel. `theirs` is a half of
// `out`, in the memory of the other GPU. For the kernel, both are just addresses.
__global__ void reverse_into_peer(float* theirs, const float* mine, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        theirs[n - 1 - i] = mine[i];
    }
}
//! [example]

int main() {
    constexpr int half = 50000;
    constexpr size_t bytes = half * sizeof(float);
    std::vector<float> host(2 * half), result(2 * half), expected(2 * half);
    for (int i = 0; i < 2 * half; i++) expected[2 * half - 1 - i] = host[i] = i + 1;

    // If there is only one GPU, or two cannot access each other, both halves are on one GPU.
    int gpus = 0, reach = 0;
    cudaGetDeviceCount(&gpus);
    if (gpus > 1) cudaDeviceCanAccessPeer(&reach, 0, 1);
    const int gpu[2] = {0, reach ? 1 : 0};

    float *in[2], *out[2];
    for (int r : {0, 1}) {
        cudaSetDevice(gpu[r]);
        if (reach) cudaDeviceEnablePeerAccess(gpu[1 - r], 0);
        cudaMalloc(&in[r], bytes);
        cudaMalloc(&out[r], bytes);
        cudaMemcpy(in[r], &host[r * half], bytes, cudaMemcpyHostToDevice);
        cudaMemset(out[r], 0, bytes);
        cudaDeviceSynchronize();
    }
    for (int r : {0, 1}) {
        cudaSetDevice(gpu[r]);
        reverse_into_peer<<<(half + 255) / 256, 256>>>(out[1 - r], in[r], half);
    }
    bool right = true;
    for (int r : {0, 1}) {  // a half is complete when the *other* GPU is done
        cudaSetDevice(gpu[r]);
        right = right && cudaDeviceSynchronize() == cudaSuccess;
    }
    for (int r : {0, 1}) {
        cudaMemcpy(&result[r * half], out[r], bytes, cudaMemcpyDeviceToHost);
        cudaFree(in[r]);
        cudaFree(out[r]);
    }
    right = right && result == expected;
    std::printf("%s\n", right ? "right: reversed" : "wrong: an element differs");
    return right ? 0 : 1;
}

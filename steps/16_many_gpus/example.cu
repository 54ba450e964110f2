// An array of which two GPUs have a half each, reversed: each stores into the memory of the other.

#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

//! [example]
// `mine` is a half of `in`, in the memory of the GPU that runs this. All of it belongs, mirrored, into
// the other half of `out`, `theirs`, which the other GPU has. To the kernel it is an address.
__global__ void reverse_into_peer(float* theirs, const float* mine, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        theirs[n - 1 - i] = mine[i];
    }
}
//! [example]

int main() {
    constexpr int HALF = 100000;
    constexpr size_t BYTES = HALF * sizeof(float);
    // Where there is one GPU only, or GPUs that do not reach each other, both halves lie in one.
    int gpus = 0, reach = 0;
    cudaGetDeviceCount(&gpus);
    if (gpus > 1) cudaDeviceCanAccessPeer(&reach, 0, 1);
    const int device[2] = {0, reach ? 1 : 0};

    std::vector<float> numbers(2 * HALF), reversed(2 * HALF, -1);
    for (int i = 0; i < 2 * HALF; ++i) numbers[i] = float(i);
    float *in[2], *out[2];
    for (int r = 0; r < 2; ++r) {
        cudaSetDevice(device[r]);
        if (reach) cudaDeviceEnablePeerAccess(device[1 - r], 0);
        cudaMalloc(&in[r], BYTES);
        cudaMalloc(&out[r], BYTES);
        cudaMemcpy(in[r], &numbers[r * HALF], BYTES, cudaMemcpyHostToDevice);
    }
    for (int r = 0; r < 2; ++r) {
        cudaSetDevice(device[r]);
        reverse_into_peer<<<(HALF + 255) / 256, 256>>>(out[1 - r], in[r], HALF);
    }
    // A half is there when the *other* GPU is done: wait for both before either is read.
    bool right = true;
    for (int r = 0; r < 2; ++r) {
        cudaSetDevice(device[r]);
        right = right && cudaDeviceSynchronize() == cudaSuccess;
    }
    for (int r = 0; r < 2; ++r) {
        cudaMemcpy(&reversed[r * HALF], out[r], BYTES, cudaMemcpyDeviceToHost);
        cudaFree(in[r]);
        cudaFree(out[r]);
    }
    for (int i = 0; i < 2 * HALF; ++i) right = right && reversed[i] == numbers[2 * HALF - 1 - i];
    std::printf("%s, on %d GPUs\n", right ? "halves exchanged" : "WRONG", reach ? 2 : 1);
    return right ? 0 : 1;
}

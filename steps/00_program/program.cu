// 00_program -- a whole CUDA program: it doubles an array, with one thread per element.
//
// Builds on  nothing: the course begins here.
// Idea       The GPU has its own memory: allocate it, copy in, launch, check, copy back, free.
// Watch      1000 elements need 4 blocks of 256 threads, and the last 24 threads do nothing.
// Next       01_copy asks how fast a kernel can move bytes at all.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

//! [kernel]
__global__ void twice(float* out, const float* in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = 2 * in[i];
    }
}
//! [kernel]

// Every CUDA call returns an error code. A program that ignores it continues with wrong data.
static void check(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return;
    std::printf("%s: %s\n", call, cudaGetErrorString(error));
    std::exit(2);
}

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
    const size_t bytes = count * sizeof(float);
    std::vector<float> in(count), out(count);
    for (int i = 0; i < count; ++i) in[i] = static_cast<float>(i);

    //! [allocate]
    float *device_out = nullptr, *device_in = nullptr;
    check(cudaMalloc(&device_out, bytes), "cudaMalloc");
    check(cudaMalloc(&device_in, bytes), "cudaMalloc");
    check(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice), "copy to the GPU");
    //! [allocate]

    //! [launch]
    const int threads = 256;                             // per block
    const int blocks = (count + threads - 1) / threads;  // rounded up
    twice<<<blocks, threads>>>(device_out, device_in, count);
    check(cudaGetLastError(), "launch");
    //! [launch]

    //! [back]
    check(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost), "copy back");
    check(cudaFree(device_in), "cudaFree");
    check(cudaFree(device_out), "cudaFree");
    //! [back]

    for (int i = 0; i < count; ++i) {
        if (out[i] == 2 * in[i]) continue;
        std::printf("wrong: out[%d] is %g, not %g\n", i, out[i], 2 * in[i]);
        return 1;
    }
    std::printf("right: %d elements doubled\n", count);
}

// expect: wrong-element
// mistake: The kernel copies without reversing, and the program compares `out` with itself.
// says: out[0] is 0, but should be 1023
// shows: still reports that the result
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void reverse(float* out, const float* in, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        out[i] = in[i];
    }
}

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

    float *device_out = nullptr, *device_in = nullptr;
    check(cudaMalloc(&device_out, bytes), "cudaMalloc");
    check(cudaMalloc(&device_in, bytes), "cudaMalloc");
    check(cudaMemcpy(device_in, in.data(), bytes, cudaMemcpyHostToDevice), "copy to the GPU");

    const int threads = 256;
    const int blocks = (count + threads - 1) / threads;
    reverse<<<blocks, threads>>>(device_out, device_in, count);

    check(cudaGetLastError(), "launch");

    check(cudaMemcpy(out.data(), device_out, bytes, cudaMemcpyDeviceToHost), "copy back");

    check(cudaFree(device_in), "cudaFree");
    check(cudaFree(device_out), "cudaFree");
    for (int i = 0; i < count; ++i) {
        if (out[i] == out[i]) continue;
        std::printf("wrong: out[%d] is %g, not %g\n", i, out[i], in[count - 1 - i]);
        return 1;
    }
    std::printf("right: %d elements reversed\n", count);
}

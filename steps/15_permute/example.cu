// Any order of three axes, one thread per element: right for all six, coalesced for some.

#include <cuda_runtime.h>

#include <cstdio>

//! [example]
struct Axis {
    int extent, step;  // of an axis of `out`: how long it is, and how far apart in `in`
};

// Thread i stores out[i]. It takes i apart, from the last axis to the first.
__global__ void permute(float* out, const float* in, Axis first, Axis second, Axis third) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int z = i % third.extent;
    int y = i / third.extent % second.extent;
    int x = i / third.extent / second.extent;
    if (x < first.extent) {
        out[i] = in[x * first.step + y * second.step + z * third.step];
    }
}
//! [example]

int main() {
    constexpr int A = 32, B = 48, C = 64, N = A * B * C;
    float *in, *out;
    if (cudaMallocManaged(&in, N * sizeof(float)) || cudaMallocManaged(&out, N * sizeof(float))) {
        std::puts("no memory");
        return 1;
    }
    for (int i = 0; i < N; ++i) in[i] = float(i);
    // The axes of in[a][b][c].
    Axis a{A, B * C}, b{B, C}, c{C, 1};

    permute<<<(N + 255) / 256, 256>>>(out, in, b, a, c);  // order 1 0 2: c stays last
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < N; ++i) {
        int z = i % C, y = i / C % A, x = i / C / A;
        right = right && out[i] == in[(y * B + x) * C + z];
    }
    permute<<<(N + 255) / 256, 256>>>(out, in, c, b, a);  // order 2 1 0: a is last
    right = right && cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < N; ++i) {
        int z = i % A, y = i / A % B, x = i / A / B;
        right = right && out[i] == in[(z * B + y) * C + x];
    }
    std::puts(right ? "permuted, in two orders" : "WRONG");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

// An array reversed: each block's piece comes by one copy that one thread asks for.

#include <cstdio>

#include "tma.h"

//! [example]
constexpr int PIECE = 1024, THREADS = 256;  // a piece: 1024 floats, the last one fewer

__global__ void reverse(float* out, const float* in, int n) {
    __shared__ float4 piece[PIECE / 4];
    __shared__ Mbarrier arrived;
    int first = blockIdx.x * PIECE;
    int length = min(PIECE, n - first);

    if (threadIdx.x == 0) {
        unsigned bytes = length * sizeof(float);  // what comes, to the byte
        init(arrived);
        expect(arrived, bytes);
        load_row(piece, in + first, bytes, arrived);
    }
    __syncthreads();   // the others may ask only now: before, there was no mbarrier
    wait(arrived, 0);  // phase 0: one arrival, and all bytes

    const float* floats = reinterpret_cast<const float*>(piece);
    for (int k = threadIdx.x; k < length; k += THREADS) {
        out[n - 1 - first - k] = floats[k];
    }
}
//! [example]

int main() {
    constexpr int N = 100008;  // 97 pieces, and one of 680 floats: a multiple of 16 bytes
    float *in, *out;
    if (cudaMallocManaged(&in, N * sizeof(float)) || cudaMallocManaged(&out, N * sizeof(float))) {
        std::puts("no memory");
        return 1;
    }
    for (int i = 0; i < N; ++i) in[i] = float(i);
    reverse<<<(N + PIECE - 1) / PIECE, THREADS>>>(out, in, N);
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < N; ++i) right = right && out[i] == in[N - 1 - i];
    std::puts(right ? "reversed, by copies that count their bytes" : "WRONG");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

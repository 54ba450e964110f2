// Which barrier fixes a race. In a matrix product whose tile is half a warp wide, most of the
// values that a warp reads too early are its own, but __syncwarp() would not suffice.
// expect: the races are told: yes
// expect-stderr: cure: __syncthreads() is missing between line 22 and line 18.
// expect-stderr: cure: __syncthreads() is missing between line 23 and line 19.
// expect-stderr: cure: __syncwarp() is missing between line 32 and line 33.
// simulator only
#include "api_check.h"

constexpr int kTile = 16, kSize = 64;

__global__ void gemm(float* c, const float* a, const float* b) {
    __shared__ float as[kTile][kTile], bs[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
    float sum = 0;
    for (int k = 0; k < kSize; k += kTile) {
        as[y][x] = a[row * kSize + k + x];
        bs[y][x] = b[(k + y) * kSize + col];
        __syncthreads();
        for (int i = 0; i < kTile; ++i) {
            const float left = as[y][i];
            const float right = bs[i][x];
            sum += left * right;
        }
    }
    c[row * kSize + col] = sum;
}

__global__ void turn_warps(float* out) {
    __shared__ float values[256];
    values[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = values[threadIdx.x ^ 1];
}

int main() {
    float *a, *b, *c;
    const size_t bytes = kSize * kSize * sizeof(float);
    need(cudaMalloc(&a, bytes));
    need(cudaMalloc(&b, bytes));
    need(cudaMalloc(&c, bytes));
    static float values[kSize * kSize];
    for (int i = 0; i < kSize * kSize; ++i) values[i] = i;
    need(cudaMemcpy(a, values, bytes, cudaMemcpyHostToDevice));
    need(cudaMemcpy(b, values, bytes, cudaMemcpyHostToDevice));
    gemm<<<dim3(kSize / kTile, kSize / kTile), dim3(kTile, kTile)>>>(c, a, b);
    turn_warps<<<1, 256>>>(c);
    fact("the races are told", cudaDeviceSynchronize() == cudaSuccess);
}

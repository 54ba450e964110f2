// Tests which barrier is suggested for a race. In a matrix product whose tiles are half a warp
// wide, most values that a warp reads too early are its own, but __syncwarp() is not enough.
// expect: the races are told: yes
// expect-stderr: cure: __syncthreads() is missing between line 26 and line 22.
// expect-stderr: cure: __syncthreads() is missing between line 27 and line 23.
// expect-stderr: cure: __syncwarp() is missing between line 36 and line 37.
// expect-stderr: cure: grid.sync() is missing between line 46 and line 44.
// expect-stderr: cure: The two threads differ only in threadIdx.y: the index
// simulator only
#include <cooperative_groups.h>

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

// The adjacent element may belong to another block.
__global__ void relax(int* a, int* b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 3; k++) {
        b[i] = a[(i + 1) % n] + 1;
        cooperative_groups::this_grid().sync();
        a[i] = b[i];
    }
}

// Every row of threads writes all sums, so the rows race.
__global__ void sum_rows(int* sums, const int* in, int cols) {
    sums[threadIdx.x] = threadIdx.y;
    for (int col = 0; col < cols; ++col) sums[threadIdx.x] += in[threadIdx.x * cols + col];
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
    int *ints = reinterpret_cast<int*>(a), *more = reinterpret_cast<int*>(b), count = 512;
    void* arguments[] = {&ints, &more, &count};
    need(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(relax), 4, 128, arguments));
    sum_rows<<<1, dim3(32, 8)>>>(ints, more, 8);
    fact("the races are told", cudaDeviceSynchronize() == cudaSuccess);
}

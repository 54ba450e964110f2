// A thread's rows are neighbours, so it reads their values from a transposed tile as one float4.
#include "exercise.h"

constexpr int T = 64, D = 16;

__global__ void product(float* out, const float* a, const float* b, int rows, int cols, int inner) {
    __shared__ __align__(16) float of_a[D][T + 4];
    __shared__ float of_b[D][T];
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const int row0 = blockIdx.y * T, col0 = blockIdx.x * T;
    float4 acc[4] = {};  // acc[j] has four rows of one column
    for (int k0 = 0; k0 < inner; k0 += D) {
        for (int i = threadIdx.x; i < T * D; i += blockDim.x) {
            const int r = row0 + i / D, k = k0 + i % D;
            of_a[i % D][i / D] = r < rows && k < inner ? a[r * inner + k] : 0.f;
        }
        for (int i = threadIdx.x; i < T * D; i += blockDim.x) {
            const int k = k0 + i / T, c = col0 + i % T;
            of_b[i / T][i % T] = k < inner && c < cols ? b[k * cols + c] : 0.f;
        }
        __syncthreads();
        for (int k = 0; k < D; ++k) {
            const float4 v = *(const float4*)&of_a[k][4 * ty];
            for (int j = 0; j < 4; ++j) {
                const float w = of_b[k][tx + 16 * j];
                acc[j].x += v.x * w;
                acc[j].y += v.y * w;
                acc[j].z += v.z * w;
                acc[j].w += v.w * w;
            }
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) {
        const int r = row0 + 4 * ty, c = col0 + tx + 16 * j;
        if (c >= cols) break;
        if (r < rows) out[r * cols + c] = acc[j].x;
        if (r + 1 < rows) out[(r + 1) * cols + c] = acc[j].y;
        if (r + 2 < rows) out[(r + 2) * cols + c] = acc[j].z;
        if (r + 3 < rows) out[(r + 3) * cols + c] = acc[j].w;
    }
}

constexpr Launch configure(int rows, int cols, int inner) {
    return {.grid = {ceil_div(cols, T), ceil_div(rows, T)}, .block = {256}};
}

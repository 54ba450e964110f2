// Sums, each by one thread, whose numbers arrive in shared memory while it adds those before them.

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <cstdio>

//! [example]
constexpr int THREADS = 128, STAGES = 4, ROUNDS = 32;  // a thread adds ROUNDS float4

__global__ void sum_columns(float* sums, const float4* in) {
    // Each thread has a place of its own in every stage: what it copies, nobody else reads.
    __shared__ float4 arriving[STAGES][THREADS];
    const float4* mine = in + blockIdx.x * ROUNDS * THREADS + threadIdx.x;

    for (int k = 0; k < STAGES - 1; ++k) {
        __pipeline_memcpy_async(&arriving[k][threadIdx.x], &mine[k * THREADS], sizeof(float4));
        __pipeline_commit();  // a group for each round
    }

    float sum = 0;
    for (int k = 0; k < ROUNDS; ++k) {
        int next = k + STAGES - 1;
        if (next < ROUNDS) {
            __pipeline_memcpy_async(&arriving[next % STAGES][threadIdx.x], &mine[next * THREADS],
                                    sizeof(float4));
        }
        __pipeline_commit();                // an empty group, when there is nothing left to copy
        __pipeline_wait_prior(STAGES - 1);  // all but the newest 3: round k is here
        float4 v = arriving[k % STAGES][threadIdx.x];
        sum += v.x + v.y + v.z + v.w;
    }
    sums[blockIdx.x * THREADS + threadIdx.x] = sum;
}
//! [example]

int main() {
    constexpr int BLOCKS = 32, SUMS = BLOCKS * THREADS, N = SUMS * ROUNDS * 4;
    float *in, *sums;
    if (cudaMallocManaged(&in, N * sizeof(float)) ||
        cudaMallocManaged(&sums, SUMS * sizeof(float))) {
        std::puts("no memory");
        return 1;
    }
    for (int i = 0; i < N; ++i) in[i] = float(i % 1000);  // small: no sum is rounded
    sum_columns<<<BLOCKS, THREADS>>>(sums, reinterpret_cast<const float4*>(in));
    bool right = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < SUMS; ++i) {
        float sum = 0;
        const float* from = in + (i / THREADS * ROUNDS * THREADS + i % THREADS) * 4;
        for (int k = 0; k < ROUNDS * 4; ++k) sum += from[k / 4 * THREADS * 4 + k % 4];
        right = right && sums[i] == sum;
    }
    std::puts(right ? "added, while more was arriving" : "WRONG");
    cudaFree(in);
    cudaFree(sums);
    return right ? 0 : 1;
}

// 12_async/example.cu -- adds up numbers while the next ones arrive.
//
// Build   nvcc -cudart shared -arch=sm_90 -lineinfo -o example steps/12_async/example.cu
// Run     build/bin/simulate ./example

#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

//! [example]
constexpr int THREADS = 128, STAGES = 4, ROUNDS = 32;  // a thread adds ROUNDS float4

// Each thread has its own slot in every stage, and no other thread reads that slot.
__global__ void add_up(float* sums, const float4* in) {
    __shared__ float4 arriving[STAGES][THREADS];
    const float4* mine = in + blockIdx.x * ROUNDS * THREADS + threadIdx.x;

    for (int k = 0; k < STAGES - 1; ++k) {
        __pipeline_memcpy_async(&arriving[k][threadIdx.x], &mine[k * THREADS], 16);
        __pipeline_commit();  // one group per round
    }
    float sum = 0;
    for (int k = 0; k < ROUNDS; ++k) {
        int next = k + STAGES - 1;
        if (next < ROUNDS) {
            __pipeline_memcpy_async(&arriving[next % STAGES][threadIdx.x], &mine[next * THREADS],
                                    16);
        }
        __pipeline_commit();                // an empty group if nothing is left to copy
        __pipeline_wait_prior(STAGES - 1);  // leaves 3 groups in flight, so round k has arrived
        float4 v = arriving[k % STAGES][threadIdx.x];
        sum += v.x + v.y + v.z + v.w;
    }
    sums[blockIdx.x * THREADS + threadIdx.x] = sum;
}
//! [example]

int main() {
    constexpr int blocks = 16, count = blocks * ROUNDS * THREADS * 4, sums = blocks * THREADS;
    std::vector<float> host(count), result(sums), expected(sums);
    for (int i = 0; i < count; i++) {
        host[i] = i % 7 + 1;  // small: no sum is rounded
        expected[i / 4 / THREADS / ROUNDS * THREADS + i / 4 % THREADS] += host[i];
    }

    float4* in;
    float* out;
    cudaMalloc(&in, count * sizeof(float));
    cudaMalloc(&out, sums * sizeof(float));
    cudaMemcpy(in, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sums * sizeof(float));
    add_up<<<blocks, THREADS>>>(out, in);
    auto error = cudaMemcpy(result.data(), out, sums * sizeof(float), cudaMemcpyDeviceToHost);
    bool right = error == cudaSuccess && result == expected;
    std::printf("%s\n", right ? "right: every sum" : "wrong: a sum differs");
    cudaFree(in);
    cudaFree(out);
    return right ? 0 : 1;
}

// Lets half of the warps load and the others store, as producers and consumers of a cuda::pipeline.
#include <cooperative_groups.h>
#include <cuda/pipeline>
__global__ void transpose(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[32][33];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
    const auto role = threadIdx.y < 4 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state, role);
    const int left = blockIdx.x * 32, top = blockIdx.y * 32;
    if (role == cuda::pipeline_role::producer) {
        pipe.producer_acquire();
        for (int k = threadIdx.y; k < 32; k += 4)
            if (top + k < rows && left + int(threadIdx.x) < cols) tile[k][threadIdx.x] = in[(top + k) * cols + left + threadIdx.x];
        pipe.producer_commit();
    } else {
        pipe.consumer_wait();
        for (int k = threadIdx.y - 4; k < 32; k += 4)
            if (left + k < cols && top + int(threadIdx.x) < rows) out[(left + k) * rows + top + threadIdx.x] = tile[threadIdx.x][k];
        pipe.consumer_release();
    }
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {ceil_div(cols, 32), ceil_div(rows, 32)}, .block = {32, 8}};
}

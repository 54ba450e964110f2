// Sums blocks of values in shared memory with a barrier after every step. The twin uses shuffles.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 1024;

__global__ void sum_by_tree(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    __shared__ u32 sums[kBlock];
    sums[threadIdx.x] = in[i];
    __syncthreads();
    for (int distance = kBlock / 2; distance > 0; distance /= 2) {
        if (threadIdx.x < static_cast<unsigned>(distance))
            sums[threadIdx.x] += sums[threadIdx.x + distance];
        __syncthreads();  // lint barrier-bound
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void sum_by_shuffles(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = in[i];
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0) atomicAdd(&out[blockIdx.x], sum);
}

void run(const Buffers& b) {
    sum_by_tree<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    cudaMemsetAsync(b.out, 0, b.elements / kBlock * sizeof(u32));
    sum_by_shuffles<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"barrier_tree", 1l << 27, 1l << 22, 1, 1.0 / kBlock, run, run_twin}};

}  // namespace

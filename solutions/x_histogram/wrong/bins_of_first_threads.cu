// expect: never-written
// mistake: Each thread adds one bin, although there are more bins than threads in a block.
// says: A block has 64 threads, and only the first 64 elements are right.
#include "exercise.h"

__global__ void histogram(unsigned* counts, const unsigned char* in, int n, int bins) {
    __shared__ unsigned own[256];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) own[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&own[in[i]], 1);
    }
    __syncthreads();
    if (threadIdx.x < bins) atomicAdd(counts + threadIdx.x, own[threadIdx.x]);  // here
}

constexpr Launch configure(int n, int bins) {
    return {.grid = {ceil_div(n, 4096)}, .block = {64}};
}

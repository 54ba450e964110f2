#include "exercise.h"

__global__ void histogram(unsigned* counts, const unsigned char* in, int n, int bins) {
    __shared__ unsigned int local_hist[256];
    unsigned int tid = threadIdx.x;
    local_hist[tid] = 0u;
    __syncthreads();
    const unsigned int stride = blockDim.x * gridDim.x;
    unsigned int pos = blockIdx.x * blockDim.x + tid;
    while (pos < (unsigned int)n) {
        unsigned char v = in[pos];
        atomicAdd(&(local_hist[v]), 1u);
        pos += stride;
    }
    __syncthreads();
    if (tid < (unsigned int)bins) atomicAdd(&(counts[tid]), local_hist[tid]);
}

constexpr Launch configure(int n, int bins) {
    const unsigned blocks = ceil_div(n, 4096);
    return {.grid = {blocks < 64 ? blocks : 64}, .block = {256}};
}

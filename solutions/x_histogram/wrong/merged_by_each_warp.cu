// expect: inputs-repeated
// mistake: Every warp adds all counts of the block.
// says: counts 8 times
#include "exercise.h"

__global__ void histogram(unsigned* counts, const unsigned char* in, int n, int bins) {
    __shared__ unsigned own[256];

    const int lane = threadIdx.x % 32;
    for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) own[bin] = 0;
    __syncthreads();

    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        atomicAdd(own + in[i], 1);
    }
    __syncthreads();

    for (int bin = lane; bin < bins; bin += 32) {  // here
        if (own[bin] > 0) atomicAdd(counts + bin, own[bin]);
    }
}

constexpr Launch configure(int n, int bins) {
    const unsigned blocks = ceil_div(n, 4096);
    return {.grid = {blocks < 64 ? blocks : 64}, .block = {256}};
}

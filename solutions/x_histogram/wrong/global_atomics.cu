// expect: too-many-atomics
// mistake: Every value is counted in global memory.
#include "exercise.h"

__global__ void histogram(unsigned* counts, const unsigned char* in, int n, int bins) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[in[i]], 1);
    }
}

constexpr Launch configure(int n, int bins) {
    const unsigned blocks = ceil_div(n, 4096);
    return {.grid = {blocks < 64 ? blocks : 64}, .block = {256}};
}

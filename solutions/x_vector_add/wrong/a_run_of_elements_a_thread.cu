// expect: uncoalesced-stores | uncoalesced-loads
// mistake: Each thread adds a run of elements, so a warp reads from 32 distant addresses.
#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const int all = gridDim.x * blockDim.x;
    const int each = (n + all - 1) / all;
    const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < first + each && i < n; ++i) out[i] = a[i] + b[i];
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}

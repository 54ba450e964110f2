// expect: never-written | grid-too-small
// mistake: blockIdx is missing, so all blocks add the same elements.
#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

constexpr Launch configure(int n) {
    return {.grid = {ceil_div(n, 256)}, .block = {256}};
}

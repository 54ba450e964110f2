// expect: never-written
// mistake: The bound of the loop is too small by one step.
// says: the loop ends one step too early
#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const int step = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i + step < n || i < step && i < n;
         i += step) {
        out[i] = a[i] + b[i];
    }
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}

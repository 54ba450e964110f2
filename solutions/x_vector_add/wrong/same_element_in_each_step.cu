// expect: wrong-elements
// mistake: Each step of the loop reads the thread's first element of `a`.
// says: out(8192) depends on a[0], but should not. It does not depend on a[8192]
#include "exercise.h"

__global__ void vector_add(float* out, const float* a, const float* b, int n) {
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = first; i < n; i += gridDim.x * blockDim.x) {
        out[i] = a[first] + b[i];  // here
    }
}

constexpr Launch configure(int n) {
    const unsigned blocks = ceil_div(n, 256);
    return {.grid = {blocks < 32 ? blocks : 32}, .block = {256}};
}

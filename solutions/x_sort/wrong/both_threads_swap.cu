// expect: missing-barrier
// mistake: Let both threads of a pair compare and swap.
// says: same pair
#include "exercise.h"  // Launch, ceil_div

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();

    for (int size = 2; size <= 1024; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int partner = t ^ stride;
            const bool up = (t & size) == 0;
            const int mine = value[t], theirs = value[partner];
            if ((mine > theirs) == up) {
                value[t] = theirs;  // here
                value[partner] = mine;
            }
            __syncthreads();
        }
    }

    if (t < n) data[t] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

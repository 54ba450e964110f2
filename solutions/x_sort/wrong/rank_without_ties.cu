// expect: wrong-elements
// mistake: Equal elements get the same rank.
// says: must both be
#include "exercise.h"

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();

    int place = 0;
    for (int i = 0; i < n; i++) {
        if (value[i] < value[t]) place++;  // here
    }

    if (t < n) data[place] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

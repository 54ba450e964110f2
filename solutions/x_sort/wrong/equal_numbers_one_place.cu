// expect: never-written
// mistake: Equal numbers get the same place, so all but one of them are lost.
// says: equal numbers get the same place
#include "exercise.h"

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();
    if (t >= n) return;
    int place = 0;
    for (int other = 0; other < n; ++other) place += value[other] < value[t];
    data[place] = value[t];  // here
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

// expect: too-many-requests
// mistake: Neighbours are exchanged in 1024 rounds.
// says: makes 1024 passes
// never: registers
#include "exercise.h"

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();

    for (int round = 0; round < 1024; ++round) {  // here
        const int next = t + 1;
        if (t % 2 == round % 2 && next < 1024 && value[t] > value[next]) {
            const int kept = value[t];
            value[t] = value[next];
            value[next] = kept;
        }
        __syncthreads();
    }

    if (t < n) data[t] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

// expect: too-many-requests
// mistake: Each thread adds all elements up to its own.
// says: grows with `t`
// never: registers
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();

    int sum = 0;
    for (int i = 0; i <= t; i++) sum += sums[i];  // here

    if (t < n) out[t] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

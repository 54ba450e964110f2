// expect: inputs-left-out
// mistake: The sum of a place does not include the element at this place.
// says: lacks the input
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int step = 1; step < 1024; step *= 2) {
        const int before = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += before;
        __syncthreads();
    }
    if (t < n) out[t] = t > 0 ? sums[t - 1] : 0;
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

// expect: inputs-left-out
// mistake: The scan is exclusive: the sum lacks the own element.
// says: lacks the input
// never: which index
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    __shared__ int sums[1024];
    const int t = threadIdx.x;
    sums[t] = t < n ? in[t] : 0;
    __syncthreads();

    // up the tree
    for (int step = 1; step < 1024; step *= 2) {
        const int i = 2 * step * (t + 1) - 1;
        if (i < 1024) sums[i] += sums[i - step];
        __syncthreads();
    }
    if (t == 0) sums[1023] = 0;
    __syncthreads();
    // and down again
    for (int step = 512; step > 0; step /= 2) {
        const int i = 2 * step * (t + 1) - 1;
        if (i < 1024) {
            const int left = sums[i - step];
            sums[i - step] = sums[i];
            sums[i] += left;
        }
        __syncthreads();
    }

    if (t < n) out[t] = sums[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

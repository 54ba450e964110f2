// expect: too-many-requests
// mistake: Compare only neighbours, in as many passes as there are elements.
// says: wavefronts
#include "exercise.h"  // Launch, ceil_div

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    const int t = threadIdx.x;
    value[t] = t < n ? data[t] : 2147483647;
    __syncthreads();

    // Compare neighbours, in turn the pairs that begin at even and at odd places.
    for (int phase = 0; phase < n; ++phase) {
        const int left = 2 * t + phase % 2, right = left + 1;
        if (right < n && value[left] > value[right]) {  // here
            const int larger = value[left];
            value[left] = value[right];
            value[right] = larger;
        }
        __syncthreads();
    }

    if (t < n) data[t] = value[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

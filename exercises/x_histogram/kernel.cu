// Exercise x_histogram -- count how often each value occurs, in shared memory first.
//
// Given   `counts`, which starts at zero, and the array `own` for a block's counts, in shared memory.
// Write   the three parts: clear the block's counts, count, and add them to the result (7 lines).
// Check   ./learn check x_histogram          Stuck?   ./learn hint x_histogram
#include "exercise.h"  // Launch, ceil_div

__global__ void histogram(unsigned* counts, const unsigned char* in, int n, int bins) {
    __shared__ unsigned own[256];

    // TODO: clear `own`, count the values of this block there, and add `own` to `counts`.
}

constexpr Launch configure(int n, int bins) {
    const unsigned blocks = ceil_div(n, 4096);
    return {.grid = {blocks < 64 ? blocks : 64}, .block = {256}};
}

// expect: inputs-left-out | wrong-elements | edge-wrong
// mistake: The sums begin again at each warp.
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    const int t = threadIdx.x, lane = t % 32;
    int sum = t < n ? in[t] : 0;
    for (int d = 1; d < 32; d *= 2) {
        const int before = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += before;
    }
    if (t < n) out[t] = sum;
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

// expect: work-repeated | too-many-requests | lanes-idle | uncoalesced-loads | uncoalesced-stores
// mistake: One thread does all the work.
#include "exercise.h"

__global__ void prefix_sum(int* out, const int* in, int n) {
    if (threadIdx.x > 0) return;
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += in[i];
        out[i] = sum;
    }
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

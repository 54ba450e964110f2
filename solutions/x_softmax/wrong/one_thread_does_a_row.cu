// expect: lanes-idle | work-repeated | too-many-requests | uncoalesced-loads
// mistake: One thread of each block does all the work.
#include "exercise.h"

__global__ void softmax(float* out, const float* in, int rows, int cols) {
    if (threadIdx.x > 0) return;
    const float* line = in + blockIdx.x * cols;
    float largest = line[0], sum = 0;
    for (int col = 1; col < cols; ++col) largest = fmaxf(largest, line[col]);
    for (int col = 0; col < cols; ++col) sum += expf(line[col] - largest);
    for (int col = 0; col < cols; ++col)
        out[blockIdx.x * cols + col] = expf(line[col] - largest) / sum;
}

constexpr Launch configure(int rows, int cols) {
    return {.grid = {rows}, .block = {256}};
}

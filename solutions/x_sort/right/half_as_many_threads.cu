#include "exercise.h"

__global__ void sort(int* data, int n) {
    __shared__ int value[1024];
    for (int i = threadIdx.x; i < 1024; i += 512) value[i] = i < n ? data[i] : 2147483647;
    __syncthreads();
    for (int size = 2; size <= 1024; size *= 2) {
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int t = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            const int low = min(value[t], value[t + stride]),
                      high = max(value[t], value[t + stride]);
            const bool up = (t & size) == 0;
            value[t] = up ? low : high;
            value[t + stride] = up ? high : low;
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < n; i += 512) data[i] = value[i];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {512}};
}

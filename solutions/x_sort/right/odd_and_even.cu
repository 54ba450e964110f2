#include "exercise.h"

__global__ void sort(int* data, int n) {
    __shared__ int v[1024];
    const int t = threadIdx.x;
    v[t] = t < n ? data[t] : 2147483647;
    __syncthreads();
    for (int size = 2; size <= 1024; size <<= 1) {
        for (int stride = size >> 1; stride; stride >>= 1) {
            if ((t & stride) == 0) {
                const int a = v[t], b = v[t + stride];
                const bool up = !(t & size);
                if (up ? a > b : a < b) {
                    v[t] = b;
                    v[t + stride] = a;
                }
            }
            __syncthreads();
        }
    }
    if (t < n) data[t] = v[t];
}

constexpr Launch configure(int n) {
    return {.grid = {1}, .block = {1024}};
}

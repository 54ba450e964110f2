// A kernel may have 32764 bytes of parameters, the most that nvcc allows.
// expect: the words add up: 33525766
#include <cstdio>

#include "api_check.h"

constexpr int kWords = (32764 - sizeof(int*)) / sizeof(int);
struct Many {
    int words[kWords];
};

__global__ void add_up(int* out, const __grid_constant__ Many many) {
    int sum = 0;
    for (int i = threadIdx.x; i < kWords; i += 32) {
        sum += many.words[i];
    }
    atomicAdd(out, sum);
}

int main() {
    static Many many;
    for (int i = 0; i < kWords; ++i) {
        many.words[i] = i;
    }
    int *out, sum = 0;
    need(cudaMalloc(&out, sizeof(int)));
    need(cudaMemset(out, 0, sizeof(int)));
    add_up<<<1, 32>>>(out, many);
    need(cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("the words add up: %d\n", sum);
    need(cudaFree(out));
}

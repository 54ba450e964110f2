// Endless recursion must be reported as a stack overflow, with the line of the call.
// simulator only
// expect: endless recursion: cudaErrorIllegalAddress
// expect-stderr: memcheck: stack overflow in dives
// expect-stderr: bounds_recursion.cu:11
#include "api_check.h"

__device__ __noinline__ int deeper(int depth, volatile int* stop) {
    int kept[16];
    kept[depth % 16] = depth;
    return *stop ? depth : deeper(depth + 1, stop) + kept[(depth + 1) % 16];
}

__global__ void dives(int* out, int* stop) {
    *out = deeper(0, stop);
}

int main() {
    int *out, *stop;
    need(cudaMalloc(&out, sizeof(int)));
    need(cudaMalloc(&stop, sizeof(int)));
    need(cudaMemset(stop, 0, sizeof(int)));
    dives<<<1, 1>>>(out, stop);
    result("endless recursion", cudaDeviceSynchronize());
}

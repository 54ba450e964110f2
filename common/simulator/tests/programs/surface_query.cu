// A module that queries a surface's format is rejected with all of its kernels, as on an H100. The
// rest of the program continues.
// expect: the kernel that asks: cudaErrorNotSupported
// expect: the one beside it: cudaErrorNotSupported
// expect: memory afterwards: cudaSuccess
// expect-stderr: apicheck: cudaErrorNotSupported from
// expect-stderr: (suq)
#include "api_check.h"

__global__ void ask(unsigned* out, cudaSurfaceObject_t surface) {
    asm("suq.channel_order.b32 %0, [%1];" : "=r"(*out) : "l"(surface));
}
__global__ void beside(unsigned* out) {
    *out = 1;
}

int main() {
    unsigned* out;
    need(cudaMalloc(&out, sizeof *out));
    ask<<<1, 1>>>(out, 0);
    result("the kernel that asks", cudaGetLastError());
    beside<<<1, 1>>>(out);
    result("the one beside it", cudaGetLastError());
    result("memory afterwards", cudaMemset(out, 0, sizeof *out));
}

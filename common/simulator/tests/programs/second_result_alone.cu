// Tests `_|%p`: the instruction's first result is discarded, and its second is a predicate.
// expect: elected: 00000001
// expect: other registers: 2 9 93
#include "check.h"

/// Without a register of its own, the predicate would overwrite another register.
__global__ void second_result(unsigned* out) {
    unsigned elected, others = 0;
    const unsigned first = threadIdx.x * 3, second = threadIdx.x ^ 5;
    asm volatile(
        "{.reg .pred p, q; setp.lt.u32 q, %2, 48; mov.b32 %1, %2;"
        "elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; @q add.u32 %1, %1, %3;}"
        : "=r"(elected), "+r"(others)
        : "r"(first), "r"(second));
    out[threadIdx.x] = __ballot_sync(~0u, elected);
    out[32 + threadIdx.x] = others;
}

int main() {
    unsigned* out;
    cudaMallocManaged(&out, 64 * sizeof(unsigned));
    second_result<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    std::printf("elected: %08x\n", out[5]);
    std::printf("other registers: %u %u %u\n", out[32 + 5] - 13, out[32 + 1] + 2, out[63]);
}

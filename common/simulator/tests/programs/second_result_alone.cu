// A predicate is wanted of an instruction whose first result is not: `_|%p`.
// expect: elect: lane 0 alone
// expect: shuffle: lanes 1 to 31
#include "check.h"

/// The first register of the kernel must keep its value, too.
__global__ void second_results(unsigned* out) {
    unsigned elected, inside;
    asm volatile(
        "{.reg .pred p, q; setp.ne.u32 p, %2, %2; mov.pred q, p;"
        "elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p;"
        "shfl.sync.up.b32 _|q, %2, 1, 0, 0xffffffff; selp.u32 %1, 1, 0, q;}"
        : "=r"(elected), "=r"(inside)
        : "r"(threadIdx.x));
    out[threadIdx.x] = __ballot_sync(~0u, elected);
    out[32 + threadIdx.x] = __ballot_sync(~0u, inside);
}

int main() {
    unsigned* out;
    cudaMallocManaged(&out, 64 * sizeof(unsigned));
    second_results<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    std::printf("elect: %s\n", out[5] == 1u ? "lane 0 alone" : "wrong");
    std::printf("shuffle: %s\n", out[40] == 0xfffffffeu ? "lanes 1 to 31" : "wrong");
}

// The instruction budget must end an endless loop, and the report must name a line of that loop.
// A kernel that ends within the budget must succeed.
// simulate: --max-instructions 200000
// simulator only
// expect: a short kernel: cudaSuccess
// expect: a loop without end: cudaErrorLaunchTimeout
// expect-stderr: execution: instruction budget in turns_for_ever
// expect-stderr: bounds_budget.cu:20
// expect-stderr: the launch has used up its 200000 warp instructions
#include "api_check.h"

__global__ void ends(int* out) {
    if (threadIdx.x == 0) *out = 1;
}

__global__ void turns_for_ever(int* out) {
    unsigned value = threadIdx.x;
    for (;;) {
        // The loop is on one line, so the report names this line whichever instruction runs last.
        value = value * 3 + 1; if (value == 0x12345679) asm volatile("st.global.u32 [%0], %1;" :: "l"(out), "r"(value) : "memory");
    }
}

int main() {
    int* out;
    need(cudaMalloc(&out, sizeof(int)));
    ends<<<1, 32>>>(out);
    result("a short kernel", cudaDeviceSynchronize());
    turns_for_ever<<<8, 64>>>(out);
    result("a loop without end", cudaDeviceSynchronize());
}

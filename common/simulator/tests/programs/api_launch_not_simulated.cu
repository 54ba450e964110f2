// Tests a kernel that hardware can run, but the simulator cannot. Its launch and all later calls
// fail, and the exit code is not 0, even if the program ignores errors and returns 0.
// simulator only
// expect: launching it: cudaErrorUnsupportedPtxVersion
// expect: the next synchronisation: cudaErrorUnsupportedPtxVersion
// expect: launching another: cudaErrorUnsupportedPtxVersion
// expect: copying: cudaErrorUnsupportedPtxVersion
// expect: allocating: cudaErrorUnsupportedPtxVersion
// expect: the other kernel did not run: yes
// expect-stderr: execution: unsupported in video
// expect-stderr: api_launch_not_simulated.cu:18
// expect-stderr: unknown instruction: `vset4
// expect-stderr: simulate: parts of the program could not be simulated (1 report of
// expect-exit: 2
#include "api_check.h"

__global__ void video(unsigned* out) {
    asm volatile("vset4.u32.u32.eq %0, %1, %1, %1;" : "=r"(*out) : "r"(threadIdx.x));
}
__global__ void write(unsigned* out) {
    *out = 1;
}

int main() {
    unsigned *pinned, host;
    void* more;
    need(cudaMallocHost(&pinned, sizeof(unsigned)));
    *pinned = 0;
    video<<<1, 32>>>(pinned);
    result("launching it", cudaGetLastError());
    result("the next synchronisation", cudaDeviceSynchronize());
    write<<<1, 1>>>(pinned);
    result("launching another", cudaGetLastError());
    result("copying", cudaMemcpy(&host, pinned, sizeof host, cudaMemcpyDefault));
    result("allocating", cudaMalloc(&more, 4));
    fact("the other kernel did not run", *pinned == 0);
}

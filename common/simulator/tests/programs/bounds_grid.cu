// The instruction budget must stop a grid of 2^31 - 1 blocks that return immediately. Launches with
// invalid grids or blocks must fail, and must leave the context intact.
// simulate: --max-instructions 100000
// simulator only
// expect: no blocks: cudaErrorInvalidValue
// expect: 2^31 blocks: cudaErrorInvalidValue
// expect: 65536 rows of blocks: cudaErrorInvalidValue
// expect: 1025 threads: cudaErrorInvalidValue
// expect: 65536 x 65536 threads: cudaErrorInvalidValue
// expect: one block: cudaSuccess
// expect: 2^31 - 1 blocks: cudaErrorLaunchTimeout
// expect: less than 256 MiB of the host: yes
// expect-stderr: execution: instruction budget in nothing
// expect-stderr: bounds_grid.cu:
#include <sys/resource.h>

#include "api_check.h"

__global__ void nothing() {}

static cudaError_t run(dim3 grid, dim3 block) {
    nothing<<<grid, block>>>();
    const cudaError_t error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

int main() {
    result("no blocks", run(dim3(0), dim3(32)));
    result("2^31 blocks", run(dim3(1u << 31), dim3(32)));
    result("65536 rows of blocks", run(dim3(1, 65536), dim3(32)));
    result("1025 threads", run(dim3(1), dim3(1025)));
    result("65536 x 65536 threads", run(dim3(1), dim3(65536, 65536)));
    result("one block", run(dim3(1), dim3(32)));
    result("2^31 - 1 blocks", run(dim3((1u << 31) - 1), dim3(32)));
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fact("less than 256 MiB of the host", usage.ru_maxrss < 256 * 1024);
}

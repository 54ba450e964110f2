// Tests queries of a kernel's attributes and occupancy.
// expect: static shared memory: 4096
// expect: dynamic limit beside it: 45056
// expect: threads by __launch_bounds__: 64
// expect: threads of others: 1024
// expect: registers are used: yes
// expect: the name is mangled: _Z3addiPKdc6float4
// expect: parameter 0: offset 0, 4 bytes
// expect: parameter 1: offset 8, 8 bytes
// expect: parameter 2: offset 16, 1 bytes
// expect: parameter 3: offset 32, 16 bytes
// expect: parameter 4: cudaErrorInvalidValue
// expect: preferring L1: cudaSuccess
// expect: carveout of 50 %: cudaSuccess
// expect: ... is remembered: 50
// expect: carveout of 101 %: cudaErrorInvalidValue
// expect: an unknown attribute: cudaErrorInvalidValue
// expect: attributes of a null pointer: cudaErrorInvalidDeviceFunction
// expect: 1024 threads fit at least once: yes
// expect: 2000 threads fit: 0
// expect: blocks of no threads: cudaErrorInvalidValue
// expect: more shared memory, fewer blocks: yes
// expect: a block size was suggested: yes
// expect: the handle of a kernel launches it: 3
#include "api_check.h"

__global__ void plain(int* out) {
    *out = 3;
}
__global__ void __launch_bounds__(64) bounded(int* out) {
    *out = 1;
}
__global__ void with_shared(int* out) {
    __shared__ int fixed[1024];
    fixed[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *out = fixed[0];
}
__global__ void add(int, const double*, char, float4) {}

static void attributes() {
    cudaFuncAttributes a;
    need(cudaFuncGetAttributes(&a, with_shared));
    std::printf("static shared memory: %zu\n", a.sharedSizeBytes);
    std::printf("dynamic limit beside it: %d\n", a.maxDynamicSharedSizeBytes);
    need(cudaFuncGetAttributes(&a, bounded));
    std::printf("threads by __launch_bounds__: %d\n", a.maxThreadsPerBlock);
    need(cudaFuncGetAttributes(&a, plain));
    std::printf("threads of others: %d\n", a.maxThreadsPerBlock);
    fact("registers are used", a.numRegs > 0 && a.numRegs <= 255);
    const char* name = "";
    need(cudaFuncGetName(&name, reinterpret_cast<const void*>(add)));
    std::printf("the name is mangled: %s\n", name);
    for (int i = 0; i < 5; ++i) {
        size_t offset = 0, bytes = 0;
        const cudaError_t error =
            cudaFuncGetParamInfo(reinterpret_cast<const void*>(add), i, &offset, &bytes);
        if (error == cudaSuccess)
            std::printf("parameter %d: offset %zu, %zu bytes\n", i, offset, bytes);
        else
            result("parameter 4", error);
    }
    result("preferring L1", cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1));
    result("carveout of 50 %",
           cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    need(cudaFuncGetAttributes(&a, plain));
    std::printf("... is remembered: %d\n", a.preferredShmemCarveout);
    result("carveout of 101 %",
           cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    result("an unknown attribute",
           cudaFuncSetAttribute(plain, static_cast<cudaFuncAttribute>(99), 0));
    result("attributes of a null pointer",
           cudaFuncGetAttributes(&a, static_cast<const void*>(nullptr)));
}

static int blocks_with(size_t shared) {
    int blocks = -1;
    need(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 64, shared));
    return blocks;
}

static void occupancy() {
    int blocks = -1, threads = 0;
    need(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
    fact("1024 threads fit at least once", blocks >= 1);
    need(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 2000, 0));
    std::printf("2000 threads fit: %d\n", blocks);
    result("blocks of no threads",
           cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 0, 0));
    fact("more shared memory, fewer blocks", blocks_with(48 * 1024) < blocks_with(1024));
    need(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, plain));
    fact("a block size was suggested", threads >= 32 && threads <= 1024 && blocks >= 1);
}

int main() {
    attributes();
    occupancy();
    int *out, host = 0;
    need(cudaMalloc(&out, sizeof(int)));
    cudaKernel_t kernel;
    need(cudaGetKernel(&kernel, plain));
    void* arguments[] = {&out};
    need(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0,
                          nullptr));
    need(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("the handle of a kernel launches it: %d\n", host);
    need(cudaFree(out));
}

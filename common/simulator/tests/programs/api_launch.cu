// Tests valid and invalid launch configurations.
// expect: an empty grid: cudaErrorInvalidValue
// expect: an empty block: cudaErrorInvalidValue
// expect: 1025 threads: cudaErrorInvalidValue
// expect: 65 threads deep: cudaErrorInvalidValue
// expect: 65536 blocks high: cudaErrorInvalidValue
// expect: more threads than __launch_bounds__: cudaErrorInvalidValue
// expect: more than 48 KiB of shared memory: cudaErrorInvalidValue
// expect: static and dynamic together above 48 KiB: cudaErrorInvalidValue
// expect: ... after opting in: cudaSuccess
// expect: it ran: yes
// expect: opting in for more than there is: cudaErrorInvalidValue
// expect: not a kernel: cudaErrorInvalidDeviceFunction
// expect: by address: yes
// expect: cooperative: yes
// expect: too many blocks for a cooperative launch: cudaErrorCooperativeLaunchTooLarge
// expect: with attributes: yes
// expect: a cluster that does not divide the grid: cudaErrorInvalidClusterSize
// expect: an unknown attribute: cudaErrorInvalidValue
// expect: a good launch after all of these: yes
// expect: grid 3 x 2, block 4 x 3 x 2: 144 threads
// expect-stderr: apicheck: cudaErrorInvalidValue from
// expect-stderr: Kernel 'bounded' was not launched
// expect-stderr: apicheck: cudaErrorInvalidDeviceFunction from cudaLaunchKernel
// expect-stderr: apicheck: cudaErrorCooperativeLaunchTooLarge from
// expect-stderr: apicheck: cudaErrorInvalidClusterSize from cudaLaunchKernelExC
// expect-stderr: the launch requests 49153 bytes of
// expect-stderr: coalesce: cudaFuncSetAttribute: 1048576 bytes of dynamic shared memory
#include "api_check.h"

__global__ void count(int* out) {
    atomicAdd(out, 1);
}
__global__ void __launch_bounds__(64) bounded(int* out) {
    atomicAdd(out, 1);
}
__global__ void with_shared(int* out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[256];
    fixed[threadIdx.x] = 1;
    dynamic[threadIdx.x] = 2;
    __syncthreads();
    atomicAdd(out, fixed[31 - threadIdx.x] + dynamic[31 - threadIdx.x]);
}

static int* counter;

/// Returns the number that the launches have counted, and resets the counter to zero.
static int counted() {
    int value = -1;
    need(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDeviceToHost));
    need(cudaMemset(counter, 0, sizeof value));
    return value;
}

static void refused() {
    count<<<0, 32>>>(counter);
    result("an empty grid", cudaGetLastError());
    count<<<1, 0>>>(counter);
    result("an empty block", cudaGetLastError());
    count<<<1, 1025>>>(counter);
    result("1025 threads", cudaGetLastError());
    count<<<1, dim3(1, 1, 65)>>>(counter);
    result("65 threads deep", cudaGetLastError());
    count<<<dim3(1, 65536), 1>>>(counter);
    result("65536 blocks high", cudaGetLastError());
    bounded<<<1, 65>>>(counter);
    result("more threads than __launch_bounds__", cudaGetLastError());
    count<<<1, 32, 48 * 1024 + 1>>>(counter);
    result("more than 48 KiB of shared memory", cudaGetLastError());
}

static void shared_memory() {
    const int bytes = 100 * 1024;
    with_shared<<<1, 32, 48 * 1024 - 512>>>(counter);
    result("static and dynamic together above 48 KiB", cudaGetLastError());
    need(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    with_shared<<<1, 32, bytes>>>(counter);
    result("... after opting in", cudaGetLastError());
    fact("it ran", counted() == 96);
    result("opting in for more than there is",
           cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
}

static void other_calls() {
    void* arguments[] = {&counter};
    result("not a kernel", cudaLaunchKernel(static_cast<const void*>(nullptr), dim3(1), dim3(1),
                                            arguments, 0, nullptr));
    need(cudaLaunchKernel(reinterpret_cast<const void*>(count), dim3(2), dim3(32), arguments, 0,
                          nullptr));
    fact("by address", counted() == 64);
    need(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(count), dim3(4), dim3(32),
                                     arguments, 0, nullptr));
    fact("cooperative", counted() == 128);
    result("too many blocks for a cooperative launch",
           cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(count), dim3(100000),
                                       dim3(1024), arguments, 0, nullptr));

    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(4);
    config.blockDim = dim3(32);
    config.attrs = &attribute;
    config.numAttrs = 1;
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    need(cudaLaunchKernelEx(&config, count, counter));
    fact("with attributes", counted() == 128);
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {3, 1, 1};
    result("a cluster that does not divide the grid", cudaLaunchKernelEx(&config, count, counter));
    attribute.id = static_cast<cudaLaunchAttributeID>(77);
    result("an unknown attribute", cudaLaunchKernelEx(&config, count, counter));
}

int main() {
    need(cudaMalloc(&counter, sizeof(int)));
    need(cudaMemset(counter, 0, sizeof(int)));
    refused();
    shared_memory();
    other_calls();
    count<<<1, 32>>>(counter);
    fact("a good launch after all of these", counted() == 32);
    count<<<dim3(3, 2), dim3(4, 3, 2)>>>(counter);
    std::printf("grid 3 x 2, block 4 x 3 x 2: %d threads\n", counted());
    need(cudaFree(counter));
}

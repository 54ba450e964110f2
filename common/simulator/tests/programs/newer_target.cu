// Tests a program built only for a newer GPU (sm_100a). Its kernels run as on sm_90, as a report
// states. A kernel that needs the newer GPU does not run, and a report names the instruction.
// simulator only
// not built by clang: it has no sm_100a
// nvcc: -gencode arch=compute_100a,code=compute_100a
// expect: the device: 9.0
// expect: built for: 1000
// expect: plain kernel: 31
// expect: memory of tensor cores: cudaErrorUnsupportedPtxVersion
// expect-stderr: newer_target.cu:29
// expect-stderr: unknown instruction
// expect-stderr: `tcgen05.alloc
// expect-stderr: built for another GPU, run as sm_90: sm_100a
// expect-exit: 2
#include "api_check.h"

__global__ void plain(int* out) {
#ifdef __CUDA_ARCH__
    out[1] = __CUDA_ARCH__;
#endif
    atomicMax(out, __shfl_xor_sync(~0u, static_cast<int>(threadIdx.x), 1));
}

/// Allocates tensor memory, which GPUs before sm_100 do not have.
__global__ void take_tensor_memory(int* out) {
    __shared__ unsigned address;
#ifdef __CUDA_ARCH__
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&address));
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at));
#endif
    *out = static_cast<int>(address);
}

int main() {
    cudaDeviceProp device;
    need(cudaGetDeviceProperties(&device, 0));
    std::printf("the device: %d.%d\n", device.major, device.minor);
    int *out, host[2];
    need(cudaMalloc(&out, 4096));
    need(cudaMemset(out, 0, 4096));
    plain<<<1, 32>>>(out);
    need(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("built for: %d\nplain kernel: %d\n", host[1], host[0]);

    take_tensor_memory<<<1, 32>>>(out);
    result("memory of tensor cores", cudaDeviceSynchronize());
}

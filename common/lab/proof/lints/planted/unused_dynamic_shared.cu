// Requests 100 KiB of dynamic shared memory that the kernel never uses. The twin requests none.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kUnusedBytes = 100 * 1024;

__global__ void scale(u32* out, const u32* in) {  // lint unused-shared
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = 3 * in[i];
}

void run(const Buffers& b) {
    cudaFuncSetAttribute(scale, cudaFuncAttributeMaxDynamicSharedMemorySize, kUnusedBytes);
    scale<<<blocks_for(b.elements, kBlock), kBlock, kUnusedBytes>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    scale<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"unused_dynamic_shared", 1l << 27, 1l << 22, 1, 1, run, run_twin}};

}  // namespace

// Copies one byte per thread, so few bytes are in flight. The twin copies 16 bytes per thread.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256;

__global__ void copy_bytes(unsigned char* out, const unsigned char* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = in[i];  // lint one-load-in-flight
}

__global__ void copy_vectors(uint4* out, const uint4* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

void run(const Buffers& b) {
    copy_bytes<<<blocks_for(b.elements, kBlock), kBlock>>>(
        reinterpret_cast<unsigned char*>(b.out), reinterpret_cast<const unsigned char*>(b.in));
}
void run_twin(const Buffers& b) {
    copy_vectors<<<blocks_for(b.elements / 16, kBlock), kBlock>>>(
        reinterpret_cast<uint4*>(b.out), reinterpret_cast<const uint4*>(b.in));
}

const Register registration{{"byte_copy", 1l << 29, 1l << 25, .25, .25, run, run_twin}};

}  // namespace

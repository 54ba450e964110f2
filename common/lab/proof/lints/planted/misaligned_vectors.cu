// Loads 16 bytes per thread that do not begin at a multiple of 16, so that each byte is a load of
// its own. The twin loads an aligned vector.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kBytes = 16;

__global__ void load_bytes(u32* out, const unsigned char* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (int k = 0; k < kBytes; ++k) {
        sum += in[i * kBytes + k];  // lint uncoalesced-load
    }
    out[i] = sum;
}

__global__ void load_vector(u32* out, const uint4* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const uint4 v = in[i];
    u32 sum = __dp4a(v.x, 0x01010101u, 0u);
    sum = __dp4a(v.y, 0x01010101u, sum);
    sum = __dp4a(v.z, 0x01010101u, sum);
    out[i] = __dp4a(v.w, 0x01010101u, sum);
}

__global__ void fill_bytes(unsigned char* in, long n) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) in[i] = static_cast<unsigned char>(hash(i));
}

void run(const Buffers& b) {
    load_bytes<<<blocks_for(b.elements, kBlock), kBlock>>>(
        b.out, reinterpret_cast<const unsigned char*>(b.in) + 1);
}
void run_twin(const Buffers& b) {
    load_vector<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out,
                                                            reinterpret_cast<const uint4*>(b.in));
}
void fill(const Buffers& b, bool is_twin) {
    const long bytes = b.elements * kBytes;
    fill_bytes<<<blocks_for(bytes, kBlock), kBlock>>>(
        reinterpret_cast<unsigned char*>(b.in) + (is_twin ? 0 : 1), bytes);
}

const Register registration{
    {"misaligned_vectors", 1l << 25, 1l << 21, kBytes / 4.0, 1, run, run_twin, fill}};

}  // namespace

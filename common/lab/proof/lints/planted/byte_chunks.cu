// Sums 64 adjacent bytes per thread, a byte at a time. The twin loads neighbouring words.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBytes = 64, kBlock = 256;

__global__ void sum_bytes(u32* out, const unsigned char* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (int k = 0; k < kBytes; ++k) {
        sum += in[i * kBytes + k];  // lint uncoalesced-load
    }
    out[i] = sum;
}

__global__ void sum_words(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (int k = 0; k < kBytes / 4; ++k) sum = __dp4a(in[k * threads + i], 0x01010101u, sum);
    out[i] = sum;
}

void run(const Buffers& b) {
    sum_bytes<<<blocks_for(b.elements / kBytes, kBlock), kBlock>>>(
        b.out, reinterpret_cast<const unsigned char*>(b.in));
}
void run_twin(const Buffers& b) {
    const long threads = b.elements / kBytes;
    sum_words<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}

const Register registration{{"byte_chunks", 1l << 29, 1l << 27, .25, 1.0 / kBytes, run, run_twin}};

}  // namespace

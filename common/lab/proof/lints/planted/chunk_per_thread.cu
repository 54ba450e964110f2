// Sums 64 adjacent words per thread, so neighbouring lanes load words 256 bytes apart. The twin
// reads the same table stored by columns.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kChunk = 64, kBlock = 256;

__global__ void sum_chunks(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (int k = 0; k < kChunk; ++k) {
        sum += in[i * kChunk + k];  // lint uncoalesced-load
    }
    out[i] = sum;
}

__global__ void sum_chunks_by_columns(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (int k = 0; k < kChunk; ++k) sum += in[k * threads + i];
    out[i] = sum;
}

void run(const Buffers& b) {
    sum_chunks<<<blocks_for(b.elements / kChunk, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    sum_chunks_by_columns<<<blocks_for(b.elements / kChunk, kBlock), kBlock>>>(b.out, b.in,
                                                                               b.elements / kChunk);
}
void fill(const Buffers& b, bool is_twin) {
    fill_table(b.in, b.elements / kChunk, kChunk, is_twin);
}

const Register registration{
    {"chunk_per_thread", 1l << 28, 1l << 24, 1, 1.0 / kChunk, run, run_twin, fill}};

}  // namespace

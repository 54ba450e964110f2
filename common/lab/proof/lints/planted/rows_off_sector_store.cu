// Stores rows of 64 bytes that begin in the middle of a sector. The twin's rows begin at a sector.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kRowWords = 16, kPitch = 32;

__global__ void store_rows(u32* out, const u32* in) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 value = in[i];
    out[i / kRowWords * kPitch + i % kRowWords] = value;  // lint partial-sectors
}

void run(const Buffers& b) {
    store_rows<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out + 4, b.in);
}
void run_twin(const Buffers& b) {
    store_rows<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}

const Register registration{{"rows_off_sector_store", 1l << 27, 1l << 24, 1, 2, run, run_twin}};

}  // namespace

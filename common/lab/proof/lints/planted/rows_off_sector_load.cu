// Loads rows of 64 bytes that begin in the middle of a sector. The twin's rows begin at a sector.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kRowWords = 16, kPitch = 32, kRows = 8;

/// Sums kRows words in each column of groups of rows. Half a warp handles a row.
__device__ u32 row_word(const u32* in, long i, long threads, int k) {
    const long item = k * threads + i;
    return in[item / kRowWords * kPitch + item % kRowWords];  // lint partial-sectors
}

__global__ void sum_rows(u32* out, const u32* in, long threads) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    u32 sum = 0;
    for (int k = 0; k < kRows; ++k) sum += row_word(in, i, threads, k);
    out[i] = sum;
}

__global__ void fill_rows(u32* in, long n, int first) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) in[i / kRowWords * kPitch + first + i % kRowWords] = hash(i);
}

constexpr int kFirst = 4;

void run(const Buffers& b) {
    const long threads = b.elements / kRows;
    sum_rows<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in + kFirst, threads);
}
void run_twin(const Buffers& b) {
    const long threads = b.elements / kRows;
    sum_rows<<<blocks_for(threads, kBlock), kBlock>>>(b.out, b.in, threads);
}
void fill(const Buffers& b, bool is_twin) {
    fill_rows<<<blocks_for(b.elements, kBlock), kBlock>>>(b.in, b.elements, is_twin ? 0 : kFirst);
}

const Register registration{
    {"rows_off_sector_load", 1l << 28, 1l << 24, 2, 1.0 / kRows, run, run_twin, fill}};

}  // namespace

// Sums rows with one thread per row, where one row in 32 is long. The twin gets the rows sorted by
// their length.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kBlock = 256, kLong = 512, kShort = 64;

/// Returns the number of items in a row.
__device__ u32 length_of(long row, long rows, bool is_sorted) {
    return is_sorted ? (row < rows / 32 ? kLong : kShort) : row % 32 == 5 ? kLong : kShort;
}

__global__ void sum_rows(u32* out, const u32* lengths) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    const u32 length = lengths[i];
    u32 sum = length;
    u32 k = 0;
#pragma unroll 1
    while (k < length) {  // lint divergent-loop
        sum = (sum << 3) + __popc(sum) + k;
        ++k;
    }
    out[i] = sum;
}

__global__ void fill_lengths(u32* in, long n, bool is_sorted) {
    const long i = static_cast<long>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) in[i] = length_of(i, n, is_sorted);
}

void run(const Buffers& b) {
    sum_rows<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    sum_rows<<<blocks_for(b.elements, kBlock), kBlock>>>(b.out, b.in);
}
void fill(const Buffers& b, bool is_twin) {
    fill_lengths<<<blocks_for(b.elements, kBlock), kBlock>>>(b.in, b.elements, is_twin);
}

const Register registration{{"divergent_long_row", 1l << 23, 1l << 18, 1, 1, run, run_twin, fill}};

}  // namespace

// Sums the columns of a matrix with one warp per column, whose lanes load from different rows.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

constexpr int kCols = 4096, kGroupRows = 128, kBlock = 256;

/// Each warp sums one column of a group of rows.
__global__ void sum_columns(u32* out, const u32* in) {
    const int lane = threadIdx.x % 32, col = blockIdx.x * (kBlock / 32) + threadIdx.x / 32;
    const long first = static_cast<long>(blockIdx.y) * kGroupRows;
    u32 sum = 0;
    for (int row = lane; row < kGroupRows; row += 32) {
        sum += in[(first + row) * kCols + col];  // lint uncoalesced-load
    }
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (lane == 0) out[blockIdx.y * kCols + col] = sum;
}

/// Each thread sums one column of a group of rows.
__global__ void sum_columns_by_threads(u32* out, const u32* in) {
    const int col = blockIdx.x * kBlock + threadIdx.x;
    const long first = static_cast<long>(blockIdx.y) * kGroupRows;
    u32 sum = 0;
    for (int row = 0; row < kGroupRows; ++row) sum += in[(first + row) * kCols + col];
    out[blockIdx.y * kCols + col] = sum;
}

void run(const Buffers& b) {
    const auto groups = static_cast<unsigned>(b.elements / kCols / kGroupRows);
    sum_columns<<<dim3(kCols / (kBlock / 32), groups), kBlock>>>(b.out, b.in);
}
void run_twin(const Buffers& b) {
    const auto groups = static_cast<unsigned>(b.elements / kCols / kGroupRows);
    sum_columns_by_threads<<<dim3(kCols / kBlock, groups), kBlock>>>(b.out, b.in);
}

const Register registration{
    {"column_sums", 1l << 28, 1l << 24, 1, 1.0 / kGroupRows, run, run_twin}};

}  // namespace

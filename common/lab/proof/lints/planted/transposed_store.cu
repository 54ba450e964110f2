// Transposes a matrix and stores its columns, so each lane stores into another row.
#include "lab/proof/lints/planted/planted.h"

using namespace coalesce::planted;

namespace {

/// The twin transposes through a tile in shared memory, whose padding avoids bank conflicts.
__global__ void transpose_tiled(u32* out, const u32* in, int side) {
    __shared__ u32 tile[32][33];
    const int col = blockIdx.x * 32, row = blockIdx.y * 32, x = threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8)
        tile[k][x] = in[static_cast<long>(row + k) * side + col + x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        out[static_cast<long>(col + k) * side + row + x] = tile[x][k];
}

int side_of(const Buffers& b) {
    int side = 32;
    while (static_cast<long>(side) * side < b.elements) side *= 2;
    return side;
}

__global__ void transpose(u32* out, const u32* in, int side) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    const u32 value = in[static_cast<long>(row) * side + col];
    out[static_cast<long>(col) * side + row] = value;  // lint uncoalesced-store
}

void run(const Buffers& b) {
    const unsigned side = side_of(b);
    transpose<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(b.out, b.in, side);
}
void run_twin(const Buffers& b) {
    const unsigned side = side_of(b);
    transpose_tiled<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(b.out, b.in, side);
}

const Register registration{{"transposed_store", 1l << 28, 1l << 22, 1, 1, run, run_twin}};

}  // namespace

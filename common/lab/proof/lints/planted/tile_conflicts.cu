// Transposes a matrix with a tile whose rows have 32 words. Lanes that load a column of the tile
// use one bank.
#include "lab/proof/lints/planted/transposes.cuh"

using namespace coalesce::planted;

namespace {

__global__ void transpose(u32* out, const u32* in, int side) {
    __shared__ u32 tile[32][32];
    const int col = blockIdx.x * 32, row = blockIdx.y * 32, x = threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8)
        tile[k][x] = in[static_cast<long>(row + k) * side + col + x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        const u32 value = tile[x][k];  // lint bank-conflict
        out[static_cast<long>(col + k) * side + row + x] = value;
    }
}

void run(const Buffers& b) {
    const unsigned side = side_of(b);
    transpose<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(b.out, b.in, side);
}

const Register registration{
    {"tile_conflicts", 1l << 28, 1l << 22, 1, 1, run, transpose_efficiently}};

}  // namespace

// Transposes a matrix and loads its columns, so each lane loads from another row.
#include "lab/proof/lints/planted/transposes.cuh"

using namespace coalesce::planted;

namespace {

__global__ void transpose(u32* out, const u32* in, int side) {
    const int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    const u32 value = in[static_cast<long>(col) * side + row];  // lint uncoalesced-load
    out[static_cast<long>(row) * side + col] = value;
}

void run(const Buffers& b) {
    const unsigned side = side_of(b);
    transpose<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(b.out, b.in, side);
}

const Register registration{
    {"transposed_load", 1l << 28, 1l << 24, 1, 1, run, transpose_efficiently}};

}  // namespace

// The efficient twin of the kernels that transpose a matrix.
#pragma once

#include "lab/proof/lints/planted/planted.h"

namespace coalesce::planted {

/// The twin's kernel. It transposes through a tile in shared memory. The tile's padding avoids bank
/// conflicts.
static __global__ void transpose_tiled(u32* out, const u32* in, int side) {
    __shared__ u32 tile[32][33];
    const int col = blockIdx.x * 32, row = blockIdx.y * 32, x = threadIdx.x;
    for (int k = threadIdx.y; k < 32; k += 8)
        tile[k][x] = in[static_cast<long>(row + k) * side + col + x];
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8)
        out[static_cast<long>(col + k) * side + row + x] = tile[x][k];
}

inline int side_of(const Buffers& b) {
    int side = 32;
    while (static_cast<long>(side) * side < b.elements) side *= 2;
    return side;
}

/// Launches the twin's kernel.
static void transpose_efficiently(const Buffers& b) {
    const unsigned side = side_of(b);
    transpose_tiled<<<dim3(side / 32, side / 32), dim3(32, 8)>>>(b.out, b.in, side);
}

}  // namespace coalesce::planted

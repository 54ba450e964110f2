// Transposes matrices that are smaller than a tile: a block takes as many whole matrices as fit.
#pragma once

#include "planes.h"

constexpr int THREADS = 256, QUADS_EACH = 4;
constexpr int MOST_FLOATS = THREADS * QUADS_EACH * 4;  // the maximum number of floats per block

//! [whole]
// Transposes matrices that are stored one after another in `in` and in `out`. A block takes
// `per_block` of them, reads them as one run of memory and writes them as one run. It computes rows
// and columns only within shared memory.
__global__ void transpose_whole(float* out, const float* in, int rows, int cols, int matrices,
                                int per_block) {
    extern __shared__ float lines[];
    const int pitch = cols | 1;  // odd, so that the elements of a column are in different banks
    const int size = rows * cols;
    const int first = blockIdx.x * per_block;
    const int quads = min(per_block, matrices - first) * size / 4;
    in += static_cast<long long>(first) * size;
    out += static_cast<long long>(first) * size;

    float4 v[QUADS_EACH];
    for (int k = 0; k < QUADS_EACH; ++k) {
        int quad = threadIdx.x + k * THREADS;
        if (quad < quads) v[k] = reinterpret_cast<const float4&>(in[quad * 4]);
    }
    for (int k = 0; k < QUADS_EACH; ++k) {
        int place = (threadIdx.x + k * THREADS) * 4;
        if (place >= quads * 4) continue;
        float* to = lines + place / cols * pitch + place % cols;
        to[0] = v[k].x, to[1] = v[k].y, to[2] = v[k].z, to[3] = v[k].w;
    }

    __syncthreads();

    for (int k = 0; k < QUADS_EACH; ++k) {
        int place = (threadIdx.x + k * THREADS) * 4;
        if (place >= quads * 4) continue;
        int matrix = place / size, col = place % size / rows, row = place % rows;
        const float* from = lines + (matrix * rows + row) * pitch + col;
        reinterpret_cast<float4&>(out[place]) = {from[0], from[pitch], from[2 * pitch],
                                                 from[3 * pitch]};
    }
}
//! [whole]

inline void launch_whole(float* out, const float* in, const Planes& planes) {
    int per_block = MOST_FLOATS / (planes.rows * planes.cols);
    size_t bytes = sizeof(float) * per_block * planes.rows * (planes.cols | 1);
    transpose_whole<<<ceil_div(planes.matrices(), per_block), THREADS, bytes>>>(
        out, in, planes.rows, planes.cols, planes.matrices(), per_block);
}

// Reports whether the matrices are contiguous, and so small that several fit into a block.
inline bool are_small(const Planes& planes) {
    const long long size = 1LL * planes.rows * planes.cols;
    const bool is_dense = planes.in_pitch == planes.cols && planes.out_pitch == planes.rows;
    return is_dense && planes.batches[0] == 1 && 4 * size <= MOST_FLOATS;
}

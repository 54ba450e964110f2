/// \file
/// The fastest tile, 64 x 64 floats that are kept as they came, in any order and with any hints.
#pragma once

#include "proof/search/candidates.h"
#include "proof/search/hints.cuh"
#include "proof/search/order.cuh"

namespace coalesce::proof {

/// How a kernel goes about it; others change one thing in it.
struct Plain {
    static constexpr Order order = Order::down_columns;
    static constexpr int width = 1;
    static constexpr Hint loads = Hint::none, stores = Hint::none;
};

template <Order ORDER, int WIDTH = 1>
struct InOrder : Plain {
    static constexpr Order order = ORDER;
    static constexpr int width = WIDTH;
};

template <Order ORDER, Hint LOADS>
struct Both : InOrder<ORDER> {
    static constexpr Hint loads = LOADS;
};

/// 512 threads, two float4s each: a tile is turned when it is read from shared memory.
template <class How>
__global__ void __launch_bounds__(512)
    transpose_raw(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[64 * 16];
    const Place at = place_of<How::order, How::width>(blockIdx.x, rows / 64, cols / 64);
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const float* const from = in + (at.row * 64 + y) * cols + at.col * 64 + x * 4;
    const float4 near = load<How::loads>(from), far = load<How::loads>(from + 32 * cols);
    tile[y * 16 + (x ^ (y / 4 % 8))] = near;
    tile[(y + 32) * 16 + (x ^ (y / 4 % 8))] = far;
    __syncthreads();
    const int col = y * 2;
    float2 pair[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float4* const quad = tile + (x * 4 + i) * 16 + (col / 4 ^ x % 8);
        pair[i] = reinterpret_cast<const float2*>(quad)[col % 4 / 2];
    }
    float* const to = out + (at.col * 64 + col) * rows + at.row * 64 + x * 4;
    store<How::stores>(to, {pair[0].x, pair[1].x, pair[2].x, pair[3].x});
    store<How::stores>(to + rows, {pair[0].y, pair[1].y, pair[2].y, pair[3].y});
}

template <class How>
Launch raw() {
    return [](float* out, const float* in, int rows, int cols) {
        transpose_raw<How><<<rows / 64 * (cols / 64), 512>>>(out, in, rows, cols);
    };
}

}  // namespace coalesce::proof

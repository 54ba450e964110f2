/// \file
/// Kernels that use the fastest tile, which has 64 x 64 floats. Shared memory holds the floats in
/// the order of `in`. The order in which blocks take the tiles and the cache hints are parameters.
#pragma once

#include <cuda_runtime.h>

#include "lab/proof/search/candidates.h"

namespace coalesce::proof {

// ---- the order in which blocks take the tiles of a matrix ----

enum class TileOrder { along_rows, down_columns, strips_apart, diagonal, bands };

struct TilePlace {
    int row, col;  // indices of a tile
};

/// Returns the tile for a block. The order `bands` divides the matrix into bands that are WIDTH
/// tiles wide. Blocks take the tiles of a band row by row, and then the tiles of the next band.
template <TileOrder ORDER, int WIDTH>
__device__ TilePlace tile_place_of(int block, int tile_rows, int tile_cols) {
    if constexpr (ORDER == TileOrder::along_rows) return {block / tile_cols, block % tile_cols};
    if constexpr (ORDER == TileOrder::down_columns) return {block % tile_rows, block / tile_rows};
    if constexpr (ORDER == TileOrder::strips_apart) {  // strips 0, 32, 1, 33, ...: 8 KB apart
        const int strip = block / tile_rows;
        const bool is_whole = (strip | 63) < tile_cols;
        return {block % tile_rows,
                is_whole ? (strip & ~63) | (strip & 1) << 5 | (strip & 63) >> 1 : strip};
    }
    if constexpr (ORDER == TileOrder::diagonal) {
        const int row = block % tile_rows;
        return {row, (block / tile_rows + row) % tile_cols};
    }
    const int first_col = block / (tile_rows * WIDTH) * WIDTH;
    const int width = min(WIDTH, tile_cols - first_col);
    const int index_in_band = block - first_col * tile_rows;
    return {index_in_band / width, first_col + index_in_band % width};
}

// ---- cache hints for loads and stores ----

enum class CacheHint {
    none,
    streaming,
    second_level_only,
    write_through,
    leave_first,  ///< the L2 cache evicts the accessed lines first (policy evict_first)
    stay          ///< the L2 cache evicts the accessed lines last (policy evict_last)
};

template <CacheHint HINT>
__device__ unsigned long long create_cache_policy() {
    static_assert(HINT >= CacheHint::leave_first, "the others are no policies");
    unsigned long long policy;
    if constexpr (HINT == CacheHint::leave_first) {
        asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    } else {
        asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    }
    return policy;
}

template <CacheHint HINT>
__device__ float4 load_with_hint(const float* from) {
    const auto* const p = reinterpret_cast<const float4*>(from);
    if constexpr (HINT == CacheHint::none) {
        return *p;
    } else if constexpr (HINT == CacheHint::streaming) {
        return __ldcs(p);
    } else if constexpr (HINT == CacheHint::second_level_only) {
        return __ldcg(p);
    } else {
        float4 v;
        asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(__cvta_generic_to_global(p)), "l"(create_cache_policy<HINT>()));
        return v;
    }
}

template <CacheHint HINT>
__device__ void store_with_hint(float* to, float4 v) {
    auto* const p = reinterpret_cast<float4*>(to);
    if constexpr (HINT == CacheHint::none) {
        *p = v;
    } else if constexpr (HINT == CacheHint::streaming) {
        __stcs(p, v);
    } else if constexpr (HINT == CacheHint::second_level_only) {
        __stcg(p, v);
    } else if constexpr (HINT == CacheHint::write_through) {
        __stwt(p, v);
    } else {
        asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(
                         __cvta_generic_to_global(p)),
                     "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "l"(create_cache_policy<HINT>())
                     : "memory");
    }
}

// ---- the tile ----

/// The parameters of the plain kernel. Every other kernel changes one of these parameters.
struct DefaultTileAccess {
    static constexpr TileOrder order = TileOrder::down_columns;
    static constexpr int width = 1;
    static constexpr CacheHint loads = CacheHint::none, stores = CacheHint::none;
};

template <TileOrder ORDER, int WIDTH = 1>
struct InOrder : DefaultTileAccess {
    static constexpr TileOrder order = ORDER;
    static constexpr int width = WIDTH;
};

template <TileOrder ORDER, CacheHint LOADS>
struct SameHintForBoth : InOrder<ORDER> {
    static constexpr CacheHint loads = LOADS;
};

/// Transposes one tile per block with 512 threads. Each thread loads two float4s. The tile is
/// transposed when it is read from shared memory.
template <class How>
__global__ void __launch_bounds__(512)
    transpose_raw(float* out, const float* in, int rows, int cols) {
    __shared__ float4 tile[64 * 16];
    const TilePlace at = tile_place_of<How::order, How::width>(blockIdx.x, rows / 64, cols / 64);
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const float* const from = in + (at.row * 64 + y) * cols + at.col * 64 + x * 4;
    const float4 near_rows = load_with_hint<How::loads>(from),
                 far = load_with_hint<How::loads>(from + 32 * cols);
    tile[y * 16 + (x ^ (y / 4 % 8))] = near_rows;
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
    store_with_hint<How::stores>(to, {pair[0].x, pair[1].x, pair[2].x, pair[3].x});
    store_with_hint<How::stores>(to + rows, {pair[0].y, pair[1].y, pair[2].y, pair[3].y});
}

template <class How>
Launch make_raw_launch() {
    return [](float* out, const float* in, int rows, int cols) {
        transpose_raw<How><<<rows / 64 * (cols / 64), 512>>>(out, in, rows, cols);
    };
}

}  // namespace coalesce::proof

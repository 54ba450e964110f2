/// \file
/// The kernel for arrays that consist of whole vectors. It works like the one in run_tile.cuh, but
/// moves vectors.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "permute_plan.cuh"
#include "run_tile.cuh"
#include "vectors.cuh"

namespace coalesce::permuting {

/// A kernel with tiles like those of `tile_kernel`, in which each thread transposes N x N elements
/// in registers. N elements form a vector in both arrays. The number of vectors per side varies, so
/// that few tiles are partly empty.
template <int SIZE, transposing::Loads LOADS = transposing::Loads::plain>
struct VectorTile {
    static constexpr int N = 16 / SIZE;
    /// DOWN and ACROSS are the numbers of vectors per side if runs are long. MAX_VECTORS is the
    /// largest number of vectors per tile. Each thread has one vector.
    static constexpr int DOWN = SIZE == 1 ? 8 : 16, ACROSS = 16;
    static constexpr int MAX_VECTORS = SIZE == 1 ? 144 : SIZE == 2 ? 288 : 512;
    static constexpr int THREADS = (MAX_VECTORS + 31) / 32 * 32;

    const Tiling& tiling;
    char* tile;
    std::int64_t *row_place, *col_place;
    int down, across;

    __device__ VectorTile(const Tiling& all, char* shared)
        : tiling(all), tile(shared), down(all.rows.vectors), across(all.cols.vectors) {
        row_place = reinterpret_cast<std::int64_t*>(shared + across * (down * N + 1) * 16);
        col_place = row_place + down * N;
    }
    static int shared_bytes(int down, int across) {
        return across * (down * N + 1) * 16 + (down + across) * N * 8;
    }
    /// Returns the address of N transposed elements of a column. One vector is left unused after
    /// every N columns, so that threads that store together access different banks.
    __device__ char* vector(int col, int quad) const {
        return tile + (col / N + col * down + quad) * 16;
    }

    __device__ void run() const {
        const BlockTile at = find_block_tile(tiling, down * N, across * N);
        const auto least = [](std::int64_t left, int most) {
            return left < most ? static_cast<int>(left) : most;
        };
        const int rows = least(tiling.rows.size - at.row, down * N);
        const int cols = least(tiling.cols.size - at.col, across * N);
        for (int i = threadIdx.x; i < rows; i += blockDim.x) {
            row_place[i] = at.from + offset_within(tiling.rows, at.row + i);
        }
        for (int i = threadIdx.x; i < cols; i += blockDim.x) {
            col_place[i] = at.to + offset_within(tiling.cols, at.col + i);
        }
        __syncthreads();
        load(rows, cols);
        __syncthreads();
        store(rows, cols);
    }

    __device__ void load(int rows, int cols) const {
        const int y = static_cast<int>(threadIdx.x) / across;
        const int x = static_cast<int>(threadIdx.x) - y * across;
        if (y * N >= rows || x * N >= cols) return;
        const char* const from = static_cast<const char*>(tiling.in) + x * 16;
        Vector<16> piece[N], turned[N];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            piece[i] = transposing::load_evict_last<LOADS>(from + row_place[y * N + i] * SIZE);
        }
        transposing::turn<SIZE>(turned, piece);
#pragma unroll
        for (int i = 0; i < N; ++i) transposing::store_vector(vector(x * N + i, y), turned[i]);
    }

    __device__ void store(int rows, int cols) const {
        const int first = static_cast<int>(threadIdx.x) / down;
        const int quad = static_cast<int>(threadIdx.x) - first * down;
        if (first >= across || quad * N >= rows) return;
        char* const to = static_cast<char*>(tiling.out) + quad * 16;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            const int col = first + k * across;
            if (col >= cols) return;
            const auto turned = transposing::load_vector<16>(vector(col, quad));
            transposing::store_vector(to + col_place[col] * SIZE, turned);
        }
    }
};

template <int SIZE, transposing::Loads LOADS>
__global__ void __launch_bounds__(VectorTile<SIZE>::THREADS)
    vector_tile_kernel(const Tiling tiling) {
    extern __shared__ uint4 shared[];
    const VectorTile<SIZE, LOADS> tile(tiling, reinterpret_cast<char*>(shared));
    tile.run();
}

}  // namespace coalesce::permuting

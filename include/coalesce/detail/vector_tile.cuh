/// \file
/// The kernel for arrays that consist of whole vectors. It works like the kernel in run_tile.cuh,
/// but moves vectors.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "permute_plan.cuh"
#include "run_tile.cuh"
#include "vectors.cuh"

namespace coalesce::permuting {

/// A kernel with tiles like those of `tile_kernel`. Each thread transposes VECTOR_ELEMENTS x
/// VECTOR_ELEMENTS elements in registers. VECTOR_ELEMENTS elements form a vector in both arrays.
template <int SIZE, transposing::LoadPolicy LOADS = transposing::LoadPolicy::plain>
struct VectorTile {
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE;
    /// If runs are long, a tile usually has THREADS_DOWN x THREADS_ACROSS threads. A tile has at
    /// most MAX_VECTORS threads.
    static constexpr int THREADS_DOWN = SIZE == 1 ? 8 : 16, THREADS_ACROSS = 16;
    static constexpr int MAX_VECTORS = SIZE == 1 ? 144 : SIZE == 2 ? 288 : 512;
    static constexpr int THREADS = (MAX_VECTORS + 31) / 32 * 32;

    const Tiling& tiling;
    char* tile;
    std::int64_t *row_place, *col_place;
    int down, across;

    __device__ VectorTile(const Tiling& all, char* shared)
        : tiling(all), tile(shared), down(all.rows.vectors), across(all.cols.vectors) {
        row_place =
            reinterpret_cast<std::int64_t*>(shared + across * (down * VECTOR_ELEMENTS + 1) * 16);
        col_place = row_place + down * VECTOR_ELEMENTS;
    }
    static int shared_bytes(int down, int across) {
        return across * (down * VECTOR_ELEMENTS + 1) * 16 + (down + across) * VECTOR_ELEMENTS * 8;
    }
    /// Returns the address of vector `quad` of a transposed column. One unused vector follows every
    /// VECTOR_ELEMENTS columns, which avoids bank conflicts.
    __device__ char* vector(int col, int quad) const {
        return tile + (col / VECTOR_ELEMENTS + col * down + quad) * 16;
    }

    __device__ void run() const {
        const BlockTile at =
            find_block_tile(tiling, down * VECTOR_ELEMENTS, across * VECTOR_ELEMENTS);
        const auto least = [](std::int64_t left, int most) {
            return left < most ? static_cast<int>(left) : most;
        };
        const int rows = least(tiling.rows.size - at.row, down * VECTOR_ELEMENTS);
        const int cols = least(tiling.cols.size - at.col, across * VECTOR_ELEMENTS);
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
        if (y * VECTOR_ELEMENTS >= rows || x * VECTOR_ELEMENTS >= cols) return;
        const char* const from = static_cast<const char*>(tiling.in) + x * 16;
        Vector<16> piece[VECTOR_ELEMENTS], turned[VECTOR_ELEMENTS];
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
            piece[i] = transposing::load_evict_last<LOADS>(
                from + row_place[y * VECTOR_ELEMENTS + i] * SIZE);
        }
        transposing::transpose_vectors<SIZE>(turned, piece);
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i)
            transposing::store_vector(vector(x * VECTOR_ELEMENTS + i, y), turned[i]);
    }

    __device__ void store(int rows, int cols) const {
        const int first = static_cast<int>(threadIdx.x) / down;
        const int quad = static_cast<int>(threadIdx.x) - first * down;
        if (first >= across || quad * VECTOR_ELEMENTS >= rows) return;
        char* const to = static_cast<char*>(tiling.out) + quad * 16;
#pragma unroll
        for (int k = 0; k < VECTOR_ELEMENTS; ++k) {
            const int col = first + k * across;
            if (col >= cols) return;
            const auto turned = transposing::load_vector<16>(vector(col, quad));
            transposing::store_vector(to + col_place[col] * SIZE, turned);
        }
    }
};

template <int SIZE, transposing::LoadPolicy LOADS>
__global__ void __launch_bounds__(VectorTile<SIZE>::THREADS)
    vector_tile_kernel(const Tiling tiling) {
    extern __shared__ uint4 shared[];
    const VectorTile<SIZE, LOADS> tile(tiling, reinterpret_cast<char*>(shared));
    tile.run();
}

}  // namespace coalesce::permuting

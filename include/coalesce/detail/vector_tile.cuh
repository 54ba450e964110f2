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
struct VectorTileKernel {
    static constexpr int VECTOR_ELEMENTS = 16 / SIZE;
    /// The usual numbers of threads along the two sides of a tile, if both runs are long. A tile
    /// has at most MAX_VECTORS_PER_TILE vectors, and a thread for each of them.
    static constexpr int THREADS_DOWN = SIZE == 1 ? 8 : 16, THREADS_ACROSS = 16;
    static constexpr int MAX_VECTORS_PER_TILE = SIZE == 1 ? 144 : SIZE == 2 ? 288 : 512;
    static constexpr int THREADS = (MAX_VECTORS_PER_TILE + 31) / 32 * 32;

    const Tiling& tiling;
    char* tile;
    std::int64_t *row_offsets, *col_offsets;
    int vectors_down, vectors_across;

    __device__ VectorTileKernel(const Tiling& the_tiling, char* shared)
        : tiling(the_tiling),
          tile(shared),
          vectors_down(the_tiling.rows.vectors),
          vectors_across(the_tiling.cols.vectors) {
        row_offsets = reinterpret_cast<std::int64_t*>(
            shared + vectors_across * (vectors_down * VECTOR_ELEMENTS + 1) * 16);
        col_offsets = row_offsets + vectors_down * VECTOR_ELEMENTS;
    }
    static int shared_bytes(int vectors_down, int vectors_across) {
        return vectors_across * (vectors_down * VECTOR_ELEMENTS + 1) * 16 +
               (vectors_down + vectors_across) * VECTOR_ELEMENTS * 8;
    }
    /// Returns the address of vector `vector_index` of a transposed column. To avoid bank
    /// conflicts, one unused vector follows every VECTOR_ELEMENTS columns.
    __device__ char* vector_address(int col, int vector_index) const {
        return tile + (col / VECTOR_ELEMENTS + col * vectors_down + vector_index) * 16;
    }

    __device__ void run() const {
        const BlockTile block_tile = find_block_tile(tiling, vectors_down * VECTOR_ELEMENTS,
                                                     vectors_across * VECTOR_ELEMENTS);
        const auto smaller = [](std::int64_t length, int limit) {
            return length < limit ? static_cast<int>(length) : limit;
        };
        const int rows = smaller(tiling.rows.size - block_tile.row, vectors_down * VECTOR_ELEMENTS);
        const int cols =
            smaller(tiling.cols.size - block_tile.col, vectors_across * VECTOR_ELEMENTS);
        for (int i = threadIdx.x; i < rows; i += blockDim.x) {
            row_offsets[i] =
                block_tile.in_offset + find_other_array_offset(tiling.rows, block_tile.row + i);
        }
        for (int i = threadIdx.x; i < cols; i += blockDim.x) {
            col_offsets[i] =
                block_tile.out_offset + find_other_array_offset(tiling.cols, block_tile.col + i);
        }
        __syncthreads();
        load(rows, cols);
        __syncthreads();
        store(rows, cols);
    }

    __device__ void load(int rows, int cols) const {
        const int y = static_cast<int>(threadIdx.x) / vectors_across;
        const int x = static_cast<int>(threadIdx.x) - y * vectors_across;
        if (y * VECTOR_ELEMENTS >= rows || x * VECTOR_ELEMENTS >= cols) return;
        const char* const source = static_cast<const char*>(tiling.in) + x * 16;
        Vector<16> row_vector[VECTOR_ELEMENTS], column_vector[VECTOR_ELEMENTS];
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i) {
            row_vector[i] = transposing::load_with_policy<LOADS>(
                source + row_offsets[y * VECTOR_ELEMENTS + i] * SIZE);
        }
        transposing::transpose_vectors<SIZE>(column_vector, row_vector);
#pragma unroll
        for (int i = 0; i < VECTOR_ELEMENTS; ++i)
            transposing::store_vector(vector_address(x * VECTOR_ELEMENTS + i, y), column_vector[i]);
    }

    __device__ void store(int rows, int cols) const {
        const int first_col = static_cast<int>(threadIdx.x) / vectors_down;
        const int vector_index = static_cast<int>(threadIdx.x) - first_col * vectors_down;
        if (first_col >= vectors_across || vector_index * VECTOR_ELEMENTS >= rows) return;
        char* const target = static_cast<char*>(tiling.out) + vector_index * 16;
#pragma unroll
        for (int k = 0; k < VECTOR_ELEMENTS; ++k) {
            const int col = first_col + k * vectors_across;
            if (col >= cols) return;
            const auto column_vector =
                transposing::load_vector<16>(vector_address(col, vector_index));
            transposing::store_vector(target + col_offsets[col] * SIZE, column_vector);
        }
    }
};

template <int SIZE, transposing::LoadPolicy LOADS>
__global__ void __launch_bounds__(VectorTileKernel<SIZE>::THREADS)
    vector_tile_kernel(const Tiling tiling) {
    extern __shared__ uint4 shared[];
    const VectorTileKernel<SIZE, LOADS> tile(tiling, reinterpret_cast<char*>(shared));
    tile.run();
}

}  // namespace coalesce::permuting

/// \file
/// Launches the kernel that executes a plan.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "../transpose.cuh"
#include "permute_choice.cuh"

namespace coalesce::permuting {

template <int SIZE, class Index>
cudaError_t launch_gather(const PermutePlan& plan, const LaunchQueue& queue) {
    return launch_kernel(gather_kernel<SIZE, Index>,
                         divide_rounding_up(threads_per_block * loads_in_flight, plan.unit_count),
                         threads_per_block, 0, queue, plan);
}

template <int SIZE>
cudaError_t permute_by_gather(const PermutePlan& plan, const LaunchQueue& queue) {
    // The kernel also computes indices past the last unit, and discards them. These indices, too,
    // must fit into the type `Index`.
    const bool fits_32_bit_units =
        plan.unit_count <= max_units_for_32_bits - threads_per_block * loads_in_flight;
    return fits_32_bit_units ? launch_gather<SIZE, unsigned>(plan, queue)
                             : launch_gather<SIZE, std::uint64_t>(plan, queue);
}

template <int SIZE>
cudaError_t permute_by_splice(const PermutePlan& plan, const LaunchQueue& queue) {
    if constexpr (SIZE <= 4) {
        const auto misaligned_out_bytes =
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(plan.out) % 16);
        const std::int64_t blocks = divide_rounding_up(
            spliced_bytes_per_block, plan.unit_count * SIZE + misaligned_out_bytes);
        return launch_kernel(splice_kernel<SIZE>, blocks, threads_per_block, 0, queue, plan);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t permute_by_transpose(const PermutePlan& plan, const LaunchQueue& queue) {
    const MatrixBatch matrix_batch = make_matrix_batch(plan);
    return transposing::transpose<SIZE>(plan.out, plan.in, matrix_batch.rows, matrix_batch.cols,
                                        matrix_batch.options, queue);
}

/// Launches a kernel for elements of three units. Returns cudaErrorNotSupported if the tiles do not
/// fit into a grid.
template <class Kernel>
cudaError_t launch_triples(void (*kernel)(CompoundTask), int tile_cols, int threads_per_block,
                           std::int64_t bytes, CompoundTask task, const LaunchQueue& queue) {
    task.tile_cols = tile_cols;
    task.tiles_down = divide_rounding_up(Kernel::ROWS, task.rows);
    task.tiles_across = divide_rounding_up(tile_cols, task.cols);
    if (!fits_into_grid(task)) return cudaErrorNotSupported;
    return launch_kernel(kernel, count_tiles(task), threads_per_block, bytes, queue, task);
}
template <class Kernel>
cudaError_t launch_triples(const CompoundTask& task, const LaunchQueue& queue) {
    return launch_triples<Kernel>(triple_kernel<Kernel>, Kernel::COLS, Kernel::THREADS, 0, task,
                                  queue);
}
template <class Kernel>
cudaError_t launch_triple_vectors(const CompoundTask& task, const LaunchQueue& queue) {
    const int tile_cols = Kernel::choose_tile_cols(task.cols);
    return launch_triples<Kernel>(triple_vectors_kernel<Kernel>, tile_cols,
                                  tile_cols / Kernel::N * (Kernel::ROWS / 4),
                                  Kernel::shared_bytes(tile_cols), task, queue);
}

template <int SIZE, bool LOADS_VECTORS>
cudaError_t launch_compounds(const CompoundTask& task, const LaunchQueue& queue) {
    return launch_kernel(compound_kernel<SIZE, LOADS_VECTORS>, count_tiles(task),
                         task.warps_per_block * 32,
                         (task.tile_rows + task.extra_rows) * task.pitch * 4, queue, task);
}

template <int SIZE>
cudaError_t permute_by_compound_tiles(const PermutePlan& plan, const LaunchQueue& queue) {
    if constexpr (SIZE <= 4) {
        const CompoundTask task = make_compound_task<SIZE>(plan);
        if (can_use_triple_vectors<SIZE>(task)) {
            cudaError_t error = cudaErrorNotSupported;
            if (SIZE == 4 || are_columns_whole_sectors(task, 3 * SIZE)) {
                error = launch_triple_vectors<SectorTripleKernel<SIZE>>(task, queue);
            } else if constexpr (SIZE == 2) {
                error = launch_triple_vectors<TallTripleVectorKernel>(task, queue);
            }
            if (error != cudaErrorNotSupported) return error;
        }
        if constexpr (SIZE < 4) {
            // Runs that do not start at a sector boundary share their first and last sectors with
            // other runs. Tall tiles store longer runs, so fewer sectors are shared.
            using TallTripleKernel = TripleKernel<1, 128>;
            // Tiles of 112 columns are faster if the number of columns is a multiple of 112.
            using BroadTripleKernel = TripleKernel<1, 32, 112>;
            const bool uses_tall_tiles =
                SIZE == 1 && task.rows * 3 % 32 != 0 && task.rows >= TallTripleKernel::ROWS;
            cudaError_t error = cudaErrorNotSupported;
            const bool uses_broad_tiles = SIZE == 1 && task.cols % BroadTripleKernel::COLS == 0 &&
                                          transposing::has_fast_memory();
            if (can_use_triples<SIZE>(task)) {
                error = uses_tall_tiles    ? launch_triples<TallTripleKernel>(task, queue)
                        : uses_broad_tiles ? launch_triples<BroadTripleKernel>(task, queue)
                                           : launch_triples<TripleKernel<SIZE>>(task, queue);
            }
            if (error != cudaErrorNotSupported) return error;
        }
        return task.loads_vectors ? launch_compounds<SIZE, true>(task, queue)
                                  : launch_compounds<SIZE, false>(task, queue);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE, transposing::LoadPolicy LOADS>
cudaError_t launch_vector_tiles(const PermutePlan& plan, const LaunchQueue& queue) {
    Tiling tiling = make_tiling<SIZE>(plan);
    if (!divide_into_vector_tiles<SIZE>(tiling, plan)) return cudaErrorInvalidValue;
    const int vectors_down = tiling.rows.vectors, vectors_across = tiling.cols.vectors;
    return launch_kernel(vector_tile_kernel<SIZE, LOADS>, count_tiles(tiling),
                         (vectors_down * vectors_across + 31) / 32 * 32,
                         VectorTileKernel<SIZE>::shared_bytes(vectors_down, vectors_across), queue,
                         tiling);
}

template <int SIZE>
cudaError_t permute_by_vector_tiles(const PermutePlan& plan, const LaunchQueue& queue) {
    using transposing::LoadPolicy;
    if constexpr (SIZE == 2 || SIZE == 4) {  // not for bytes, where it would be slower
        if (benefits_from_evict_last<SIZE>(plan))
            return launch_vector_tiles<SIZE, LoadPolicy::evict_last_128>(plan, queue);
    }
    if constexpr (SIZE <= 4) return launch_vector_tiles<SIZE, LoadPolicy::plain>(plan, queue);
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t permute_by_element_tiles(const PermutePlan& plan, const LaunchQueue& queue) {
    const Tiling tiling = make_tiling<SIZE>(plan);
    const int pitch = shared_pitch<SIZE>(tiling.cols.log_side);
    return launch_kernel(tile_kernel<SIZE>, count_tiles(tiling), threads_per_block,
                         (pitch << tiling.rows.log_side) * SIZE, queue, tiling);
}

/// The maximum height of a matrix, in tiles, for which consecutive blocks go down a column of tiles
/// instead of along a row. Applies only to large arrays of 2-byte units, on GPUs with fast memory.
constexpr unsigned max_tiles_down_first = 16;

template <int SIZE, bool IS_LARGE, bool IS_LOADED_ONCE = false>
cudaError_t launch_word_tiles(const PermutePlan& plan, const LaunchQueue& queue) {
    using Tile = WordTileKernel<SIZE, IS_LARGE, IS_LOADED_ONCE>;
    Tiling tiling = make_tiling<SIZE>(plan);
    tiling.rows.tile_count =
        static_cast<unsigned>(divide_rounding_up(Tile::ROWS, tiling.rows.size));
    tiling.cols.tile_count =
        static_cast<unsigned>(divide_rounding_up(Tile::COLS, tiling.cols.size));
    // If columns of tiles are short, consecutive blocks go down a column. Tiles that share cache
    // lines of `out` then run at about the same time.
    const bool are_tile_columns_short = IS_LOADED_ONCE &&
                                        tiling.rows.tile_count <= max_tiles_down_first &&
                                        tiling.rows.tile_count < tiling.cols.tile_count;
    tiling.fills_tile_rows_first = IS_LARGE && !are_tile_columns_short;
    return launch_kernel(word_tile_kernel<SIZE, Tile>, count_tiles(tiling), Tile::THREADS,
                         Tile::SHARED_BYTES, queue, tiling, plan.unit_count * SIZE);
}

/// The minimum size, in bytes, of an array of 1-byte units for which large tiles are faster, on
/// GPUs with fast memory (device.cuh).
constexpr std::int64_t min_bytes_for_large_tiles = 40'000'000;

template <int SIZE>
cudaError_t permute_by_word_tiles(const PermutePlan& plan, const LaunchQueue& queue) {
    if constexpr (SIZE < 4) {
        const bool has_fast_memory = transposing::has_fast_memory();
        const std::int64_t min_bytes = SIZE == 1 && has_fast_memory
                                           ? min_bytes_for_large_tiles
                                           : transposing::min_unaligned_bytes_for_evict_last;
        const bool is_large = plan.unit_count * SIZE >= min_bytes;
        if constexpr (SIZE == 2) {
            if (is_large && has_fast_memory)
                return launch_word_tiles<SIZE, true, true>(plan, queue);
        }
        return is_large ? launch_word_tiles<SIZE, true>(plan, queue)
                        : launch_word_tiles<SIZE, false>(plan, queue);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t launch_plan(const PermutePlan& plan, const LaunchQueue& queue) {
    switch (choose_permute_method<SIZE>(plan)) {
        case PermuteMethod::do_nothing: return cudaSuccess;
        case PermuteMethod::copy:
            return transposing::copy_bytes(plan.out, plan.in, plan.unit_count * SIZE, queue);
        case PermuteMethod::transpose: return permute_by_transpose<SIZE>(plan, queue);
        case PermuteMethod::compound_tiles: return permute_by_compound_tiles<SIZE>(plan, queue);
        case PermuteMethod::vector_tiles: return permute_by_vector_tiles<SIZE>(plan, queue);
        case PermuteMethod::word_tiles: return permute_by_word_tiles<SIZE>(plan, queue);
        case PermuteMethod::element_tiles: return permute_by_element_tiles<SIZE>(plan, queue);
        case PermuteMethod::splice_rows: return permute_by_splice<SIZE>(plan, queue);
        default: return permute_by_gather<SIZE>(plan, queue);
    }
}

}  // namespace coalesce::permuting

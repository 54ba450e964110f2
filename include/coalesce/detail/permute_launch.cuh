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
cudaError_t launch_gather(const Plan& plan, const Queue& queue) {
    return launch_kernel(gather_kernel<SIZE, Index>,
                         divide_rounding_up(threads * loads_in_flight, plan.unit_count), threads, 0,
                         queue, plan);
}

template <int SIZE>
cudaError_t gather(const Plan& plan, const Queue& queue) {
    // The kernel also computes indices past the last unit, and then discards them. Those indices
    // must fit into Index too.
    const bool is_small = plan.unit_count <= max_small_units - threads * loads_in_flight;
    return is_small ? launch_gather<SIZE, unsigned>(plan, queue)
                    : launch_gather<SIZE, std::uint64_t>(plan, queue);
}

template <int SIZE>
cudaError_t splice(const Plan& plan, const Queue& queue) {
    if constexpr (SIZE <= 4) {
        const auto head =
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(plan.out) % 16);
        const std::int64_t blocks =
            divide_rounding_up(spliced_bytes_per_block, plan.unit_count * SIZE + head);
        return launch_kernel(splice_kernel<SIZE>, blocks, threads, 0, queue, plan);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t transpose(const Plan& plan, const Queue& queue) {
    const Matrices matrices = make_matrices(plan);
    return transposing::transpose<SIZE>(plan.out, plan.in, matrices.rows, matrices.cols,
                                        matrices.options, queue);
}

/// Launches a kernel for elements of three units. Returns cudaErrorNotSupported if the tiles do not
/// fit into a grid.
template <class Kernel>
cudaError_t launch_triples(void (*kernel)(CompoundTask), int tile_cols, int threads,
                           std::int64_t bytes, CompoundTask task, const Queue& queue) {
    task.tile_cols = tile_cols;
    task.tiles_down = divide_rounding_up(Kernel::ROWS, task.rows);
    task.tiles_across = divide_rounding_up(tile_cols, task.cols);
    if (!fits_into_grid(task)) return cudaErrorNotSupported;
    return launch_kernel(kernel, count_tiles(task), threads, bytes, queue, task);
}
template <class Kernel>
cudaError_t launch_triples(const CompoundTask& task, const Queue& queue) {
    return launch_triples<Kernel>(triple_kernel<Kernel>, Kernel::COLS, Kernel::THREADS, 0, task,
                                  queue);
}
template <class Kernel>
cudaError_t launch_triple_vectors(const CompoundTask& task, const Queue& queue) {
    const int cols = Kernel::choose_tile_cols(task.cols);
    return launch_triples<Kernel>(triple_vectors_kernel<Kernel>, cols,
                                  cols / Kernel::N * (Kernel::ROWS / 4), Kernel::shared_bytes(cols),
                                  task, queue);
}

template <int SIZE, bool HAS_VECTORS>
cudaError_t launch_compounds(const CompoundTask& task, const Queue& queue) {
    return launch_kernel(compound_kernel<SIZE, HAS_VECTORS>, count_tiles(task), task.warps * 32,
                         (task.tile_rows + task.lead) * task.pitch * 4, queue, task);
}

template <int SIZE>
cudaError_t compound(const Plan& plan, const Queue& queue) {
    if constexpr (SIZE <= 4) {
        const CompoundTask task = make_compound_task<SIZE>(plan);
        if (has_triple_vectors<SIZE>(task)) {
            cudaError_t error = cudaErrorNotSupported;
            if (SIZE == 4 || are_columns_whole_sectors(task, 3 * SIZE)) {
                error = launch_triple_vectors<TripleVectorsToSectors<SIZE>>(task, queue);
            } else if constexpr (SIZE == 2) {
                error = launch_triple_vectors<TallTripleVectors>(task, queue);
            }
            if (error != cudaErrorNotSupported) return error;
        }
        if constexpr (SIZE < 4) {
            // Runs that do not start at a sector boundary share their first and last sectors with
            // other runs. Tall tiles store longer runs, and so fewer shared sectors.
            using TallTriples = Triples<1, 128>;
            // Tiles of 112 columns are faster if the number of columns is a multiple of 112.
            using BroadTriples = Triples<1, 32, 112>;
            const bool is_tall =
                SIZE == 1 && task.rows * 3 % 32 != 0 && task.rows >= TallTriples::ROWS;
            cudaError_t error = cudaErrorNotSupported;
            const bool is_broad =
                SIZE == 1 && task.cols % BroadTriples::COLS == 0 && transposing::has_fast_memory();
            if (has_triples<SIZE>(task)) {
                error = is_tall    ? launch_triples<TallTriples>(task, queue)
                        : is_broad ? launch_triples<BroadTriples>(task, queue)
                                   : launch_triples<Triples<SIZE>>(task, queue);
            }
            if (error != cudaErrorNotSupported) return error;
        }
        return task.has_vectors ? launch_compounds<SIZE, true>(task, queue)
                                : launch_compounds<SIZE, false>(task, queue);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE, transposing::LoadPolicy LOADS>
cudaError_t launch_vector_tiles(const Plan& plan, const Queue& queue) {
    Tiling tiling = make_tiling<SIZE>(plan);
    if (!divide_into_vectors<SIZE>(tiling, plan)) return cudaErrorInvalidValue;
    const int vectors_down = tiling.rows.vectors, vectors_across = tiling.cols.vectors;
    return launch_kernel(vector_tile_kernel<SIZE, LOADS>, count_tiles(tiling),
                         (vectors_down * vectors_across + 31) / 32 * 32,
                         VectorTile<SIZE>::shared_bytes(vectors_down, vectors_across), queue,
                         tiling);
}

template <int SIZE>
cudaError_t vector_tile(const Plan& plan, const Queue& queue) {
    using transposing::LoadPolicy;
    if constexpr (SIZE == 2 || SIZE == 4) {  // not for bytes, where it would be slower
        if (loads_evict_last<SIZE>(plan))
            return launch_vector_tiles<SIZE, LoadPolicy::evict_last_128>(plan, queue);
    }
    if constexpr (SIZE <= 4) return launch_vector_tiles<SIZE, LoadPolicy::plain>(plan, queue);
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t tile(const Plan& plan, const Queue& queue) {
    const Tiling tiling = make_tiling<SIZE>(plan);
    const int pitch = shared_pitch<SIZE>(tiling.cols.log_side);
    return launch_kernel(tile_kernel<SIZE>, count_tiles(tiling), threads,
                         (pitch << tiling.rows.log_side) * SIZE, queue, tiling);
}

/// The maximum number of tiles in a column of tiles, if consecutive blocks go down the column.
/// Applies only to large arrays of 2-byte units, on GPUs with fast memory.
constexpr unsigned max_sides_down_first = 16;

template <int SIZE, bool IS_LARGE, bool IS_LOADED_ONCE = false>
cudaError_t launch_word_tiles(const Plan& plan, const Queue& queue) {
    using Tile = WordTile<SIZE, IS_LARGE, IS_LOADED_ONCE>;
    Tiling tiling = make_tiling<SIZE>(plan);
    tiling.rows.sides = static_cast<unsigned>(divide_rounding_up(Tile::ROWS, tiling.rows.size));
    tiling.cols.sides = static_cast<unsigned>(divide_rounding_up(Tile::COLS, tiling.cols.size));
    // If columns of tiles are short, go down them first. Tiles that share cache lines of `out` then
    // run at about the same time.
    const bool is_short = IS_LOADED_ONCE && tiling.rows.sides <= max_sides_down_first &&
                          tiling.rows.sides < tiling.cols.sides;
    tiling.is_across_first = IS_LARGE && !is_short;
    return launch_kernel(word_tile_kernel<SIZE, Tile>, count_tiles(tiling), Tile::THREADS,
                         Tile::SHARED_BYTES, queue, tiling, plan.unit_count * SIZE);
}

/// The minimum size, in bytes, of an array of 1-byte units for which large tiles are faster, on
/// GPUs with fast memory (device.cuh).
constexpr std::int64_t min_bytes_of_large_tiles = 40'000'000;

template <int SIZE>
cudaError_t word_tile(const Plan& plan, const Queue& queue) {
    if constexpr (SIZE < 4) {
        const bool is_fast = transposing::has_fast_memory();
        const std::int64_t min_bytes = SIZE == 1 && is_fast
                                           ? min_bytes_of_large_tiles
                                           : transposing::min_evict_last_bytes_unaligned;
        const bool is_large = plan.unit_count * SIZE >= min_bytes;
        if constexpr (SIZE == 2) {
            if (is_large && is_fast) return launch_word_tiles<SIZE, true, true>(plan, queue);
        }
        return is_large ? launch_word_tiles<SIZE, true>(plan, queue)
                        : launch_word_tiles<SIZE, false>(plan, queue);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t launch_plan(const Plan& plan, const Queue& queue) {
    switch (choose_permute_method<SIZE>(plan)) {
        case PermuteMethod::nothing: return cudaSuccess;
        case PermuteMethod::copy:
            return transposing::copy_bytes(plan.out, plan.in, plan.unit_count * SIZE, queue);
        case PermuteMethod::transpose: return transpose<SIZE>(plan, queue);
        case PermuteMethod::compound: return compound<SIZE>(plan, queue);
        case PermuteMethod::vector_tile: return vector_tile<SIZE>(plan, queue);
        case PermuteMethod::word_tile: return word_tile<SIZE>(plan, queue);
        case PermuteMethod::tile: return tile<SIZE>(plan, queue);
        case PermuteMethod::splice: return splice<SIZE>(plan, queue);
        default: return gather<SIZE>(plan, queue);
    }
}

}  // namespace coalesce::permuting

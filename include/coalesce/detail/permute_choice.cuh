/// \file
/// Chooses the kernel for a plan, and the sizes of its tiles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "compounds.cuh"
#include "device.cuh"
#include "fastest.cuh"
#include "gather.cuh"
#include "permute_axes.cuh"
#include "run_tile.cuh"
#include "triples.cuh"
#include "vector_tile.cuh"
#include "word_tile.cuh"

namespace coalesce::permuting {

/// Reports whether VectorTileKernel is faster than `transpose` for a matrix of this shape. This is
/// the case if more than a fifth of the area of `transpose`'s tiles would be empty, but a tile of
/// vectors can hold whole rows of `out`.
template <int SIZE>
bool prefers_vector_tiles(std::int64_t rows, std::int64_t cols) {
    if (SIZE != 2 && SIZE != 4) return false;
    constexpr std::int64_t tile_side = 256 / SIZE;
    const bool are_tiles_partly_empty =
        divide_rounding_up(tile_side, rows) * tile_side > rows + rows / 4;
    const bool can_tile_span_rows =
        rows > tile_side && rows * 8 <= VectorTileKernel<SIZE>::MAX_VECTORS_PER_TILE *
                                            VectorTileKernel<SIZE>::VECTOR_ELEMENTS;
    return can_tile_span_rows && are_tiles_partly_empty && rows * SIZE % 32 != 0 &&
           cols >= tile_side && cols / 4 <= rows;
}

/// Reports whether `transpose` uses one tall tile per matrix for a batch of matrices with this many
/// rows. It does if each matrix nearly fills such a tile.
template <int SIZE>
bool has_one_tile_per_matrix(std::int64_t rows) {
    return SIZE == 4 && transposing::nearly_fills_tall_tile(rows) && transposing::has_fast_memory();
}

/// The length, in elements, from which a run is not extended by another axis. Almost all tiles
/// along such a run are full.
constexpr std::int64_t min_long_run_length = 512;

/// Adds an axis to the outer end of the run.
inline void add_outer_axis(AxisRun& run, const Axis& axis, std::int64_t axis_step) {
    for (int k = run.axes; k > 0; --k) run.axis[k] = run.axis[k - 1];
    run.axis[0] = axis;
    run.axis[0].step = axis_step;
    run.size *= axis.size;
    ++run.axes;
}

/// Chooses the lengths of a tile's sides. If one run is short, the tile is shorter along this run,
/// and longer along the other one.
template <int SIZE>
void choose_tile_sides(AxisRun& rows, AxisRun& cols) {
    const auto choose_log_side = [](std::int64_t size) {
        int log_side_length = log_min_side;
        while (log_side_length < 6 && (std::int64_t{1} << log_side_length) < size)
            ++log_side_length;
        return log_side_length;
    };
    rows.log_side = choose_log_side(rows.size);
    cols.log_side = choose_log_side(cols.size);
    if (rows.log_side < cols.log_side) {
        cols.log_side = log_tile_elements<SIZE> - rows.log_side;
    } else {
        rows.log_side = log_tile_elements<SIZE> - cols.log_side;
    }
    for (AxisRun* run : {&rows, &cols}) {
        const auto tile_count = divide_rounding_up(std::int64_t{1} << run->log_side, run->size);
        run->tile_count = static_cast<unsigned>(tile_count);
    }
}

/// Chooses which axes run along each side of a tile. The last axes of `out` become the rows, and
/// the last axes of `in` become the columns. As long as both runs can be extended, the shorter run
/// is extended.
template <int SIZE>
Tiling make_tiling(const PermutePlan& plan) {
    Tiling tiling = {};
    tiling.out = plan.out, tiling.in = plan.in;
    AxisRun &rows = tiling.rows, &cols = tiling.cols;
    rows.size = cols.size = 1;
    std::int64_t out_step[max_plan_axes];
    for (int k = plan.axes - 1; k >= 0; --k) {
        out_step[k] = k == plan.axes - 1 ? 1 : out_step[k + 1] * plan.axis[k + 1].size;
    }
    bool is_axis_taken[max_plan_axes] = {};
    while (true) {
        const int down_axis = plan.axes - 1 - rows.axes,
                  across_axis = find_axis_with_step(plan, cols.size);
        const bool is_down_axis_free =
            down_axis >= 0 && !is_axis_taken[down_axis] && rows.size < min_long_run_length;
        const bool is_across_axis_free =
            across_axis >= 0 && !is_axis_taken[across_axis] && cols.size < min_long_run_length;
        if (!is_down_axis_free && !is_across_axis_free) break;
        const bool extends_rows =
            is_down_axis_free && (!is_across_axis_free || rows.size <= cols.size);
        const int k = extends_rows ? down_axis : across_axis;
        is_axis_taken[k] = true;
        if (extends_rows) {
            add_outer_axis(rows, plan.axis[k], plan.axis[k].step);
        } else {
            add_outer_axis(cols, plan.axis[k], out_step[k]);
        }
    }
    for (int k = 0; k < plan.axes; ++k) {
        if (is_axis_taken[k]) continue;
        tiling.size[tiling.axes] = static_cast<unsigned>(plan.axis[k].size);
        tiling.in_step[tiling.axes] = plan.axis[k].step;
        tiling.out_step[tiling.axes++] = out_step[k];
    }
    choose_tile_sides<SIZE>(rows, cols);
    return tiling;
}

/// Returns the number of tiles, which is also the number of blocks. Returns 0 if there are too many
/// tiles, or if a run is too long for 32-bit numbers.
inline std::int64_t count_tiles(const Tiling& tiling) {
    if (tiling.rows.size > max_units_for_32_bits || tiling.cols.size > max_units_for_32_bits)
        return 0;
    std::int64_t tiles = std::int64_t{tiling.rows.tile_count} * tiling.cols.tile_count;
    for (int k = 0; k < tiling.axes && tiles <= max_units_for_32_bits; ++k) tiles *= tiling.size[k];
    return tiles <= max_units_for_32_bits ? tiles : 0;
}

/// Limits for dividing a matrix into tiles. Tiles are used if both sides have at least
/// `min_compound_matrix_side` elements. If the elements have at least `min_spliced_row_bytes`
/// bytes, `min_cols_of_long_elements` columns are enough instead. Elements of
/// `min_spliced_compound_bytes` or more bytes never use tiles, because splicing them is faster.
constexpr std::int64_t min_compound_matrix_side = 32, min_cols_of_long_elements = 12,
                       min_spliced_compound_bytes = 512;
/// The maximum sizes, in bytes, of a tile, of a column of a tile, and of a row of a tile.
constexpr int max_compound_tile_bytes = 44'000, max_compound_column_bytes = 384,
              max_compound_row_bytes = 750;

/// Returns a side length that divides `matrix_side` into about equal parts, none longer than
/// `max_tile_side`. The length is a whole number of words.
template <int SIZE>
int choose_tile_side(std::int64_t matrix_side, int max_tile_side) {
    constexpr int ELEMENTS_PER_WORD = 4 / SIZE;
    const int max_whole_word_side = max_tile_side < ELEMENTS_PER_WORD
                                        ? ELEMENTS_PER_WORD
                                        : max_tile_side / ELEMENTS_PER_WORD * ELEMENTS_PER_WORD;
    const std::int64_t equal_side =
        divide_rounding_up(divide_rounding_up(max_whole_word_side, matrix_side), matrix_side);
    return static_cast<int>(divide_rounding_up(ELEMENTS_PER_WORD, equal_side) * ELEMENTS_PER_WORD);
}

/// Chooses the tile size, the pitch and the number of warps per block for the kernel that loads
/// single words.
template <int SIZE>
void choose_word_tile_size(CompoundTask& task) {
    const int element_bytes = task.units * SIZE;
    const auto smaller = [](int a, int b) { return a < b ? a : b; };
    const bool is_element_small = SIZE == 4 && element_bytes <= 20;
    if constexpr (SIZE == 4) {
        task.tile_rows = choose_tile_side<4>(task.rows, element_bytes * 32 <= 900 ? 32 : 16);
        task.tile_cols = choose_tile_side<4>(task.cols, is_element_small ? 64 : 32);
    } else {
        task.tile_rows =
            choose_tile_side<SIZE>(task.rows, max_compound_column_bytes / element_bytes);
        const int max_row_bytes =
            smaller(max_compound_row_bytes, max_compound_tile_bytes / (task.tile_rows + 1));
        task.tile_cols = choose_tile_side<SIZE>(task.cols, max_row_bytes / element_bytes);
    }
    // Lanes read neighbouring units of consecutive rows. The pitch is chosen so that these units
    // are in different banks. If a unit is a word, the pitch modulo 32 is `units`. If units are
    // smaller, the pitch modulo 8 is 5.
    const int words_per_row =
        SIZE == 4 ? task.tile_cols * task.units : (task.tile_cols * element_bytes + 6) / 4;
    const int pitch_modulus = SIZE == 4 ? 32 : 8, pitch_remainder = SIZE == 4 ? task.units : 5;
    task.pitch = words_per_row +
                 (pitch_remainder + pitch_modulus - words_per_row % pitch_modulus) % pitch_modulus;
    const int chunks_per_column = (task.tile_rows * element_bytes / 4 + 31) / 32;
    task.warps_per_block = chunks_per_column * (SIZE == 1                       ? 4
                                                : SIZE == 2 || is_element_small ? 2
                                                                                : 1);
}

/// Returns the distance in words between rows of a tile in shared memory. Each row has `row_bytes`
/// bytes, and may start anywhere in its first vector.
inline int vector_row_pitch_words(int row_bytes) {
    return (row_bytes + 30) / 16 * 4;
}

/// Chooses the tile size, the pitch and the number of warps per block for the kernel that loads
/// whole vectors. If columns do not consist of whole words, tiles with shorter columns are faster.
template <int SIZE>
void choose_vector_tile_size(CompoundTask& task, bool are_columns_whole_words) {
    constexpr int TILE_ROW_MULTIPLE = SIZE == 1 ? 4 : 2;
    const int element_bytes = task.units * SIZE;
    int max_column_bytes = 400, max_row_bytes = 400;  // maximum sides of a tile, in bytes
    if (element_bytes >= min_spliced_row_bytes) {
        max_column_bytes = SIZE == 1 ? 900 : SIZE == 2 ? 1100 : 1200, max_row_bytes = 1600;
    } else if (element_bytes >= 32) {
        max_column_bytes = 600, max_row_bytes = 1000;
    } else if (element_bytes >= 16) {
        max_column_bytes = SIZE == 1 ? 400 : 600, max_row_bytes = 600;
    }
    if (!are_columns_whole_words)
        max_column_bytes = element_bytes >= min_spliced_row_bytes ? 600 : 400;
    const int rows = max_column_bytes / element_bytes / TILE_ROW_MULTIPLE * TILE_ROW_MULTIPLE;
    const bool uses_wide_tiles = are_columns_whole_words && transposing::has_fast_memory();
    const int min_tile_cols = element_bytes < min_spliced_row_bytes         ? 1
                              : are_columns_whole_words && !uses_wide_tiles ? 16
                                                                            : 48;
    const int cols = max_row_bytes / element_bytes < min_tile_cols ? min_tile_cols
                                                                   : max_row_bytes / element_bytes;
    task.tile_rows = rows < TILE_ROW_MULTIPLE ? TILE_ROW_MULTIPLE : rows;
    const int extra_rows = uses_wide_tiles && element_bytes >= min_spliced_row_bytes ? 0 : 1;
    std::int64_t tiles_across = (task.cols + cols / 2) / cols;
    do {  // make the tile as wide as fits
        task.tile_cols =
            static_cast<int>(divide_rounding_up(tiles_across < 1 ? 1 : tiles_across, task.cols));
        task.pitch = vector_row_pitch_words(task.tile_cols * element_bytes);
        ++tiles_across;
    } while ((task.tile_rows + extra_rows) * task.pitch * 4 > max_compound_tile_bytes);
    task.warps_per_block =
        (task.tile_rows * element_bytes / 4 + 31) / 32 * (are_columns_whole_words ? 1 : 2);
}

/// Reports whether the rows of a tile are loaded as vectors. Otherwise, they are loaded as words.
template <int SIZE>
bool should_load_vectors(const CompoundTask& task, bool are_columns_whole_words) {
    const int element_bytes = task.units * SIZE;
    if (SIZE == 4) return element_bytes >= min_spliced_row_bytes;
    if (are_columns_whole_words) return element_bytes >= 7;
    return SIZE == 2 &&
           (element_bytes < min_spliced_row_bytes || (element_bytes <= 150 && task.cols >= 32));
}

/// The side of tiles for 12-byte elements, in elements.
constexpr int three_word_tile_side = 64;
/// Reports whether the matrix has elements of 12 bytes and at least one whole tile, and the GPU has
/// fast memory. Tiles that are loaded as vectors are then faster than tiles of words.
template <int SIZE>
bool is_large_with_three_word_elements(const CompoundTask& task) {
    return SIZE == 4 && task.units == 3 && task.rows >= three_word_tile_side &&
           task.cols >= three_word_tile_side && transposing::has_fast_memory();
}

template <int SIZE>
void choose_tile_size(CompoundTask& task) {
    const bool are_columns_whole_words =
        is_aligned_to(task.out, 4) && task.rows * task.units * SIZE % 4 == 0;
    task.loads_vectors = should_load_vectors<SIZE>(task, are_columns_whole_words);
    if (is_large_with_three_word_elements<SIZE>(task)) {
        task.loads_vectors = true;
        task.tile_rows = task.tile_cols = three_word_tile_side;
        task.pitch = vector_row_pitch_words(three_word_tile_side * 12);
        task.warps_per_block = 16;
    } else if (task.loads_vectors) {
        choose_vector_tile_size<SIZE>(task, are_columns_whole_words);
    } else {
        choose_word_tile_size<SIZE>(task);
    }
    // If all runs start at a word boundary, no tile needs a part of the previous row.
    task.extra_rows = are_columns_whole_words ? 0 : CompoundKernel<SIZE, false>::EXTRA_ROWS;
    task.tiles_down = divide_rounding_up(task.tile_rows, task.rows + task.extra_rows);
    task.tiles_across = divide_rounding_up(task.tile_cols, task.cols);
}

/// Reports whether a grid can have as many blocks as the task has tiles.
inline bool fits_into_grid(const CompoundTask& task) {
    return task.tiles_down <= transposing::max_blocks_per_grid / task.tiles_across &&
           task.tiles_down * task.tiles_across <= transposing::max_blocks_per_grid / task.batches;
}

/// Returns the number of tiles, which must fit into a grid.
inline std::int64_t count_tiles(const CompoundTask& task) {
    return task.tiles_down * task.tiles_across * task.batches;
}

/// Divides a matrix whose elements consist of several units into tiles. Returns a task without
/// tiles if the plan is not such a matrix, or if another kernel is better.
template <int SIZE>
CompoundTask make_compound_task(const PermutePlan& plan) {
    CompoundTask task = {};
    if (SIZE > 4 || !is_last_axis_kept(plan) || (plan.axes != 3 && plan.axes != 4)) return task;
    const Axis& unit_axis = plan.axis[plan.axes - 1];
    const Axis &row_axis = plan.axis[plan.axes - 2], &col_axis = plan.axis[plan.axes - 3];
    const std::int64_t row_units = col_axis.size * unit_axis.size;
    const bool are_rows_dense = col_axis.step == unit_axis.size && row_axis.step == row_units;
    const bool is_batch_dense = plan.axes == 3 || plan.axis[0].step == row_axis.size * row_units;
    const std::int64_t element_bytes = unit_axis.size * SIZE;
    const bool are_elements_long = element_bytes >= min_spliced_row_bytes;
    const bool is_matrix_large = are_elements_long ? col_axis.size >= min_cols_of_long_elements
                                                   : row_axis.size >= min_compound_matrix_side &&
                                                         col_axis.size >= min_compound_matrix_side;
    if (!are_rows_dense || !is_batch_dense || !is_matrix_large ||
        element_bytes >= min_spliced_compound_bytes)
        return task;
    task.out = plan.out, task.in = plan.in;
    task.rows = row_axis.size, task.cols = col_axis.size;
    task.batches = plan.axes == 3 ? 1 : plan.axis[0].size;
    task.array_bytes = plan.unit_count * SIZE;
    task.units = static_cast<int>(unit_axis.size);
    if constexpr (SIZE <= 4) choose_tile_size<SIZE>(task);
    const bool prefers_splicing =
        are_elements_long && (!task.loads_vectors || task.rows < task.tile_rows);
    if (prefers_splicing || !fits_into_grid(task)) task.tiles_down = 0;
    return task;
}

/// Reports whether TripleKernel can transpose the elements in registers. Each element
/// must have three units, and rows and columns must consist of whole words.
template <int SIZE>
bool can_use_triples(const CompoundTask& task) {
    const bool are_sides_whole_words =
        task.rows % TripleKernel<SIZE>::N == 0 && task.cols % TripleKernel<SIZE>::N == 0;
    return task.units == 3 && is_aligned_to(task.out, 4) && is_aligned_to(task.in, 4) &&
           are_sides_whole_words;
}

/// The kernels for elements of three units, on GPUs with fast memory. `SectorTripleKernel` is used
/// for columns that start at sector boundaries, and for all elements of three words.
/// `TallTripleVectorKernel` is used for other elements of three half words.
template <int SIZE>
using SectorTripleKernel = TripleVectorKernel<SIZE, SIZE == 4 ? 16 : 8, 16>;
using TallTripleVectorKernel = TripleVectorKernel<2, 28, 7>;

/// Reports whether elements of three units should be moved in tiles of vectors. Rows and columns
/// must consist of whole vectors, tiles must be mostly full, and the GPU must have fast memory.
template <int SIZE>
bool can_use_triple_vectors(const CompoundTask& task) {
    constexpr int N = 16 / SIZE;
    constexpr std::int64_t min_rows = SIZE == 4 ? three_word_tile_side : 96;
    return task.units == 3 && is_aligned_to(task.out, 16) && is_aligned_to(task.in, 16) &&
           task.rows % N == 0 && task.cols % N == 0 && task.rows >= min_rows &&
           task.cols >= (SIZE == 4 ? min_rows : 48) && transposing::has_fast_memory();
}
/// Reports whether each column of the input, when stored in `out`, starts at a sector boundary.
inline bool are_columns_whole_sectors(const CompoundTask& task, int element_bytes) {
    return is_aligned_to(task.out, 32) && task.rows * element_bytes % 32 == 0;
}

/// The shortest side of a matrix, in elements, for which tiles of vectors are worth their cost.
template <int SIZE>
constexpr std::int64_t min_side_for_vector_tiles = SIZE == 1 ? 64 : 32;

/// Returns the number of vectors in a side of a tile. A short run fits into one tile. A longer run
/// is divided so that its last tile is nearly full.
inline int choose_vectors_per_side(std::int64_t run_vectors, int usual_vectors) {
    if (run_vectors >= 4 * usual_vectors) return usual_vectors;
    const std::int64_t tile_count = (run_vectors + usual_vectors / 2) / usual_vectors;
    if (tile_count <= 1) return static_cast<int>(run_vectors);
    const auto vectors_per_side = static_cast<int>(divide_rounding_up(tile_count, run_vectors));
    return vectors_per_side + vectors_per_side % 2;
}

/// Divides the plan into tiles of vectors. Returns false if the runs of an array do not consist of
/// whole vectors, or if a run is too short.
template <int SIZE>
bool divide_into_vector_tiles(Tiling& tiling, const PermutePlan& plan) {
    using Kernel = VectorTileKernel<SIZE>;
    constexpr int N = Kernel::VECTOR_ELEMENTS;
    AxisRun &rows = tiling.rows, &cols = tiling.cols;
    bool are_runs_whole_vectors = is_aligned_to(plan.out, 16) && is_aligned_to(plan.in, 16) &&
                                  rows.size % N == 0 && cols.size % N == 0;
    for (int k = 0; k < rows.axes; ++k)
        are_runs_whole_vectors = are_runs_whole_vectors && rows.axis[k].step % N == 0;
    for (int k = 0; k < cols.axes; ++k)
        are_runs_whole_vectors = are_runs_whole_vectors && cols.axis[k].step % N == 0;
    for (int k = 0; k < tiling.axes; ++k) {
        are_runs_whole_vectors =
            are_runs_whole_vectors && tiling.in_step[k] % N == 0 && tiling.out_step[k] % N == 0;
    }
    const std::int64_t min_run_length = min_side_for_vector_tiles<SIZE>;
    if (!are_runs_whole_vectors || rows.size < min_run_length || cols.size < min_run_length)
        return false;
    const int usual_vectors_down = SIZE == 4 && transposing::has_fast_memory()
                                       ? 2 * Kernel::THREADS_DOWN
                                       : Kernel::THREADS_DOWN;
    rows.vectors = choose_vectors_per_side(rows.size / N, usual_vectors_down);
    cols.vectors = choose_vectors_per_side(cols.size / N, Kernel::THREADS_ACROSS);
    if (rows.axes == 1 && cols.axes == 1 && prefers_vector_tiles<SIZE>(rows.size, cols.size)) {
        // A tile contains whole rows of `out`, but only one or two cache lines of each row of `in`.
        rows.vectors = static_cast<int>(rows.size / N);
        cols.vectors = rows.vectors > 32 ? 8 : 16;
    }
    // If one side is short, the other side is made longer to compensate.
    const int usual_tile_vectors = Kernel::THREADS_DOWN * Kernel::THREADS_ACROSS,
              max_side_vectors = 64;
    const auto lengthen_side = [&](const AxisRun& run, int other_side_vectors) {
        const std::int64_t run_vectors = run.size / N,
                           wanted_side_vectors = usual_tile_vectors / other_side_vectors;
        return static_cast<int>(run_vectors < wanted_side_vectors        ? run_vectors
                                : wanted_side_vectors < max_side_vectors ? wanted_side_vectors
                                                                         : max_side_vectors);
    };
    if (rows.vectors < Kernel::THREADS_DOWN / 2) cols.vectors = lengthen_side(cols, rows.vectors);
    if (cols.vectors < Kernel::THREADS_ACROSS / 2) rows.vectors = lengthen_side(rows, cols.vectors);
    if (rows.vectors * cols.vectors > Kernel::MAX_VECTORS_PER_TILE)
        cols.vectors = Kernel::MAX_VECTORS_PER_TILE / rows.vectors;
    rows.tile_count = static_cast<unsigned>(divide_rounding_up(rows.vectors * N, rows.size));
    cols.tile_count = static_cast<unsigned>(divide_rounding_up(cols.vectors * N, cols.size));
    return count_tiles(tiling) > 0;
}

template <int SIZE>
bool can_use_vector_tiles(const PermutePlan& plan) {
    if constexpr (SIZE <= 4) {
        Tiling tiling = make_tiling<SIZE>(plan);
        return divide_into_vector_tiles<SIZE>(tiling, plan);
    }
    return false;
}

/// Reports whether loads should use the hint `evict_last`, which asks the L2 cache to keep the
/// loaded lines. The size limits are the same as for `transpose`.
template <int SIZE>
bool benefits_from_evict_last(const PermutePlan& plan) {
    bool are_cache_lines_split = false;
    for (int k = 0; k < plan.axes; ++k) {
        const std::int64_t step = plan.axis[k].step;
        are_cache_lines_split = are_cache_lines_split || (step > 1 && step * SIZE % 128 != 0);
    }
    const std::int64_t min_bytes = are_cache_lines_split
                                       ? transposing::min_unaligned_bytes_for_evict_last
                                       : transposing::min_bytes_for_evict_last;
    return plan.unit_count * SIZE >= min_bytes;
}

/// The kernels that can execute a plan.
enum class PermuteMethod {
    do_nothing,
    copy,
    transpose,
    compound_tiles,
    vector_tiles,
    word_tiles,
    element_tiles,
    splice_rows,
    gather_units
};

/// The minimum number of rows, and of columns, for which a matrix with gaps between its rows is
/// passed to `transpose`.
constexpr std::int64_t min_side_for_transpose = 64;
/// The minimum number of rows for tiles of words. With fewer rows, too much of each tile is empty.
constexpr std::int64_t min_rows_for_word_tiles = 128;
template <int SIZE>
PermuteMethod choose_permute_method(const PermutePlan& plan) {
    if (plan.unit_count == 0) return PermuteMethod::do_nothing;
    if (plan.axes == 0 || (plan.axes == 1 && is_last_axis_kept(plan))) return PermuteMethod::copy;
    if (is_last_axis_kept(plan)) {
        const std::int64_t row_units = plan.axis[plan.axes - 1].size;
        const bool fits_32_bit_units = row_units * SIZE < max_units_for_32_bits / 2 &&
                                       plan.unit_count / row_units < max_units_for_32_bits;
        const bool can_splice_rows =
            SIZE <= 4 && row_units * SIZE >= min_spliced_row_bytes && fits_32_bit_units;
        if (make_compound_task<SIZE>(plan).tiles_down > 0) return PermuteMethod::compound_tiles;
        return can_splice_rows ? PermuteMethod::splice_rows : PermuteMethod::gather_units;
    }
    if (plan.axes <= 3) {
        const MatrixBatch matrix_batch = make_matrix_batch(plan);
        const bool are_sides_long = matrix_batch.rows >= min_side_for_transpose &&
                                    matrix_batch.cols >= min_side_for_transpose;
        const bool is_aligned =
            matrix_batch.rows * SIZE % 16 == 0 && matrix_batch.cols * SIZE % 16 == 0;
        const bool prefers_whole_rows =
            plan.axes == 3 && matrix_batch.is_dense && is_aligned &&
            !has_one_tile_per_matrix<SIZE>(matrix_batch.rows) &&
            prefers_vector_tiles<SIZE>(matrix_batch.rows, matrix_batch.cols);
        if (prefers_whole_rows && can_use_vector_tiles<SIZE>(plan))
            return PermuteMethod::vector_tiles;
        if (matrix_batch.is_dense || (are_sides_long && (SIZE >= 4 || is_aligned)))
            return PermuteMethod::transpose;
    }
    if (can_use_vector_tiles<SIZE>(plan)) return PermuteMethod::vector_tiles;
    const Tiling tiling = make_tiling<SIZE>(plan);
    if (count_tiles(tiling) == 0) return PermuteMethod::gather_units;
    const bool are_runs_long =
        tiling.rows.size >= min_rows_for_word_tiles && tiling.cols.size >= min_side_for_transpose;
    return SIZE < 4 && are_runs_long ? PermuteMethod::word_tiles : PermuteMethod::element_tiles;
}

}  // namespace coalesce::permuting

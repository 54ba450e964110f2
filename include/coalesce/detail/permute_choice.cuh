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

/// Reports whether tiles of vectors are better than `transpose`, because `transpose` would leave a
/// fifth of its tiles empty, and tiles of vectors can have whole rows of `out`.
template <int SIZE>
bool leaves_tiles_empty(std::int64_t rows, std::int64_t cols) {
    if (SIZE != 2 && SIZE != 4) return false;
    constexpr std::int64_t side = 256 / SIZE;
    const bool is_empty = divide_rounding_up(side, rows) * side > rows + rows / 4;
    const bool is_side = rows > side && rows * 8 <= VectorTile<SIZE>::MAX_VECTORS *
                                                        VectorTile<SIZE>::VECTOR_ELEMENTS;
    return is_side && is_empty && rows * SIZE % 32 != 0 && cols >= side && cols / 4 <= rows;
}

/// Reports whether `transpose` uses tall tiles for a batch of matrices with this many rows, each of
/// which nearly fills its tile.
template <int SIZE>
bool has_tiles_of_one_matrix(std::int64_t rows) {
    return SIZE == 4 && transposing::nearly_fills_tall_tile(rows) && transposing::has_fast_memory();
}

/// Runs of at least this length are not extended by another axis, because almost all of their tiles
/// are full.
constexpr std::int64_t min_long_run = 512;

/// Adds an axis to the outer end of the run.
inline void extend(Run& run, const Axis& axis, std::int64_t step) {
    for (int k = run.axes; k > 0; --k) run.axis[k] = run.axis[k - 1];
    run.axis[0] = axis;
    run.axis[0].step = step;
    run.size *= axis.size;
    ++run.axes;
}

/// Chooses the sides of tiles. If one run is short, its side of the tile is shorter and the other
/// side is longer.
template <int SIZE>
void choose_sides(Run& rows, Run& cols) {
    const auto choose_log_side = [](std::int64_t size) {
        int log_length = log_min_side;
        while (log_length < 6 && (std::int64_t{1} << log_length) < size) ++log_length;
        return log_length;
    };
    rows.log_side = choose_log_side(rows.size);
    cols.log_side = choose_log_side(cols.size);
    if (rows.log_side < cols.log_side) {
        cols.log_side = log_tile_elements<SIZE> - rows.log_side;
    } else {
        rows.log_side = log_tile_elements<SIZE> - cols.log_side;
    }
    for (Run* run : {&rows, &cols}) {
        const auto sides = divide_rounding_up(std::int64_t{1} << run->log_side, run->size);
        run->sides = static_cast<unsigned>(sides);
    }
}

/// Chooses which axes run along the sides of tiles. The last axes of `out` become the rows, and the
/// last axes of `in` the columns. While both runs can be extended, the shorter run is extended.
template <int SIZE>
Tiling make_tiling(const Plan& plan) {
    Tiling tiling = {};
    tiling.out = plan.out, tiling.in = plan.in;
    Run &rows = tiling.rows, &cols = tiling.cols;
    rows.size = cols.size = 1;
    std::int64_t out_step[max_plan_axes];
    for (int k = plan.axes - 1; k >= 0; --k) {
        out_step[k] = k == plan.axes - 1 ? 1 : out_step[k + 1] * plan.axis[k + 1].size;
    }
    bool is_taken[max_plan_axes] = {};
    while (true) {
        const int down_axis = plan.axes - 1 - rows.axes,
                  across_axis = find_axis_with_step(plan, cols.size);
        const bool is_down_axis_free =
            down_axis >= 0 && !is_taken[down_axis] && rows.size < min_long_run;
        const bool is_across_axis_free =
            across_axis >= 0 && !is_taken[across_axis] && cols.size < min_long_run;
        if (!is_down_axis_free && !is_across_axis_free) break;
        const bool extends_rows =
            is_down_axis_free && (!is_across_axis_free || rows.size <= cols.size);
        const int k = extends_rows ? down_axis : across_axis;
        is_taken[k] = true;
        if (extends_rows) {
            extend(rows, plan.axis[k], plan.axis[k].step);
        } else {
            extend(cols, plan.axis[k], out_step[k]);
        }
    }
    for (int k = 0; k < plan.axes; ++k) {
        if (is_taken[k]) continue;
        tiling.size[tiling.axes] = static_cast<unsigned>(plan.axis[k].size);
        tiling.in_step[tiling.axes] = plan.axis[k].step;
        tiling.out_step[tiling.axes++] = out_step[k];
    }
    choose_sides<SIZE>(rows, cols);
    return tiling;
}

/// Returns the number of tiles, which is also the number of blocks. Returns 0 if there are too many
/// tiles, or if a run is too long for 32-bit numbers.
inline std::int64_t count_tiles(const Tiling& tiling) {
    if (tiling.rows.size > max_small_units || tiling.cols.size > max_small_units) return 0;
    std::int64_t tiles = std::int64_t{tiling.rows.sides} * tiling.cols.sides;
    for (int k = 0; k < tiling.axes && tiles <= max_small_units; ++k) tiles *= tiling.size[k];
    return tiles <= max_small_units ? tiles : 0;
}

/// Tiles are mostly full if both sides of a matrix have at least `min_compound_side` elements, or
/// if its elements have at least `min_spliced_bytes` bytes and it has at least `min_long_cols`
/// columns. Elements of at least `min_spliced_compound_bytes` bytes do not use tiles, because
/// splicing them is faster.
constexpr std::int64_t min_compound_side = 32, min_long_cols = 12, min_spliced_compound_bytes = 512;
/// The maximum sizes, in bytes, of a tile, of its columns and of its rows.
constexpr int max_compound_tile_bytes = 44'000, max_compound_column_bytes = 384,
              max_compound_row_bytes = 750;

/// Returns a side length that divides `count` into about equal parts, none longer than
/// `max_length`. The length is a whole number of words.
template <int SIZE>
int choose_tile_side(std::int64_t count, int max_length) {
    constexpr int ELEMENTS_PER_WORD = 4 / SIZE;
    const int max_side = max_length < ELEMENTS_PER_WORD
                             ? ELEMENTS_PER_WORD
                             : max_length / ELEMENTS_PER_WORD * ELEMENTS_PER_WORD;
    const std::int64_t side = divide_rounding_up(divide_rounding_up(max_side, count), count);
    return static_cast<int>(divide_rounding_up(ELEMENTS_PER_WORD, side) * ELEMENTS_PER_WORD);
}

/// Chooses tiles that are loaded as words.
template <int SIZE>
void choose_tile_of_words(CompoundTask& task) {
    const int size = task.units * SIZE;
    const auto smaller = [](int a, int b) { return a < b ? a : b; };
    const bool is_small = SIZE == 4 && size <= 20;
    if constexpr (SIZE == 4) {
        task.tile_rows = choose_tile_side<4>(task.rows, size * 32 <= 900 ? 32 : 16);
        task.tile_cols = choose_tile_side<4>(task.cols, is_small ? 64 : 32);
    } else {
        task.tile_rows = choose_tile_side<SIZE>(task.rows, max_compound_column_bytes / size);
        const int row =
            smaller(max_compound_row_bytes, max_compound_tile_bytes / (task.tile_rows + 1));
        task.tile_cols = choose_tile_side<SIZE>(task.cols, row / size);
    }
    // Lanes read neighbouring units of consecutive rows. The pitch, which is in words, puts these
    // units into different banks. It is `units` modulo 32 for words, and 5 modulo 8 for smaller
    // units.
    const int words = SIZE == 4 ? task.tile_cols * task.units : (task.tile_cols * size + 6) / 4;
    const int modulus = SIZE == 4 ? 32 : 8, remainder = SIZE == 4 ? task.units : 5;
    task.pitch = words + (remainder + modulus - words % modulus) % modulus;
    const int chunks = (task.tile_rows * size / 4 + 31) / 32;
    task.warps = chunks * (SIZE == 1 ? 4 : SIZE == 2 || is_small ? 2 : 1);
}

/// Returns the distance in words between rows of a tile in shared memory. Each row has `bytes`
/// bytes, and may start anywhere in its first vector.
inline int pitch_of_vectors(int bytes) {
    return (bytes + 30) / 16 * 4;
}

/// Chooses tiles that are loaded as vectors. If runs of `out` do not consist of whole words, tiles
/// with columns of half the length are faster.
template <int SIZE>
void choose_tile_of_vectors(CompoundTask& task, bool are_words) {
    constexpr int ROW_MULTIPLE = SIZE == 1 ? 4 : 2;
    const int size = task.units * SIZE;
    int max_column_bytes = 400, max_row_bytes = 400;  // maximum sides of a tile, in bytes
    if (size >= min_spliced_bytes) {
        max_column_bytes = SIZE == 1 ? 900 : SIZE == 2 ? 1100 : 1200, max_row_bytes = 1600;
    } else if (size >= 32) {
        max_column_bytes = 600, max_row_bytes = 1000;
    } else if (size >= 16) {
        max_column_bytes = SIZE == 1 ? 400 : 600, max_row_bytes = 600;
    }
    if (!are_words) max_column_bytes = size >= min_spliced_bytes ? 600 : 400;
    const int rows = max_column_bytes / size / ROW_MULTIPLE * ROW_MULTIPLE;
    const bool is_wide = are_words && transposing::has_fast_memory();
    const int min_cols = size < min_spliced_bytes ? 1 : are_words && !is_wide ? 16 : 48;
    const int cols = max_row_bytes / size < min_cols ? min_cols : max_row_bytes / size;
    task.tile_rows = rows < ROW_MULTIPLE ? ROW_MULTIPLE : rows;
    const int lead = is_wide && size >= min_spliced_bytes ? 0 : 1;
    std::int64_t tile_count = (task.cols + cols / 2) / cols;
    do {  // make the tile as wide as fits
        task.tile_cols =
            static_cast<int>(divide_rounding_up(tile_count < 1 ? 1 : tile_count, task.cols));
        task.pitch = pitch_of_vectors(task.tile_cols * size);
        ++tile_count;
    } while ((task.tile_rows + lead) * task.pitch * 4 > max_compound_tile_bytes);
    task.warps = (task.tile_rows * size / 4 + 31) / 32 * (are_words ? 1 : 2);
}

/// Reports whether rows of tiles are loaded as vectors rather than as words.
template <int SIZE>
bool has_vectors(const CompoundTask& task, bool are_words) {
    const int size = task.units * SIZE;
    if (SIZE == 4) return size >= min_spliced_bytes;
    if (are_words) return size >= 7;
    return SIZE == 2 && (size < min_spliced_bytes || (size <= 150 && task.cols >= 32));
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
void choose_tile(CompoundTask& task) {
    const bool are_words = is_aligned_to(task.out, 4) && task.rows * task.units * SIZE % 4 == 0;
    task.has_vectors = has_vectors<SIZE>(task, are_words);
    if (is_large_with_three_word_elements<SIZE>(task)) {
        task.has_vectors = true;
        task.tile_rows = task.tile_cols = three_word_tile_side;
        task.pitch = pitch_of_vectors(three_word_tile_side * 12);
        task.warps = 16;
    } else if (task.has_vectors) {
        choose_tile_of_vectors<SIZE>(task, are_words);
    } else {
        choose_tile_of_words<SIZE>(task);
    }
    // If all runs start at a word boundary, no tile needs a part of the previous row.
    task.lead = are_words ? 0 : Compound<SIZE, false>::LEAD;
    task.tiles_down = divide_rounding_up(task.tile_rows, task.rows + task.lead);
    task.tiles_across = divide_rounding_up(task.tile_cols, task.cols);
}

/// Reports whether a grid can have as many blocks as the task has tiles.
inline bool fits_into_grid(const CompoundTask& task) {
    return task.tiles_down <= transposing::max_blocks / task.tiles_across &&
           task.tiles_down * task.tiles_across <= transposing::max_blocks / task.batches;
}

/// Returns the number of tiles, which must fit into a grid.
inline std::int64_t count_tiles(const CompoundTask& task) {
    return task.tiles_down * task.tiles_across * task.batches;
}

/// Returns the division into tiles of a matrix whose elements consist of several units. The result
/// has no tiles if the plan is not such a matrix, or if another kernel is better.
template <int SIZE>
CompoundTask make_compound_task(const Plan& plan) {
    CompoundTask task = {};
    if (SIZE > 4 || !is_last_axis_kept(plan) || (plan.axes != 3 && plan.axes != 4)) return task;
    const Axis& units = plan.axis[plan.axes - 1];
    const Axis &rows = plan.axis[plan.axes - 2], &cols = plan.axis[plan.axes - 3];
    const std::int64_t row = cols.size * units.size;
    const bool is_matrix = cols.step == units.size && rows.step == row;
    const bool is_batch = plan.axes == 3 || plan.axis[0].step == rows.size * row;
    const std::int64_t size = units.size * SIZE;
    const bool is_long = size >= min_spliced_bytes;
    const bool is_large = is_long
                              ? cols.size >= min_long_cols
                              : rows.size >= min_compound_side && cols.size >= min_compound_side;
    if (!is_matrix || !is_batch || !is_large || size >= min_spliced_compound_bytes) return task;
    task.out = plan.out, task.in = plan.in;
    task.rows = rows.size, task.cols = cols.size;
    task.batches = plan.axes == 3 ? 1 : plan.axis[0].size;
    task.bytes = plan.unit_count * SIZE;
    task.units = static_cast<int>(units.size);
    if constexpr (SIZE <= 4) choose_tile<SIZE>(task);
    const bool is_better_spliced = is_long && (!task.has_vectors || task.rows < task.tile_rows);
    if (is_better_spliced || !fits_into_grid(task)) task.tiles_down = 0;
    return task;
}

/// Reports whether the kernel Triples can transpose the elements in registers. Each element must
/// have three units, and rows and columns must consist of whole words.
template <int SIZE>
bool has_triples(const CompoundTask& task) {
    const bool are_words = task.rows % Triples<SIZE>::N == 0 && task.cols % Triples<SIZE>::N == 0;
    return task.units == 3 && is_aligned_to(task.out, 4) && is_aligned_to(task.in, 4) && are_words;
}

/// The kernels for elements of three units, on GPUs with fast memory. `TripleVectorsToSectors` is
/// for columns that start at sector boundaries, and `TallTripleVectors` for other columns of half
/// words.
template <int SIZE>
using TripleVectorsToSectors = TripleVectors<SIZE, SIZE == 4 ? 16 : 8, 16>;
using TallTripleVectors = TripleVectors<2, 28, 7>;

/// Reports whether tiles of three-unit elements should consist of vectors. Rows and columns must
/// consist of whole vectors, tiles must be mostly full, and the GPU must have fast memory.
template <int SIZE>
bool has_triple_vectors(const CompoundTask& task) {
    constexpr int N = 16 / SIZE;
    constexpr std::int64_t min_rows = SIZE == 4 ? three_word_tile_side : 96;
    return task.units == 3 && is_aligned_to(task.out, 16) && is_aligned_to(task.in, 16) &&
           task.rows % N == 0 && task.cols % N == 0 && task.rows >= min_rows &&
           task.cols >= (SIZE == 4 ? min_rows : 48) && transposing::has_fast_memory();
}
/// Reports whether all columns of the matrices start at sector boundaries of `out`.
inline bool are_columns_whole_sectors(const CompoundTask& task, int element_bytes) {
    return is_aligned_to(task.out, 32) && task.rows * element_bytes % 32 == 0;
}

/// The shortest side, in elements, for which tiles of vectors are worth their cost.
template <int SIZE>
constexpr std::int64_t min_vector_side = SIZE == 1 ? 64 : 32;

/// Returns the number of vectors in a side of a tile. A short run fits into one tile. A longer run
/// is divided so that its last tile is nearly full.
inline int vectors_per_side(std::int64_t vectors, int usual_vectors) {
    if (vectors >= 4 * usual_vectors) return usual_vectors;
    const std::int64_t sides = (vectors + usual_vectors / 2) / usual_vectors;
    if (sides <= 1) return static_cast<int>(vectors);
    const auto side = static_cast<int>(divide_rounding_up(sides, vectors));
    return side + side % 2;
}

/// Divides the plan into tiles of vectors. Returns false if an array does not consist of whole
/// vectors, or a run is too short.
template <int SIZE>
bool divide_into_vectors(Tiling& tiling, const Plan& plan) {
    using Kernel = VectorTile<SIZE>;
    constexpr int N = Kernel::VECTOR_ELEMENTS;
    Run &rows = tiling.rows, &cols = tiling.cols;
    bool are_vectors = is_aligned_to(plan.out, 16) && is_aligned_to(plan.in, 16) &&
                       rows.size % N == 0 && cols.size % N == 0;
    for (int k = 0; k < rows.axes; ++k) are_vectors = are_vectors && rows.axis[k].step % N == 0;
    for (int k = 0; k < cols.axes; ++k) are_vectors = are_vectors && cols.axis[k].step % N == 0;
    for (int k = 0; k < tiling.axes; ++k) {
        are_vectors = are_vectors && tiling.in_step[k] % N == 0 && tiling.out_step[k] % N == 0;
    }
    const std::int64_t min_length = min_vector_side<SIZE>;
    if (!are_vectors || rows.size < min_length || cols.size < min_length) return false;
    const int usual_vectors_down = SIZE == 4 && transposing::has_fast_memory()
                                       ? 2 * Kernel::THREADS_DOWN
                                       : Kernel::THREADS_DOWN;
    rows.vectors = vectors_per_side(rows.size / N, usual_vectors_down);
    cols.vectors = vectors_per_side(cols.size / N, Kernel::THREADS_ACROSS);
    if (rows.axes == 1 && cols.axes == 1 && leaves_tiles_empty<SIZE>(rows.size, cols.size)) {
        // A tile has whole rows of `out`, and one or two cache lines of each row of `in`.
        rows.vectors = static_cast<int>(rows.size / N);
        cols.vectors = rows.vectors > 32 ? 8 : 16;
    }
    // If one side is short, the other side is made longer to compensate.
    const int tile_vectors = Kernel::THREADS_DOWN * Kernel::THREADS_ACROSS, max_vectors = 64;
    const auto lengthen_side = [&](const Run& run, int other_vectors) {
        const std::int64_t run_vectors = run.size / N,
                           wanted_vectors = tile_vectors / other_vectors;
        return static_cast<int>(run_vectors < wanted_vectors   ? run_vectors
                                : wanted_vectors < max_vectors ? wanted_vectors
                                                               : max_vectors);
    };
    if (rows.vectors < Kernel::THREADS_DOWN / 2) cols.vectors = lengthen_side(cols, rows.vectors);
    if (cols.vectors < Kernel::THREADS_ACROSS / 2) rows.vectors = lengthen_side(rows, cols.vectors);
    if (rows.vectors * cols.vectors > Kernel::MAX_VECTORS)
        cols.vectors = Kernel::MAX_VECTORS / rows.vectors;
    rows.sides = static_cast<unsigned>(divide_rounding_up(rows.vectors * N, rows.size));
    cols.sides = static_cast<unsigned>(divide_rounding_up(cols.vectors * N, cols.size));
    return count_tiles(tiling) > 0;
}

template <int SIZE>
bool has_vector_tiles(const Plan& plan) {
    if constexpr (SIZE <= 4) {
        Tiling tiling = make_tiling<SIZE>(plan);
        return divide_into_vectors<SIZE>(tiling, plan);
    }
    return false;
}

/// Reports whether loads should ask the L2 cache to keep their cache lines. The rule is the same as
/// for `transpose`.
template <int SIZE>
bool loads_evict_last(const Plan& plan) {
    bool are_lines_cut = false;
    for (int k = 0; k < plan.axes; ++k) {
        const std::int64_t step = plan.axis[k].step;
        are_lines_cut = are_lines_cut || (step > 1 && step * SIZE % 128 != 0);
    }
    const std::int64_t min_bytes = are_lines_cut ? transposing::min_evict_last_bytes_unaligned
                                                 : transposing::min_evict_last_bytes;
    return plan.unit_count * SIZE >= min_bytes;
}

/// The kernels that can execute a plan.
enum class PermuteMethod {
    nothing,
    copy,
    transpose,
    compound,
    vector_tile,
    word_tile,
    tile,
    splice,
    gather
};

/// The minimum numbers of rows and columns of a matrix with gaps between its rows that is passed to
/// `transpose`.
constexpr std::int64_t min_transpose_side = 64;
/// The minimum number of rows for tiles of words. With fewer rows, too much of each tile is empty.
constexpr std::int64_t min_word_tile_rows = 128;
template <int SIZE>
PermuteMethod choose_permute_method(const Plan& plan) {
    if (plan.unit_count == 0) return PermuteMethod::nothing;
    if (plan.axes == 0 || (plan.axes == 1 && is_last_axis_kept(plan))) return PermuteMethod::copy;
    if (is_last_axis_kept(plan)) {
        const std::int64_t size = plan.axis[plan.axes - 1].size;
        const bool is_small =
            size * SIZE < max_small_units / 2 && plan.unit_count / size < max_small_units;
        const bool is_spliced = SIZE <= 4 && size * SIZE >= min_spliced_bytes && is_small;
        if (make_compound_task<SIZE>(plan).tiles_down > 0) return PermuteMethod::compound;
        return is_spliced ? PermuteMethod::splice : PermuteMethod::gather;
    }
    if (plan.axes <= 3) {
        const Matrices matrices = make_matrices(plan);
        const bool is_large =
            matrices.rows >= min_transpose_side && matrices.cols >= min_transpose_side;
        const bool is_aligned = matrices.rows * SIZE % 16 == 0 && matrices.cols * SIZE % 16 == 0;
        const bool is_whole = plan.axes == 3 && matrices.is_dense && is_aligned &&
                              !has_tiles_of_one_matrix<SIZE>(matrices.rows) &&
                              leaves_tiles_empty<SIZE>(matrices.rows, matrices.cols);
        if (is_whole && has_vector_tiles<SIZE>(plan)) return PermuteMethod::vector_tile;
        if (matrices.is_dense || (is_large && (SIZE >= 4 || is_aligned)))
            return PermuteMethod::transpose;
    }
    if (has_vector_tiles<SIZE>(plan)) return PermuteMethod::vector_tile;
    const Tiling tiling = make_tiling<SIZE>(plan);
    if (count_tiles(tiling) == 0) return PermuteMethod::gather;
    const bool is_long =
        tiling.rows.size >= min_word_tile_rows && tiling.cols.size >= min_transpose_side;
    return SIZE < 4 && is_long ? PermuteMethod::word_tile : PermuteMethod::tile;
}

}  // namespace coalesce::permuting

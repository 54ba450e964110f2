/// \file
/// The parts of bounds.cu that replace the library's kernels for strips and stacks.
#pragma once

#include "lab/proof/shapes/untransposed.cuh"

namespace addresses_only::transposing {

template <int SIZE, int THREADS, int LOADS_IN_FLIGHT, int PAD, LoadPolicy LOADS, StorePolicy STORES>
struct Untransposed<TallStripKernel<SIZE, THREADS, LOADS_IN_FLIGHT, PAD, LOADS, STORES>>
    : TallStripKernel<SIZE, THREADS, LOADS_IN_FLIGHT, PAD, LOADS, STORES> {
    using Kernel = TallStripKernel<SIZE, THREADS, LOADS_IN_FLIGHT, PAD, LOADS, STORES>;
    static constexpr int N = Kernel::ELEMENTS_PER_ACCESS;

    static __device__ void run(const TransposeTask& task, char* shared) {
        const TileOrigin tile_origin = find_tile_of_block(task, task.tile_rows, 0);
        const std::int64_t top =
            tile_origin.row < Kernel::EXTRA_ROWS ? 0 : tile_origin.row - Kernel::EXTRA_ROWS;
        const std::int64_t end = tile_origin.row + task.tile_rows;
        const int rows = static_cast<int>((end < task.rows ? end : task.rows) - top);
        const char* from = in_matrix_address<SIZE>(task, tile_origin) + top * task.cols * SIZE;
        Sum sum;
        if (rows > 0) {
            copy_line<SIZE, THREADS, LOADS_IN_FLIGHT>(SumLine{shared, start_of(from), &sum},
                                                      DeviceLine<const char, LOADS>{from},
                                                      rows * static_cast<int>(task.cols));
        }
        sum.wait_for_loads();
        store(task, tile_origin, sum);
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& tile_origin,
                                 const Sum& sum) {
        constexpr int WARPS = THREADS / 32;
        const int groups = task.tile_rows / Kernel::ROWS_PER_WARP;
        const int warps_at_once = groups < WARPS ? groups : WARPS;
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        for (int group = warp & (warps_at_once - 1); group < groups; group += warps_at_once) {
            const std::int64_t first_row = tile_origin.row + group * Kernel::ROWS_PER_WARP;
            const std::int64_t step = WARPS / warps_at_once * task.out_pitch * SIZE;
            char* line = out_matrix_address<SIZE>(task, tile_origin) +
                         (warp / warps_at_once * task.out_pitch + first_row) * SIZE;
#pragma unroll 4
            for (int col = warp / warps_at_once; col < task.cols;
                 col += WARPS / warps_at_once, line += step) {
                const int phase =
                    static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 32 / SIZE);
                store_rows(line + (lane * N - phase) * SIZE, sum, first_row + lane * N - phase,
                           task.rows);
            }
        }
    }

    static __device__ void store_rows(char* to, const Sum& sum, std::int64_t row,
                                      std::int64_t rows) {
        if (row >= 0 && row + N <= rows) {
            element<N * SIZE>(to, 0) = sum.template element<N * SIZE>();
            return;
        }
        for (int i = 0; i < N; ++i) {
            if (row + i >= 0 && row + i < rows) element<SIZE>(to, i) = sum.template element<SIZE>();
        }
    }
};

template <int ACROSS, int DOWN, int BLOCKS, LoadPolicy LOADS, bool SWAPS>
struct Untransposed<TallVectorKernel<ACROSS, DOWN, BLOCKS, LOADS, SWAPS>>
    : TallVectorKernel<ACROSS, DOWN, BLOCKS, LOADS, SWAPS> {
    using Kernel = TallVectorKernel<ACROSS, DOWN, BLOCKS, LOADS, SWAPS>;

    static __device__ void run(const TransposeTask& task, char*) {
        const TileOrigin tile_origin =
            find_tile_of_block(task, Kernel::TILE_ROWS, Kernel::TILE_COLS);
        const bool is_inner = tile_origin.row >= Kernel::EXTRA_ROWS &&
                              tile_origin.row + Kernel::TILE_ROWS <= task.rows;
        Vector<16> row[16];
        Kernel::load(task, tile_origin, is_inner, row);
        Sum sum;
        sum.add(row);
        sum.wait_for_loads();
        constexpr int CHUNKS = (DOWN + 31) / 32;
        char* const out = out_matrix_address<1>(task, tile_origin) + tile_origin.row;
#pragma unroll 2
        for (int i = threadIdx.x / 32; i < Kernel::COLS * CHUNKS; i += Kernel::WARPS) {
            const int col = i / CHUNKS,
                      number = i % CHUNKS * 32 + static_cast<int>(threadIdx.x) % 32;
            if (number >= Kernel::TILE_ROWS / 16) continue;
            char* to = out + col * task.out_pitch;
            const int misaligned_bytes =
                static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % Kernel::EXTRA_ROWS);
            to += number * 16 - misaligned_bytes;
            if (is_inner) {
                store_vector(to, sum.vector);
            } else {
                Kernel::store_bytes(to, sum.vector,
                                    tile_origin.row - misaligned_bytes + number * 16, task.rows);
            }
        }
    }
};

template <int DOWN, int BLOCKS, LoadPolicy LOADS>
struct Untransposed<WideVectorKernel<DOWN, BLOCKS, LOADS>> : WideVectorKernel<DOWN, BLOCKS, LOADS> {
    using Kernel = WideVectorKernel<DOWN, BLOCKS, LOADS>;

    static __device__ void run(const TransposeTask& task, char*) {
        const TileOrigin tile_origin =
            find_tile_of_block(task, Kernel::TILE_ROWS, Kernel::TILE_COLS);
        Sum sum;
        if (tile_origin.col >= 16 && tile_origin.col + Kernel::TILE_COLS + 16 <= task.cols) {
            load<true>(task, tile_origin, sum);
        } else {
            load<false>(task, tile_origin, sum);
        }
        sum.wait_for_loads();
        const int x = threadIdx.x % DOWN, y = threadIdx.x / DOWN;
        const std::int64_t col = tile_origin.col + y * 16;
        char* const to = out_matrix_address<1>(task, tile_origin) + col * Kernel::ROWS + x * 16;
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            if (col + i < task.cols) store_vector(to + i * Kernel::ROWS, sum.vector);
        }
    }

    template <bool IS_INNER>
    static __device__ void load(const TransposeTask& task, const TileOrigin& tile_origin,
                                Sum& sum) {
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const int thread = static_cast<int>(threadIdx.x);
        const char* const in = in_matrix_address<1>(task, tile_origin);
        const char* row = in + warp * task.in_pitch;
        Vector<16> vector[Kernel::ROUNDS];
#pragma unroll
        for (int k = 0; k < Kernel::ROUNDS; ++k, row += Kernel::WARPS * task.in_pitch)
            vector[k] = Kernel::template load_vector_of_row<IS_INNER>(task, tile_origin, row, lane);
        if (thread < Kernel::ROWS) {
            sum.add(Kernel::template load_vector_of_row<IS_INNER>(
                task, tile_origin, in + thread * task.in_pitch, Kernel::THREADS_ACROSS));
        }
        sum.add(vector);
    }
};

template <int SIZE, int THREADS, int LOADS_IN_FLIGHT, bool HAS_MANY_COLS, int PAD, bool TRANSPOSES,
          LoadPolicy LOADS>
struct Untransposed<
    WideStripKernel<SIZE, THREADS, LOADS_IN_FLIGHT, HAS_MANY_COLS, PAD, TRANSPOSES, LOADS>>
    : WideStripKernel<SIZE, THREADS, LOADS_IN_FLIGHT, HAS_MANY_COLS, PAD, TRANSPOSES, LOADS> {
    using Kernel =
        WideStripKernel<SIZE, THREADS, LOADS_IN_FLIGHT, HAS_MANY_COLS, PAD, TRANSPOSES, LOADS>;

    static __device__ void run(const TransposeTask& task, char*) {
        const TileOrigin tile_origin = find_tile_of_block(task, 0, task.tile_cols);
        const std::int64_t cols_left = task.cols - tile_origin.col;
        const int cols = static_cast<int>(cols_left < task.tile_cols ? cols_left : task.tile_cols);
        char* const to =
            out_matrix_address<SIZE>(task, tile_origin) + tile_origin.col * task.rows * SIZE;
        Sum sum;
        if constexpr (TRANSPOSES) {
            load_pieces(task, tile_origin, cols, sum);
        } else if constexpr (SIZE < 4) {
            load_words(task, tile_origin, cols, sum);
        } else {
            load(task, tile_origin, cols, sum);
        }
        sum.wait_for_loads();
        copy_line<SIZE, THREADS, 4>(DeviceLine<char>{to}, SumSource{start_of(to), &sum},
                                    cols * static_cast<int>(task.rows));
    }

    /// Loads a strip. If the strip has more columns than the block has threads, a thread loads
    /// several columns.
    static __device__ void load(const TransposeTask& task, const TileOrigin& tile_origin, int cols,
                                Sum& sum) {
        const int rows = static_cast<int>(task.rows);
        const int width = HAS_MANY_COLS ? THREADS : task.tile_cols;
        const int step = THREADS / width, y = threadIdx.x / width;
        if (y >= step) return;
        const char* const strip =
            in_matrix_address<SIZE>(task, tile_origin) + tile_origin.col * SIZE;
        for (int x = threadIdx.x % width; x < cols; x += width) {
            for (int row = y; row < rows; row += step * LOADS_IN_FLIGHT) {
                Element<SIZE> value[LOADS_IN_FLIGHT] = {};
#pragma unroll
                for (int k = 0; k < LOADS_IN_FLIGHT; ++k) {
                    const int loaded_row = row + k * step;
                    const char* const from = strip + (loaded_row * task.in_pitch + x) * SIZE;
                    if (loaded_row < rows) value[k] = load_element<LOADS, SIZE>(from);
                }
                sum.add(value);
            }
        }
    }

    static __device__ void load_pieces(const TransposeTask& task, const TileOrigin& tile_origin,
                                       int cols, Sum& sum) {
        constexpr int WIDTH = Kernel::TRANSPOSED_COLS, ROWS = Kernel::TRANSPOSED_ROWS;
        const int pieces = (static_cast<int>(task.rows) + ROWS - 1) / ROWS;
        const int item_count = (cols + WIDTH - 1) / WIDTH * pieces;
        const bool is_inner = tile_origin.col >= Kernel::ELEMENTS_PER_ACCESS &&
                              tile_origin.col + cols + 8 <= task.cols;
        for (int item = threadIdx.x / 32; item < item_count; item += THREADS / 32) {
            const int row = item % pieces * ROWS, col = item / pieces * WIDTH;
            unsigned word[Kernel::TRANSPOSED_CHUNKS][ROWS];
            if (is_inner) {
                Kernel::template load_piece<true>(word, task, tile_origin, row, col, cols);
            } else {
                Kernel::template load_piece<false>(word, task, tile_origin, row, col, cols);
            }
            sum.add(word);
        }
    }

    static __device__ void load_words(const TransposeTask& task, const TileOrigin& tile_origin,
                                      int cols, Sum& sum) {
        constexpr int WARPS = THREADS / 32, CHUNK = Kernel::COLS_PER_CHUNK,
                      CHUNKS = Kernel::CHUNKS_PER_WARP;
        const int rows = static_cast<int>(task.rows), lane = threadIdx.x % 32;
        const int items = (cols + CHUNKS * CHUNK - 1) / (CHUNKS * CHUNK) * rows;
        const bool is_inner = tile_origin.col >= Kernel::ELEMENTS_PER_ACCESS &&
                              tile_origin.col + cols + 2 * Kernel::ELEMENTS_PER_ACCESS <= task.cols;
        const Divider row_divider(rows);
        const char* const strip =
            in_matrix_address<SIZE>(task, tile_origin) + tile_origin.col * SIZE;
        for (int item = threadIdx.x / 32; item < items; item += WARPS * LOADS_IN_FLIGHT) {
            unsigned word[LOADS_IN_FLIGHT * CHUNKS] = {};
#pragma unroll
            for (int k = 0; k < LOADS_IN_FLIGHT * CHUNKS; ++k) {
                const int number = item + k / CHUNKS * WARPS, group = row_divider.quotient(number);
                const int row = number - group * rows;
                const int col = group * (CHUNKS * CHUNK) + k % CHUNKS * CHUNK;
                if (number >= items || col >= cols) continue;
                const char* const line =
                    strip + (row * task.in_pitch + group * (CHUNKS * CHUNK)) * SIZE;
                const int first_element =
                    lane * 4 - static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 4);
                const char* const chunk = line + k % CHUNKS * CHUNK * SIZE;
                word[k] = is_inner ? *reinterpret_cast<const unsigned*>(chunk + first_element)
                                   : Kernel::load_row_word(chunk, first_element,
                                                           tile_origin.col + col, task.cols);
            }
            sum.add(word);
        }
    }
};

template <int SIZE, int THREADS_, int PAD, LoadPolicy LOADS, int LOADS_IN_FLIGHT, int N>
struct Untransposed<MatrixStackKernel<SIZE, THREADS_, PAD, LOADS, LOADS_IN_FLIGHT, N>>
    : MatrixStackKernel<SIZE, THREADS_, PAD, LOADS, LOADS_IN_FLIGHT, N> {
    static __device__ void run(const TransposeTask& task, char* shared) {
        const int elements = static_cast<int>(task.rows * task.cols);
        const std::int64_t first = std::int64_t{blockIdx.x} * task.matrices_per_block;
        const std::int64_t matrices_left = task.batches - first;
        const int count = elements * static_cast<int>(matrices_left < task.matrices_per_block
                                                          ? matrices_left
                                                          : task.matrices_per_block);
        const char* from = static_cast<const char*>(task.in) + first * elements * SIZE;
        char* to = static_cast<char*>(task.out) + first * elements * SIZE;
        Sum sum;
        copy_line<SIZE, THREADS_, LOADS_IN_FLIGHT>(SumLine{shared, start_of(from), &sum},
                                                   DeviceLine<const char, LOADS>{from}, count);
        sum.wait_for_loads();
        const int misaligned_elements =
            static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 128) / SIZE;
#pragma unroll 4
        for (int i = static_cast<int>(threadIdx.x) * N - misaligned_elements; i < count;
             i += THREADS_ * N) {
            if (i + N <= 0) continue;
            if (N == 1 || i < 0 || i + N > count) {
                element<SIZE>(to, i < 0 ? 0 : i) = sum.template element<SIZE>();
            } else {
                element<N * SIZE>(to + i * SIZE, 0) = sum.template element<N * SIZE>();
            }
        }
    }
};

}  // namespace addresses_only::transposing

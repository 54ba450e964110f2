/// \file
/// The parts of bounds.cu that replace the library's kernels for tiles. Only bounds.cu may include
/// this file, after it has included a second copy of the library in the namespace `addresses_only`.
#pragma once

#include <concepts>
#include <cstdint>

namespace addresses_only::transposing {

/// The exclusive or of everything that a thread has loaded.
struct Sum {
    Vector<16> vector = {};

    __device__ void add(const Vector<16>& other) {
#pragma unroll
        for (int i = 0; i < 4; ++i) vector.word[i] ^= other.word[i];
    }
    __device__ void add(uint4 value) {
        add(Vector<16>{{value.x, value.y, value.z, value.w}});
    }
    /// Combines `value` with all components of the sum, so that the compiler cannot assume that a
    /// component is 0.
    __device__ void add(std::integral auto value) {
        const auto low_word = static_cast<unsigned>(value);
        const auto high_word =
            sizeof(value) == 8 ? static_cast<unsigned>(static_cast<unsigned long long>(value) >> 32)
                               : low_word;
        add(Vector<16>{{low_word, high_word, low_word, high_word}});
    }
    template <class T, int COUNT>
    __device__ void add(const T (&values)[COUNT]) {
#pragma unroll
        for (const T& value : values) add(value);
    }

    /// Returns the first element of the vector.
    template <int SIZE>
    __device__ Element<SIZE> element() const {
        const unsigned(&word)[4] = vector.word;
        if constexpr (SIZE == 16) {
            return {word[0], word[1], word[2], word[3]};
        } else if constexpr (SIZE == 8) {
            return Element<8>{word[1]} << 32 | word[0];
        } else {
            return static_cast<Element<SIZE>>(word[0]);
        }
    }

    /// Waits until all loads of the block are complete. The barrier takes the sum as an argument,
    /// so a thread cannot arrive at the barrier before its loads are complete.
    __device__ void wait_for_loads() const {
        const unsigned(&word)[4] = vector.word;
        __syncthreads_or(static_cast<int>(word[0] | word[1] | word[2] | word[3]));
    }
};

/// Zeros from which a vector can be read at any offset from 0 to 15.
__device__ const uint4 zeros[3] = {};

/// A substitute for a line in shared memory. It combines the vectors that are stored to it into a
/// sum, and every load returns this sum.
struct SumLine {
    char* shared;  ///< memory for the elements at the ends of a line that form no whole vector
    int start;     ///< as in SharedLine
    Sum* sum;

    __device__ char* byte_address(int byte) const {
        return shared + (start + byte) % 16 + (byte < 16 ? 0 : 16);
    }
    __device__ Vector<16> load(int) const { return sum->vector; }
    __device__ void store(int, const Vector<16>& vector) const { sum->add(vector); }
};
/// A substitute for a line that is only read. Every load of a vector returns the sum, and every
/// load of an element at an end of the line returns 0.
struct SumSource {
    int start;
    Sum* sum;

    __device__ const char* byte_address(int byte) const {
        return reinterpret_cast<const char*>(zeros) + (start + byte) % 16;
    }
    __device__ Vector<16> load(int) const { return sum->vector; }
};

__device__ inline int start_of(const char* line) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 16);
}

// ---- the kernels ----

/// The substitute for `Kernel`, a kernel of the library. It accesses the same addresses as
/// `Kernel`, but transposes nothing. Each specialization replaces one kernel.
template <class Kernel>
struct Untransposed;

template <int SIZE, int BLOCK_COLS, int BLOCK_ROWS, int PIECES, LoadPolicy LOADS>
struct Untransposed<RegisterBlockKernel<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS>>
    : RegisterBlockKernel<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS> {
    using Kernel = RegisterBlockKernel<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS>;
    static constexpr int N = Kernel::VECTOR_ELEMENTS;

    static __device__ void run(const TransposeTask& task, char*) {
        const TileOrigin tile_origin =
            find_tile_in_spread_strips(task, Kernel::TILE_ROWS, Kernel::TILE_COLS);
        const char* const in = in_matrix_address<SIZE>(task, tile_origin);
        char* const out = out_matrix_address<SIZE>(task, tile_origin);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t from_col = tile_origin.col + x * N;
        Vector<16> value[PIECES * N] = {};
#pragma unroll
        for (int k = 0; k < PIECES * N; ++k) {
            const std::int64_t row = tile_origin.row + (y + k / N * BLOCK_ROWS) * N + k % N;
            if (row >= task.rows || from_col >= task.cols) continue;
            value[k] = load_with_policy<LOADS>(in + (row * task.in_pitch + from_col) * SIZE);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        const int quad = threadIdx.x % Kernel::VECTORS_PER_ROW,
                  first_col = threadIdx.x / Kernel::VECTORS_PER_ROW;
        const std::int64_t row = tile_origin.row + quad * N;
        static_assert(Kernel::ROUNDS == PIECES * N, "as many stores as loads");
#pragma unroll
        for (int k = 0; k < Kernel::ROUNDS; ++k) {
            const std::int64_t col = tile_origin.col + first_col + k * Kernel::COLS_PER_ROUND;
            if (row >= task.rows || col >= task.cols) continue;
            store_vector(out + (col * task.out_pitch + row) * SIZE, value[k]);
        }
    }
};

template <int SIZE, int BLOCK_COLS, int BLOCK_ROWS, LoadPolicy LOADS>
struct Untransposed<WholeSectorKernel<SIZE, BLOCK_COLS, BLOCK_ROWS, LOADS>>
    : WholeSectorKernel<SIZE, BLOCK_COLS, BLOCK_ROWS, LOADS> {
    using Kernel = WholeSectorKernel<SIZE, BLOCK_COLS, BLOCK_ROWS, LOADS>;
    static constexpr int N = Kernel::VECTOR_ELEMENTS;

    static __device__ void run(const TransposeTask& task, char*) {
        const TileOrigin tile_origin =
            find_tile_of_block(task, Kernel::TILE_ROWS, Kernel::TILE_COLS);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t from_col = tile_origin.col + x * N,
                           from_row = tile_origin.row - Kernel::EXTRA_ROWS + y * N;
        Vector<16> value[N] = {};
        if (from_row >= 0 && from_row < task.rows && from_col < task.cols) {
            const char* from = in_matrix_address<SIZE>(task, tile_origin) +
                               (from_row * task.in_pitch + from_col) * SIZE;
#pragma unroll
            for (int i = 0; i < N; ++i, from += task.in_pitch * SIZE)
                value[i] = load_with_policy<LOADS>(from);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        const int quad = threadIdx.x % BLOCK_ROWS, first_col = threadIdx.x / BLOCK_ROWS;
        if (quad >= BLOCK_ROWS - Kernel::EXTRA_ROWS / N) return;
        char* const out = out_matrix_address<SIZE>(task, tile_origin);
        static_assert(Kernel::ROUNDS == N, "as many stores as loads");
#pragma unroll
        for (int k = 0; k < Kernel::ROUNDS; ++k) {
            const std::int64_t col = tile_origin.col + first_col + k * Kernel::COLS_PER_ROUND;
            const char* const start = out + (col * task.out_pitch + tile_origin.row) * SIZE;
            const int vectors_before_row =
                static_cast<int>(reinterpret_cast<std::uintptr_t>(start) % 32 / 16);
            const std::int64_t row = tile_origin.row + (quad - vectors_before_row) * N;
            if (row < 0 || row >= task.rows || col >= task.cols) continue;
            store_vector(out + (col * task.out_pitch + row) * SIZE, sum.vector);
        }
    }
};

template <LoadPolicy LOADS>
struct Untransposed<AlignedWordKernel<LOADS>> : AlignedWordKernel<LOADS> {
    static __device__ void run(const TransposeTask& task, char*) {
        const TileOrigin tile_origin = AlignedWordKernel<LOADS>::find_tile(task);
        const int x = threadIdx.x % 16, y = threadIdx.x / 16;
        const std::int64_t col = tile_origin.col + 4 * x, row = tile_origin.row + y;
        const char* const from =
            in_matrix_address<4>(task, tile_origin) + (row * task.in_pitch + col) * 4;
        Vector<16> value[2] = {};
        if (col < task.cols && row < task.rows) value[0] = load_with_policy<LOADS>(from);
        if (col < task.cols && row + 32 < task.rows) {
            value[1] = load_with_policy<LOADS>(from + 32 * task.in_pitch * 4);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        const std::int64_t out_col = tile_origin.col + 2 * y, out_row = tile_origin.row + 4 * x;
        if (out_col >= task.cols || out_row >= task.rows) return;
        char* const to =
            out_matrix_address<4>(task, tile_origin) + (out_col * task.out_pitch + out_row) * 4;
        store_vector(to, value[0]);
        store_vector(to + task.out_pitch * 4, value[1]);
    }
};

template <int SIZE, int ROWS, int COLS, int THREADS, int SHIFT_BYTES, LoadPolicy LOADS>
struct Untransposed<ShiftedElementKernel<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS>>
    : ShiftedElementKernel<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS> {
    using Kernel = ShiftedElementKernel<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS>;

    static __device__ void run(const TransposeTask& task, char*) {
        const TileOrigin tile_origin = SIZE <= 4 ? find_tile_in_strip_group(task, ROWS, COLS)
                                                 : find_tile_of_block(task, ROWS, COLS);
        const Sum sum = load(task, tile_origin);
        sum.wait_for_loads();
        store(task, tile_origin, sum.template element<SIZE>());
    }

    static __device__ Sum load(const TransposeTask& task, const TileOrigin& tile_origin) {
        const int x = threadIdx.x % COLS, y = threadIdx.x / COLS;
        const std::int64_t col =
            tile_origin.col + x < task.cols ? tile_origin.col + x : task.cols - 1;
        const std::int64_t top = tile_origin.row - Kernel::EXTRA_ROWS;
        const char* from = in_matrix_address<SIZE>(task, tile_origin) + col * SIZE;
        Element<SIZE> value[Kernel::LOADS_PER_THREAD];
        if (top >= 0 && top + Kernel::LOADS_PER_THREAD * Kernel::ROWS_PER_LOAD <= task.rows) {
            from += (top + y) * task.in_pitch * SIZE;
#pragma unroll
            for (int k = 0; k < Kernel::LOADS_PER_THREAD;
                 ++k, from += Kernel::ROWS_PER_LOAD * task.in_pitch * SIZE)
                value[k] = load_element<LOADS, SIZE>(from);
        } else {
#pragma unroll
            for (int k = 0; k < Kernel::LOADS_PER_THREAD; ++k) {
                std::int64_t row = top + y + k * Kernel::ROWS_PER_LOAD;
                row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
                value[k] = element<SIZE>(from, row * task.in_pitch);
            }
        }
        Sum sum;
        sum.add(value);
        return sum;
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& tile_origin,
                                 Element<SIZE> value) {
        char* const out = out_matrix_address<SIZE>(task, tile_origin);
        const int y = threadIdx.x % ROWS, first_col = threadIdx.x / ROWS;
        char* to =
            out + ((tile_origin.col + first_col) * task.out_pitch + tile_origin.row + y) * SIZE;
#pragma unroll
        for (int k = 0; k < Kernel::STORES_PER_THREAD;
             ++k, to += Kernel::COLS_PER_STORE * task.out_pitch * SIZE) {
            const std::int64_t col = tile_origin.col + first_col + k * Kernel::COLS_PER_STORE;
            const int misaligned_elements =
                count_misaligned_elements<SIZE, Kernel::ALIGNMENT_ELEMENTS>(out, col,
                                                                            task.out_pitch);
            const std::int64_t row = tile_origin.row + y - misaligned_elements;
            if (col < task.cols && row >= 0 && row < task.rows)
                element<SIZE>(to, -misaligned_elements) = value;
        }
    }
};

template <int SIZE, int LOADED_ROWS, int THREADS, int BLOCKS, LoadPolicy LOADS, int SHIFT>
struct Untransposed<RewoundRowKernel<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT>>
    : RewoundRowKernel<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT> {
    using Kernel = RewoundRowKernel<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT>;

    static __device__ void run(const TransposeTask& task, char*) {
        const TileOrigin tile_origin =
            find_tile_in_strip_group(task, Kernel::TILE_ROWS, Kernel::TILE_COLS);
        const std::int64_t top = tile_origin.row - Kernel::EXTRA_ROWS;
        const char* corner = in_matrix_address<SIZE>(task, tile_origin) +
                             (top * task.in_pitch + tile_origin.col) * SIZE;
        Vector<16> value[Kernel::ROUNDS];
        if (Kernel::can_read_around_tile(task, tile_origin)) {
            Kernel::load(task, corner, value);
        } else {
            Kernel::load_edge_tile(task, tile_origin, corner, value);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        store(task, tile_origin, sum.vector);
    }

    static __device__ void store(const TransposeTask& task, const TileOrigin& tile_origin,
                                 const Vector<16>& value) {
        const int quad = threadIdx.x % Kernel::VECTORS_PER_ROW,
                  first_col = Kernel::find_first_col();
        if (quad >= Kernel::VECTORS_PER_ROW - SHIFT / 16) return;
        const std::int64_t start = (tile_origin.col + first_col) * task.out_pitch + tile_origin.row;
        char* to = out_matrix_address<SIZE>(task, tile_origin) + start * SIZE;
        const unsigned misaligned_bytes = reinterpret_cast<std::uintptr_t>(to) % SHIFT;
        const std::int64_t row =
            tile_origin.row + quad * Kernel::VECTOR_ELEMENTS - misaligned_bytes / SIZE;
        const bool is_whole = row >= 0 && row + Kernel::VECTOR_ELEMENTS <= task.rows;
        to += quad * 16 - static_cast<int>(misaligned_bytes);
        const std::int64_t cols_left = task.cols - tile_origin.col;
        for (int x = first_col; x < Kernel::TILE_COLS && x < cols_left;
             x += Kernel::COLS_PER_ROUND) {
            if (is_whole) {
                store_vector(to, value);
            } else {
                Kernel::store_elements(to, value, row, task.rows);
            }
            to += Kernel::COLS_PER_ROUND * task.out_pitch * SIZE;
        }
    }
};

}  // namespace addresses_only::transposing

/// \file
/// The parts of bounds.cu that replace the library's kernels for tiles. Only bounds.cu may include
/// this file, after it has included a second copy of the library in the namespace `addresses_only`.
#pragma once

#include <concepts>
#include <cstdint>

namespace addresses_only::transposing {

/// Everything that a thread has loaded, combined by exclusive or.
struct Sum {
    Vector<16> vector = {};

    __device__ void add(const Vector<16>& other) {
#pragma unroll
        for (int i = 0; i < 4; ++i) vector.word[i] ^= other.word[i];
    }
    __device__ void add(uint4 value) {
        add(Vector<16>{{value.x, value.y, value.z, value.w}});
    }
    /// Combines `value` with every element of the vector, so that no element is always 0.
    __device__ void add(std::integral auto value) {
        const auto low = static_cast<unsigned>(value);
        const auto high = sizeof(value) == 8
                              ? static_cast<unsigned>(static_cast<unsigned long long>(value) >> 32)
                              : low;
        add(Vector<16>{{low, high, low, high}});
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
    /// so no thread arrives before its loads are complete.
    __device__ void wait_for_loads() const {
        const unsigned(&word)[4] = vector.word;
        __syncthreads_or(static_cast<int>(word[0] | word[1] | word[2] | word[3]));
    }
};

/// Zeros that can be read as a vector at any offset from 0 to 15.
__device__ const uint4 zeros[3] = {};

/// A substitute for a line in shared memory. It adds up the vectors that are stored to it, and
/// every load returns the sum.
struct SumLine {
    char* shared;  ///< memory for the elements at the ends of a line that form no whole vector
    int start;     ///< as in SharedLine
    Sum* sum;

    __device__ char* at(int byte) const {
        return shared + (start + byte) % 16 + (byte < 16 ? 0 : 16);
    }
    __device__ Vector<16> load(int) const { return sum->vector; }
    __device__ void store(int, const Vector<16>& vector) const { sum->add(vector); }
};
/// A substitute for a line that is only read. Every load of a vector returns the sum, and the
/// elements at the ends are 0.
struct SumSource {
    int start;
    Sum* sum;

    __device__ const char* at(int byte) const {
        return reinterpret_cast<const char*>(zeros) + (start + byte) % 16;
    }
    __device__ Vector<16> load(int) const { return sum->vector; }
};

__device__ inline int start_of(const char* line) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 16);
}

// ---- the kernels ----

/// The substitute for `Kernel`, a kernel of the library. It accesses the same addresses, but
/// transposes nothing. Each specialization replaces one kernel.
template <class Kernel>
struct Untransposed;

template <int SIZE, int BLOCK_COLS, int BLOCK_ROWS, int PIECES, LoadPolicy LOADS>
struct Untransposed<RegisterBlocks<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS>>
    : RegisterBlocks<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS> {
    using Kernel = RegisterBlocks<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS>;
    static constexpr int N = Kernel::VECTOR_ELEMENTS;

    static __device__ void run(const Task& task, char*) {
        const TileOrigin place =
            find_tile_in_spread_strips(task, Kernel::TILE_ROWS, Kernel::TILE_COLS);
        const char* const in = in_address<SIZE>(task, place);
        char* const out = out_address<SIZE>(task, place);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t from_col = place.col + x * N;
        Vector<16> value[PIECES * N] = {};
#pragma unroll
        for (int k = 0; k < PIECES * N; ++k) {
            const std::int64_t row = place.row + (y + k / N * BLOCK_ROWS) * N + k % N;
            if (row >= task.rows || from_col >= task.cols) continue;
            value[k] = load_evict_last<LOADS>(in + (row * task.in_pitch + from_col) * SIZE);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        const int quad = threadIdx.x % Kernel::ROW_VECTORS,
                  first = threadIdx.x / Kernel::ROW_VECTORS;
        const std::int64_t row = place.row + quad * N;
        static_assert(Kernel::ROUNDS == PIECES * N, "as many stores as loads");
#pragma unroll
        for (int k = 0; k < Kernel::ROUNDS; ++k) {
            const std::int64_t col = place.col + first + k * Kernel::COLS_PER_ROUND;
            if (row >= task.rows || col >= task.cols) continue;
            store_vector(out + (col * task.out_pitch + row) * SIZE, value[k]);
        }
    }
};

template <int SIZE, int BLOCK_COLS, int BLOCK_ROWS, LoadPolicy LOADS>
struct Untransposed<RegisterBlocksToSectors<SIZE, BLOCK_COLS, BLOCK_ROWS, LOADS>>
    : RegisterBlocksToSectors<SIZE, BLOCK_COLS, BLOCK_ROWS, LOADS> {
    using Kernel = RegisterBlocksToSectors<SIZE, BLOCK_COLS, BLOCK_ROWS, LOADS>;
    static constexpr int N = Kernel::VECTOR_ELEMENTS;

    static __device__ void run(const Task& task, char*) {
        const TileOrigin place = find_tile_of_block(task, Kernel::TILE_ROWS, Kernel::TILE_COLS);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t from_col = place.col + x * N,
                           from_row = place.row - Kernel::LEAD + y * N;
        Vector<16> value[N] = {};
        if (from_row >= 0 && from_row < task.rows && from_col < task.cols) {
            const char* from =
                in_address<SIZE>(task, place) + (from_row * task.in_pitch + from_col) * SIZE;
#pragma unroll
            for (int i = 0; i < N; ++i, from += task.in_pitch * SIZE)
                value[i] = load_evict_last<LOADS>(from);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        const int quad = threadIdx.x % BLOCK_ROWS, first = threadIdx.x / BLOCK_ROWS;
        if (quad >= BLOCK_ROWS - Kernel::LEAD / N) return;
        char* const out = out_address<SIZE>(task, place);
        static_assert(Kernel::ROUNDS == N, "as many stores as loads");
#pragma unroll
        for (int k = 0; k < Kernel::ROUNDS; ++k) {
            const std::int64_t col = place.col + first + k * Kernel::COLS_PER_ROUND;
            const char* const start = out + (col * task.out_pitch + place.row) * SIZE;
            const int before = static_cast<int>(reinterpret_cast<std::uintptr_t>(start) % 32 / 16);
            const std::int64_t row = place.row + (quad - before) * N;
            if (row < 0 || row >= task.rows || col >= task.cols) continue;
            store_vector(out + (col * task.out_pitch + row) * SIZE, sum.vector);
        }
    }
};

template <LoadPolicy LOADS>
struct Untransposed<AlignedWords<LOADS>> : AlignedWords<LOADS> {
    static __device__ void run(const Task& task, char*) {
        const TileOrigin place = AlignedWords<LOADS>::find_tile(task);
        const int x = threadIdx.x % 16, y = threadIdx.x / 16;
        const std::int64_t col = place.col + 4 * x, row = place.row + y;
        const char* const from = in_address<4>(task, place) + (row * task.in_pitch + col) * 4;
        Vector<16> value[2] = {};
        if (col < task.cols && row < task.rows) value[0] = load_evict_last<LOADS>(from);
        if (col < task.cols && row + 32 < task.rows) {
            value[1] = load_evict_last<LOADS>(from + 32 * task.in_pitch * 4);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        const std::int64_t out_col = place.col + 2 * y, out_row = place.row + 4 * x;
        if (out_col >= task.cols || out_row >= task.rows) return;
        char* const to = out_address<4>(task, place) + (out_col * task.out_pitch + out_row) * 4;
        store_vector(to, value[0]);
        store_vector(to + task.out_pitch * 4, value[1]);
    }
};

template <int SIZE, int ROWS, int COLS, int THREADS, int SHIFT_BYTES, LoadPolicy LOADS>
struct Untransposed<ShiftedElements<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS>>
    : ShiftedElements<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS> {
    using Kernel = ShiftedElements<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS>;

    static __device__ void run(const Task& task, char*) {
        const TileOrigin place = SIZE <= 4 ? find_tile_in_strip_group(task, ROWS, COLS)
                                           : find_tile_of_block(task, ROWS, COLS);
        const Sum sum = load(task, place);
        sum.wait_for_loads();
        store(task, place, sum.template element<SIZE>());
    }

    static __device__ Sum load(const Task& task, const TileOrigin& place) {
        const int x = threadIdx.x % COLS, y = threadIdx.x / COLS;
        const std::int64_t col = place.col + x < task.cols ? place.col + x : task.cols - 1;
        const std::int64_t top = place.row - Kernel::LEAD;
        const char* from = in_address<SIZE>(task, place) + col * SIZE;
        Element<SIZE> value[Kernel::LOADS];
        if (top >= 0 && top + Kernel::LOADS * Kernel::LOAD_ROWS <= task.rows) {
            from += (top + y) * task.in_pitch * SIZE;
#pragma unroll
            for (int k = 0; k < Kernel::LOADS;
                 ++k, from += Kernel::LOAD_ROWS * task.in_pitch * SIZE)
                value[k] = load_element<LOADS, SIZE>(from);
        } else {
#pragma unroll
            for (int k = 0; k < Kernel::LOADS; ++k) {
                std::int64_t row = top + y + k * Kernel::LOAD_ROWS;
                row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
                value[k] = element<SIZE>(from, row * task.in_pitch);
            }
        }
        Sum sum;
        sum.add(value);
        return sum;
    }

    static __device__ void store(const Task& task, const TileOrigin& place, Element<SIZE> value) {
        char* const out = out_address<SIZE>(task, place);
        const int y = threadIdx.x % ROWS, first = threadIdx.x / ROWS;
        char* to = out + ((place.col + first) * task.out_pitch + place.row + y) * SIZE;
#pragma unroll
        for (int k = 0; k < Kernel::STORES; ++k, to += Kernel::STORE_COLS * task.out_pitch * SIZE) {
            const std::int64_t col = place.col + first + k * Kernel::STORE_COLS;
            const int phase = alignment_phase<SIZE, Kernel::SHIFT>(out, col, task.out_pitch);
            const std::int64_t row = place.row + y - phase;
            if (col < task.cols && row >= 0 && row < task.rows) element<SIZE>(to, -phase) = value;
        }
    }
};

template <int SIZE, int LOADED_ROWS, int THREADS, int BLOCKS, LoadPolicy LOADS, int SHIFT>
struct Untransposed<RewoundRows<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT>>
    : RewoundRows<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT> {
    using Kernel = RewoundRows<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT>;

    static __device__ void run(const Task& task, char*) {
        const TileOrigin place =
            find_tile_in_strip_group(task, Kernel::TILE_ROWS, Kernel::TILE_COLS);
        const std::int64_t top = place.row - Kernel::LEAD;
        const char* corner =
            in_address<SIZE>(task, place) + (top * task.in_pitch + place.col) * SIZE;
        Vector<16> value[Kernel::ROUNDS];
        if (Kernel::may_read_around(task, place)) {
            Kernel::load(task, corner, value);
        } else {
            Kernel::load_edge(task, place, corner, value);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        store(task, place, sum.vector);
    }

    static __device__ void store(const Task& task, const TileOrigin& place,
                                 const Vector<16>& value) {
        const int quad = threadIdx.x % Kernel::ROW_VECTORS, first = Kernel::first_col();
        if (quad >= Kernel::ROW_VECTORS - SHIFT / 16) return;
        const std::int64_t start = (place.col + first) * task.out_pitch + place.row;
        char* to = out_address<SIZE>(task, place) + start * SIZE;
        const unsigned before = reinterpret_cast<std::uintptr_t>(to) % SHIFT;
        const std::int64_t row = place.row + quad * Kernel::VECTOR_ELEMENTS - before / SIZE;
        const bool is_whole = row >= 0 && row + Kernel::VECTOR_ELEMENTS <= task.rows;
        to += quad * 16 - static_cast<int>(before);
        const std::int64_t left = task.cols - place.col;
        for (int x = first; x < Kernel::TILE_COLS && x < left; x += Kernel::COL_STEP) {
            if (is_whole) {
                store_vector(to, value);
            } else {
                Kernel::store_elements(to, value, row, task.rows);
            }
            to += Kernel::COL_STEP * task.out_pitch * SIZE;
        }
    }
};

}  // namespace addresses_only::transposing

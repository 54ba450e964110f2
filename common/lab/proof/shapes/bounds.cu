// What the addresses of a transpose allow: the kernels of the header, of which only loads and stores are left.
// A thread sums up what it loads, by exclusive or, and stores the sum wherever the header's kernel would
// store. Blocks wait for all their loads, as a tile has to; but nothing goes through shared memory.
// Tasks, tiles, grids, and the shared memory that limits how many blocks are at work are the header's own.

#include <concepts>

// A second copy of the header, whose launches lead to the kernels here. It needs a namespace of its own.
#define coalesce unturned
#include <coalesce/transpose.cuh>
#undef coalesce

#include "harness/errors.h"
#include "lab/proof/device_count.h"
#include "lab/proof/shapes/bounds.h"

namespace unturned::transposing {

/// What a thread has loaded, by exclusive or.
struct Sum {
    Vector<16> vector = {};

    __device__ void add(const Vector<16>& other) {
#pragma unroll
        for (int i = 0; i < 4; ++i) vector.word[i] ^= other.word[i];
    }
    __device__ void add(uint4 value) {
        add(Vector<16>{{value.x, value.y, value.z, value.w}});
    }
    /// Every element of the vector is changed, so that none of them is always 0.
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

    /// Its first element.
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

    /// Until all threads of the block have what they load: nobody arrives here before its sum is known.
    __device__ void wait_for_loads() const {
        const unsigned(&word)[4] = vector.word;
        __syncthreads_or(static_cast<int>(word[0] | word[1] | word[2] | word[3]));
    }
};

/// Stands where nothing is loaded from, at every remainder of 16.
__device__ const uint4 nothing[3] = {};

/// In place of a line in shared memory: what comes in is added up, and each vector that is wanted is the sum.
struct SumLine {
    char* shared;  ///< for the few elements at the ends of a line that are no whole vectors
    int start;     ///< as in SharedLine
    Sum* sum;

    /// Of its own for each of those elements.
    __device__ char* at(int byte) const {
        return shared + (start + byte) % 16 + (byte < 16 ? 0 : 16);
    }
    __device__ Vector<16> load(int) const { return sum->vector; }
    __device__ void store(int, const Vector<16>& vector) const { sum->add(vector); }
};
/// The same where elements at the ends are wanted: they are 0.
struct SumSource {
    int start;
    Sum* sum;

    __device__ const char* at(int byte) const {
        return reinterpret_cast<const char*>(nothing) + (start + byte) % 16;
    }
    __device__ Vector<16> load(int) const { return sum->vector; }
};

__device__ inline int start_of(const char* line) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 16);
}

// ---- the kernels ----

template <class Kernel>
struct Unturned;

template <int SIZE, int BLOCK_COLS, int BLOCK_ROWS, int PIECES, Loads LOADS>
struct Unturned<Pieces<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS>>
    : Pieces<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS> {
    using Turned = Pieces<SIZE, BLOCK_COLS, BLOCK_ROWS, PIECES, LOADS>;

    static __device__ void run(const Task& task, char*) {
        const Place place = place_of_spread_block(task, Turned::TILE_ROWS, Turned::TILE_COLS);
        const char* const in = in_of<SIZE>(task, place);
        char* const out = out_of<SIZE>(task, place);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t from_col = place.col + x * Turned::N;
        Vector<16> value[PIECES * Turned::N] = {};
#pragma unroll
        for (int k = 0; k < PIECES * Turned::N; ++k) {
            const int line = (y + k / Turned::N * BLOCK_ROWS) * Turned::N + k % Turned::N;
            const std::int64_t row = place.row + line;
            if (row >= task.rows || from_col >= task.cols) continue;
            value[k] = load_far<LOADS>(in + (row * task.in_pitch + from_col) * SIZE);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        const int quad = threadIdx.x % Turned::QUADS, first = threadIdx.x / Turned::QUADS;
        const std::int64_t row = place.row + quad * Turned::N;
        static_assert(Turned::ROUNDS == PIECES * Turned::N, "as many stores as loads");
#pragma unroll
        for (int k = 0; k < Turned::ROUNDS; ++k) {
            const std::int64_t col = place.col + first + k * Turned::ROUND_COLS;
            if (row >= task.rows || col >= task.cols) continue;
            store_vector(out + (col * task.out_pitch + row) * SIZE, value[k]);
        }
    }
};

template <Loads LOADS>
struct Unturned<Raw<LOADS>> : Raw<LOADS> {
    static __device__ void run(const Task& task, char*) {
        const Place place = Raw<LOADS>::place_of(task);
        const int x = threadIdx.x % 16, y = threadIdx.x / 16;
        const std::int64_t col = place.col + 4 * x, row = place.row + y;
        const char* const from = in_of<4>(task, place) + (row * task.in_pitch + col) * 4;
        Vector<16> value[2] = {};
        if (col < task.cols && row < task.rows) value[0] = load_far<LOADS>(from);
        if (col < task.cols && row + 32 < task.rows) {
            value[1] = load_far<LOADS>(from + 32 * task.in_pitch * 4);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        const std::int64_t out_col = place.col + 2 * y, out_row = place.row + 4 * x;
        if (out_col >= task.cols || out_row >= task.rows) return;
        char* const to = out_of<4>(task, place) + (out_col * task.out_pitch + out_row) * 4;
        store_vector(to, value[0]);
        store_vector(to + task.out_pitch * 4, value[1]);
    }
};

template <int SIZE, int ROWS, int COLS, int THREADS, int SHIFT_BYTES, Loads LOADS>
struct Unturned<Shifted<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS>>
    : Shifted<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS> {
    using Turned = Shifted<SIZE, ROWS, COLS, THREADS, SHIFT_BYTES, LOADS>;

    static __device__ void run(const Task& task, char*) {
        const Place place =
            SIZE <= 4 ? place_of_grouped_block(task, ROWS, COLS) : place_of_block(task, ROWS, COLS);
        const Sum sum = load(task, place);
        sum.wait_for_loads();
        store(task, place, sum.template element<SIZE>());
    }

    static __device__ Sum load(const Task& task, const Place& place) {
        const int x = threadIdx.x % COLS, y = threadIdx.x / COLS;
        const std::int64_t col = place.col + x < task.cols ? place.col + x : task.cols - 1;
        const char* const from = in_of<SIZE>(task, place) + col * SIZE;
        Element<SIZE> value[Turned::LOADS];
#pragma unroll
        for (int k = 0; k < Turned::LOADS; ++k) {
            std::int64_t row = place.row - Turned::LEAD + y + k * Turned::LOAD_ROWS;
            row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
            value[k] = load_element<LOADS, SIZE>(from + row * task.in_pitch * SIZE);
        }
        Sum sum;
        sum.add(value);
        return sum;
    }

    static __device__ void store(const Task& task, const Place& place, Element<SIZE> value) {
        char* const out = out_of<SIZE>(task, place);
        const int y = threadIdx.x % ROWS, first = threadIdx.x / ROWS;
#pragma unroll
        for (int k = 0; k < Turned::STORES; ++k) {
            const std::int64_t col = place.col + first + k * Turned::STORE_COLS;
            const std::int64_t row =
                place.row + y - phase_of<SIZE, Turned::SHIFT>(out, col, task.out_pitch);
            if (col >= task.cols || row < 0 || row >= task.rows) continue;
            element<SIZE>(out, col * task.out_pitch + row) = value;
        }
    }
};

template <int SIZE, int LOADED_ROWS, int THREADS, int BLOCKS, Loads LOADS, int SHIFT>
struct Unturned<Rewound<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT>>
    : Rewound<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT> {
    using Turned = Rewound<SIZE, LOADED_ROWS, THREADS, BLOCKS, LOADS, SHIFT>;

    static __device__ void run(const Task& task, char*) {
        const Place place = place_of_grouped_block(task, Turned::TILE_ROWS, Turned::TILE_COLS);
        const std::int64_t top = place.row - Turned::LEAD;
        const char* corner = in_of<SIZE>(task, place) + (top * task.in_pitch + place.col) * SIZE;
        Vector<16> value[Turned::ROUNDS];
        if (Turned::may_read_around(task, place)) {
            Turned::load(task, corner, value);
        } else {
            Turned::load_edge(task, place, corner, value);
        }
        Sum sum;
        sum.add(value);
        sum.wait_for_loads();
        store(task, place, sum.vector);
    }

    static __device__ void store(const Task& task, const Place& place, const Vector<16>& value) {
        const int quad = threadIdx.x % Turned::QUADS, first = Turned::first_col();
        if (quad >= Turned::QUADS - SHIFT / 16) return;
        const std::int64_t start = (place.col + first) * task.out_pitch + place.row;
        char* to = out_of<SIZE>(task, place) + start * SIZE;
        const unsigned before = reinterpret_cast<std::uintptr_t>(to) % SHIFT;
        const std::int64_t row = place.row + quad * Turned::N - before / SIZE;
        const bool is_whole = row >= 0 && row + Turned::N <= task.rows;
        to += quad * 16 - static_cast<int>(before);
        const std::int64_t left = task.cols - place.col;
        for (int x = first; x < Turned::TILE_COLS && x < left; x += Turned::COL_STEP) {
            if (is_whole) {
                store_vector(to, value);
            } else {
                Turned::store_elements(to, value, row, task.rows);
            }
            to += Turned::COL_STEP * task.out_pitch * SIZE;
        }
    }
};

template <int SIZE, int THREADS, int AHEAD, int PAD>
struct Unturned<Tall<SIZE, THREADS, AHEAD, PAD>> : Tall<SIZE, THREADS, AHEAD, PAD> {
    using Turned = Tall<SIZE, THREADS, AHEAD, PAD>;

    static __device__ void run(const Task& task, char* shared) {
        const Place place = place_of_block(task, task.tile_rows, 0);
        const std::int64_t top = place.row < Turned::LEAD ? 0 : place.row - Turned::LEAD;
        const std::int64_t end = place.row + task.tile_rows;
        const int rows = static_cast<int>((end < task.rows ? end : task.rows) - top);
        const char* from = in_of<SIZE>(task, place) + top * task.cols * SIZE;
        Sum sum;
        if (rows > 0) {
            copy_line<SIZE, THREADS, AHEAD>(SumLine{shared, start_of(from), &sum},
                                            DeviceLine<const char>{from},
                                            rows * static_cast<int>(task.cols));
        }
        sum.wait_for_loads();
        store(task, place, sum);
    }

    static __device__ void store(const Task& task, const Place& place, const Sum& sum) {
        constexpr int WARPS = THREADS / 32, N = Turned::N;
        const int groups = task.tile_rows / Turned::GROUP;
        const int at_once = groups < WARPS ? groups : WARPS;
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        for (int group = warp & (at_once - 1); group < groups; group += at_once) {
            const std::int64_t first = place.row + group * Turned::GROUP;
            for (int col = warp / at_once; col < task.cols; col += WARPS / at_once) {
                char* const line =
                    out_of<SIZE>(task, place) + (col * task.out_pitch + first) * SIZE;
                const int phase =
                    static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 32 / SIZE);
                const std::int64_t row = first + lane * N - phase;
                store_rows(line + (lane * N - phase) * SIZE, sum, row, task.rows);
            }
        }
    }

    static __device__ void store_rows(char* to, const Sum& sum, std::int64_t row,
                                      std::int64_t rows) {
        constexpr int N = Turned::N;
        if (row >= 0 && row + N <= rows) {
            element<N * SIZE>(to, 0) = sum.template element<N * SIZE>();
            return;
        }
        for (int i = 0; i < N; ++i) {
            if (row + i >= 0 && row + i < rows) element<SIZE>(to, i) = sum.template element<SIZE>();
        }
    }
};

template <int SIZE, int THREADS, int AHEAD, bool HAS_MANY_COLS, int PAD, bool IS_TURNED,
          Loads LOADS>
struct Unturned<Wide<SIZE, THREADS, AHEAD, HAS_MANY_COLS, PAD, IS_TURNED, LOADS>>
    : Wide<SIZE, THREADS, AHEAD, HAS_MANY_COLS, PAD, IS_TURNED, LOADS> {
    using Turned = Wide<SIZE, THREADS, AHEAD, HAS_MANY_COLS, PAD, IS_TURNED, LOADS>;

    static __device__ void run(const Task& task, char*) {
        const Place place = place_of_block(task, 0, task.tile_cols);
        const std::int64_t left = task.cols - place.col;
        const int cols = static_cast<int>(left < task.tile_cols ? left : task.tile_cols);
        char* const to = out_of<SIZE>(task, place) + place.col * task.rows * SIZE;
        Sum sum;
        if constexpr (IS_TURNED) {
            load_turned(task, place, cols, sum);
        } else if constexpr (SIZE < 4) {
            load_words(task, place, cols, sum);
        } else {
            load(task, place, cols, sum);
        }
        sum.wait_for_loads();
        copy_line<SIZE, THREADS, 4>(DeviceLine<char>{to}, SumSource{start_of(to), &sum},
                                    cols * static_cast<int>(task.rows));
    }

    /// AHEAD elements of a column at a time; of strips with more columns than threads, one row after the other.
    static __device__ void load(const Task& task, const Place& place, int cols, Sum& sum) {
        const int rows = static_cast<int>(task.rows);
        const int width = HAS_MANY_COLS ? THREADS : task.tile_cols;
        const int step = THREADS / width, y = threadIdx.x / width;
        if (y >= step) return;
        const char* const strip = in_of<SIZE>(task, place) + place.col * SIZE;
        for (int x = threadIdx.x % width; x < cols; x += width) {
            for (int row = y; row < rows; row += step * AHEAD) {
                Element<SIZE> value[AHEAD] = {};
#pragma unroll
                for (int k = 0; k < AHEAD; ++k) {
                    const int at = row + k * step;
                    const char* const from = strip + (at * task.in_pitch + x) * SIZE;
                    if (at < rows) value[k] = load_element<LOADS, SIZE>(from);
                }
                sum.add(value);
            }
        }
    }

    static __device__ void load_turned(const Task& task, const Place& place, int cols, Sum& sum) {
        constexpr int WIDTH = Turned::TURNED_COLS, ROWS = Turned::TURNED_ROWS;
        const int pieces = (static_cast<int>(task.rows) + ROWS - 1) / ROWS;
        const int items = (cols + WIDTH - 1) / WIDTH * pieces;
        const bool is_inner = place.col >= Turned::N && place.col + cols + 8 <= task.cols;
        for (int item = threadIdx.x / 32; item < items; item += THREADS / 32) {
            const int row = item % pieces * ROWS, col = item / pieces * WIDTH;
            unsigned word[Turned::TURNED_CHUNKS][ROWS];
            if (is_inner) {
                Turned::template load_piece<true>(word, task, place, row, col, cols);
            } else {
                Turned::template load_piece<false>(word, task, place, row, col, cols);
            }
            sum.add(word);
        }
    }

    static __device__ void load_words(const Task& task, const Place& place, int cols, Sum& sum) {
        constexpr int WARPS = THREADS / 32, CHUNK = Turned::CHUNK, CHUNKS = Turned::CHUNKS;
        const int rows = static_cast<int>(task.rows), lane = threadIdx.x % 32;
        const int items = (cols + CHUNKS * CHUNK - 1) / (CHUNKS * CHUNK) * rows;
        const bool is_inner =
            place.col >= Turned::N && place.col + cols + 2 * Turned::N <= task.cols;
        const Divider by_rows(rows);
        const char* const strip = in_of<SIZE>(task, place) + place.col * SIZE;
        for (int item = threadIdx.x / 32; item < items; item += WARPS * AHEAD) {
            unsigned word[AHEAD * CHUNKS] = {};
#pragma unroll
            for (int k = 0; k < AHEAD * CHUNKS; ++k) {
                const int number = item + k / CHUNKS * WARPS, group = by_rows.quotient(number);
                const int row = number - group * rows;
                const int col = group * (CHUNKS * CHUNK) + k % CHUNKS * CHUNK;
                if (number >= items || col >= cols) continue;
                const char* const line =
                    strip + (row * task.in_pitch + group * (CHUNKS * CHUNK)) * SIZE;
                const int first =
                    lane * 4 - static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 4);
                const char* const chunk = line + k % CHUNKS * CHUNK * SIZE;
                word[k] = is_inner ? *reinterpret_cast<const unsigned*>(chunk + first)
                                   : Turned::word_of_row(chunk, first, place.col + col, task.cols);
            }
            sum.add(word);
        }
    }
};

template <int SIZE, int THREADS_, int PAD>
struct Unturned<Stack<SIZE, THREADS_, PAD>> : Stack<SIZE, THREADS_, PAD> {
    static __device__ void run(const Task& task, char* shared) {
        const int elements = static_cast<int>(task.rows * task.cols);
        const std::int64_t first = std::int64_t{blockIdx.x} * task.stack;
        const std::int64_t left = task.batches - first;
        const int count = elements * static_cast<int>(left < task.stack ? left : task.stack);
        const char* from = static_cast<const char*>(task.in) + first * elements * SIZE;
        char* to = static_cast<char*>(task.out) + first * elements * SIZE;
        Sum sum;
        copy_line<SIZE, THREADS_, 4>(SumLine{shared, start_of(from), &sum},
                                     DeviceLine<const char>{from}, count);
        sum.wait_for_loads();
        for (int i = threadIdx.x; i < count; i += THREADS_) {
            element<SIZE>(to, i) = sum.template element<SIZE>();
        }
    }
};

template <int SIZE, int THREADS_, int ACROSS>
struct Unturned<StackOfWords<SIZE, THREADS_, ACROSS>> : StackOfWords<SIZE, THREADS_, ACROSS> {
    using Turned = StackOfWords<SIZE, THREADS_, ACROSS>;

    static __device__ void run(const Task& task, char*) {
        const auto rows = static_cast<int>(task.rows), cols = static_cast<int>(task.cols);
        const std::int64_t first = std::int64_t{blockIdx.x} * task.stack;
        const std::int64_t left = task.batches - first;
        const int count = static_cast<int>(left < task.stack ? left : task.stack);
        const char* from = static_cast<const char*>(task.in) + first * rows * cols * SIZE;
        char* const to = static_cast<char*>(task.out) + first * rows * cols * SIZE;
        Sum sum;
        load(from, rows, cols, count, sum);
        sum.wait_for_loads();
        copy_line<SIZE, THREADS_, 4>(DeviceLine<char>{to}, SumSource{start_of(to), &sum},
                                     count * rows * cols);
    }

    /// The same pieces, as many at a time.
    static __device__ void load(const char* from, int rows, int cols, int matrices, Sum& sum) {
        constexpr int N = Turned::N, DOWN = Turned::DOWN, WARPS = Turned::WARPS;
        const int pieces = cols / Turned::COLS, down = matrices * (rows / N);
        const int groups = (pieces + ACROSS - 1) / ACROSS;
        const int items = (down + DOWN - 1) / DOWN * groups;
        const Divider by_groups(groups);
        const int lane = threadIdx.x % 32;
        for (int item = threadIdx.x / 32; item < items; item += WARPS * Turned::AHEAD) {
            typename Turned::Piece piece[Turned::AHEAD * N] = {};
#pragma unroll
            for (int k = 0; k < Turned::AHEAD * N; ++k) {
                const int number = item + k / N * WARPS, group = by_groups.quotient(number);
                const int x = (number - group * groups) * ACROSS + lane % ACROSS;
                const int y = group * DOWN + lane / ACROSS;
                if (x >= pieces || y >= down) continue;
                const int place = (y * N + k % N) * cols + x * Turned::COLS;
                piece[k] = Turned::load_piece(from + place * SIZE);
            }
#pragma unroll
            for (const auto& one : piece) sum.add(one.word);
        }
    }
};

// ---- what the header launches instead of its own ----

template <class Kernel>
requires(sizeof(Unturned<Kernel>) > 0) struct KernelOf<Kernel> : KernelOf<Unturned<Kernel>> {
};

}  // namespace unturned::transposing

namespace coalesce::proof {
namespace {

__global__ void count_foreign(const unsigned char* out, std::uint64_t bytes, unsigned char loaded,
                              unsigned long long* foreign) {
    const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
    for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes;
         i += step) {
        if (out[i] != 0 && out[i] != loaded) atomicAdd(foreign, 1ull);
    }
}

}  // namespace

bool has_bound(const ShapeCase& shape) {
    return shape.rows > 8 && shape.cols > 8;
}

void run_bound(void* out, const void* in, const ShapeCase& shape) {
    unturned::TransposeOptions options;
    options.in_pitch = shape.in_pitch;
    options.batches = shape.batches;
    const auto size = static_cast<std::size_t>(shape.element_size);
    const auto* first = static_cast<const char*>(in) + static_cast<std::size_t>(shape.start) * size;
    CUDA_CHECK(unturned::transpose_elements(out, first, size, shape.rows, shape.cols, options));
}

std::uint64_t foreign_bytes(const void* out, std::uint64_t bytes, unsigned char loaded) {
    const DeviceCount foreign;
    count_foreign<<<2048, 256>>>(static_cast<const unsigned char*>(out), bytes, loaded,
                                 foreign.data());
    return foreign.value();
}

}  // namespace coalesce::proof

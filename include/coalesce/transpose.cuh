/// \file
/// Transposes matrices in device memory: any shape, elements of 1, 2, 4, 8 or 16 bytes, parts of
/// larger matrices, and many matrices at once. One header, nothing to link but the CUDA runtime.
///
///     #include <coalesce/transpose.cuh>
///
///     // out(col, row) = in(row, col)
///     cudaError_t error = coalesce::transpose(out, in, rows, cols);
///
///     // A part of a matrix with 5000 columns, in a stream.
///     coalesce::TransposeOptions options;
///     options.in_pitch = 5000;
///     error = coalesce::transpose(out, in + 70 * 5000 + 3, rows, cols, options, stream);
///
/// It allocates nothing and waits for nothing: kernels are queued in the stream, which may be
/// capturing a graph. Bits are moved, never computed with. C++17; lesson 11_any_shape tells why the
/// kernels look as they do.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// The version: a number that is larger for a newer one, to be compared in #if.
#define COALESCE_VERSION_MAJOR 0
#define COALESCE_VERSION_MINOR 2
#define COALESCE_VERSION (COALESCE_VERSION_MAJOR * 1000 + COALESCE_VERSION_MINOR)

namespace coalesce {

/// Where the elements of the matrices lie. Everything is counted in elements; 0 means: side by side.
struct TransposeOptions {
    std::int64_t in_pitch = 0;    ///< from one row of `in` to the next; at least `cols`
    std::int64_t out_pitch = 0;   ///< from one row of `out` to the next; at least `rows`
    std::int64_t batches = 1;     ///< how many matrices, all of the same shape
    std::int64_t in_stride = 0;   ///< from one matrix of `in` to the next
    std::int64_t out_stride = 0;  ///< from one matrix of `out` to the next
};

/// The kernels, and how one of them is chosen.
namespace transposing {

/// One launch: what is to be moved, and how it is divided into tiles, one for each block.
struct Task {
    void* out;
    const void* in;
    std::int64_t rows, cols;
    std::int64_t out_pitch, in_pitch;
    std::int64_t out_stride, in_stride;
    std::int64_t batches;
    unsigned tiles_down, tiles_across;  ///< of one matrix
    int tile_rows, tile_cols;           ///< for kernels whose tiles have no fixed size
    int stack;                          ///< matrices that a block takes at once
    bool is_down_first;                 ///< neighbouring blocks have tiles below each other
    bool is_spread;                     ///< strips of tiles are taken 32 strips apart, not in order
    unsigned group;                     ///< strips of tiles that are taken side by side
};

/// The tile of a block.
struct Place {
    std::int64_t row, col;  ///< of its first element
    std::int64_t batch;     ///< which matrix
};

/// Strips of tiles, 64 at a time: 0, 32, 1, 33, ... With strips of 256 bytes, those that are read at the
/// same time are 8 KB apart. Where rows are a multiple of 128 KB apart, neighbouring strips ask the
/// same channels of memory for all of their rows; these do not. Incomplete groups stay in order.
__host__ __device__ inline unsigned spread_strip(unsigned strip, unsigned strips) {
    if ((strip | 63) >= strips) return strip;
    return (strip & ~63u) | (strip & 1) << 5 | (strip & 63) >> 1;
}

/// Blocks are numbered in one dimension, which is the only one that has room for 2^31 of them.
__device__ inline Place place_of_block(const Task& task, int tile_rows, int tile_cols) {
    const unsigned inner = task.is_down_first ? task.tiles_down : task.tiles_across;
    const unsigned outer = task.is_down_first ? task.tiles_across : task.tiles_down;
    const unsigned line = blockIdx.x / inner;
    const unsigned batch = line / outer;
    const std::int64_t fast = blockIdx.x - line * inner;
    const std::int64_t slow = line - batch * outer;
    return {(task.is_down_first ? fast : slow) * tile_rows,
            (task.is_down_first ? slow : fast) * tile_cols, batch};
}

/// The same for kernels whose strips are taken a few side by side.
__device__ inline Place place_of_grouped_block(const Task& task, int tile_rows, int tile_cols) {
    const unsigned inner = task.is_down_first ? task.tiles_down : task.tiles_across;
    const unsigned outer = task.is_down_first ? task.tiles_across : task.tiles_down;
    const unsigned tiles = inner * outer;
    const unsigned batch = blockIdx.x / tiles, tile = blockIdx.x - batch * tiles;
    const unsigned group = tile / (task.group * inner),
                   in_group = tile - group * task.group * inner;
    const unsigned left = outer - group * task.group;
    const unsigned width = left < task.group ? left : task.group;
    const std::int64_t fast = in_group / width;
    const std::int64_t slow = group * task.group + in_group % width;
    return {(task.is_down_first ? fast : slow) * tile_rows,
            (task.is_down_first ? slow : fast) * tile_cols, batch};
}

/// The same for kernels whose strips may be spread.
__device__ inline Place place_of_spread_block(const Task& task, int tile_rows, int tile_cols) {
    Place place = place_of_block(task, tile_rows, tile_cols);
    if (task.is_spread) {
        const auto strip = static_cast<unsigned>(place.col / tile_cols);
        place.col = std::int64_t{spread_strip(strip, task.tiles_across)} * tile_cols;
    }
    return place;
}

/// An unsigned type of that many bytes.
template <int SIZE>
using Element = std::conditional_t<
    SIZE == 1, unsigned char,
    std::conditional_t<
        SIZE == 2, unsigned short,
        std::conditional_t<SIZE == 4, unsigned,
                           std::conditional_t<SIZE == 8, unsigned long long, uint4>>>>;

/// Where a matrix of the batch begins. Addresses are counted in bytes: were they pointers to elements,
/// nvcc would make an access for each element of the vectors behind them.
template <int SIZE>
__device__ inline const char* in_of(const Task& task, const Place& place) {
    return static_cast<const char*>(task.in) + place.batch * task.in_stride * SIZE;
}
template <int SIZE>
__device__ inline char* out_of(const Task& task, const Place& place) {
    return static_cast<char*>(task.out) + place.batch * task.out_stride * SIZE;
}

/// An element, so many of them behind an address.
template <int SIZE>
__device__ inline const Element<SIZE>& element(const char* from, std::int64_t index) {
    return *reinterpret_cast<const Element<SIZE>*>(from + index * SIZE);
}
template <int SIZE>
__device__ inline Element<SIZE>& element(char* from, std::int64_t index) {
    return *reinterpret_cast<Element<SIZE>*>(from + index * SIZE);
}

/// How many elements the start of a row of `out` lies behind a multiple of `SHIFT` of them.
template <int SIZE, int SHIFT>
__device__ inline int phase_of(const char* out, std::int64_t col, std::int64_t pitch) {
    const auto start = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(out) / SIZE);
    // Only the lowest bits count, so 32 of them will do.
    return (start + static_cast<unsigned>(col) * static_cast<unsigned>(pitch)) % SHIFT;
}

/// What one access moves: 8 or 16 bytes, as words.
template <int BYTES>
struct Vector {
    unsigned word[BYTES / 4];
};
template <int BYTES>
__device__ inline Vector<BYTES> load_vector(const void* from) {
    if constexpr (BYTES == 16) {
        const uint4 words = *static_cast<const uint4*>(from);
        return {{words.x, words.y, words.z, words.w}};
    } else {
        const uint2 words = *static_cast<const uint2*>(from);
        return {{words.x, words.y}};
    }
}
template <int BYTES>
__device__ inline void store_vector(void* to, const Vector<BYTES>& vector) {
    if constexpr (BYTES == 16) {
        *static_cast<uint4*>(to) =
            make_uint4(vector.word[0], vector.word[1], vector.word[2], vector.word[3]);
    } else {
        *static_cast<uint2*>(to) = make_uint2(vector.word[0], vector.word[1]);
    }
}

/// What a load says to the second-level cache: nothing, or that its lines are the last to leave, for
/// what is asked for in pieces of less than a line; or that too, and that memory may bring 128 bytes.
/// Both cost time where matrices fit into the cache, so the size of the matrices decides.
enum class Loads { plain, stay, stay_128 };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#    define COALESCE_STAYING_LOAD(HINT, KIND, VALUES)               \
        "{ .reg .b64 policy;\n"                                     \
        "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n" \
        "ld.global.L2::cache_hint" HINT "." KIND " " VALUES ", policy; }"
#endif

/// Loads from device memory.
template <Loads LOADS>
__device__ inline Vector<16> load_far(const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (LOADS != Loads::plain) {
        Vector<16> v;
        if constexpr (LOADS == Loads::stay) {
            asm volatile(COALESCE_STAYING_LOAD("", "v4.u32", "{%0, %1, %2, %3}, [%4]")
                         : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                         : "l"(__cvta_generic_to_global(from)));
        } else {
            asm volatile(COALESCE_STAYING_LOAD(".L2::128B", "v4.u32", "{%0, %1, %2, %3}, [%4]")
                         : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                         : "l"(__cvta_generic_to_global(from)));
        }
        return v;
    }
#endif
    return load_vector<16>(from);
}
template <Loads LOADS, int SIZE>
__device__ inline Element<SIZE> load_element(const char* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (LOADS == Loads::stay_128 && SIZE == 4) {
        unsigned v;
        asm volatile(COALESCE_STAYING_LOAD(".L2::128B", "u32", "%0, [%1]")
                     : "=r"(v)
                     : "l"(__cvta_generic_to_global(from)));
        return v;
    }
    if constexpr (LOADS == Loads::stay_128 && SIZE == 8) {
        unsigned long long v;
        asm volatile(COALESCE_STAYING_LOAD(".L2::128B", "u64", "%0, [%1]")
                     : "=l"(v)
                     : "l"(__cvta_generic_to_global(from)));
        return v;
    }
    if constexpr (LOADS == Loads::stay_128 && SIZE == 16) {
        const Vector<16> v = load_far<LOADS>(from);
        return {v.word[0], v.word[1], v.word[2], v.word[3]};
    }
#endif
    return *reinterpret_cast<const Element<SIZE>*>(from);
}
#undef COALESCE_STAYING_LOAD

/// Turns N x N elements within the registers of a thread; N of them are a vector.
template <int SIZE, int N, int BYTES>
__device__ inline void turn(Vector<BYTES> (&out)[N], const Vector<BYTES> (&in)[N]) {
    constexpr int WORDS = BYTES / 4;
    if constexpr (SIZE >= 4) {
        // Nothing but other names for the same registers.
        constexpr int LENGTH = SIZE / 4;
#pragma unroll
        for (int i = 0; i < N * N * LENGTH; ++i) {
            const int row = i / LENGTH / N, col = i / LENGTH % N, word = i % LENGTH;
            out[col].word[row * LENGTH + word] = in[row].word[col * LENGTH + word];
        }
    } else if constexpr (SIZE == 2) {
        // 2 x 2 halves of words: __byte_perm takes any four of eight bytes.
#pragma unroll
        for (int i = 0; i < N / 2 * WORDS; ++i) {
            const int row = i / WORDS, col = i % WORDS;
            const unsigned a = in[2 * row].word[col], b = in[2 * row + 1].word[col];
            out[2 * col + 0].word[row] = __byte_perm(a, b, 0x5410);
            out[2 * col + 1].word[row] = __byte_perm(a, b, 0x7632);
        }
    } else {
        // 4 x 4 bytes, in two rounds: first pairs of bytes, then pairs of pairs.
#pragma unroll
        for (int i = 0; i < N / 4 * WORDS; ++i) {
            const int row = i / WORDS, col = i % WORDS;
            const unsigned a = in[4 * row + 0].word[col], b = in[4 * row + 1].word[col];
            const unsigned c = in[4 * row + 2].word[col], d = in[4 * row + 3].word[col];
            const unsigned ab01 = __byte_perm(a, b, 0x5140), ab23 = __byte_perm(a, b, 0x7362);
            const unsigned cd01 = __byte_perm(c, d, 0x5140), cd23 = __byte_perm(c, d, 0x7362);
            out[4 * col + 0].word[row] = __byte_perm(ab01, cd01, 0x5410);
            out[4 * col + 1].word[row] = __byte_perm(ab01, cd01, 0x7632);
            out[4 * col + 2].word[row] = __byte_perm(ab23, cd23, 0x5410);
            out[4 * col + 3].word[row] = __byte_perm(ab23, cd23, 0x7632);
        }
    }
}

/// A tile in shared memory that is turned already: vectors of N elements, which lay below each other
/// in `in`. Threads that are served at once store to columns N apart; exchanging the vectors of a
/// row, differently in each such row, gives each of them banks of its own.
template <int SIZE, int BYTES, int TILE_COLS, int QUADS>
struct TurnedTile {
    static constexpr int N = BYTES / SIZE;
    static constexpr int SERVED = 128 / BYTES;
    static_assert(QUADS % SERVED == 0 && TILE_COLS / N % 8 == 0, "vectors are exchanged in groups");

    char* data;

    __device__ char* vector(int col, int quad) const {
        return data + (col * QUADS + (quad ^ (col / N % SERVED))) * BYTES;
    }
    __device__ Element<SIZE>& cell(int col, int row) const {
        return element<SIZE>(vector(col, row / N), row % N);
    }
};

// ---- rows that start at multiples of 16 bytes, and consist of whole 16 bytes ----

/// A thread turns pieces of N x N elements, N of which are 16 bytes.
template <int SIZE, int BLOCK_COLS, int BLOCK_ROWS, int PIECES, Loads LOADS = Loads::plain>
struct Pieces {
    static constexpr int N = 16 / SIZE;
    static constexpr int TILE_ROWS = BLOCK_ROWS * PIECES * N, TILE_COLS = BLOCK_COLS * N;
    static constexpr int THREADS = BLOCK_COLS * BLOCK_ROWS;
    static constexpr int LEAD = 0;
    static constexpr int SHARED_BYTES = TILE_ROWS * TILE_COLS * SIZE;

    static constexpr int QUADS = TILE_ROWS / N;  ///< vectors in a row of the turned tile
    static constexpr int ROUND_COLS = THREADS / QUADS;
    static constexpr int ROUNDS = TILE_COLS / ROUND_COLS;
    static_assert(THREADS % QUADS == 0 && TILE_COLS % ROUND_COLS == 0, "tiles are covered evenly");

    using Tile = TurnedTile<SIZE, 16, TILE_COLS, QUADS>;

    static __device__ void run(const Task& task, char* shared) {
        const Place place = place_of_spread_block(task, TILE_ROWS, TILE_COLS);
        const Tile tile{shared};
        load(task, place, tile);
        __syncthreads();
        store(task, place, tile);
    }

    static __device__ void load(const Task& task, const Place& place, const Tile& tile) {
        const char* in = in_of<SIZE>(task, place);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t col = place.col + x * N;
        Vector<16> piece[PIECES][N];
        // All loads first, so that all are under way at the same time.
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const std::int64_t row = place.row + (y + k * BLOCK_ROWS) * N;
            if (row < task.rows && col < task.cols) {
                const char* from = in + (row * task.in_pitch + col) * SIZE;
#pragma unroll
                for (int i = 0; i < N; ++i, from += task.in_pitch * SIZE) {
                    piece[k][i] = load_far<LOADS>(from);
                }
            }
        }
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            Vector<16> turned[N];
            turn<SIZE>(turned, piece[k]);
#pragma unroll
            for (int i = 0; i < N; ++i) {
                store_vector(tile.vector(x * N + i, y + k * BLOCK_ROWS), turned[i]);
            }
        }
    }

    static __device__ void store(const Task& task, const Place& place, const Tile& tile) {
        char* out = out_of<SIZE>(task, place);
        const int quad = threadIdx.x % QUADS, first = threadIdx.x / QUADS;
        const std::int64_t row = place.row + quad * N;
        Vector<16> turned[ROUNDS];
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            turned[k] = load_vector<16>(tile.vector(first + k * ROUND_COLS, quad));
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const std::int64_t col = place.col + first + k * ROUND_COLS;
            if (row < task.rows && col < task.cols) {
                store_vector(out + (col * task.out_pitch + row) * SIZE, turned[k]);
            }
        }
    }
};

/// Words, in tiles of 64 x 64: a tile stays in shared memory as it came, and is turned when it is
/// read. Of two loads and two stores of a thread all can be under way, and four blocks are at work on
/// a multiprocessor. Groups of four rows exchange their vectors, each differently, so that threads
/// that read the same column of other groups find it in other banks.
template <Loads LOADS>
struct Raw {
    static constexpr int TILE_ROWS = 64, TILE_COLS = 64, THREADS = 512, LEAD = 0;
    static constexpr int SHARED_BYTES = TILE_ROWS * TILE_COLS * 4;

    static __device__ char* vector(char* shared, int row, int quad) {
        return shared + (row * 16 + (quad ^ (row / 4 % 8))) * 16;
    }

    /// Strips may be spread where rows are whole lines, and taken side by side where they are not.
    static __device__ Place place_of(const Task& task) {
        return LOADS == Loads::stay_128 ? place_of_grouped_block(task, TILE_ROWS, TILE_COLS)
                                        : place_of_spread_block(task, TILE_ROWS, TILE_COLS);
    }

    static __device__ void run(const Task& task, char* shared) {
        const Place place = place_of(task);
        const int x = threadIdx.x % 16, y = threadIdx.x / 16;
        load(task, place, shared, x, y);
        __syncthreads();
        store(task, place, shared, x, 2 * y);
    }

    static __device__ void load(const Task& task, const Place& place, char* shared, int x, int y) {
        const std::int64_t col = place.col + 4 * x, row = place.row + y;
        const char* from = in_of<4>(task, place) + (row * task.in_pitch + col) * 4;
        Vector<16> near = {}, far = {};
        if (col < task.cols && row < task.rows) near = load_far<LOADS>(from);
        if (col < task.cols && row + 32 < task.rows) {
            far = load_far<LOADS>(from + 32 * task.in_pitch * 4);
        }
        store_vector(vector(shared, y, x), near);
        store_vector(vector(shared, y + 32, x), far);
    }

    /// Four rows of two columns.
    static __device__ void store(const Task& task, const Place& place, char* shared, int quad,
                                 int x) {
        Vector<8> pair[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            pair[i] = load_vector<8>(vector(shared, quad * 4 + i, x / 4) + x % 4 * 4);
        }
        const std::int64_t col = place.col + x, row = place.row + 4 * quad;
        if (col >= task.cols || row >= task.rows) return;
        char* to = out_of<4>(task, place) + (col * task.out_pitch + row) * 4;
#pragma unroll
        for (int k = 0; k < 2; ++k, to += task.out_pitch * 4) {
            store_vector<16>(
                to, {{pair[0].word[k], pair[1].word[k], pair[2].word[k], pair[3].word[k]}});
        }
    }
};

// ---- rows that start anywhere ----

/// A thread moves single elements: LOADS of them at once, so that enough is under way.
template <int SIZE, int TILE_ROWS_, int TILE_COLS_, int THREADS_, int SHIFT_BYTES,
          Loads LOADS_ = Loads::plain>
struct Shifted {
    static constexpr int TILE_ROWS = TILE_ROWS_, TILE_COLS = TILE_COLS_, THREADS = THREADS_;
    static constexpr int SHIFT = SHIFT_BYTES / SIZE, LEAD = SHIFT - 1;
    static constexpr int ROWS = TILE_ROWS + LEAD, PITCH = TILE_COLS + 1;
    static constexpr int SHARED_BYTES = ROWS * PITCH * SIZE;

    static constexpr int LOAD_ROWS = THREADS / TILE_COLS;
    static constexpr int LOADS = (ROWS + LOAD_ROWS - 1) / LOAD_ROWS;
    static constexpr int STORE_COLS = THREADS / TILE_ROWS;
    static constexpr int STORES = TILE_COLS / STORE_COLS;
    static_assert(THREADS % TILE_COLS == 0 && THREADS % TILE_ROWS == 0, "whole rows and columns");
    static_assert(TILE_COLS % STORE_COLS == 0 && TILE_ROWS % SHIFT == 0,
                  "tiles are covered evenly");

    static __device__ void run(const Task& task, char* tile) {
        // Larger elements lack the registers for it.
        const Place place = SIZE <= 4 ? place_of_grouped_block(task, TILE_ROWS, TILE_COLS)
                                      : place_of_block(task, TILE_ROWS, TILE_COLS);
        load(task, place, tile);
        __syncthreads();
        store(task, place, tile);
    }

    static __device__ void load(const Task& task, const Place& place, char* tile) {
        const int x = threadIdx.x % TILE_COLS, y = threadIdx.x / TILE_COLS;
        const std::int64_t col = place.col + x < task.cols ? place.col + x : task.cols - 1;
        const std::int64_t top = place.row - LEAD;
        const char* from = in_of<SIZE>(task, place) + col * SIZE;
        Element<SIZE> value[LOADS];
        if (top >= 0 && top + LOADS * LOAD_ROWS <= task.rows) {
            from += (top + y) * task.in_pitch * SIZE;
#pragma unroll
            for (int k = 0; k < LOADS; ++k, from += LOAD_ROWS * task.in_pitch * SIZE) {
                value[k] = load_element<LOADS_, SIZE>(from);
            }
        } else {
#pragma unroll
            for (int k = 0; k < LOADS; ++k) {
                std::int64_t row = top + y + k * LOAD_ROWS;
                row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
                value[k] = element<SIZE>(from, row * task.in_pitch);
            }
        }
#pragma unroll
        for (int k = 0; k < LOADS; ++k) {
            const int row = y + k * LOAD_ROWS;
            if ((k + 1) * LOAD_ROWS <= ROWS || row < ROWS) {
                element<SIZE>(tile, row * PITCH + x) = value[k];
            }
        }
    }

    static __device__ void store(const Task& task, const Place& place, const char* tile) {
        char* out = out_of<SIZE>(task, place);
        const int y = threadIdx.x % TILE_ROWS, first = threadIdx.x / TILE_ROWS;
        Element<SIZE> value[STORES];
        int phase[STORES];
#pragma unroll
        for (int k = 0; k < STORES; ++k) {
            const int x = first + k * STORE_COLS;
            phase[k] = phase_of<SIZE, SHIFT>(out, place.col + x, task.out_pitch);
            value[k] = element<SIZE>(tile, (y + LEAD - phase[k]) * PITCH + x);
        }
        char* to = out + ((place.col + first) * task.out_pitch + place.row + y) * SIZE;
#pragma unroll
        for (int k = 0; k < STORES; ++k, to += STORE_COLS * task.out_pitch * SIZE) {
            const std::int64_t row = place.row + y - phase[k];
            const bool is_there = place.col + first + k * STORE_COLS < task.cols && row >= 0;
            if (is_there && row < task.rows) element<SIZE>(to, -phase[k]) = value[k];
        }
    }
};

/// The vector that begins `offset` bytes behind the start of the first of two.
template <int SIZE, int BYTES>
__device__ inline Vector<BYTES> shifted(const Vector<BYTES>& low, const Vector<BYTES>& high,
                                        unsigned offset) {
    constexpr int WORDS = BYTES / 4;
    unsigned word[2 * WORDS];
#pragma unroll
    for (int i = 0; i < WORDS; ++i) word[i] = low.word[i], word[WORDS + i] = high.word[i];
    // By two words, by one word, by less than a word.
    if constexpr (BYTES == 16 && SIZE <= 8) {
#pragma unroll
        for (int i = 0; i < 6; ++i) word[i] = offset & 8 ? word[i + 2] : word[i];
    }
    if constexpr (SIZE <= 4) {
#pragma unroll
        for (int i = 0; i < WORDS + 1; ++i) word[i] = offset & 4 ? word[i + 1] : word[i];
    }
    Vector<BYTES> vector;
#pragma unroll
    for (int i = 0; i < WORDS; ++i) {
        vector.word[i] = word[i];
        if constexpr (SIZE < 4) {
            vector.word[i] = __funnelshift_r(word[i], word[i + 1], 8 * (offset % 4));
        }
    }
    return vector;
}

/// As Pieces, for rows that start anywhere: what is loaded is put together from two vectors, and so
/// is what is stored. Of each row of `out` a block takes those elements that make whole groups of
/// SHIFT_BYTES, so that its stores are vectors and, with 32 bytes, whole sectors. For that it loads
/// LEAD rows more, which are the last of the block before too.
template <int SIZE, int BYTES, int BLOCK_COLS, int BLOCK_ROWS, int PIECES, int SHIFT_BYTES>
struct Realigned {
    static constexpr int N = BYTES / SIZE;
    static constexpr int SHIFT = SHIFT_BYTES / SIZE, LEAD = SHIFT;
    static constexpr int LOADED_ROWS = BLOCK_ROWS * PIECES * N;
    static constexpr int TILE_ROWS = LOADED_ROWS - LEAD, TILE_COLS = BLOCK_COLS * N;
    static constexpr int THREADS = BLOCK_COLS * BLOCK_ROWS;
    static constexpr int SHARED_BYTES = LOADED_ROWS * TILE_COLS * SIZE;

    static constexpr int QUADS = LOADED_ROWS / N;  ///< vectors in a row of the turned tile
    static constexpr int ROUND_COLS = THREADS / QUADS;
    static constexpr int ROUNDS = TILE_COLS / ROUND_COLS;
    static_assert(THREADS % QUADS == 0 && TILE_COLS % ROUND_COLS == 0, "tiles are covered evenly");
    static_assert(SHIFT % N == 0 && TILE_ROWS % SHIFT == 0, "vectors and tiles are whole groups");

    using Tile = TurnedTile<SIZE, BYTES, TILE_COLS, QUADS>;

    static __device__ void run(const Task& task, char* shared) {
        const Place place = place_of_block(task, TILE_ROWS, TILE_COLS);
        const Tile tile{shared};
        if (may_read_around(task, place)) {
            load(task, place, tile);
        } else {
            load_elements(task, place, tile);
        }
        __syncthreads();
        store(task, place, tile);
    }

    /// Whether vectors that begin before the tile's rows, or end behind them, still lie within the
    /// matrix. Between the rows of a part of a matrix lies what is not ours to read.
    static __device__ bool may_read_around(const Task& task, const Place& place) {
        const std::int64_t top = place.row < LEAD ? 0 : place.row - LEAD;
        const std::int64_t end = place.row + TILE_ROWS;
        const std::int64_t bottom = (end < task.rows ? end : task.rows) - 1;
        const std::int64_t before = place.col, behind = task.cols - place.col - TILE_COLS;
        if (task.in_pitch != task.cols) return before >= N && behind >= N;
        return top * task.cols + before >= N && (task.rows - 1 - bottom) * task.cols + behind >= N;
    }

    /// Loads do not wait for each other, nor for a comparison: what lies outside the matrix is read
    /// from the nearest row or column, and not stored.
    static __device__ void load(const Task& task, const Place& place, const Tile& tile) {
        const char* in = in_of<SIZE>(task, place);
        const int x = threadIdx.x % BLOCK_COLS, y = threadIdx.x / BLOCK_COLS;
        const std::int64_t col = place.col + x * N;
        const char* from_col = in + (col < task.cols ? col : place.col) * SIZE;
#pragma unroll
        for (int k = 0; k < PIECES; ++k) {
            const int quad = y + k * BLOCK_ROWS;
            Vector<BYTES> low[N], high[N], piece[N], turned[N];
            unsigned offset[N];
#pragma unroll
            for (int i = 0; i < N; ++i) {
                std::int64_t row = place.row - LEAD + quad * N + i;
                row = row < 0 ? 0 : row < task.rows ? row : task.rows - 1;
                const char* from = from_col + row * task.in_pitch * SIZE;
                offset[i] = reinterpret_cast<std::uintptr_t>(from) % BYTES;
                from -= offset[i];
                low[i] = load_vector<BYTES>(from);
                high[i] = load_vector<BYTES>(from + (offset[i] == 0 ? 0 : BYTES));
            }
#pragma unroll
            for (int i = 0; i < N; ++i) piece[i] = shifted<SIZE>(low[i], high[i], offset[i]);
            turn<SIZE>(turned, piece);
#pragma unroll
            for (int i = 0; i < N; ++i) store_vector(tile.vector(x * N + i, quad), turned[i]);
        }
    }

    static __device__ void load_elements(const Task& task, const Place& place, const Tile& tile) {
        const char* in = in_of<SIZE>(task, place);
        for (int i = threadIdx.x; i < LOADED_ROWS * TILE_COLS; i += THREADS) {
            const std::int64_t row = place.row - LEAD + i / TILE_COLS;
            const std::int64_t col = place.col + i % TILE_COLS;
            Element<SIZE> value = {};
            if (row >= 0 && row < task.rows && col < task.cols) {
                value = element<SIZE>(in, row * task.in_pitch + col);
            }
            // Written everywhere, because vectors of the tile are read whole.
            tile.cell(i % TILE_COLS, i / TILE_COLS) = value;
        }
    }

    static __device__ void store(const Task& task, const Place& place, const Tile& tile) {
        char* out = out_of<SIZE>(task, place);
        const int lane = threadIdx.x % QUADS, first = threadIdx.x / QUADS;
        if (lane >= TILE_ROWS / N) return;
        Vector<BYTES> turned[ROUNDS];
        int phase[ROUNDS];
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int x = first + k * ROUND_COLS;
            phase[k] = phase_of<SIZE, SHIFT>(out, place.col + x, task.out_pitch);
            const int y = LEAD - phase[k] + lane * N;
            const auto low = load_vector<BYTES>(tile.vector(x, y / N));
            const auto high = load_vector<BYTES>(tile.vector(x, (y + N - 1) / N));
            turned[k] = shifted<SIZE>(low, high, y % N * SIZE);
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int x = first + k * ROUND_COLS;
            const std::int64_t col = place.col + x, row = place.row - phase[k] + lane * N;
            char* to = out + (col * task.out_pitch + row) * SIZE;
            if (col >= task.cols || row + N <= 0 || row >= task.rows) continue;
            if (row >= 0 && row + N <= task.rows) {
                store_vector(to, turned[k]);
                continue;
            }
            for (int i = 0; i < N; ++i) {
                if (row + i < 0 || row + i >= task.rows) continue;
                element<SIZE>(to, i) = tile.cell(x, LEAD - phase[k] + lane * N + i);
            }
        }
    }
};

/// For elements of less than a word whose rows start anywhere: 256 bytes of each row are loaded as
/// aligned vectors, 240 bytes of which count, wherever in them the row starts. They are laid down word
/// by word, from the row's start on, so that threads find words which lie below each other, turn them,
/// and lay them down turned: N elements of a column are four words. What is stored is put together
/// from five such words, so that all stores are whole vectors. For that a block loads one vector's
/// worth of rows more than it stores.
///
/// A thread's rows are so far apart that all of them start at the same place in a vector, and so do its
/// columns: what it takes to put them together is found out once. Exchanged words are numbered so that
/// threads which are served at once find theirs in different banks.
template <int SIZE, int LOADED_ROWS, int THREADS_, int BLOCKS_, Loads LOADS, int SHIFT = 16>
struct Rewound {
    static constexpr int BLOCKS = BLOCKS_;  ///< that registers must suffice for
    static constexpr int N = 16 / SIZE, LEAD = SHIFT / SIZE, PER_WORD = 4 / SIZE;
    static constexpr int TILE_ROWS = LOADED_ROWS - LEAD, TILE_COLS = 240 / SIZE;
    static constexpr int THREADS = THREADS_, WARPS = THREADS / 32;
    static constexpr int QUADS = LOADED_ROWS / N, UNITS = QUADS * 64 / THREADS;
    static constexpr int SHARED_BYTES = LOADED_ROWS * 256;
    static constexpr int ROW_STEP = THREADS / 16, COL_STEP = THREADS / QUADS;
    static_assert(QUADS == 8 || QUADS == 16, "the banks are counted out for these");
    static_assert(QUADS * 64 % THREADS == 0 && LOADED_ROWS % ROW_STEP == 0, "even");
    static_assert(ROW_STEP % N == 0 && COL_STEP % (8 * PER_WORD) == 0 && COL_STEP % LEAD == 0,
                  "a thread's are alike");

    static __device__ void run(const Task& task, char* shared) {
        const Place place = place_of_grouped_block(task, TILE_ROWS, TILE_COLS);
        const std::int64_t top = place.row - LEAD;
        const char* corner = in_of<SIZE>(task, place) + (top * task.in_pitch + place.col) * SIZE;
        Vector<16> value[ROUNDS];
        if (may_read_around(task, place)) {
            load(task, corner, value);
        } else {
            load_edge(task, place, corner, value);
        }
        lay_down(task, corner, value, shared);
        __syncthreads();
        turn_words(shared);
        __syncthreads();
        store(task, place, shared);
    }

    /// Whether the tile and a vector before and after each of its rows are all within the matrix.
    static __device__ bool may_read_around(const Task& task, const Place& place) {
        const std::int64_t top = place.row - LEAD, bottom = place.row + TILE_ROWS - 1;
        const std::int64_t before = place.col, behind = task.cols - place.col - 256 / SIZE;
        if (top < 0 || bottom >= task.rows) return false;
        if (task.in_pitch != task.cols) return before >= N && behind >= N;
        return top * task.cols + before >= N && (task.rows - 1 - bottom) * task.cols + behind >= N;
    }

    static constexpr int ROUNDS = LOADED_ROWS / ROW_STEP;  ///< vectors that a thread loads

    /// Where a thread begins. The two rows of a warp are N apart, so that they start alike.
    static __device__ int first_row() {
        const int warp = threadIdx.x / 32;
        return warp / N * (2 * N) + warp % N + threadIdx.x % 32 / 16 * N;
    }

    static __device__ unsigned offset_of(const char* row) {
        return reinterpret_cast<std::uintptr_t>(row) % 16;
    }

    static __device__ void load(const Task& task, const char* corner, Vector<16> (&value)[ROUNDS]) {
        const std::int64_t step = ROW_STEP * task.in_pitch * SIZE;
        const char* const row = corner + first_row() * task.in_pitch * SIZE;
        const char* from = row - offset_of(row) + threadIdx.x % 16 * 16;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k, from += step) value[k] = load_far<LOADS>(from);
    }

    /// The same at the edges: rows that are not there are 0, and a vector that is not all within the
    /// matrix comes element by element.
    static __device__ void load_edge(const Task& task, const Place& place, const char* corner,
                                     Vector<16> (&value)[ROUNDS]) {
        const int x = threadIdx.x % 16;
        const char* const in = in_of<SIZE>(task, place);
        const bool is_dense = task.in_pitch == task.cols;
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int line = first_row() + k * ROW_STEP;
            const std::int64_t row = place.row - LEAD + line;
            value[k] = {};
            if (row < 0 || row >= task.rows) continue;
            const char* const start = corner + line * task.in_pitch * SIZE;
            const char* const from = start - offset_of(start) + x * 16;
            const char* const begin = is_dense ? in : in + row * task.in_pitch * SIZE;
            const char* const end = begin + (is_dense ? task.rows : 1) * task.cols * SIZE;
            if (from >= begin && from + 16 <= end) {
                value[k] = load_far<LOADS>(from);
                continue;
            }
#pragma unroll
            for (int i = 0; i < N; ++i) {
                const char* const at = from + i * SIZE;
                if (at < begin || at >= end) continue;
                value[k].word[i / PER_WORD] |= static_cast<unsigned>(element<SIZE>(at, 0))
                                               << (i % PER_WORD * SIZE * 8);
            }
        }
    }

    /// Which word of its row stands where in shared memory: every fourth is a neighbour, which suits
    /// threads that have four of them.
    static __device__ int place_of_word(int row, int word) {
        const int quad = row / N, number = word % 4 * 16 + word / 4;
        return row * 256 + (number ^ exchanged(quad) ^ (word >> 1 & 1) << 1) * 4;
    }
    static __device__ constexpr int exchanged(int quad) {
        return (quad & 1) << 4 | (quad >> 1 & 3) << 2;
    }

    /// Words from the row's start on. What stands before it goes to the end, which does not count.
    static __device__ void lay_down(const Task& task, const char* corner,
                                    const Vector<16> (&value)[ROUNDS], char* shared) {
        const int x = threadIdx.x % 16;
        const unsigned offset = offset_of(corner + first_row() * task.in_pitch * SIZE);
        int to[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            to[j] = place_of_word(first_row(), (4 * x + j - static_cast<int>(offset / 4)) & 63);
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const unsigned(&word)[4] = value[k].word;
            const unsigned next = __shfl_down_sync(~0u, word[0], 1);
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const unsigned high = j < 3 ? word[j < 3 ? j + 1 : 0] : next;
                const int place = (to[j] ^ exchanged(k * ROW_STEP / N) * 4) + k * (ROW_STEP * 256);
                *reinterpret_cast<unsigned*>(shared + place) =
                    __funnelshift_r(word[j], high, offset * 8);
            }
        }
    }

    /// Where a word is in the turned tile: so many of four times QUADS in a column.
    static __device__ int place_of_turned(int col, int quad, int word) {
        const int number = word * QUADS + quad;
        const int x = col / PER_WORD;
        return (col * QUADS * 4 + (number ^ ((x & 1) | (x & 6) << 2))) * 4;
    }

    /// A warp has 8 words of each of 4 quads, of which every other one counts.
    struct Unit {
        int x, quad;

        explicit __device__ Unit(int number) {
            const int group = threadIdx.x / 32 + number * WARPS, lane = threadIdx.x % 32;
            x = group % 8 * 8 + lane % 8;
            quad = group / 16 * 8 + lane / 8 * 2 + group / 8 % 2;
        }
    };

    /// All words into registers before the first goes back: it is the same shared memory.
    static __device__ void turn_words(char* shared) {
        unsigned word[UNITS][N];
#pragma unroll
        for (int k = 0; k < UNITS; ++k) {
            const Unit unit(k);
            const char* const from = shared + place_of_word(unit.quad * N, unit.x);
#pragma unroll
            for (int i = 0; i < N; ++i) {
                word[k][i] = *reinterpret_cast<const unsigned*>(from + i * 256);
            }
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < UNITS; ++k) {
            const Unit unit(k);
            Vector<16> column[PER_WORD];
            turn_column(column, word[k]);
#pragma unroll
            for (int w = 0; w < 4; ++w) {
                char* const to = shared + place_of_turned(unit.x * PER_WORD, unit.quad, w);
#pragma unroll
                for (int j = 0; j < PER_WORD; ++j) {
                    *reinterpret_cast<unsigned*>(to + j * (QUADS * 16)) = column[j].word[w];
                }
            }
        }
    }

    /// N words below each other: a vector of N elements for each of their columns.
    static __device__ void turn_column(Vector<16> (&column)[PER_WORD], const unsigned (&word)[N]) {
#pragma unroll
        for (int g = 0; g < 4; ++g) {
            Vector<4> piece[PER_WORD], turned[PER_WORD];
#pragma unroll
            for (int i = 0; i < PER_WORD; ++i) piece[i].word[0] = word[g * PER_WORD + i];
            turn<SIZE>(turned, piece);
#pragma unroll
            for (int i = 0; i < PER_WORD; ++i) column[i].word[g] = turned[i].word[0];
        }
    }

    /// The first column of a thread. Those of a warp are so far apart that their banks are.
    static __device__ int first_col() {
        constexpr int APART = QUADS / 4 * PER_WORD, PER_WARP = 32 / QUADS;
        const int warp = threadIdx.x / 32, of_warp = threadIdx.x % 32 / QUADS;
        return warp / APART * (APART * PER_WARP) + warp % APART + of_warp * APART;
    }

    static __device__ void store(const Task& task, const Place& place, const char* shared) {
        const int quad = threadIdx.x % QUADS, first = first_col();
        if (quad >= QUADS - SHIFT / 16) return;
        const std::int64_t step = COL_STEP * task.out_pitch * SIZE;
        const std::int64_t left = task.cols - place.col;
        const int cols = left < TILE_COLS ? static_cast<int>(left) : TILE_COLS;
        const std::int64_t start = (place.col + first) * task.out_pitch + place.row;
        char* to = out_of<SIZE>(task, place) + start * SIZE;
        const unsigned before = reinterpret_cast<std::uintptr_t>(to) % SHIFT;
        const std::int64_t row = place.row + quad * N - before / SIZE;
        const bool is_whole = row >= 0 && row + N <= task.rows;
        to += quad * 16 - static_cast<int>(before);

        // Five words of the column, of which the last may not count.
        const char* from[5];
#pragma unroll
        for (int i = 0; i < 5; ++i) {
            const bool is_behind = i == 4 && before % 4 == 0;
            const int word = (SHIFT - before) / 4 + (is_behind ? 3 : i);
            from[i] = shared + place_of_turned(first, quad + word / 4, word % 4);
        }
#pragma unroll
        for (int k = 0; k < (TILE_COLS + COL_STEP - 1) / COL_STEP; ++k, to += step) {
            if (first + k * COL_STEP >= cols) return;
            unsigned word[5];
            Vector<16> vector;
#pragma unroll
            for (int i = 0; i < 5; ++i) {
                word[i] = *reinterpret_cast<const unsigned*>(from[i] + k * (COL_STEP * QUADS * 16));
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                vector.word[i] = __funnelshift_r(word[i], word[i + 1], (16 - before) * 8);
            }
            if (is_whole) {
                store_vector(to, vector);
            } else {
                store_elements(to, vector, row, task.rows);
            }
        }
    }

    /// Those of the vector that are rows of the matrix.
    static __device__ void store_elements(char* to, const Vector<16>& vector, std::int64_t row,
                                          std::int64_t rows) {
#pragma unroll
        for (int i = 0; i < N; ++i) {
            if (row + i < 0 || row + i >= rows) continue;
            const unsigned word = vector.word[i / PER_WORD] >> (i % PER_WORD * SIZE * 8);
            element<SIZE>(to, i) = static_cast<Element<SIZE>>(word);
        }
    }
};

// ---- a few long columns ----

/// Divides numbers below 2^16 by the same one, without a division for each.
struct Divider {
    unsigned multiplier;
    bool is_one;

    explicit __device__ Divider(int by) {
        multiplier = 0xFFFFFFFFu / static_cast<unsigned>(by) + 1;
        is_one = by == 1;
    }
    __device__ int quotient(int number) const {
        return is_one ? number
                      : static_cast<int>(__umulhi(static_cast<unsigned>(number), multiplier));
    }
};

/// Bytes in shared memory whose places have the same remainders of 16 as those of a line in device memory. With
/// PAD, so many bytes are left free after every 128, for strips whose columns would lie in few banks.
template <int PAD>
struct SharedLine {
    char* shared;
    int start;

    __device__ SharedLine(char* memory, const char* line)
        : shared(memory), start(reinterpret_cast<std::uintptr_t>(line) % 16) {}
    __device__ char* at(int byte) const {
        const auto place = static_cast<unsigned>(start + byte);
        return shared + place + place / 128 * PAD;
    }
    __device__ Vector<16> load(int byte) const {
        if constexpr (PAD == 0 || PAD == 16) {
            return load_vector<16>(at(byte));
        } else {
            Vector<16> vector;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                vector.word[i] = *reinterpret_cast<const unsigned*>(at(byte) + i * 4);
            }
            return vector;
        }
    }
    __device__ void store(int byte, const Vector<16>& vector) const {
        if constexpr (PAD == 0 || PAD == 16) {
            store_vector(at(byte), vector);
        } else {
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                *reinterpret_cast<unsigned*>(at(byte) + i * 4) = vector.word[i];
            }
        }
    }
    /// What so many bytes need.
    static std::int64_t room(std::int64_t bytes) {
        return bytes + 32 + (bytes + 16) / 128 * PAD;
    }
};

/// A line in device memory.
template <class Byte>
struct DeviceLine {
    Byte* start;

    __device__ Byte* at(int byte) const { return start + byte; }
    __device__ Vector<16> load(int byte) const { return load_vector<16>(at(byte)); }
    __device__ void store(int byte, const Vector<16>& vector) const {
        store_vector(at(byte), vector);
    }
};

/// Moves elements between two lines whose places have the same remainder of 16: by vectors, and element
/// by element at both ends. For all threads of a block together.
template <int SIZE, int THREADS, int AHEAD, class To, class From>
__device__ inline void copy_line(const To& to, const From& from, int count) {
    constexpr int N = 16 / SIZE;
    const int offset = static_cast<int>(reinterpret_cast<std::uintptr_t>(from.at(0)) % 16 / SIZE);
    const int missing = (N - offset) % N;
    const int head = missing < count ? missing : count;
    const int vectors = (count - head) / N;
    const int tail = count - head - vectors * N;
    const int thread = threadIdx.x, last = (count - tail + thread) * SIZE;
    if (thread < head) {
        element<SIZE>(to.at(thread * SIZE), 0) = element<SIZE>(from.at(thread * SIZE), 0);
    }
    if (thread < tail) element<SIZE>(to.at(last), 0) = element<SIZE>(from.at(last), 0);
    for (int i = thread; i < vectors; i += THREADS * AHEAD) {
        const int first = head * SIZE + i * 16;
        Vector<16> vector[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            if (i + k * THREADS < vectors) vector[k] = from.load(first + k * THREADS * 16);
        }
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            if (i + k * THREADS < vectors) to.store(first + k * THREADS * 16, vector[k]);
        }
    }
}

/// `in` has few columns, and its rows lie side by side: a strip of rows is one line of memory, which
/// comes into shared memory as it is. Each warp then picks elements of one column.
template <int SIZE, int THREADS_, int AHEAD, int PAD = 0>
struct Tall {
    static constexpr int N = SIZE < 4 ? 4 / SIZE : 1;  ///< rows that a thread stores at once
    static constexpr int GROUP = 32 * N;               ///< rows that a warp stores at once
    static constexpr int SHIFT = 32 / SIZE, LEAD = SHIFT - 1;
    static constexpr int THREADS = THREADS_;
    using Strip = SharedLine<PAD>;

    static __device__ void run(const Task& task, char* shared) {
        const Place place = place_of_block(task, task.tile_rows, 0);
        const std::int64_t top = place.row < LEAD ? 0 : place.row - LEAD;
        const std::int64_t end = place.row + task.tile_rows;
        const int rows = static_cast<int>((end < task.rows ? end : task.rows) - top);
        const char* from = in_of<SIZE>(task, place) + top * task.cols * SIZE;
        const Strip strip(shared, from);
        if (rows > 0) {
            copy_line<SIZE, THREADS, AHEAD>(strip, DeviceLine<const char>{from},
                                            rows * static_cast<int>(task.cols));
        }
        __syncthreads();
        store(task, place, strip, static_cast<int>(place.row - top));
    }

    /// Warps take groups of rows, column by column. There are 1, 2, 4 ... groups.
    static __device__ void store(const Task& task, const Place& place, const Strip& strip,
                                 int lead) {
        constexpr int WARPS = THREADS / 32;
        static_assert((WARPS & (WARPS - 1)) == 0, "a warp keeps its group");
        const int groups = task.tile_rows / GROUP, at_once = groups < WARPS ? groups : WARPS;
        const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
        const bool is_inner = place.row >= LEAD && place.row + task.tile_rows <= task.rows;
        for (int group = warp & (at_once - 1); group < groups; group += at_once) {
            const int y = (group * 32 + lane) * N;
            const Columns columns{warp / at_once, WARPS / at_once, place.row + y, lead + y};
            if (is_inner) {
                store_columns<true>(task, place, strip, columns);
            } else {
                store_columns<false>(task, place, strip, columns);
            }
        }
    }

    /// One column of every `step`, and N rows of each.
    struct Columns {
        int first, step;
        std::int64_t row;  ///< the first one, were there no phase
        int y;             ///< in the strip
    };

    template <bool IS_INNER>
    static __device__ void store_columns(const Task& task, const Place& place, const Strip& strip,
                                         const Columns& columns) {
        const int cols = static_cast<int>(task.cols), row_bytes = cols * SIZE;
        const std::int64_t step = columns.step * task.out_pitch * SIZE;
        char* line = out_of<SIZE>(task, place);
        line += (columns.first * task.out_pitch + columns.row) * SIZE;
        int from = columns.y * row_bytes + columns.first * SIZE;
        // Of the start of the column, in bytes: rows of a strip are whole groups, and do not count.
        auto start = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(line)) -
                     static_cast<unsigned>(threadIdx.x % 32 * N * SIZE);
#ifndef __clang__  // which cannot, and says so
#    pragma unroll 4
#endif
        for (int col = columns.first; col < cols; col += columns.step) {
            const int phase = static_cast<int>(start % 32 / SIZE);
            store_rows<IS_INNER>(line - phase * SIZE, strip, from - phase * row_bytes, row_bytes,
                                 columns.row - phase, task.rows);
            from += columns.step * SIZE;
            line += step;
            start += static_cast<unsigned>(step);
        }
    }

    template <bool IS_INNER>
    static __device__ void store_rows(char* to, const Strip& strip, int from, int row_bytes,
                                      std::int64_t row, std::int64_t rows) {
        if (IS_INNER || (row >= 0 && row + N <= rows)) {
            if constexpr (N == 1) {
                element<SIZE>(to, 0) = element<SIZE>(strip.at(from), 0);
            } else {
                *reinterpret_cast<unsigned*>(to) = gathered_word(strip, from, row_bytes);
            }
        } else {
#pragma unroll
            for (int i = 0; i < N; ++i) {
                if (row + i < 0 || row + i >= rows) continue;
                element<SIZE>(to, i) = element<SIZE>(strip.at(from + i * row_bytes), 0);
            }
        }
    }

    /// A word of elements below each other.
    static __device__ unsigned gathered_word(const Strip& strip, int from, int row_bytes) {
        const auto piece = [&](int i) -> unsigned {
            return element<SIZE>(strip.at(from + i * row_bytes), 0);
        };
        if constexpr (SIZE == 1) {
            const unsigned low = __byte_perm(piece(0), piece(1), 0x40);
            return __byte_perm(low, __byte_perm(piece(2), piece(3), 0x40), 0x5410);
        } else {
            return __byte_perm(piece(0), piece(1), 0x5410);
        }
    }
};

/// The opposite: `in` has few rows, and rows of `out` lie side by side. A strip of columns becomes
/// one line of memory. A thread takes elements of one column. Strips of more columns than threads, for
/// very few rows, are loaded in another way; and elements of less than a word always are, as words, since one by
/// one they take too many instructions. Bytes of columns that consist of whole words are turned before they are
/// laid down.
template <int SIZE, int THREADS_, int AHEAD, bool HAS_MANY_COLS = false, int PAD = 0,
          bool IS_TURNED = false, Loads LOADS = Loads::plain>
struct Wide {
    static constexpr int N = SIZE < 4 ? 4 / SIZE : 1;  ///< elements that a lane loads at once
    static constexpr int CHUNK = 31 * N;               ///< and a warp, of a row
    static constexpr int CHUNKS = 4;
    static constexpr int THREADS = THREADS_;
    using Line = SharedLine<PAD>;

    static __device__ void run(const Task& task, char* shared) {
        const Place place = place_of_block(task, 0, task.tile_cols);
        const std::int64_t left = task.cols - place.col;
        const int cols = static_cast<int>(left < task.tile_cols ? left : task.tile_cols);
        char* to = out_of<SIZE>(task, place) + place.col * task.rows * SIZE;
        const Line tile(shared, to);
        if constexpr (SIZE < 4) {
            // Its last words go beyond the chunk, and its first one before it.
            const bool is_inner = place.col >= N && place.col + cols + 2 * N <= task.cols;
            if (is_inner && cols == task.tile_cols) {
                load_small<true>(task, place, tile, cols);
            } else {
                load_small<false>(task, place, tile, cols);
            }
        } else if constexpr (HAS_MANY_COLS) {
            load_many(task, place, tile, cols);
        } else {
            load(task, place, tile, cols);
        }
        __syncthreads();
        copy_line<SIZE, THREADS, 4>(DeviceLine<char>{to}, tile, cols * static_cast<int>(task.rows));
    }

    /// No more columns than threads: several rows at once.
    static __device__ void load(const Task& task, const Place& place, const Line& tile, int cols) {
        const int rows = static_cast<int>(task.rows);
        const int x = threadIdx.x % task.tile_cols, y = threadIdx.x / task.tile_cols;
        const int step = THREADS / task.tile_cols;
        if (x >= cols || y >= step) return;
        const char* from = in_of<SIZE>(task, place) + (y * task.in_pitch + place.col + x) * SIZE;
        const int to = x * rows * SIZE;
        for (int row = y; row < rows; row += step * AHEAD) {
            Element<SIZE> value[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k, from += step * task.in_pitch * SIZE) {
                if (row + k * step < rows) value[k] = load_element<LOADS, SIZE>(from);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                if (row + k * step >= rows) continue;
                element<SIZE>(tile.at(to + (row + k * step) * SIZE), 0) = value[k];
            }
        }
    }

    /// Which element of a strip of more columns than threads: all rows of one column, then of the column
    /// THREADS further on.
    struct Turn {
        int col, row;

        __device__ void advance(int rows) {
            if (++row < rows) return;
            row = 0;
            col += THREADS;
        }
    };
    static __device__ void load_many(const Task& task, const Place& place, const Line& tile,
                                     int cols) {
        const int rows = static_cast<int>(task.rows);
        const char* strip = in_of<SIZE>(task, place) + place.col * SIZE;
        for (Turn turn{static_cast<int>(threadIdx.x), 0}; turn.col < cols;) {
            Element<SIZE> value[AHEAD];
            Turn ahead = turn;
#pragma unroll
            for (int k = 0; k < AHEAD; ++k, ahead.advance(rows)) {
                if (ahead.col >= cols) continue;
                value[k] = element<SIZE>(strip, ahead.row * task.in_pitch + ahead.col);
            }
#pragma unroll
            for (int k = 0; k < AHEAD; ++k, turn.advance(rows)) {
                if (turn.col >= cols) continue;
                element<SIZE>(tile.at((turn.col * rows + turn.row) * SIZE), 0) = value[k];
            }
        }
    }

    template <bool IS_INNER>
    static __device__ void load_small(const Task& task, const Place& place, const Line& tile,
                                      int cols) {
        if constexpr (IS_TURNED) {
            load_turned<IS_INNER>(task, place, tile, cols);
        } else {
            load_words<IS_INNER>(task, place, tile, cols);
        }
    }

    /// Elements of less than a word: a warp takes a few CHUNKs of a row's columns, as words. A row may start
    /// anywhere in a word, so each is put together from two.
    template <bool IS_INNER>
    static __device__ void load_words(const Task& task, const Place& place, const Line& tile,
                                      int cols) {
        constexpr int WARPS = THREADS / 32;
        const int rows = static_cast<int>(task.rows), lane = threadIdx.x % 32;
        const int items = (cols + CHUNKS * CHUNK - 1) / (CHUNKS * CHUNK) * rows;
        const Divider by_rows(rows);
        const char* strip = in_of<SIZE>(task, place) + place.col * SIZE;
        for (int item = threadIdx.x / 32; item < items; item += WARPS * AHEAD) {
            unsigned word[AHEAD][CHUNKS], offset[AHEAD];
            int to[AHEAD], left[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                const int group = by_rows.quotient(item + k * WARPS);
                const int row = item + k * WARPS - group * rows, col = group * (CHUNKS * CHUNK);
                const char* const line = strip + (row * task.in_pitch + col) * SIZE;
                offset[k] = reinterpret_cast<std::uintptr_t>(line) % 4;
                const int first = lane * 4 - static_cast<int>(offset[k]);
                to[k] = (col + lane * N) * rows + row;
                left[k] = item + k * WARPS < items ? cols - col : 0;
#pragma unroll
                for (int c = 0; c < CHUNKS; ++c) {
                    if (c * CHUNK >= left[k]) continue;
                    const char* const chunk = line + c * CHUNK * SIZE;
                    word[k][c] = IS_INNER ? *reinterpret_cast<const unsigned*>(chunk + first)
                                          : word_of_row(chunk, first, place.col + col + c * CHUNK,
                                                        task.cols);
                }
            }
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
#pragma unroll
                for (int c = 0; c < CHUNKS; ++c) {
                    if (c * CHUNK >= left[k]) continue;
                    const unsigned next = __shfl_down_sync(~0u, word[k][c], 1);
                    const unsigned bytes = __funnelshift_r(word[k][c], next, offset[k] * 8);
                    if (lane == 31) continue;
#pragma unroll
                    for (int i = 0; i < N; ++i) {
                        const int col = c * CHUNK + i;
                        if (!IS_INNER && col + lane * N >= left[k]) break;
                        element<SIZE>(tile.at((to[k] + col * rows) * SIZE), 0) =
                            static_cast<Element<SIZE>>(bytes >> (8 * SIZE * i));
                    }
                }
            }
        }
    }

    /// Bytes: a warp takes CHUNKs of a few rows, and turns 4 x 4 bytes at a time. Columns begin with a word.
    static constexpr int TURNED_ROWS = 8, TURNED_CHUNKS = 2, TURNED_COLS = TURNED_CHUNKS * CHUNK;

    template <bool IS_INNER>
    static __device__ void load_turned(const Task& task, const Place& place, const Line& tile,
                                       int cols) {
        static_assert(SIZE == 1, "words of four");
        const int rows = static_cast<int>(task.rows), lane = threadIdx.x % 32;
        const int pieces = (rows + TURNED_ROWS - 1) / TURNED_ROWS;
        const int items = (cols + TURNED_COLS - 1) / TURNED_COLS * pieces;
        const Divider by_pieces(pieces);
        for (int item = threadIdx.x / 32; item < items; item += THREADS / 32) {
            const int group = by_pieces.quotient(item);
            const int row = (item - group * pieces) * TURNED_ROWS, col = group * TURNED_COLS;
            unsigned word[TURNED_CHUNKS][TURNED_ROWS];
            load_piece<IS_INNER>(word, task, place, row, col, cols);
            if (lane == 31) continue;
#pragma unroll
            for (int c = 0; c < TURNED_CHUNKS; ++c) {
                const int x = col + c * CHUNK + lane * N;
#pragma unroll
                for (int y = 0; y < TURNED_ROWS; y += 4) {
                    if (row + y >= rows) continue;
                    const unsigned(&four)[TURNED_ROWS] = word[c];
                    const Vector<4> piece[4] = {
                        {{four[y]}}, {{four[y + 1]}}, {{four[y + 2]}}, {{four[y + 3]}}};
                    Vector<4> turned[4];
                    turn<1>(turned, piece);
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        if (!IS_INNER && x + i >= cols) continue;
                        element<4>(tile.at((x + i) * rows + row + y), 0) = turned[i].word[0];
                    }
                }
            }
        }
    }

    /// All words first, then each is put together from two.
    template <bool IS_INNER>
    static __device__ void load_piece(unsigned (&word)[TURNED_CHUNKS][TURNED_ROWS],
                                      const Task& task, const Place& place, int row, int col,
                                      int cols) {
        const char* const line = in_of<SIZE>(task, place) + row * task.in_pitch + place.col + col;
#pragma unroll
        for (int i = 0; i < TURNED_ROWS * TURNED_CHUNKS; ++i) {
            const int y = i / TURNED_CHUNKS, c = i % TURNED_CHUNKS;
            const char* const chunk = line + y * task.in_pitch + c * CHUNK;
            const int first = threadIdx.x % 32 * 4 - offset_of(chunk - c * CHUNK);
            word[c][y] = 0;
            if (row + y >= task.rows || col + c * CHUNK >= cols) continue;
            word[c][y] = IS_INNER
                             ? *reinterpret_cast<const unsigned*>(chunk + first)
                             : word_of_row(chunk, first, place.col + col + c * CHUNK, task.cols);
        }
#pragma unroll
        for (int i = 0; i < TURNED_ROWS * TURNED_CHUNKS; ++i) {
            const int y = i / TURNED_CHUNKS, c = i % TURNED_CHUNKS;
            const unsigned next = __shfl_down_sync(~0u, word[c][y], 1);
            const int offset = offset_of(line + y * task.in_pitch);
            word[c][y] = __funnelshift_r(word[c][y], next, offset * 8);
        }
    }
    static __device__ int offset_of(const char* line) {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(line) % 4);
    }

    /// Nothing outside of the row is read.
    static __device__ unsigned word_of_row(const char* line, int first, std::int64_t strip,
                                           std::int64_t all_cols) {
        const std::int64_t begin = strip * SIZE + first;
        if (begin >= 0 && begin + 4 <= all_cols * SIZE) {
            return *reinterpret_cast<const unsigned*>(line + first);
        }
        unsigned word = 0;
        for (int i = 0; i < 4; i += SIZE) {
            if (begin + i < 0 || begin + i >= all_cols * SIZE) continue;
            word |= static_cast<unsigned>(element<SIZE>(line + first + i, 0)) << (8 * i);
        }
        return word;
    }
};

// ---- a few planes ----

/// An element in a register: the word that has it, and its place there.
struct Piece {
    unsigned word;
    int place;
};

/// A word that is put together of elements: piece(0) is the lowest.
template <int SIZE, class PieceOf>
__device__ inline unsigned word_of(PieceOf piece) {
    if constexpr (SIZE == 4) {
        return piece(0).word;
    } else if constexpr (SIZE == 2) {
        const Piece low = piece(0), high = piece(1);
        return __byte_perm(low.word, high.word, 0x5410 + low.place * 0x22 + high.place * 0x2200);
    } else {
        const Piece a = piece(0), b = piece(1), c = piece(2), d = piece(3);
        const unsigned low = __byte_perm(a.word, b.word, a.place + (4 + b.place) * 16);
        const unsigned high = __byte_perm(c.word, d.word, c.place + (4 + d.place) * 16);
        return __byte_perm(low, high, 0x5410);
    }
}

/// Images whose channels are planes, or lie last: CHANNELS rows of many elements, or the other way
/// round. A thread has as many pixels as a vector has elements, so that both sides are vectors.
template <int SIZE, int CHANNELS, bool IS_TO_LAST>
struct Channels {
    static constexpr int N = 16 / SIZE, PER_WORD = 4 / SIZE;
    static constexpr int THREADS = 256, PIXELS = THREADS * N, LEAD = 0;
    static constexpr int TILE_ROWS = IS_TO_LAST ? CHANNELS : PIXELS;
    static constexpr int TILE_COLS = IS_TO_LAST ? PIXELS : CHANNELS;
    static constexpr int SHARED_BYTES = THREADS * CHANNELS * 16;

    /// Vectors of the line, in order. Threads take CHANNELS of them each: where that is a power of two,
    /// groups of 8 exchange theirs, so that threads which are served at once find them in other banks.
    static __device__ char* vector(char* shared, int index) {
        const bool is_power = (CHANNELS & (CHANNELS - 1)) == 0;
        return shared + (is_power ? index ^ index / 8 % 8 : index) * 16;
    }

    static __device__ void run(const Task& task, char* shared) {
        const Place place = place_of_block(task, TILE_ROWS, TILE_COLS);
        const char* in = in_of<SIZE>(task, place);
        char* out = out_of<SIZE>(task, place);
        const std::int64_t pixels = IS_TO_LAST ? task.cols : task.rows;
        const std::int64_t first = IS_TO_LAST ? place.col : place.row;
        const std::int64_t left = pixels - first;
        const int count = static_cast<int>(left < PIXELS ? left : PIXELS) / N;  // of threads
        const int thread = threadIdx.x;
        if constexpr (IS_TO_LAST) {
            if (thread < count) from_planes(in + first * SIZE + thread * 16, pixels, shared);
            __syncthreads();
            char* const to = out + first * CHANNELS * SIZE;
#pragma unroll
            for (int c = 0; c < CHANNELS; ++c) {
                const int i = thread + c * THREADS;
                if (i < count * CHANNELS) {
                    store_vector(to + i * 16, load_vector<16>(vector(shared, i)));
                }
            }
        } else {
            load_line(in + first * CHANNELS * SIZE, shared, count * CHANNELS);
            __syncthreads();
            if (thread < count) to_planes(out + first * SIZE + thread * 16, pixels, shared);
        }
    }

    static __device__ void from_planes(const char* in, std::int64_t pixels, char* shared) {
        Vector<16> plane[CHANNELS], last[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) plane[c] = load_vector<16>(in + c * pixels * SIZE);
#pragma unroll
        for (int w = 0; w < 4 * CHANNELS; ++w) {
            last[w / 4].word[w % 4] = word_of<SIZE>([&](int k) {
                const int i = w * PER_WORD + k, pixel = i / CHANNELS;
                return Piece{plane[i % CHANNELS].word[pixel / PER_WORD], pixel % PER_WORD};
            });
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            store_vector(vector(shared, threadIdx.x * CHANNELS + c), last[c]);
        }
    }

    static __device__ void to_planes(char* out, std::int64_t pixels, char* shared) {
        Vector<16> plane[CHANNELS], last[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            last[c] = load_vector<16>(vector(shared, threadIdx.x * CHANNELS + c));
        }
#pragma unroll
        for (int w = 0; w < 4 * CHANNELS; ++w) {
            plane[w / 4].word[w % 4] = word_of<SIZE>([&](int k) {
                const int pixel = w % 4 * PER_WORD + k, i = pixel * CHANNELS + w / 4;
                return Piece{last[i / N].word[i % N / PER_WORD], i % PER_WORD};
            });
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) store_vector(out + c * pixels * SIZE, plane[c]);
    }

    static __device__ void load_line(const char* in, char* shared, int count) {
        Vector<16> value[CHANNELS];
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            const int i = threadIdx.x + c * THREADS;
            if (i < count) value[c] = load_vector<16>(in + i * 16);
        }
#pragma unroll
        for (int c = 0; c < CHANNELS; ++c) {
            const int i = threadIdx.x + c * THREADS;
            if (i < count) store_vector(vector(shared, i), value[c]);
        }
    }
};

// ---- many small matrices ----

/// Matrices that lie side by side, a few at a time: they come into shared memory as one line, and
/// their elements leave it in the order of `out`, which is a line too: 128 bytes of it with each store of
/// a warp. Elements of 2 bytes leave in pairs; those of 1 byte do not: it takes longer to find four.
template <int SIZE, int THREADS_, int PAD>
struct Stack {
    static constexpr int THREADS = THREADS_;
    static constexpr int N = SIZE == 2 ? 2 : 1;  ///< elements that a thread stores at once
    using Line = SharedLine<PAD>;

    static __device__ void run(const Task& task, char* shared) {
        const auto elements = static_cast<int>(task.rows * task.cols);
        const std::int64_t first = std::int64_t{blockIdx.x} * task.stack;
        const std::int64_t left = task.batches - first;
        const int count = elements * static_cast<int>(left < task.stack ? left : task.stack);
        const char* from = static_cast<const char*>(task.in) + first * elements * SIZE;
        char* to = static_cast<char*>(task.out) + first * elements * SIZE;
        const Line line(shared, from);
        copy_line<SIZE, THREADS, 4>(line, DeviceLine<const char>{from}, count);
        const Matrices matrices(static_cast<int>(task.rows), static_cast<int>(task.cols));
        __syncthreads();
        store(to, line, matrices, count);
    }

    /// Where in `in` the elements of `out` lie, both counted from the first of the block's.
    struct Matrices {
        int rows, cols;
        Divider by_elements, by_rows;

        __device__ Matrices(int all_rows, int all_cols)
            : rows(all_rows), cols(all_cols), by_elements(rows * cols), by_rows(rows) {}

        /// The place of one, and of the next: below it, at the top of the next column, or of the next matrix.
        __device__ void find(int number, int (&at)[2]) const {
            const int matrix = by_elements.quotient(number), place = number - matrix * rows * cols;
            const int col = by_rows.quotient(place), row = place - col * rows;
            at[0] = matrix * rows * cols + row * cols + col;
            const int top = col + 1 < cols ? 1 - row * cols : 1;
            at[1] = at[0] + (row + 1 < rows ? cols : top);
        }
    };

    static __device__ void store(char* to, const Line& line, const Matrices& matrices, int count) {
        const int before = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 128) / SIZE;
#ifndef __clang__  // which cannot, and says so
#    pragma unroll 4
#endif
        for (int i = static_cast<int>(threadIdx.x) * N - before; i < count; i += THREADS * N) {
            if (i + N <= 0) continue;
            const int first = i < 0 ? 0 : i;
            int at[2];
            matrices.find(first, at);
            const Element<SIZE> one = element<SIZE>(line.at(at[0] * SIZE), 0);
            if (N == 1 || i < 0 || i + N > count) {
                element<SIZE>(to, first) = one;
            } else if constexpr (N == 2) {
                const Element<SIZE> other = element<SIZE>(line.at(at[1] * SIZE), 0);
                element<4>(to + first * SIZE, 0) = __byte_perm(one, other, 0x5410);
            }
        }
    }
};

/// The same where elements of less than a word have sides of whole words: 4 x 4 bytes, or 2 x 2 halves of words,
/// are turned in registers on their way into shared memory, which `out` leaves as the line that it is. A lane
/// loads 4 columns of as many rows as make a word; ACROSS lanes of a warp are side by side.
template <int SIZE, int THREADS_, int ACROSS>
struct StackOfWords {
    static constexpr int THREADS = THREADS_, WARPS = THREADS / 32, AHEAD = 4;
    static constexpr int N = 4 / SIZE;  ///< elements of a word, and rows of a lane
    static constexpr int COLS = 4, WORDS = COLS / N, DOWN = 32 / ACROSS;
    using Line = SharedLine<0>;
    using Piece = Vector<4 * WORDS>;

    static __device__ void run(const Task& task, char* shared) {
        const auto rows = static_cast<int>(task.rows), cols = static_cast<int>(task.cols);
        const std::int64_t first = std::int64_t{blockIdx.x} * task.stack;
        const std::int64_t left = task.batches - first;
        const int count = static_cast<int>(left < task.stack ? left : task.stack);
        const char* from = static_cast<const char*>(task.in) + first * rows * cols * SIZE;
        char* to = static_cast<char*>(task.out) + first * rows * cols * SIZE;
        const Line line(shared, to);
        load(line, from, rows, cols, count);
        __syncthreads();
        copy_line<SIZE, THREADS, 4>(DeviceLine<char>{to}, line, count * rows * cols);
    }

    /// Matrices lie below each other, and so all of their rows are counted as those of one.
    static __device__ void load(const Line& line, const char* from, int rows, int cols,
                                int matrices) {
        const int pieces = cols / COLS, height = rows / N, all_down = matrices * height;
        const int groups = (pieces + ACROSS - 1) / ACROSS;
        const int items = (all_down + DOWN - 1) / DOWN * groups;
        const Divider by_groups(groups), by_height(height);
        const int lane = threadIdx.x % 32;
        for (int item = threadIdx.x / 32; item < items; item += WARPS * AHEAD) {
            Piece piece[AHEAD][N];
            int place[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                const int number = item + k * WARPS, group = by_groups.quotient(number);
                const int x = (number - group * groups) * ACROSS + lane % ACROSS;
                const int y = group * DOWN + lane / ACROSS, matrix = by_height.quotient(y);
                place[k] = -1;
                if (x >= pieces || y >= all_down) continue;
                place[k] = matrix * rows * (cols - 1) + x * COLS * rows + y * N;
#pragma unroll
                for (int i = 0; i < N; ++i) {
                    piece[k][i] = load_piece(from + ((y * N + i) * cols + x * COLS) * SIZE);
                }
            }
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                if (place[k] >= 0) lay_down(line, place[k], rows, piece[k]);
            }
        }
    }
    static __device__ Piece load_piece(const char* from) {
        if constexpr (WORDS == 1) {
            return {{element<4>(from, 0)}};
        } else {
            return load_vector<4 * WORDS>(from);
        }
    }

    static __device__ void lay_down(const Line& line, int place, int rows,
                                    const Piece (&piece)[N]) {
#pragma unroll
        for (int w = 0; w < WORDS; ++w) {
            Vector<4> word[N], turned[N];
#pragma unroll
            for (int i = 0; i < N; ++i) word[i].word[0] = piece[i].word[w];
            turn<SIZE>(turned, word);
#pragma unroll
            for (int i = 0; i < N; ++i) {
                element<4>(line.at((place + (w * N + i) * rows) * SIZE), 0) = turned[i].word[0];
            }
        }
    }
};

// ---- launches ----

template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS) transpose_kernel(const Task task) {
    extern __shared__ uint4 shared[];
    Kernel::run(task, reinterpret_cast<char*>(shared));
}

/// The same with as few registers as so many blocks of a multiprocessor have.
template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS, Kernel::BLOCKS)
    crowded_transpose_kernel(const Task task) {
    extern __shared__ uint4 shared[];
    Kernel::run(task, reinterpret_cast<char*>(shared));
}

template <class Kernel, class = void>
constexpr bool is_crowded = false;
template <class Kernel>
constexpr bool is_crowded<Kernel, std::enable_if_t<(Kernel::BLOCKS > 0)>> = true;

template <class Kernel>
struct KernelOf {
    static auto get() {
        if constexpr (is_crowded<Kernel>) {
            return &crowded_transpose_kernel<Kernel>;
        } else {
            return &transpose_kernel<Kernel>;
        }
    }
};

/// The most blocks of a grid.
constexpr std::int64_t most_blocks = 2147483647;
/// Shared memory that a block gets unasked, and on every GPU when it asks.
constexpr std::int64_t most_shared_bytes = 48 * 1024, most_shared_bytes_asked_for = 64 * 1024;

inline std::int64_t pieces_of(std::int64_t size, std::int64_t count) {
    return count / size + (count % size != 0);
}

/// Unlike <<< >>> this says itself whether it succeeded: errors of others stay where they are.
template <class... Arguments>
cudaError_t launch_kernel(void (*kernel)(Arguments...), std::int64_t blocks, int threads,
                          std::int64_t bytes, cudaStream_t stream, Arguments... arguments) {
    if (blocks > most_blocks) return cudaErrorInvalidValue;
    const auto* const function = reinterpret_cast<const void*>(kernel);
    if (bytes > most_shared_bytes) {
        const cudaError_t error = cudaFuncSetAttribute(
            function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
        if (error != cudaSuccess) return error;
    }
    void* all[] = {&arguments...};
    return cudaLaunchKernel(function, dim3(static_cast<unsigned>(blocks)),
                            dim3(static_cast<unsigned>(threads)), all,
                            static_cast<std::size_t>(bytes), stream);
}

template <class Kernel>
cudaError_t launch_blocks(const Task& task, std::int64_t blocks, std::int64_t bytes,
                          cudaStream_t stream) {
    return launch_kernel(KernelOf<Kernel>::get(), blocks, Kernel::THREADS, bytes, stream, task);
}

/// A block for each tile of each matrix; several launches where a grid has no room for them all.
template <int SIZE, class Kernel>
cudaError_t launch_tiles(Task task, std::int64_t tiles_down, std::int64_t tiles_across,
                         std::int64_t bytes, cudaStream_t stream) {
    if (tiles_down > most_blocks / tiles_across) return cudaErrorInvalidValue;
    task.tiles_down = static_cast<unsigned>(tiles_down);
    task.tiles_across = static_cast<unsigned>(tiles_across);
    const std::int64_t tiles = tiles_down * tiles_across, at_once = most_blocks / tiles;
    std::int64_t left = task.batches;
    while (left > 0) {
        const std::int64_t batches = left < at_once ? left : at_once;
        const cudaError_t error = launch_blocks<Kernel>(task, batches * tiles, bytes, stream);
        if (error != cudaSuccess) return error;
        left -= batches;
        task.in = static_cast<const char*>(task.in) + batches * task.in_stride * SIZE;
        task.out = static_cast<char*>(task.out) + batches * task.out_stride * SIZE;
    }
    return cudaSuccess;
}

/// For kernels whose tiles have a size.
template <int SIZE, class Kernel>
cudaError_t launch(const Task& task, cudaStream_t stream) {
    return launch_tiles<SIZE, Kernel>(task, pieces_of(Kernel::TILE_ROWS, task.rows + Kernel::LEAD),
                                      pieces_of(Kernel::TILE_COLS, task.cols), Kernel::SHARED_BYTES,
                                      stream);
}

// ---- the choice ----

/// Whether it begins at a multiple of so many bytes.
inline bool is_at(const void* data, std::int64_t multiple) {
    return reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(multiple) == 0;
}

/// Whether every row of a matrix starts at a multiple of 16 bytes and consists of whole 16 bytes.
inline bool has_vectors(const void* data, std::int64_t size, std::int64_t length,
                        std::int64_t pitch, std::int64_t stride, std::int64_t batches) {
    return is_at(data, 16) && pitch * size % 16 == 0 && length * size % 16 == 0 &&
           (batches == 1 || stride * size % 16 == 0);
}

/// How many threads of a warp want the same bank where each takes an element, so many bytes behind the one
/// before, in a line that leaves `pad` bytes free after every 128.
inline int bank_conflicts(std::int64_t step, int size, int pad = 0) {
    const int lanes = size > 4 ? 128 / size : 32;
    int wanted[32] = {}, most = 0;
    for (int lane = 0; lane < lanes; ++lane) {
        std::int64_t place = lane * step;
        place += place / 128 * pad;
        int& bank = wanted[place / 4 % 32];
        if (++bank > most) most = bank;
    }
    return most;
}

/// What padding leaves free.
template <int SIZE>
constexpr int pad_of = SIZE < 4 ? 4 : SIZE;

/// Which strips suit the banks, by their shorter side. Elements of less than a word are taken from as many
/// places as make a word.
enum class Padding { none, some, tiles };
template <int SIZE>
Padding padding_of(std::int64_t shorter) {
    const std::int64_t step = shorter * (SIZE < 4 ? 4 : SIZE);
    const int without = bank_conflicts(step, SIZE);
    const int with = bank_conflicts(step, SIZE, pad_of<SIZE>);
    // Where a column lies in a few banks all the same, tiles are better, unless they are empty.
    if (shorter >= 32 && without > 4 && with > 4) return Padding::tiles;
    return with < without ? Padding::some : Padding::none;
}

/// Strips of tall matrices, from which size on blocks have more threads, and the most bytes of a strip: what
/// was fastest.
template <int SIZE, int PAD>
using TallOfFewCols = Tall<SIZE, 256, SIZE == 1 ? 5 : 8, PAD>;
template <int SIZE, int PAD>
using TallOfManyCols = Tall<SIZE, 512, 5, PAD>;
constexpr std::int64_t many_cols = 96;
template <int SIZE>
constexpr std::int64_t tall_bytes = SIZE == 1   ? 20'480
                                    : SIZE == 2 ? 25'600
                                                : 32'768;

/// Rows that a block of Tall takes; 0: its strips do not fit into shared memory.
template <int SIZE>
int tall_rows(const Task& task) {
    using Kernel = TallOfFewCols<SIZE, pad_of<SIZE>>;
    for (int rows = 8192; rows >= Kernel::GROUP; rows /= 2) {
        if (rows * task.cols * SIZE <= tall_bytes<SIZE>) return rows;
    }
    const std::int64_t least = (Kernel::GROUP + Kernel::LEAD) * task.cols * SIZE;
    const std::int64_t most = SIZE < 4 ? most_shared_bytes : most_shared_bytes_asked_for;
    return Kernel::Strip::room(least) <= most ? Kernel::GROUP : 0;
}

/// The same for wide ones, by their rows. Strips of very few rows have more columns than threads.
template <int SIZE>
using WideOfManyCols = Wide<SIZE, 128, 12, true, pad_of<SIZE>>;
template <int SIZE, int PAD, Loads LOADS = Loads::plain>
using WideOfFewRows = Wide<SIZE, 128, (SIZE < 4 ? 3 : 20), false, PAD, false, LOADS>;
template <int SIZE, int PAD, Loads LOADS = Loads::plain>
using WideOfSomeRows = Wide<SIZE, 256,
                            (SIZE < 4    ? 3
                             : SIZE < 16 ? 16
                                         : 10),
                            false, PAD, false, LOADS>;
template <int SIZE, int PAD, Loads LOADS = Loads::plain>
using WideOfManyRows = std::conditional_t<
    SIZE == 1 && PAD != 0, WideOfSomeRows<SIZE, PAD>,
    Wide<SIZE, (SIZE < 4 ? 512 : 256), (SIZE < 4 ? 2 : 20), false, PAD, false, LOADS>>;
template <int PAD>
using WideOfWords = Wide<1, 128, 3, false, PAD, true>;
constexpr std::int64_t few_rows = 12, some_rows = 48;
/// Bytes one by one, by their rows: a round of loads of all warps should not be the last one of a few.
constexpr std::int64_t more_than_few_rows = 20, most_of_some_rows = 72;
using WideBytesOfFewRows = Wide<1, 192, 2>;
using WideBytesOfSomeRows = Wide<1, 256, 2>;
template <int SIZE>
constexpr std::int64_t many_rows = SIZE < 4 ? 100 : 120;

/// Columns that a block of Wide takes; 0 likewise.
template <int SIZE>
int wide_cols(const Task& task) {
    const auto bytes = [&](int cols) { return cols * task.rows * SIZE; };
    if constexpr (SIZE < 4) {
        using Kernel = WideOfFewRows<SIZE, pad_of<SIZE>>;
        int cols = Kernel::CHUNKS * Kernel::CHUNK;
        while (cols <= 2048 && bytes(2 * cols) <= 16'000) cols *= 2;
        for (; cols >= 2 * Kernel::CHUNK; cols /= 2) {
            if (Kernel::Line::room(bytes(cols)) <= most_shared_bytes_asked_for) return cols;
        }
        return 0;
    } else {
        int cols = task.rows < few_rows ? 4096 : task.rows < many_rows<SIZE> ? 128 : 64;
        const bool is_between = task.rows >= some_rows && task.rows < many_rows<SIZE>;
        const int most = task.rows < few_rows ? 20'500 : is_between ? 40'000 : 52'000;
        for (; cols >= 32; cols /= 2) {
            if (bytes(cols) <= most) return cols;
        }
        return 0;
    }
}

/// The kernels for matrices of some size, by the size of an element: what was fastest on an H200.
template <int SIZE>
struct Fastest;
template <>
struct Fastest<1> {
    template <Loads LOADS>
    using Aligned = Pieces<1, 16, 8, 1, LOADS>;
    using Anywhere = Realigned<1, 8, 16, 32, 1, 8>;
    using Rewound = transposing::Rewound<1, 128, 512, 4, Loads::stay_128, 32>;
    using RewoundLarge = transposing::Rewound<1, 256, 512, 2, Loads::stay_128, 32>;
    static constexpr std::int64_t rewound_bytes = 200'000'000;
};
template <>
struct Fastest<2> {
    template <Loads LOADS>
    using Aligned = Pieces<2, 16, 16, 1, LOADS>;
    using Anywhere = Realigned<2, 16, 8, 16, 1, 32>;
    using Rewound = transposing::Rewound<2, 128, 256, 4, Loads::plain, 32>;
    using RewoundLarge = transposing::Rewound<2, 128, 256, 4, Loads::stay_128, 32>;
    static constexpr std::int64_t rewound_bytes = 60'000'000;
};
template <>
struct Fastest<4> {
    template <Loads LOADS>
    using Aligned = std::conditional_t<LOADS == Loads::plain, Pieces<4, 16, 16, 1>, Raw<LOADS>>;
    using Anywhere = Shifted<4, 64, 64, 512, 32>;
    // Wider tiles with 1024 threads are as fast on an H100, and a tenth slower on an H200.
    using AnywhereLarge = Shifted<4, 64, 64, 512, 32, Loads::stay_128>;
    using ToSectors = Shifted<4, 64, 64, 512, 4>;
    using ToSectorsLarge = Shifted<4, 64, 64, 512, 4, Loads::stay_128>;
};
template <>
struct Fastest<8> {
    template <Loads LOADS>
    using Aligned = Pieces<8, 16, 32, 1, LOADS>;
    using Anywhere = Shifted<8, 32, 64, 512, 32>;
    using AnywhereLarge = Shifted<8, 64, 32, 512, 32, Loads::stay_128>;
    using ToSectors = Shifted<8, 32, 32, 256, 8>;
    using ToSectorsLarge = Shifted<8, 32, 64, 512, 8, Loads::stay_128>;
};
template <>
struct Fastest<16> {
    template <Loads LOADS>
    using Aligned = Pieces<16, 16, 16, 2, LOADS>;
    using Anywhere = Shifted<16, 32, 32, 512, 32>;
    using AnywhereLarge = Shifted<16, 64, 16, 512, 32, Loads::stay_128>;
    using ToSectors = Shifted<16, 32, 16, 256, 16>;
    using ToSectorsLarge = Shifted<16, 32, 32, 512, 16, Loads::stay_128>;
};

/// Matrices, in bytes, from which on it pays to say what should stay in the second-level cache:
/// with smaller ones it costs time, up to 6 % at 64 MB.
constexpr std::int64_t staying_bytes = 400'000'000;
/// The same where rows start anywhere.
constexpr std::int64_t staying_bytes_anywhere = 200'000'000;
/// Whether it pays to say so.
template <int SIZE>
bool does_stay(const Task& task, bool is_aligned) {
    // Not multiplied: batches whose strides are 0 may be more than fit into 64 bits.
    const std::int64_t most = (is_aligned ? staying_bytes : staying_bytes_anywhere) / SIZE;
    return task.rows * task.cols >= most / task.batches;
}

/// The kernel for elements of 1 and 2 bytes whose rows start anywhere, by the bytes of one matrix. For
/// narrow matrices its tiles are too large.
enum class Rewinding { none, small, large };
template <int SIZE>
Rewinding rewinding_of(const Task& task) {
    if constexpr (SIZE < 4) {
        if (task.rows < 128 || task.cols < 128) return Rewinding::none;
        // A higher tile is largely empty where there are few rows.
        const bool is_large = task.rows * task.cols * SIZE >= Fastest<SIZE>::rewound_bytes;
        return is_large && (SIZE > 1 || task.rows >= 1024 || task.cols < task.rows)
                   ? Rewinding::large
                   : Rewinding::small;
    }
    return Rewinding::none;
}

/// Where rows start anywhere, two strips of tiles share sectors and lines of memory, which have left the
/// second-level cache when the second strip comes if the first was longer than this, in rows or columns.
constexpr std::int64_t longest_strip = 26'000;
/// As many as have 15 to 32 KB of each row: with fewer, too little of a row is read at a time.
template <int SIZE>
constexpr unsigned strips_of_group = SIZE == 1 ? 64 : 128;
/// Then strips run the other way, or are taken side by side if both sides are that long.
template <int SIZE>
void shorten_strips(Task& task) {
    const std::int64_t strip = task.is_down_first ? task.rows : task.cols;
    const std::int64_t other = task.is_down_first ? task.cols : task.rows;
    if (strip <= longest_strip) return;
    if (other <= longest_strip) {
        task.is_down_first = !task.is_down_first;
    } else {
        task.group = strips_of_group<SIZE>;
    }
}

/// Aligned rows that do not begin with lines: the order of tiles in which neighbours find the rest of their lines in
/// the second-level cache.
template <int SIZE>
Task sharing_lines(Task task) {
    if (SIZE == 4) shorten_strips<SIZE>(task);
    // Neighbours in a row need the rest of each other's sectors.
    if (SIZE == 2 && task.in_pitch * SIZE % 32 != 0) task.is_down_first = false;
    return task;
}

/// Whether all rows of `out` start at sectors, so that nothing is shifted for that.
template <int SIZE>
bool are_out_rows_at_sectors(const Task& task) {
    return is_at(task.out, 32) && task.out_pitch * SIZE % 32 == 0 &&
           (task.batches == 1 || task.out_stride * SIZE % 32 == 0);
}

/// Whether vectors would leave sectors of `out` in part, and arrays are so large that sectors leave the
/// second-level cache before the rest comes: then the kernels for rows that start anywhere are faster.
template <int SIZE>
bool are_sectors_cut(const Task& task, std::int64_t shorter) {
    constexpr std::int64_t least_side = 256;
    constexpr std::int64_t least_bytes = SIZE == 1   ? 40'000'000
                                         : SIZE == 2 ? 100'000'000
                                                     : staying_bytes_anywhere;
    return SIZE <= 4 && shorter >= least_side && !are_out_rows_at_sectors<SIZE>(task) &&
           task.rows * task.cols >= least_bytes / SIZE / task.batches;
}

/// Whether all rows ask the same channels of memory for the same columns.
template <int SIZE>
bool are_rows_camping(const Task& task) {
    return task.in_pitch * SIZE % (128 * 1024) == 0;
}

/// Matrices side by side in both arrays, so small that a block has room for some.
template <int SIZE>
bool is_stack(const Task& task) {
    const bool is_line = task.in_pitch == task.cols && task.out_pitch == task.rows;
    const std::int64_t elements = task.rows * task.cols;
    const std::int64_t most_bytes = SIZE <= 4 ? 46'500 : 4096;
    return task.batches > 1 && is_line && task.in_stride == elements &&
           task.out_stride == elements && elements * SIZE <= most_bytes;
}

/// As many matrices to a block as about so many bytes.
template <int SIZE>
int matrices_at_once(const Task& task, std::int64_t wanted) {
    const std::int64_t matrix = task.rows * task.cols * SIZE;
    const std::int64_t stack = (wanted + matrix / 2) / matrix;
    return stack > 1 ? static_cast<int>(stack) : 1;
}
template <int SIZE, class Kernel>
cudaError_t launch_stack_by(Task task, std::int64_t wanted, cudaStream_t stream) {
    task.stack = matrices_at_once<SIZE>(task, wanted);
    const std::int64_t bytes = Kernel::Line::room(task.stack * task.rows * task.cols * SIZE);
    return launch_blocks<Kernel>(task, pieces_of(task.stack, task.batches), bytes, stream);
}

template <int SIZE, int PAD>
cudaError_t launch_stack(const Task& task, cudaStream_t stream) {
    const std::int64_t matrix = task.rows * task.cols * SIZE;
    if (matrix <= 4096) {  // no more than 8192 bytes
        return launch_stack_by<SIZE, Stack<SIZE, 256, PAD>>(task, 8192 - matrix / 2, stream);
    }
    constexpr std::int64_t wanted = 20'000;
    if constexpr (SIZE == 2) {  // with fewer threads, more blocks are at work
        using Few = Stack<2, 384, PAD>;
        if (Few::Line::room(matrices_at_once<2>(task, wanted) * matrix) <= 32'000) {
            return launch_stack_by<2, Few>(task, wanted, stream);
        }
    }
    return launch_stack_by<SIZE, Stack<SIZE, 512, PAD>>(task, wanted, stream);
}

/// Elements of less than a word, in matrices whose rows and columns are whole words, so that they are turned in
/// registers. With a single word or two to a row, most lanes would have nothing to load.
template <int SIZE>
bool is_stack_of_words(const Task& task) {
    if constexpr (SIZE < 4) {
        using Kernel = StackOfWords<SIZE, 128, 8>;
        return is_at(task.out, 4) && is_at(task.in, Kernel::COLS * SIZE) &&
               task.cols % Kernel::COLS == 0 && task.rows % Kernel::N == 0 &&
               task.cols >= 2 * Kernel::COLS;
    }
    return false;
}

template <int SIZE>
cudaError_t launch_stack_of_words(const Task& task, cudaStream_t stream) {
    const std::int64_t matrix = task.rows * task.cols * SIZE;
    if constexpr (SIZE == 1) {
        if (matrix <= 6500) return launch_stack_by<1, StackOfWords<1, 128, 8>>(task, 6500, stream);
        if (matrix <= 15'000) return launch_stack_by<1, StackOfWords<1, 256, 8>>(task, 0, stream);
        return launch_stack_by<1, StackOfWords<1, 512, 8>>(task, 0, stream);
    } else if constexpr (SIZE == 2) {
        if (matrix <= 9000) return launch_stack_by<2, StackOfWords<2, 256, 4>>(task, 9000, stream);
        // 64 bytes of a row at once are fewer requests to the second-level cache than 32. But where a round of
        // loads does not suffice, it is better that fewer lanes have nothing to load.
        using By4 = StackOfWords<2, 384, 4>;
        using By8 = StackOfWords<2, 384, 8>;
        const std::int64_t pieces = task.cols / By8::COLS, down = task.rows / By8::N;
        const std::int64_t by_4 = pieces_of(4, pieces) * pieces_of(By4::DOWN, down);
        const std::int64_t by_8 = pieces_of(8, pieces) * pieces_of(By8::DOWN, down);
        if (by_8 > By8::WARPS * By8::AHEAD && by_4 < by_8) {
            return launch_stack_by<2, By4>(task, 0, stream);
        }
        return launch_stack_by<2, By8>(task, 0, stream);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE, class Kernel>
cudaError_t launch_tall_by(const Task& task, cudaStream_t stream) {
    const std::int64_t rows = task.tile_rows + Kernel::LEAD;
    const std::int64_t strips = pieces_of(task.tile_rows, task.rows + Kernel::LEAD);
    const std::int64_t bytes = Kernel::Strip::room(rows * task.cols * SIZE);
    return launch_tiles<SIZE, Kernel>(task, strips, 1, bytes, stream);
}

/// Fewer strips than this do not keep all multiprocessors at work to the end: then they are half as long.
constexpr std::int64_t few_strips = 3000;

template <int SIZE, int PAD>
cudaError_t launch_tall(const Task& task, cudaStream_t stream) {
    if constexpr (SIZE == 1) {
        using Half = Tall<1, 128, 6, PAD>;
        Task halved = task;
        halved.tile_rows /= 2;
        const bool are_few = pieces_of(task.tile_rows, task.rows) < few_strips / task.batches;
        if (are_few && halved.tile_rows >= Half::GROUP) {
            return launch_tall_by<1, Half>(halved, stream);
        }
    }
    if constexpr (SIZE >= 4) {
        if (task.cols >= many_cols) {
            return launch_tall_by<SIZE, TallOfManyCols<SIZE, PAD>>(task, stream);
        }
    }
    return launch_tall_by<SIZE, TallOfFewCols<SIZE, PAD>>(task, stream);
}

template <int SIZE, class Kernel>
cudaError_t launch_wide_by(const Task& task, cudaStream_t stream) {
    const std::int64_t bytes = Kernel::Line::room(task.tile_cols * task.rows * SIZE);
    return launch_tiles<SIZE, Kernel>(task, 1, pieces_of(task.tile_cols, task.cols), bytes, stream);
}

/// Bytes: whether columns, which lie side by side in `out`, begin with words and consist of whole ones.
inline bool are_columns_words(const Task& task) {
    return is_at(task.out, 4) && task.rows % 4 == 0 &&
           (task.batches == 1 || task.out_stride % 4 == 0);
}

/// Bytes that are turned before they are laid down.
inline cudaError_t launch_wide_of_words(Task task, cudaStream_t stream) {
    task.tile_cols = WideOfWords<0>::TURNED_COLS;
    // Lanes lay down words, of every fourth column: with so many rows they would all want two banks.
    if (task.rows % 16 == 0) return launch_wide_by<1, WideOfWords<4>>(task, stream);
    return launch_wide_by<1, WideOfWords<0>>(task, stream);
}

/// By the rows of a strip.
template <int SIZE, int PAD, Loads LOADS>
cudaError_t launch_wide_of_rows(const Task& task, cudaStream_t stream) {
    if (task.rows < some_rows) {
        return launch_wide_by<SIZE, WideOfFewRows<SIZE, PAD, LOADS>>(task, stream);
    }
    // Padding does them good where banks do not ask for it, too.
    constexpr int MORE_PAD = SIZE < 4 ? PAD : pad_of<SIZE>;
    if (task.rows < many_rows<SIZE>) {
        return launch_wide_by<SIZE, WideOfSomeRows<SIZE, MORE_PAD, LOADS>>(task, stream);
    }
    return launch_wide_by<SIZE, WideOfManyRows<SIZE, MORE_PAD, LOADS>>(task, stream);
}

template <int SIZE, int PAD>
cudaError_t launch_wide(const Task& task, cudaStream_t stream) {
    if constexpr (SIZE >= 4) {
        if (task.rows < few_rows) return launch_wide_by<SIZE, WideOfManyCols<SIZE>>(task, stream);
        // Rows of strips begin and end within lines of memory, and the next strip needs the rest.
        if (does_stay<SIZE>(task, false)) {
            return launch_wide_of_rows<SIZE, PAD, Loads::stay_128>(task, stream);
        }
    }
    if constexpr (SIZE == 1) {
        const bool are_some = task.rows >= more_than_few_rows && task.rows < many_rows<1>;
        if (are_some && are_columns_words(task)) return launch_wide_of_words(task, stream);
        if (are_some && PAD == 0 && task.rows < some_rows) {
            return launch_wide_by<1, WideBytesOfFewRows>(task, stream);
        }
        if (are_some && PAD == 0 && task.rows < most_of_some_rows) {
            return launch_wide_by<1, WideBytesOfSomeRows>(task, stream);
        }
    }
    return launch_wide_of_rows<SIZE, PAD, Loads::plain>(task, stream);
}

/// Rows and columns that both start at multiples of 16 bytes.
template <int SIZE>
cudaError_t launch_aligned(const Task& task, std::int64_t shorter, cudaStream_t stream) {
    using Small = Pieces<SIZE, 8, 8, 1>;
    if (shorter <= Small::TILE_COLS) return launch<SIZE, Small>(task, stream);
    Task spread = task;
    spread.is_spread = are_rows_camping<SIZE>(task);
    spread.is_down_first |= spread.is_spread;
    const bool are_lines_cut = task.in_pitch * SIZE % 128 != 0;
    if (are_lines_cut && does_stay<SIZE>(task, false)) {
        return launch<SIZE, typename Fastest<SIZE>::template Aligned<Loads::stay_128>>(
            sharing_lines<SIZE>(task), stream);
    }
    if (does_stay<SIZE>(task, true)) {
        return launch<SIZE, typename Fastest<SIZE>::template Aligned<Loads::stay>>(spread, stream);
    }
    return launch<SIZE, typename Fastest<SIZE>::template Aligned<Loads::plain>>(spread, stream);
}

/// The others. The rows that a block shares with the one before are not worth it for small matrices.
template <int SIZE>
cudaError_t launch_anywhere(Task task, std::int64_t shorter, cudaStream_t stream) {
    using Large = typename Fastest<SIZE>::Anywhere;
    using Small = Shifted<SIZE, 64, 32, 256, SIZE>;
    if (task.rows <= Small::TILE_ROWS || shorter <= Small::TILE_COLS) {
        return launch<SIZE, Small>(task, stream);
    }
    if (SIZE <= 4) shorten_strips<SIZE>(task);
    if constexpr (SIZE < 4) {
        // What is left of a narrow row leaves the second-level cache before the strip below it is done.
        if (task.rows / 16 > task.cols) task.is_down_first = false;
        switch (rewinding_of<SIZE>(task)) {
            case Rewinding::none: break;
            case Rewinding::small:
                return launch<SIZE, typename Fastest<SIZE>::Rewound>(task, stream);
            case Rewinding::large:
                return launch<SIZE, typename Fastest<SIZE>::RewoundLarge>(task, stream);
        }
        return launch<SIZE, Large>(task, stream);
    } else {
        const bool is_large = does_stay<SIZE>(task, false);
        if (are_out_rows_at_sectors<SIZE>(task)) {
            if (is_large || SIZE == 4) task.is_down_first = false;
            task.group = 1;
            if (!is_large) return launch<SIZE, typename Fastest<SIZE>::ToSectors>(task, stream);
            return launch<SIZE, typename Fastest<SIZE>::ToSectorsLarge>(task, stream);
        }
        if (!is_large) return launch<SIZE, Large>(task, stream);
        return launch<SIZE, typename Fastest<SIZE>::AnywhereLarge>(task, stream);
    }
}

/// Images of 2 to 4, 6 or 8 channels, large enough for tiles of 1024 to 4096 pixels.
template <int SIZE>
bool has_channels(const Task& task) {
    const std::int64_t channels = task.rows < task.cols ? task.rows : task.cols;
    const std::int64_t pixels = task.rows < task.cols ? task.cols : task.rows;
    const bool is_dense = task.in_pitch == task.cols && task.out_pitch == task.rows;
    constexpr int N = SIZE < 16 ? 16 / SIZE : 1;
    const bool is_aligned =
        is_at(task.out, 16) && is_at(task.in, 16) && pixels % N == 0 &&
        (task.batches == 1 || (task.in_stride % N == 0 && task.out_stride % N == 0));
    const bool is_known = (channels >= 2 && channels <= 4) || channels == 6 || channels == 8;
    return SIZE <= 4 && is_dense && is_aligned && is_known && pixels >= 4096;
}

template <int SIZE, int CHANNELS>
cudaError_t launch_channels_of(const Task& task, cudaStream_t stream) {
    if (task.rows == CHANNELS) return launch<SIZE, Channels<SIZE, CHANNELS, true>>(task, stream);
    return launch<SIZE, Channels<SIZE, CHANNELS, false>>(task, stream);
}

template <int SIZE>
cudaError_t launch_channels(const Task& task, cudaStream_t stream) {
    switch (task.rows < task.cols ? task.rows : task.cols) {
        case 2: return launch_channels_of<SIZE, 2>(task, stream);
        case 3: return launch_channels_of<SIZE, 3>(task, stream);
        case 4: return launch_channels_of<SIZE, 4>(task, stream);
        case 6: return launch_channels_of<SIZE, 6>(task, stream);
        default: return launch_channels_of<SIZE, 8>(task, stream);
    }
}

/// Whether aligned matrices are better moved in strips, if these fit: an eighth and more of their tiles is
/// empty, or rows on the narrow side end within a line. Bytes have faster tiles, and so have wide matrices
/// of 2 bytes.
template <int SIZE>
bool prefers_strips(const Task& task, std::int64_t shorter) {
    const std::int64_t side = SIZE < 4 ? 128 : 64;
    const bool is_empty = pieces_of(side, shorter) * side > shorter + shorter / 8;
    if (SIZE < 4) return SIZE == 2 && is_empty && shorter > side && task.cols < task.rows;
    return is_empty || shorter * SIZE % 128 != 0;
}

/// Strips of elements of less than a word, longer ones of which are slower than the tiles of Rewound.
constexpr std::int64_t most_strip_cols = 152;
template <int SIZE>
constexpr std::int64_t most_strip_rows = SIZE == 1 ? 256 : 152;

template <int SIZE>
cudaError_t launch_best(Task task, cudaStream_t stream) {
    if constexpr (SIZE <= 4) {
        if (has_channels<SIZE>(task)) return launch_channels<SIZE>(task, stream);
    }
    const bool is_aligned =
        has_vectors(task.in, SIZE, task.cols, task.in_pitch, task.in_stride, task.batches) &&
        has_vectors(task.out, SIZE, task.rows, task.out_pitch, task.out_stride, task.batches);
    const std::int64_t shorter = task.rows < task.cols ? task.rows : task.cols;
    const bool is_narrow = shorter * SIZE < 128;
    if (is_stack<SIZE>(task) && (is_narrow || !is_aligned)) {
        if (is_stack_of_words<SIZE>(task)) return launch_stack_of_words<SIZE>(task, stream);
        const bool is_padded = bank_conflicts(Stack<SIZE, 256, 0>::N * task.cols * SIZE, SIZE) > 4;
        if (is_padded) return launch_stack<SIZE, pad_of<SIZE>>(task, stream);
        return launch_stack<SIZE, 0>(task, stream);
    }
    const auto launch_by_tiles = [&] {
        return is_aligned && !are_sectors_cut<SIZE>(task, shorter)
                   ? launch_aligned<SIZE>(task, shorter, stream)
                   : launch_anywhere<SIZE>(task, shorter, stream);
    };
    if (is_aligned && !is_narrow && !prefers_strips<SIZE>(task, shorter)) {
        return launch_by_tiles();
    }

    task.tile_rows = tall_rows<SIZE>(task);
    task.tile_cols = wide_cols<SIZE>(task);
    const Padding padding = padding_of<SIZE>(shorter);
    const bool is_padded = padding == Padding::some, is_strip = padding != Padding::tiles;
    // The tiles of the other kernel are faster than long strips.
    const bool is_rewound = rewinding_of<SIZE>(task) != Rewinding::none;
    const bool is_tall = task.in_pitch == task.cols && task.rows / 4 > task.cols &&
                         (!is_rewound || task.cols < most_strip_cols);
    if (is_strip && is_tall && task.tile_rows > 0) {
        if (is_padded) return launch_tall<SIZE, pad_of<SIZE>>(task, stream);
        return launch_tall<SIZE, 0>(task, stream);
    }
    const bool is_wide = task.out_pitch == task.rows && task.cols / 4 > task.rows &&
                         (!is_rewound || task.rows < most_strip_rows<SIZE>);
    if (is_strip && is_wide && task.tile_cols > 0) {
        if (is_padded) return launch_wide<SIZE, pad_of<SIZE>>(task, stream);
        return launch_wide<SIZE, 0>(task, stream);
    }
    return launch_by_tiles();
}

/// The defaults filled in. cudaSuccess, or what is wrong.
inline cudaError_t understand(Task& task, void* out, const void* in, std::int64_t size,
                              std::int64_t rows, std::int64_t cols,
                              const TransposeOptions& options) {
    constexpr std::int64_t most = INT64_MAX / 64;
    task = {};
    task.out = out, task.in = in;
    task.group = 1;
    task.rows = rows, task.cols = cols, task.batches = options.batches;
    task.in_pitch = options.in_pitch == 0 ? cols : options.in_pitch;
    task.out_pitch = options.out_pitch == 0 ? rows : options.out_pitch;
    if (rows < 0 || cols < 0 || options.batches < 0) return cudaErrorInvalidValue;
    if (task.in_pitch < cols || task.out_pitch < rows) return cudaErrorInvalidValue;
    if (options.in_stride < 0 || options.out_stride < 0) return cudaErrorInvalidValue;
    if (rows == 0 || cols == 0 || options.batches == 0) return cudaSuccess;
    if (task.in_pitch > most / rows || task.out_pitch > most / cols) return cudaErrorInvalidValue;
    task.in_stride = options.in_stride == 0 ? rows * task.in_pitch : options.in_stride;
    task.out_stride = options.out_stride == 0 ? cols * task.out_pitch : options.out_stride;
    if (out == nullptr || in == nullptr) return cudaErrorInvalidValue;
    if (!is_at(out, size) || !is_at(in, size)) return cudaErrorMisalignedAddress;
    // Neighbouring tiles lie below each other, so that rows of `out` are written in long runs. On an
    // H200 that was the better order for all shapes tried but 2048 x 32768 and 4096 x 32768, where
    // tiles along the rows take 2 and 3 % less time: hence this rule.
    task.is_down_first = cols / 8 < rows || cols / 16 > rows;
    return cudaSuccess;
}

template <int SIZE>
cudaError_t transpose(void* out, const void* in, std::int64_t rows, std::int64_t cols,
                      const TransposeOptions& options, cudaStream_t stream) {
    Task task;
    const cudaError_t error = understand(task, out, in, SIZE, rows, cols, options);
    if (error != cudaSuccess || rows == 0 || cols == 0 || options.batches == 0) return error;
    const bool is_line = (rows == 1 && task.out_pitch == 1) || (cols == 1 && task.in_pitch == 1);
    if (is_line && options.batches == 1) {
        return cudaMemcpyAsync(out, in, static_cast<std::size_t>(rows * cols * SIZE),
                               cudaMemcpyDeviceToDevice, stream);
    }
    return launch_best<SIZE>(task, stream);
}

}  // namespace transposing

/// Transposes a matrix, or `options.batches` of them: out(col, row) = in(row, col).
///
/// The work is queued in `stream`. Nothing is allocated and nothing is waited for, so it may be
/// captured into a graph. What is computed does not depend on the type: bits are moved.
///
/// \param out      a matrix of `cols` rows and `rows` columns in device memory; may not overlap `in`
/// \param in       a matrix of `rows` rows and `cols` columns in device memory
/// \param rows     from 0 on; with 0 rows or columns nothing happens
/// \param cols     likewise
/// \param options  pitches and batches; without them, one matrix whose rows lie side by side
/// \param stream   where it is queued
/// \return cudaSuccess; cudaErrorInvalidValue when a size is negative, a pitch shorter than a row,
///         or a pointer null; cudaErrorMisalignedAddress when a matrix does not start at a multiple
///         of its element's size; or what the launch returned
template <class T>
cudaError_t transpose(T* out, const T* in, std::int64_t rows, std::int64_t cols,
                      const TransposeOptions& options = {}, cudaStream_t stream = nullptr) {
    static_assert(std::is_trivially_copyable<T>::value, "elements are moved as bits");
    static_assert(
        sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16,
        "elements have 1, 2, 4, 8 or 16 bytes");
    return transposing::transpose<sizeof(T)>(out, in, rows, cols, options, stream);
}

/// The same where the size of an element, in bytes, is known only when the program runs.
inline cudaError_t transpose_elements(void* out, const void* in, std::size_t element_size,
                                      std::int64_t rows, std::int64_t cols,
                                      const TransposeOptions& options = {},
                                      cudaStream_t stream = nullptr) {
    switch (element_size) {
        case 1: return transposing::transpose<1>(out, in, rows, cols, options, stream);
        case 2: return transposing::transpose<2>(out, in, rows, cols, options, stream);
        case 4: return transposing::transpose<4>(out, in, rows, cols, options, stream);
        case 8: return transposing::transpose<8>(out, in, rows, cols, options, stream);
        case 16: return transposing::transpose<16>(out, in, rows, cols, options, stream);
        default: return cudaErrorInvalidValue;
    }
}

}  // namespace coalesce

/// \file
/// Changes the order of an array's axes in device memory: up to 6 of them, elements of 1 to 16 bytes.
/// Needs transpose.cuh beside it, and nothing but the CUDA runtime.
///
///     #include <coalesce/permute.cuh>
///
///     // Axis k of `out` is axis order[k] of `in`: here (B, S, H, D) becomes (B, H, S, D).
///     cudaError_t error = coalesce::permute(out, in, {B, S, H, D}, {0, 2, 1, 3});
///
/// As `transpose`: it allocates nothing, waits for nothing, and moves bits. Lesson 15_permute tells
/// why only two axes matter.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "transpose.cuh"

namespace coalesce {

/// The most axes of an array.
constexpr int most_axes = 6;

/// What is left of the axes, and the kernels of what is not a transpose.
namespace permuting {

using transposing::Element;
using transposing::is_at;
using transposing::launch_kernel;
using transposing::pieces_of;
using transposing::Vector;

/// Elements whose size is not a power of two have an axis of their own.
constexpr int most_steps = most_axes + 1;

/// An axis of `out`: how many elements, and how far it is in `in` from one to the next.
struct Axis {
    std::int64_t size, step;
    // For numbers below 2^31, number / size is the upper half of number * multiplier, shifted.
    unsigned multiplier;
    int shift;
};

/// What is to be moved: all of `out`, in its own order. The outermost axis comes first.
struct Plan {
    void* out;
    const void* in;
    std::int64_t unit;   ///< bytes that stay together: 1, 2, 4, 8 or 16
    std::int64_t count;  ///< units
    int axes;
    Axis axis[most_steps];
};

__device__ inline unsigned quotient(unsigned number, const Axis& axis) {
    return __umulhi(number, axis.multiplier) >> axis.shift;
}
__device__ inline std::uint64_t quotient(std::uint64_t number, const Axis& axis) {
    return number / static_cast<std::uint64_t>(axis.size);
}

/// Where in `in` those units lie that have these numbers in `out`, of the first `axes` axes.
template <int COUNT, class Index, class Offset>
__device__ inline void find(Offset (&from)[COUNT], Index (&number)[COUNT], const Plan& plan,
                            int axes) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) from[i] = 0;
    for (int k = axes - 1; k > 0; --k) {
        const Axis& axis = plan.axis[k];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const Index outer = quotient(number[i], axis);
            const Index inner = number[i] - outer * static_cast<Index>(axis.size);
            from[i] += inner * static_cast<Offset>(axis.step);
            number[i] = outer;
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; ++i) from[i] += number[i] * static_cast<Offset>(plan.axis[0].step);
}

constexpr int threads = 256, ahead = 4;

/// Unit by unit: `out` is written in order. `Index` has room for the number of units.
template <int SIZE, class Index>
__global__ void __launch_bounds__(threads) gather_kernel(const Plan plan) {
    const Index first = static_cast<Index>(blockIdx.x) * (threads * ahead) + threadIdx.x;
    const auto count = static_cast<Index>(plan.count);
    Index number[ahead], from[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
        const Index wanted = first + i * threads;
        number[i] = wanted < count ? wanted : count - 1;
    }
    find(from, number, plan, plan.axes);
    Element<SIZE> value[ahead];
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
        value[i] = static_cast<const Element<SIZE>*>(plan.in)[from[i]];
    }
#pragma unroll
    for (int i = 0; i < ahead; ++i) {
        const Index wanted = first + i * threads;
        if (wanted < count) static_cast<Element<SIZE>*>(plan.out)[wanted] = value[i];
    }
}

/// Rows that keep their order within, and start anywhere: `out` is written by whole vectors, each of
/// which is put together from one row, or from the end of one and the start of the next.
template <int SIZE>
struct Spliced {
    static_assert(SIZE <= 4, "larger ones are gathered");
    static constexpr int N = 16 / SIZE, PER_WORD = 4 / SIZE;
    const char *begin, *end;  ///< of `in`: nothing else is read

    /// An aligned vector. At the ends of `in` it comes element by element.
    __device__ Vector<16> load(const char* from) const {
        if (from >= begin && from + 16 <= end) return transposing::load_vector<16>(from);
        Vector<16> vector = {};
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const char* const at = from + i * SIZE;
            if (at < begin || at >= end) continue;
            vector.word[i / PER_WORD] |= static_cast<unsigned>(transposing::element<SIZE>(at, 0))
                                         << (i % PER_WORD * SIZE * 8);
        }
        return vector;
    }

    /// Whether the vectors that 16 bytes from there may lie in are all within `in`.
    __device__ bool holds(const char* from) const {
        const char* const first = from - reinterpret_cast<std::uintptr_t>(from) % 16;
        return first >= begin && first + 32 <= end;
    }

    /// 16 bytes from anywhere. Where `in` holds their vectors, nothing is compared: loads do not wait.
    template <bool IS_INNER>
    __device__ Vector<16> load_anywhere(const char* from) const {
        const unsigned offset = reinterpret_cast<std::uintptr_t>(from) % 16;
        const char* const first = from - offset;
        if constexpr (IS_INNER) {
            return transposing::shifted<SIZE>(transposing::load_vector<16>(first),
                                              transposing::load_vector<16>(first + 16), offset);
        } else {
            const Vector<16> low = load(first), high = load(first + 16);
            return transposing::shifted<SIZE>(low, high, offset);
        }
    }

    /// Stores what of the vector is within `out`, which has this place there.
    static __device__ void store(const Plan& plan, std::int64_t place, const Vector<16>& vector) {
        const std::int64_t bytes = plan.count * SIZE;
        char* const to = static_cast<char*>(plan.out) + place;
        if (place >= 0 && place + 16 <= bytes) return transposing::store_vector(to, vector);
#pragma unroll
        for (int i = 0; i < N; ++i) {
            const std::int64_t at = place + i * SIZE;
            if (at < 0 || at >= bytes) continue;
            const unsigned word = vector.word[i / PER_WORD] >> (i % PER_WORD * SIZE * 8);
            transposing::element<SIZE>(to, i) = static_cast<Element<SIZE>>(word);
        }
    }

    /// `left` bytes of the one, and the rest of the other.
    static __device__ Vector<16> joined(const Vector<16>& one, const Vector<16>& other, int left) {
        Vector<16> vector;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int bytes = left - 4 * i;
            const unsigned mask = bytes >= 4 ? ~0u : bytes <= 0 ? 0u : (1u << (8 * bytes)) - 1;
            vector.word[i] = (one.word[i] & mask) | (other.word[i] & ~mask);
        }
        return vector;
    }
};

/// Bytes of rows from which on they are spliced, vectors of a thread, and what a block has of `out`.
constexpr int least_spliced = 64, ahead_spliced = 2, bytes_spliced = threads * ahead_spliced * 16;

/// Where in `in` so many rows are, from one of them on. Behind the last one it is that one again.
template <int SIZE>
__device__ void find_rows(const char** row_at, const Plan& plan, std::int64_t first, int count) {
    const int last = plan.axes - 1;
    const auto row_count = static_cast<unsigned>(plan.count / plan.axis[last].size);
    for (int i = threadIdx.x; i < count; i += threads) {
        const unsigned row = static_cast<unsigned>(first) + i;
        unsigned number[1] = {row < row_count ? row : row_count - 1};
        std::int64_t from[1];
        find(from, number, plan, last);
        row_at[i] = static_cast<const char*>(plan.in) + from[0] * SIZE;
    }
}

/// The last axis is that of the rows. Those that a block has something of are found once, together. A vector
/// comes from the row that it begins in; where it ends in the next one, that is loaded too.
template <int SIZE>
__global__ void __launch_bounds__(threads, 4) splice_kernel(const Plan plan) {
    __shared__ const char* row_at[bytes_spliced / least_spliced + 3];
    const Spliced<SIZE> rows{static_cast<const char*>(plan.in),
                             static_cast<const char*>(plan.in) + plan.count * SIZE};
    const Axis& last = plan.axis[plan.axes - 1];
    const auto row_bytes = static_cast<int>(last.size * SIZE);
    const auto head = static_cast<int>(reinterpret_cast<std::uintptr_t>(plan.out) % 16);
    // Of the whole block at once, so that what is left for each vector fits into 31 bits.
    const std::int64_t block = std::int64_t{blockIdx.x} * bytes_spliced - head;
    const std::int64_t row_of_block = block < 0 ? 0 : block / row_bytes;
    const auto rest = static_cast<int>(block - row_of_block * row_bytes);
    find_rows<SIZE>(row_at, plan, row_of_block, (rest + bytes_spliced) / row_bytes + 2);
    __syncthreads();

    const char *one[ahead_spliced], *other[ahead_spliced];
    int left[ahead_spliced];  // of the row that a vector begins in
    bool is_inner = true;
#pragma unroll
    for (int i = 0; i < ahead_spliced; ++i) {
        const int place = rest + static_cast<int>(threadIdx.x + i * threads) * 16;
        const unsigned unit = place < 0 ? 0 : static_cast<unsigned>(place) / SIZE;
        const auto down = static_cast<int>(quotient(unit, last));
        const int x = place - down * row_bytes;  // negative: before `out`
        one[i] = row_at[down] + x;
        left[i] = row_bytes - x;
        other[i] = row_at[down + 1] - left[i];
        is_inner = is_inner && rows.holds(one[i]);
    }
    Vector<16> vector[ahead_spliced];
    if (is_inner) {
#pragma unroll
        for (int i = 0; i < ahead_spliced; ++i) {
            vector[i] = rows.template load_anywhere<true>(one[i]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < ahead_spliced; ++i) {
            vector[i] = rows.template load_anywhere<false>(one[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < ahead_spliced; ++i) {
        if (left[i] >= 16) continue;
        const auto end = rows.holds(other[i]) ? rows.template load_anywhere<true>(other[i])
                                              : rows.template load_anywhere<false>(other[i]);
        vector[i] = Spliced<SIZE>::joined(vector[i], end, left[i]);
    }
#pragma unroll
    for (int i = 0; i < ahead_spliced; ++i) {
        const std::int64_t place = block + (threadIdx.x + i * threads) * 16;
        Spliced<SIZE>::store(plan, place, vector[i]);
    }
}

// ---- transposes whose rows and columns are runs over several axes ----

/// Neighbours in one array: its last axes, as many as are in the list. Sides of tiles are cut from them.
struct Run {
    int axes;
    std::int64_t size;      ///< of all of them together
    Axis axis[most_steps];  ///< the outermost first; steps are those in the other array
    int log_side;           ///< elements of a side of a tile: a power of two
    int vectors;            ///< of a side, where tiles consist of them
    unsigned sides;         ///< the run's
};

/// Rows of tiles are neighbours in `out`, and columns are in `in`. All other axes count such matrices.
struct Tiling {
    void* out;
    const void* in;
    Run rows, cols;
    int axes;
    unsigned size[most_steps];  ///< of the others, the outermost first
    std::int64_t in_step[most_steps], out_step[most_steps];
    bool is_across_first;  ///< neighbouring blocks have tiles side by side, not below each other
};

/// Elements of a tile, and of its sides at most and at least: powers of two.
template <int SIZE>
constexpr int log_tile = SIZE == 16 ? 11 : 12;
constexpr int log_longest = 8, log_shortest = 4;
static_assert(threads == 1 << log_longest, "a thread for each element of the longest side");

/// Where in the other array an element of a run lies.
__device__ inline std::int64_t place_in(const Run& run, std::int64_t number) {
    std::int64_t place = 0;
    auto left = static_cast<unsigned>(number);
    for (int k = run.axes - 1; k > 0; --k) {
        const unsigned outer = quotient(left, run.axis[k]);
        place += (left - outer * static_cast<unsigned>(run.axis[k].size)) * run.axis[k].step;
        left = outer;
    }
    return place + left * run.axis[0].step;
}

/// A tile of the block's.
struct TileOfRuns {
    std::int64_t row, col;  ///< in the two runs: where it begins
    std::int64_t from,
        to;  ///< in `in` and in `out`: the places of the runs' first elements, with `col` and `row` more
};

__device__ inline TileOfRuns tile_of_runs(const Tiling& tiling, int rows, int cols) {
    const unsigned inner_sides = tiling.is_across_first ? tiling.cols.sides : tiling.rows.sides;
    const unsigned outer_sides = tiling.is_across_first ? tiling.rows.sides : tiling.cols.sides;
    const unsigned line = blockIdx.x / inner_sides, inner_side = blockIdx.x - line * inner_sides;
    unsigned number = line / outer_sides;
    const unsigned outer_side = line - number * outer_sides;
    const std::int64_t row = std::int64_t{tiling.is_across_first ? outer_side : inner_side} * rows;
    const std::int64_t col = std::int64_t{tiling.is_across_first ? inner_side : outer_side} * cols;
    TileOfRuns tile{row, col, col, row};
    for (int k = tiling.axes - 1; k >= 0; --k) {
        const unsigned outer = number / tiling.size[k], inner = number - outer * tiling.size[k];
        tile.from += inner * tiling.in_step[k];
        tile.to += inner * tiling.out_step[k];
        number = outer;
    }
    return tile;
}

/// From one row of a tile to the next in shared memory, so that a column lies in all banks.
template <int SIZE>
__host__ __device__ constexpr int pitch_of(int log_cols) {
    return (1 << log_cols) + (SIZE < 4 ? 4 / SIZE : 1);
}

/// A tile for each block: through shared memory, so that both arrays are read and written along runs.
template <int SIZE>
__global__ void __launch_bounds__(threads) tile_kernel(const Tiling tiling) {
    constexpr int COUNT = (1 << log_tile<SIZE>) / threads;
    extern __shared__ uint4 shared[];
    __shared__ std::int64_t row_place[threads], col_place[threads];
    char* const tile = reinterpret_cast<char*>(shared);
    const int log_rows = tiling.rows.log_side, log_cols = tiling.cols.log_side;
    const int pitch = pitch_of<SIZE>(log_cols);

    const auto [row, col, from, to] = tile_of_runs(tiling, 1 << log_rows, 1 << log_cols);
    const auto rows_left = tiling.rows.size - row, cols_left = tiling.cols.size - col;
    const int thread = threadIdx.x;
    if (thread < 1 << log_rows && thread < rows_left) {
        row_place[thread] = from + place_in(tiling.rows, row + thread);
    }
    if (thread < 1 << log_cols && thread < cols_left) {
        col_place[thread] = to + place_in(tiling.cols, col + thread);
    }
    __syncthreads();
    {
        const int x = thread & ((1 << log_cols) - 1), y = thread >> log_cols;
        Element<SIZE> value[COUNT] = {};
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const int at = y + (i << (log_longest - log_cols));
            if (x < cols_left && at < rows_left) {
                value[i] = static_cast<const Element<SIZE>*>(tiling.in)[row_place[at] + x];
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const int at = y + (i << (log_longest - log_cols));
            transposing::element<SIZE>(tile, at * pitch + x) = value[i];
        }
    }
    __syncthreads();
    const int y = thread & ((1 << log_rows) - 1), x = thread >> log_rows;
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
        const int at = x + (i << (log_longest - log_rows));
        if (at >= cols_left || y >= rows_left) continue;
        static_cast<Element<SIZE>*>(tiling.out)[col_place[at] + y] =
            transposing::element<SIZE>(tile, y * pitch + at);
    }
}

// ---- the same by vectors, where both arrays consist of whole ones ----

/// A tile as that of `tile_kernel`, of which a thread turns N x N elements in registers: N of them are a
/// vector in both arrays. How many vectors a side has is not fixed, so that few tiles are partly empty.
template <int SIZE, transposing::Loads LOADS = transposing::Loads::plain>
struct VectorTile {
    static constexpr int N = 16 / SIZE;
    /// Vectors of a side, down and across, where runs are long; and of a tile at most: a thread each.
    static constexpr int DOWN = SIZE == 1 ? 8 : 16, ACROSS = 16;
    static constexpr int MOST = SIZE == 1 ? 144 : SIZE == 2 ? 288 : 512;
    static constexpr int THREADS = (MOST + 31) / 32 * 32;

    const Tiling& tiling;
    char* tile;
    std::int64_t *row_place, *col_place;
    int down, across;

    __device__ VectorTile(const Tiling& all, char* shared)
        : tiling(all), tile(shared), down(all.rows.vectors), across(all.cols.vectors) {
        row_place = reinterpret_cast<std::int64_t*>(shared + across * (down * N + 1) * 16);
        col_place = row_place + down * N;
    }
    static int shared_bytes(int down, int across) {
        return across * (down * N + 1) * 16 + (down + across) * N * 8;
    }
    /// N elements of a column, turned. A vector is left free after every N columns, so that threads which store
    /// at once have banks of their own.
    __device__ char* vector(int col, int quad) const {
        return tile + (col / N + col * down + quad) * 16;
    }

    __device__ void run() const {
        const TileOfRuns at = tile_of_runs(tiling, down * N, across * N);
        const auto least = [](std::int64_t left, int most) {
            return left < most ? static_cast<int>(left) : most;
        };
        const int rows = least(tiling.rows.size - at.row, down * N);
        const int cols = least(tiling.cols.size - at.col, across * N);
        for (int i = threadIdx.x; i < rows; i += blockDim.x) {
            row_place[i] = at.from + place_in(tiling.rows, at.row + i);
        }
        for (int i = threadIdx.x; i < cols; i += blockDim.x) {
            col_place[i] = at.to + place_in(tiling.cols, at.col + i);
        }
        __syncthreads();
        load(rows, cols);
        __syncthreads();
        store(rows, cols);
    }

    __device__ void load(int rows, int cols) const {
        const int y = static_cast<int>(threadIdx.x) / across;
        const int x = static_cast<int>(threadIdx.x) - y * across;
        if (y * N >= rows || x * N >= cols) return;
        const char* const from = static_cast<const char*>(tiling.in) + x * 16;
        Vector<16> piece[N], turned[N];
#pragma unroll
        for (int i = 0; i < N; ++i) {
            piece[i] = transposing::load_far<LOADS>(from + row_place[y * N + i] * SIZE);
        }
        transposing::turn<SIZE>(turned, piece);
#pragma unroll
        for (int i = 0; i < N; ++i) transposing::store_vector(vector(x * N + i, y), turned[i]);
    }

    __device__ void store(int rows, int cols) const {
        const int first = static_cast<int>(threadIdx.x) / down;
        const int quad = static_cast<int>(threadIdx.x) - first * down;
        if (first >= across || quad * N >= rows) return;
        char* const to = static_cast<char*>(tiling.out) + quad * 16;
#pragma unroll
        for (int k = 0; k < N; ++k) {
            const int col = first + k * across;
            if (col >= cols) return;
            const auto turned = transposing::load_vector<16>(vector(col, quad));
            transposing::store_vector(to + col_place[col] * SIZE, turned);
        }
    }
};

template <int SIZE, transposing::Loads LOADS>
__global__ void __launch_bounds__(VectorTile<SIZE>::THREADS)
    vector_tile_kernel(const Tiling tiling) {
    extern __shared__ uint4 shared[];
    const VectorTile<SIZE, LOADS> tile(tiling, reinterpret_cast<char*>(shared));
    tile.run();
}

// ---- the same by words, for elements of 1 and 2 bytes ----

/// An aligned word of an array. At the array's ends it comes unit by unit.
template <int SIZE>
__device__ unsigned load_word_within(const char* at, const char* begin, const char* end) {
    if (at >= begin && at + 4 <= end) return *reinterpret_cast<const unsigned*>(at);
    unsigned word = 0;
    for (int i = 0; i < 4; i += SIZE) {
        if (at + i < begin || at + i >= end) continue;
        word |= static_cast<unsigned>(transposing::element<SIZE>(at + i, 0)) << (8 * i);
    }
    return word;
}

/// A tile as that of `tile_kernel`. Each row of it starts anywhere in a word of `in`: its words are put together when they
/// are laid down. Each column starts anywhere in a sector of `out`: a block stores from the first sector on that begins
/// in its tile, and loads as many rows more. Large arrays have higher tiles, which share fewer rows; what two of
/// them share of a line of memory is to stay in the second-level cache.
template <int SIZE, bool IS_LARGE = false>
struct WordTile {
    static constexpr int THREADS = 512, WARPS = THREADS / 32, AHEAD = 4, PER_WORD = 4 / SIZE;
    /// That registers must suffice for. Fewer blocks leave large arrays more of the first-level cache.
    static constexpr int BLOCKS = IS_LARGE ? 2 : 4;
    static constexpr int ROWS = (IS_LARGE ? 384 : 256) / SIZE, COLS = 128, LEAD = 32 / SIZE;
    static constexpr int LOADED = ROWS + LEAD;
    static constexpr auto LOADS =
        IS_LARGE ? transposing::Loads::stay_128 : transposing::Loads::plain;
    static constexpr int WORDS = COLS / PER_WORD, CHUNKS = WORDS / 32;
    /// Words from as many rows as a word has elements to the next. Lanes read these: odd, so that banks differ.
    static constexpr int GROUP = PER_WORD * WORDS + 1;
    static constexpr int SHARED_BYTES = LOADED / PER_WORD * GROUP * 4;
    static_assert(WARPS % PER_WORD == 0 && ROWS % (WARPS * AHEAD) == 0 &&
                      ROWS % (32 * PER_WORD) == 0,
                  "warps and lanes cover a tile evenly");

    unsigned* words;
    const char* const (&row_at)[LOADED];  ///< in `in`: where rows of the tile begin
    char* const (&col_at)[COLS];          ///< in `out`
    const char *begin, *end;              ///< of `in`
    int rows, cols;                       ///< those that are there, and those more that are loaded
    bool is_first;  ///< of the run: nobody stores what is before the first sector

    static __device__ int lane() { return threadIdx.x % 32; }
    static __device__ int warp() { return threadIdx.x / 32; }
    static __device__ unsigned bits_before(const char* at) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at)) % 4 * 8;
    }
    __device__ int rows_to_load() const {  // the last word of a column may go beyond it
        return rows + PER_WORD - 1 < LOADED ? rows + PER_WORD - 1 : LOADED;
    }

    /// All words of each row lie within `in`. Rows behind the last are that one again.
    __device__ void load_inside() const {
        unsigned* const mine =
            words + warp() / PER_WORD * GROUP + warp() % PER_WORD * WORDS + lane();
        const int count = rows_to_load();
#pragma unroll 1
        for (int first = 0; first < ROWS && first < count; first += WARPS * AHEAD) {
            load_rows<AHEAD>(first, mine + first / PER_WORD * GROUP);
        }
#pragma unroll 1
        for (int first = ROWS; first + warp() < count; first += WARPS) {
            load_rows<1>(first, mine + first / PER_WORD * GROUP);
        }
    }
    template <int COUNT>
    __device__ void load_rows(int first, unsigned* to) const {
        unsigned low[COUNT][CHUNKS], high[COUNT][CHUNKS], shift[COUNT];
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
            const char* const at = row_at[first + i * WARPS + warp()];
            shift[i] = bits_before(at);
            const char* const from = at - shift[i] / 8 + lane() * 4;
#pragma unroll
            for (int k = 0; k < CHUNKS; ++k) {
                low[i][k] = transposing::load_element<LOADS, 4>(from + k * 128);
                high[i][k] = transposing::load_element<LOADS, 4>(from + k * 128 + 4);
            }
        }
#pragma unroll
        for (int i = 0; i < COUNT; ++i) {
#pragma unroll
            for (int k = 0; k < CHUNKS; ++k) {
                to[i * WARPS / PER_WORD * GROUP + k * 32] =
                    __funnelshift_r(low[i][k], high[i][k], shift[i]);
            }
        }
    }
    /// The same where words may lie outside.
    __device__ void load_at_edge() const {
        const int count = rows_to_load();
        for (int row = warp(); row < count; row += WARPS) {
            const unsigned shift = bits_before(row_at[row]);
            const char* const at = row_at[row] - shift / 8;
            for (int k = lane(); k < WORDS; k += 32) {
                const unsigned low = load_word_within<SIZE>(at + 4 * k, begin, end);
                const unsigned high = load_word_within<SIZE>(at + 4 * k + 4, begin, end);
                words[row / PER_WORD * GROUP + row % PER_WORD * WORDS + k] =
                    __funnelshift_r(low, high, shift);
            }
        }
    }

    __device__ void store() const {
        for (int col = warp(); col < cols; col += WARPS) {
            char* const to = col_at[col];
            const int lead = static_cast<int>(-reinterpret_cast<std::uintptr_t>(to) % 32) / SIZE;
            const unsigned* row[PER_WORD];
#pragma unroll
            for (int k = 0; k < PER_WORD; ++k) {
                row[k] = words + ((lead + k) / PER_WORD + lane()) * GROUP +
                         (lead + k) % PER_WORD * WORDS + col / PER_WORD;
            }
            if (lead + ROWS <= rows) {
#pragma unroll
                for (int i = 0; i < ROWS / PER_WORD / 32; ++i) {
                    const int y = lead + (i * 32 + lane()) * PER_WORD;
                    transposing::element<4>(to + y * SIZE, 0) = word_of(row, col, i);
                }
            } else {
                store_part(to, lead, row, col);
            }
            if (is_first && lane() < lead && lane() < rows) {
                const unsigned word =
                    words[lane() / PER_WORD * GROUP + lane() % PER_WORD * WORDS + col / PER_WORD];
                transposing::element<SIZE>(to, lane()) =
                    static_cast<Element<SIZE>>(word >> (col % PER_WORD * SIZE * 8));
            }
        }
    }
    /// What of a column there is.
    __device__ void store_part(char* to, int lead, const unsigned* const (&row)[PER_WORD],
                               int col) const {
        for (int i = 0; i < ROWS / PER_WORD / 32; ++i) {
            const int y = lead + (i * 32 + lane()) * PER_WORD;
            if (y >= rows) return;
            const unsigned word = word_of(row, col, i);
            if (y + PER_WORD <= rows) {
                transposing::element<4>(to + y * SIZE, 0) = word;
                continue;
            }
            for (int k = 0; y + k < rows; ++k) {
                transposing::element<SIZE>(to, y + k) =
                    static_cast<Element<SIZE>>(word >> (8 * SIZE * k));
            }
        }
    }
    /// The column's elements of rows below each other.
    static __device__ unsigned word_of(const unsigned* const (&row)[PER_WORD], int col, int i) {
        const int at = i * 32 * GROUP;
        if constexpr (SIZE == 2) {
            return __byte_perm(row[0][at], row[1][at], col % 2 == 0 ? 0x5410 : 0x7632);
        } else {
            const unsigned both = 0x0040 + col % 4 * 0x0011;
            return __byte_perm(__byte_perm(row[0][at], row[1][at], both),
                               __byte_perm(row[2][at], row[3][at], both), 0x5410);
        }
    }
};

template <int SIZE, bool IS_LARGE>
__global__ void __launch_bounds__(WordTile<SIZE, IS_LARGE>::THREADS,
                                  WordTile<SIZE, IS_LARGE>::BLOCKS)
    word_tile_kernel(const Tiling tiling, std::int64_t bytes) {
    using Tile = WordTile<SIZE, IS_LARGE>;
    extern __shared__ uint4 shared[];
    __shared__ const char* row_at[Tile::LOADED];
    __shared__ char* col_at[Tile::COLS];
    const TileOfRuns at = tile_of_runs(tiling, Tile::ROWS, Tile::COLS);
    const auto least = [](std::int64_t left, int most) {
        return left < most ? static_cast<int>(left) : most;
    };
    const int rows = least(tiling.rows.size - at.row, Tile::LOADED);
    const int cols = least(tiling.cols.size - at.col, Tile::COLS);
    const char* const begin = static_cast<const char*>(tiling.in);
    const Tile tile{reinterpret_cast<unsigned*>(shared),
                    row_at,
                    col_at,
                    begin,
                    begin + bytes,
                    rows,
                    cols,
                    at.row == 0};
    bool is_edge = false;
    for (int i = threadIdx.x; i < Tile::LOADED; i += Tile::THREADS) {
        const std::int64_t row = at.row + (i < rows ? i : rows - 1);
        row_at[i] = begin + (at.from + place_in(tiling.rows, row)) * SIZE;
        is_edge = is_edge || row_at[i] - begin < 3 || tile.end - row_at[i] < Tile::COLS * SIZE + 4;
    }
    for (int i = threadIdx.x; i < cols; i += Tile::THREADS) {
        col_at[i] =
            static_cast<char*>(tiling.out) + (at.to + place_in(tiling.cols, at.col + i)) * SIZE;
    }
    if (__syncthreads_or(is_edge)) {
        tile.load_at_edge();
    } else {
        tile.load_inside();
    }
    __syncthreads();
    tile.store();
}

// ---- matrices whose elements are a few units each ----

/// A matrix, or a batch of them side by side, of elements of 3, 5, 6, 7, 9 ... units.
struct Compounds {
    void* out;
    const void* in;
    std::int64_t rows, cols, batches, bytes;
    int units;                 ///< of an element
    int tile_rows, tile_cols;  ///< elements
    int pitch;                 ///< words from one row of a tile to the next
    int lead;                  ///< rows that are loaded before those of a tile
    bool has_vectors;          ///< rows are loaded by vectors, not by words
    int warps;
    std::int64_t tiles_down, tiles_across;
};

/// Both arrays are moved in words, wherever in them a row starts, and tiles lie in shared memory in the words
/// that they came in. A lane finds out once which units its words of `out` have: it stores the same words of
/// every fourth column, or of columns further apart, and all of these start at the same place in a word.
/// Rows of tiles that have many elements, or long ones, are loaded as vectors.
template <int SIZE, bool HAS_VECTORS>
struct Compound {
    static_assert(SIZE <= 4, "a word holds units");
    static constexpr int ALIGNED = HAS_VECTORS ? 16 : 4;  ///< bytes, of what is loaded at once
    static constexpr int PER_WORD = 4 / SIZE, AHEAD = 8;
    /// The first word of a run may begin in the row before.
    static constexpr int LEAD = SIZE == 4 ? 0 : 1;

    const Compounds& task;
    char* tile;
    int size;                  ///< of an element, in bytes
    std::int64_t row, matrix;  ///< the tile's first row; the matrix's first byte
    std::int64_t col;
    int rows, cols;    ///< that are loaded
    const char* from;  ///< the first of them

    __device__ Compound(const Compounds& all, char* memory) : task(all), tile(memory) {
        size = task.units * SIZE;
        unsigned number = blockIdx.x;
        const auto down = static_cast<unsigned>(task.tiles_down);
        const auto across = static_cast<unsigned>(task.tiles_across);
        row = std::int64_t{number % down} * task.tile_rows;
        number /= down;
        col = std::int64_t{number % across} * task.tile_cols;
        matrix = task.rows * task.cols * size * (number / across);
        const std::int64_t top = row < task.lead ? 0 : row - task.lead, left = task.cols - col;
        const std::int64_t end =
            row + task.tile_rows < task.rows ? row + task.tile_rows : task.rows;
        rows = static_cast<int>(end - top);
        cols = static_cast<int>(left < task.tile_cols ? left : task.tile_cols);
        from = static_cast<const char*>(task.in) + matrix + (top * task.cols + col) * size;
    }
    static __device__ unsigned place_in(const char* at, unsigned aligned) {
        return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at)) % aligned;
    }
    /// Where the row begins in what is loaded at once, in bytes.
    __device__ unsigned shift_of(int y) const {
        const auto row_bytes = static_cast<unsigned>(task.cols * size);
        if (SIZE == ALIGNED) return 0;
        return (place_in(from, ALIGNED) + static_cast<unsigned>(y) * row_bytes) % ALIGNED;
    }

    template <bool IS_INNER>
    __device__ unsigned load_word(const char* at) const {
        if (IS_INNER) return *reinterpret_cast<const unsigned*>(at);
        const char* const begin = static_cast<const char*>(task.in);
        return load_word_within<SIZE>(at, begin, begin + task.bytes);
    }

    __device__ void load() const {
        const char* const begin = static_cast<const char*>(task.in);
        const char* const last = from + (rows - 1) * task.cols * size + cols * size;
        if (from - ALIGNED >= begin && last + ALIGNED <= begin + task.bytes) {
            if constexpr (HAS_VECTORS) {
                load_vectors();
            } else {
                load_rows<true>();
            }
        } else {
            load_rows<false>();
        }
    }
    /// Vectors that rows lie in, which may begin before them and end behind.
    __device__ void load_vectors() const {
        constexpr int VECTORS = 4;
        const int bytes = cols * size, threads = static_cast<int>(blockDim.x);
        const int of_row = (bytes + 30) / 16, count = rows * of_row;
        const transposing::Divider by_row(of_row);
        const std::int64_t row_bytes = task.cols * size;
        for (int first = threadIdx.x; first < count; first += threads * VECTORS) {
            Vector<16> vector[VECTORS];
            int place[VECTORS];
#pragma unroll
            for (int k = 0; k < VECTORS; ++k) {
                const int number = first + k * threads, y = by_row.quotient(number);
                const int at = (number - y * of_row) * 16;
                const char* const line = from + y * row_bytes;
                const int shift = static_cast<int>(place_in(line, 16));
                const bool is_there = y < rows && at < bytes + shift;
                place[k] = is_there ? y * task.pitch * 4 + at : -1;
                if (is_there) vector[k] = transposing::load_vector<16>(line - shift + at);
            }
#pragma unroll
            for (int k = 0; k < VECTORS; ++k) {
                if (place[k] >= 0) transposing::store_vector(tile + place[k], vector[k]);
            }
        }
    }
    /// Each warp takes 32 words of a row.
    template <bool IS_INNER>
    __device__ void load_rows() const {
        const int bytes = cols * size, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        const int chunks = (bytes + ALIGNED - SIZE + 127) / 128, warps = blockDim.x / 32;
        const int rows_further = warps / chunks, chunks_further = warps % chunks;
        const std::int64_t row_bytes = task.cols * size;
        int y = warp / chunks, chunk = warp % chunks;
        while (y < rows) {
            unsigned word[AHEAD];
            int place[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                const char* const line = from + y * row_bytes;
                const int shift = SIZE == ALIGNED ? 0 : static_cast<int>(place_in(line, ALIGNED));
                const int at = chunk * 128 + lane * 4;
                const bool is_there = y < rows && at < bytes + shift;
                place[k] = is_there ? y * task.pitch * 4 + at : -1;
                if (is_there) word[k] = load_word<IS_INNER>(line - shift + at);
                chunk += chunks_further;
                y += rows_further;
                if (chunk >= chunks) {
                    chunk -= chunks;
                    ++y;
                }
            }
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                if (place[k] >= 0) transposing::element<4>(tile + place[k], 0) = word[k];
            }
        }
    }

    /// Each warp takes 32 words of a column.
    __device__ void store() const {
        const int lead = row < task.lead ? 0 : task.lead;
        const transposing::Divider by_units(task.units);
        const int words = task.tile_rows * size / 4, lane = threadIdx.x % 32,
                  warp = threadIdx.x / 32;
        const int chunks = (words + 31) / 32, step = static_cast<int>(blockDim.x) / 32 / chunks;
        const int word = warp % chunks * 32 + lane, first_col = warp / chunks;
        if (word >= words || first_col >= step) return;
        const std::int64_t col_bytes = task.rows * size;
        char* const out =
            static_cast<char*>(task.out) + matrix + (col + first_col) * col_bytes + row * size;
        const int phase = SIZE == 4 ? 0 : static_cast<int>(place_in(out, 4)) / SIZE;
        // Counted from the first unit of the tile, and from a row before that.
        const int first = word * PER_WORD - phase;
        int place[PER_WORD];
#pragma unroll
        for (int k = 0; k < PER_WORD; ++k) {
            const int y = by_units.quotient(first + k + LEAD * task.units) - LEAD + lead;
            const int unit = first + k - (y - lead) * task.units;
            place[k] = y * task.pitch * 4 + static_cast<int>(shift_of(y)) + unit * SIZE;
        }
        // Those of them that are the matrix's.
        const std::int64_t before = -(row * task.units + first);
        const std::int64_t left = (task.rows - row) * task.units - first;
        if (before <= 0 && left >= PER_WORD) {
            store_words(out + first * SIZE, place, first_col, step);
        } else if (left > 0) {
            store_units(out + first * SIZE, place, first_col, step, before, left);
        }
    }
    __device__ void store_words(char* to, const int (&place)[PER_WORD], int first_col,
                                int step) const {
        const char* at = tile + first_col * size;
        const std::int64_t further = step * task.rows * size;
#ifndef __clang__  // which cannot, and says so
#    pragma unroll 4
#endif
        for (int x = first_col; x < cols; x += step) {
            unsigned word = 0;
#pragma unroll
            for (int k = 0; k < PER_WORD; ++k) {
                word |= static_cast<unsigned>(transposing::element<SIZE>(at + place[k], 0))
                        << (8 * SIZE * k % 32);
            }
            *reinterpret_cast<unsigned*>(to) = word;
            at += step * size;
            to += further;
        }
    }
    /// The same for words that are partly the matrix's.
    __device__ void store_units(char* to, const int (&place)[PER_WORD], int first_col, int step,
                                std::int64_t before, std::int64_t left) const {
        const char* at = tile + first_col * size;
        for (int x = first_col; x < cols; x += step) {
#pragma unroll
            for (int k = 0; k < PER_WORD; ++k) {
                if (k < before || k >= left) continue;
                transposing::element<SIZE>(to, k) = transposing::element<SIZE>(at + place[k], 0);
            }
            at += step * size;
            to += step * task.rows * size;
        }
    }
};

template <int SIZE, bool HAS_VECTORS>
__global__ void __launch_bounds__(HAS_VECTORS ? 512 : 1024) compound_kernel(const Compounds task) {
    extern __shared__ uint4 shared[];
    const Compound<SIZE, HAS_VECTORS> compound(task, reinterpret_cast<char*>(shared));
    compound.load();
    __syncthreads();
    compound.store();
}

/// Elements of three units, bytes or halves of words, where rows and columns begin with a word and consist of
/// whole ones: as many elements as have three words are turned in registers, rows and columns of them.
template <int SIZE, int ROWS_ = 32>
struct Triples {
    static_assert(SIZE <= 2, "parts of words");
    static constexpr int N = 4 / SIZE;                              ///< elements of three words
    static constexpr int ROWS = ROWS_, COLS = SIZE == 1 ? 64 : 32;  ///< of a tile
    static constexpr int ACROSS = COLS / N, DOWN = ROWS / N, WORDS = DOWN * 3;
    static constexpr int THREADS = ACROSS * DOWN;  ///< each turns N x N elements
    static constexpr int PITCH = WORDS + 1;        ///< words from one column of a tile to the next

    const Compounds& task;
    unsigned* tile;  ///< turned
    std::int64_t row, col;
    const char* in;
    char* out;

    __device__ Triples(const Compounds& all, unsigned* memory) : task(all), tile(memory) {
        unsigned number = blockIdx.x;
        const auto down = static_cast<unsigned>(task.tiles_down);
        const auto across = static_cast<unsigned>(task.tiles_across);
        row = std::int64_t{number % down} * ROWS;
        number /= down;
        col = std::int64_t{number % across} * COLS;
        const std::int64_t matrix = task.rows * task.cols * (3 * SIZE) * (number / across);
        in = static_cast<const char*>(task.in) + matrix;
        out = static_cast<char*>(task.out) + matrix;
    }

    __device__ void load() const {
        const int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;
        if (row + y * N >= task.rows || col + x * N >= task.cols) return;
        const char* from = in + ((row + y * N) * task.cols + col + x * N) * (3 * SIZE);
        unsigned word[N][3], turned[N][3];
#pragma unroll
        for (int i = 0; i < N; ++i, from += task.cols * (3 * SIZE)) {
#pragma unroll
            for (int w = 0; w < 3; ++w) word[i][w] = reinterpret_cast<const unsigned*>(from)[w];
        }
        turn(turned, word);
#pragma unroll
        for (int i = 0; i < N; ++i) {
#pragma unroll
            for (int w = 0; w < 3; ++w) tile[(x * N + i) * PITCH + y * 3 + w] = turned[i][w];
        }
    }

    static __device__ void turn(unsigned (&out)[N][3], const unsigned (&in)[N][3]) {
        if constexpr (SIZE == 2) {
            out[0][0] = in[0][0];
            out[0][1] = __byte_perm(in[0][1], in[1][0], 0x5410);
            out[0][2] = __byte_perm(in[1][0], in[1][1], 0x5432);
            out[1][0] = __byte_perm(in[0][1], in[0][2], 0x5432);
            out[1][1] = __byte_perm(in[0][2], in[1][1], 0x7632);
            out[1][2] = in[1][2];
        } else {
            unsigned one[4][4];  // elements, in the low three bytes
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                one[i][0] = in[i][0];
                one[i][1] = __byte_perm(in[i][0], in[i][1], 0x0543);
                one[i][2] = __byte_perm(in[i][1], in[i][2], 0x0432);
                one[i][3] = in[i][2] >> 8;
            }
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                out[i][0] = __byte_perm(one[0][i], one[1][i], 0x4210);
                out[i][1] = __byte_perm(one[1][i], one[2][i], 0x5421);
                out[i][2] = __byte_perm(one[2][i], one[3][i], 0x6542);
            }
        }
    }

    __device__ void store() const {
        const std::int64_t rows_left = task.rows - row, cols_left = task.cols - col;
        const int cols = cols_left < COLS ? static_cast<int>(cols_left) : COLS;
        const int words = rows_left < ROWS ? static_cast<int>(rows_left) / N * 3 : WORDS;
#pragma unroll 4
        for (int i = threadIdx.x; i < cols * WORDS; i += THREADS) {
            const int x = i / WORDS, word = i % WORDS;
            if (word >= words) continue;
            char* const to = out + ((col + x) * task.rows + row) * (3 * SIZE);
            transposing::element<4>(to, word) = tile[x * PITCH + word];
        }
    }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::THREADS) triple_kernel(const Compounds task) {
    __shared__ unsigned tile[Kernel::COLS * Kernel::PITCH];
    const Kernel triples(task, tile);
    triples.load();
    __syncthreads();
    triples.store();
}

// ---- what is left of the axes ----

/// Whether numbers below 2^31 count all of them, so that quotients are cheap.
constexpr std::int64_t most_small = (std::int64_t{1} << 31) - 1;

/// Axes of length 1 go; two that follow each other in `in` as in `out` are one.
inline void merge(Plan& plan) {
    int axes = 0;
    for (int k = 0; k < plan.axes; ++k) {
        const Axis axis = plan.axis[k];
        if (axis.size == 1) continue;
        Axis* const before = axes == 0 ? nullptr : &plan.axis[axes - 1];
        if (before != nullptr && before->step == axis.size * axis.step) {
            before->size *= axis.size;
            before->step = axis.step;
        } else {
            plan.axis[axes++] = axis;
        }
    }
    plan.axes = axes;
}

inline bool keeps_last_axis(const Plan& plan) {
    return plan.axes > 0 && plan.axis[plan.axes - 1].step == 1;
}

/// Rows that keep their order within are taken in units of up to 16 bytes. A row that is one unit is gone:
/// then larger elements are transposed.
inline void widen(Plan& plan) {
    if (!keeps_last_axis(plan)) return;
    while (plan.unit < 16 && plan.axis[plan.axes - 1].size % 2 == 0 &&
           is_at(plan.out, 2 * plan.unit) && is_at(plan.in, 2 * plan.unit)) {
        plan.unit *= 2;
        plan.count /= 2;
        plan.axis[plan.axes - 1].size /= 2;
        for (int k = 0; k + 1 < plan.axes; ++k) plan.axis[k].step /= 2;
    }
    merge(plan);
}

/// The smallest shift and its multiplier: number * multiplier / 2^(32 + shift) is exact below 2^31.
inline void prepare_quotient(Axis& axis) {
    if (axis.size > most_small) return;  // there are too many for quotients of this kind
    axis.shift = 0;
    while ((std::int64_t{2} << axis.shift) < axis.size) ++axis.shift;
    const std::uint64_t power = std::uint64_t{1} << (32 + axis.shift);
    const auto size = static_cast<std::uint64_t>(axis.size);
    axis.multiplier = static_cast<unsigned>((power + size - 1) / size);
}

/// cudaSuccess and a plan, or what is wrong. A plan without units is of an empty array.
inline cudaError_t understand(Plan& plan, void* out, const void* in, std::size_t element_size,
                              int axes, const std::int64_t* sizes, const int* order) {
    if (element_size < 1 || element_size > 16) return cudaErrorInvalidValue;
    if (axes < 0 || axes > most_axes) return cudaErrorInvalidValue;
    plan = {};
    plan.out = out, plan.in = in;
    plan.unit = static_cast<std::int64_t>(element_size & (~element_size + 1));
    const std::int64_t units = static_cast<std::int64_t>(element_size) / plan.unit;
    std::int64_t step[most_axes];
    bool is_taken[most_axes] = {}, is_empty = false;
    for (int k = 0; k < axes; ++k) {
        if (sizes[k] < 0 || order[k] < 0 || order[k] >= axes || is_taken[order[k]]) {
            return cudaErrorInvalidValue;
        }
        is_taken[order[k]] = true;
        is_empty |= sizes[k] == 0;
    }
    if (is_empty) return cudaSuccess;
    plan.count = units;
    for (int k = axes - 1; k >= 0; --k) {
        step[k] = plan.count;
        if (sizes[k] > INT64_MAX / 64 / plan.count) return cudaErrorInvalidValue;
        plan.count *= sizes[k];
    }
    if (out == nullptr || in == nullptr) return cudaErrorInvalidValue;
    if (!is_at(out, plan.unit) || !is_at(in, plan.unit)) return cudaErrorMisalignedAddress;
    for (int k = 0; k < axes; ++k) plan.axis[k] = {sizes[order[k]], step[order[k]], 0, 0};
    plan.axis[axes] = {units, 1, 0, 0};
    plan.axes = axes + 1;
    merge(plan);
    widen(plan);
    for (int k = 0; k < plan.axes; ++k) prepare_quotient(plan.axis[k]);
    return cudaSuccess;
}

/// The axis whose elements are so far apart in `in`; -1: there is none.
inline int axis_of_step(const Plan& plan, std::int64_t step) {
    for (int k = 0; k < plan.axes; ++k) {
        if (plan.axis[k].step == step) return k;
    }
    return -1;
}

/// One matrix or a batch of them: a plan of two axes, or of three.
struct Matrices {
    std::int64_t rows, cols;
    TransposeOptions options;
    bool is_dense;
};
inline Matrices matrices_of(const Plan& plan) {
    const Axis& last = plan.axis[plan.axes - 1];
    const int across = axis_of_step(plan, 1);
    Matrices matrices = {};
    matrices.rows = last.size;
    matrices.cols = plan.axis[across].size;
    TransposeOptions& options = matrices.options;
    options.in_pitch = last.step;
    options.out_pitch = last.size;
    options.batches = 1;
    matrices.is_dense = plan.axes == 2 || across == 1;
    if (plan.axes == 2) return matrices;
    const Axis& batch = plan.axis[1 - across];
    options.batches = batch.size;
    options.in_stride = batch.step;
    if (across == 1) {
        options.out_stride = matrices.rows * matrices.cols;
    } else {
        options.out_stride = last.size;
        options.out_pitch = last.size * batch.size;
    }
    return matrices;
}

/// Whether `transpose` would leave a fifth and more of its tiles empty, while rows of `out` fit into tiles of
/// vectors as they are, and begin within sectors.
template <int SIZE>
bool leaves_tiles_empty(std::int64_t rows, std::int64_t cols) {
    if (SIZE != 2 && SIZE != 4) return false;
    constexpr std::int64_t side = 256 / SIZE;
    const bool is_empty = pieces_of(side, rows) * side > rows + rows / 4;
    const bool is_side = rows > side && rows * 8 <= VectorTile<SIZE>::MOST * VectorTile<SIZE>::N;
    return is_side && is_empty && rows * SIZE % 32 != 0 && cols >= side && cols / 4 <= rows;
}

/// Runs as long as this have hardly a tile that is not full.
constexpr std::int64_t long_run = 512;

/// Adds the axis to the run's outer end.
inline void extend(Run& run, const Axis& axis, std::int64_t step) {
    for (int k = run.axes; k > 0; --k) run.axis[k] = run.axis[k - 1];
    run.axis[0] = axis;
    run.axis[0].step = step;
    run.size *= axis.size;
    ++run.axes;
}

/// Sides of tiles: those of short runs are shorter, and the others longer.
template <int SIZE>
void choose_sides(Run& rows, Run& cols) {
    const auto log_of = [](std::int64_t size) {
        int log = log_shortest;
        while (log < 6 && (std::int64_t{1} << log) < size) ++log;
        return log;
    };
    rows.log_side = log_of(rows.size);
    cols.log_side = log_of(cols.size);
    if (rows.log_side < cols.log_side) {
        cols.log_side = log_tile<SIZE> - rows.log_side;
    } else {
        rows.log_side = log_tile<SIZE> - cols.log_side;
    }
    for (Run* run : {&rows, &cols}) {
        const auto sides = pieces_of(std::int64_t{1} << run->log_side, run->size);
        run->sides = static_cast<unsigned>(sides);
    }
}

/// The last axes of `out` are rows, and those of `in` are columns. An axis that could be either goes to the
/// shorter run.
template <int SIZE>
Tiling tiling_of(const Plan& plan) {
    Tiling tiling = {};
    tiling.out = plan.out, tiling.in = plan.in;
    Run &rows = tiling.rows, &cols = tiling.cols;
    rows.size = cols.size = 1;
    std::int64_t out_step[most_steps];
    for (int k = plan.axes - 1; k >= 0; --k) {
        out_step[k] = k == plan.axes - 1 ? 1 : out_step[k + 1] * plan.axis[k + 1].size;
    }
    bool is_taken[most_steps] = {};
    while (true) {
        const int down = plan.axes - 1 - rows.axes, across = axis_of_step(plan, cols.size);
        const bool is_down_free = down >= 0 && !is_taken[down] && rows.size < long_run;
        const bool is_across_free = across >= 0 && !is_taken[across] && cols.size < long_run;
        if (!is_down_free && !is_across_free) break;
        const bool is_row = is_down_free && (!is_across_free || rows.size <= cols.size);
        const int k = is_row ? down : across;
        is_taken[k] = true;
        if (is_row) {
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

/// Blocks for all tiles; 0: there are too many of them, or of something that a block counts.
inline std::int64_t tiles_of(const Tiling& tiling) {
    if (tiling.rows.size > most_small || tiling.cols.size > most_small) return 0;
    std::int64_t tiles = std::int64_t{tiling.rows.sides} * tiling.cols.sides;
    for (int k = 0; k < tiling.axes && tiles <= most_small; ++k) tiles *= tiling.size[k];
    return tiles <= most_small ? tiles : 0;
}

/// Sides from which on tiles of elements of less than `least_spliced` bytes are full enough; rows of longer
/// ones, columns of theirs, and from which size on those are better spliced.
constexpr std::int64_t least_compound_side = 32, least_long_cols = 12, most_compound = 512;
/// Bytes of a tile at most, and of its sides.
constexpr int compound_tile = 44'000, compound_rows = 384, compound_cols = 750;

/// Sides of about so many, all of about the same length; rows that the runs of `out` have in whole words.
template <int SIZE>
int side_of(std::int64_t count, int longest) {
    constexpr int PER_WORD = 4 / SIZE;
    const int most = longest < PER_WORD ? PER_WORD : longest / PER_WORD * PER_WORD;
    const std::int64_t side = pieces_of(pieces_of(most, count), count);
    return static_cast<int>(pieces_of(PER_WORD, side) * PER_WORD);
}

/// Tiles that are loaded by words.
template <int SIZE>
void choose_tile_of_words(Compounds& task) {
    const int size = task.units * SIZE;
    const auto least = [](int one, int other) { return one < other ? one : other; };
    const bool is_small = SIZE == 4 && size <= 20;
    if constexpr (SIZE == 4) {
        task.tile_rows = side_of<4>(task.rows, size * 32 <= 900 ? 32 : 16);
        task.tile_cols = side_of<4>(task.cols, is_small ? 64 : 32);
    } else {
        task.tile_rows = side_of<SIZE>(task.rows, compound_rows / size);
        const int row = least(compound_cols, compound_tile / (task.tile_rows + 1));
        task.tile_cols = side_of<SIZE>(task.cols, row / size);
    }
    // Units that are read at once lie in rows below each other, and in neighbours of a row. Words lie in other
    // banks when as many neighbours are between rows; parts of words when a few more are.
    const int words = SIZE == 4 ? task.tile_cols * task.units : (task.tile_cols * size + 6) / 4;
    const int apart = SIZE == 4 ? 32 : 8, wanted = SIZE == 4 ? task.units : 5;
    task.pitch = words + (wanted + apart - words % apart) % apart;
    const int chunks = (task.tile_rows * size / 4 + 31) / 32;
    task.warps = chunks * (SIZE == 1 ? 4 : SIZE == 2 || is_small ? 2 : 1);
}

/// Tiles that are loaded by vectors. All words of a column begin at the same place where runs of `out` are whole
/// words; otherwise those of every second one do, and half as long columns are better.
template <int SIZE>
void choose_tile_of_vectors(Compounds& task, bool are_words) {
    constexpr int EVEN = SIZE == 1 ? 4 : 2;
    const int size = task.units * SIZE;
    int column = 400, row = 400;  // bytes
    if (size >= least_spliced) {
        column = SIZE == 1 ? 900 : SIZE == 2 ? 1100 : 1200, row = 1600;
    } else if (size >= 32) {
        column = 600, row = 1000;
    } else if (size >= 16) {
        column = SIZE == 1 ? 400 : 600, row = 600;
    }
    if (!are_words) column = size >= least_spliced ? 600 : 400;
    const int rows = column / size / EVEN * EVEN;
    const int shortest = size < least_spliced ? 1 : are_words ? 16 : 48;
    const int cols = row / size < shortest ? shortest : row / size;
    task.tile_rows = rows < EVEN ? EVEN : rows;
    std::int64_t parts = (task.cols + cols / 2) / cols;
    do {  // as wide as there is room
        task.tile_cols = static_cast<int>(pieces_of(parts < 1 ? 1 : parts, task.cols));
        task.pitch = (task.tile_cols * size + 30) / 16 * 4;
        ++parts;
    } while ((task.tile_rows + 1) * task.pitch * 4 > compound_tile);
    task.warps = (task.tile_rows * size / 4 + 31) / 32 * (are_words ? 1 : 2);
}

/// Whether rows of tiles are loaded by vectors. Where they are not, long elements are spliced.
template <int SIZE>
bool has_vectors(const Compounds& task, bool are_words) {
    const int size = task.units * SIZE;
    if (SIZE == 4) return size >= least_spliced;
    if (are_words) return size >= 7;
    return SIZE == 2 && (size < least_spliced || (size <= 150 && task.cols >= 32));
}

template <int SIZE>
void choose_tile(Compounds& task) {
    const bool are_words = is_at(task.out, 4) && task.rows * task.units * SIZE % 4 == 0;
    task.has_vectors = has_vectors<SIZE>(task, are_words);
    if (task.has_vectors) {
        choose_tile_of_vectors<SIZE>(task, are_words);
    } else {
        choose_tile_of_words<SIZE>(task);
    }
    // Where all runs begin with a word, none has a part of the row before its tile.
    task.lead = are_words ? 0 : Compound<SIZE, false>::LEAD;
    task.tiles_down = pieces_of(task.tile_rows, task.rows + task.lead);
    task.tiles_across = pieces_of(task.tile_cols, task.cols);
}

/// Whether there may be as many blocks as tiles.
inline bool fits_into_grid(const Compounds& task) {
    return task.tiles_down <= transposing::most_blocks / task.tiles_across &&
           task.tiles_down * task.tiles_across <= transposing::most_blocks / task.batches;
}

/// Then there are so many.
inline std::int64_t tiles_of(const Compounds& task) {
    return task.tiles_down * task.tiles_across * task.batches;
}

/// A matrix of elements of a few units, or a batch of them, and how it is divided; 0 tiles: it is none.
template <int SIZE>
Compounds compounds_of(const Plan& plan) {
    Compounds task = {};
    if (SIZE > 4 || !keeps_last_axis(plan) || (plan.axes != 3 && plan.axes != 4)) return task;
    const Axis& units = plan.axis[plan.axes - 1];
    const Axis &rows = plan.axis[plan.axes - 2], &cols = plan.axis[plan.axes - 3];
    const std::int64_t row = cols.size * units.size;
    const bool is_matrix = cols.step == units.size && rows.step == row;
    const bool is_batch = plan.axes == 3 || plan.axis[0].step == rows.size * row;
    const std::int64_t size = units.size * SIZE;
    const bool is_long = size >= least_spliced;
    const bool is_large =
        is_long ? cols.size >= least_long_cols
                : rows.size >= least_compound_side && cols.size >= least_compound_side;
    if (!is_matrix || !is_batch || !is_large || size >= most_compound) return task;
    task.out = plan.out, task.in = plan.in;
    task.rows = rows.size, task.cols = cols.size;
    task.batches = plan.axes == 3 ? 1 : plan.axis[0].size;
    task.bytes = plan.count * SIZE;
    task.units = static_cast<int>(units.size);
    if constexpr (SIZE <= 4) choose_tile<SIZE>(task);
    const bool is_better_spliced = is_long && (!task.has_vectors || task.rows < task.tile_rows);
    if (is_better_spliced || !fits_into_grid(task)) task.tiles_down = 0;
    return task;
}

/// Whether its elements are three units each, in whole words: then they are turned in registers.
template <int SIZE>
bool has_triples(const Compounds& task) {
    const bool are_words = task.rows % Triples<SIZE>::N == 0 && task.cols % Triples<SIZE>::N == 0;
    return task.units == 3 && is_at(task.out, 4) && is_at(task.in, 4) && are_words;
}

/// Elements of both sides from which on tiles of vectors are worth it.
template <int SIZE>
constexpr std::int64_t least_vector_side = SIZE == 1 ? 64 : 32;

/// Vectors of a side: all of a short run; of a longer one so many that the last tile is nearly full.
inline int vectors_of_side(std::int64_t vectors, int usual) {
    if (vectors >= 4 * usual) return usual;
    const std::int64_t sides = (vectors + usual / 2) / usual;
    if (sides <= 1) return static_cast<int>(vectors);
    const auto side = static_cast<int>(pieces_of(sides, vectors));
    return side + side % 2;
}

/// Whether the plan's tiles may consist of vectors, since both arrays do; then into those.
template <int SIZE>
bool divide_into_vectors(Tiling& tiling, const Plan& plan) {
    using Kernel = VectorTile<SIZE>;
    constexpr int N = Kernel::N;
    Run &rows = tiling.rows, &cols = tiling.cols;
    bool are_vectors =
        is_at(plan.out, 16) && is_at(plan.in, 16) && rows.size % N == 0 && cols.size % N == 0;
    for (int k = 0; k < rows.axes; ++k) are_vectors = are_vectors && rows.axis[k].step % N == 0;
    for (int k = 0; k < cols.axes; ++k) are_vectors = are_vectors && cols.axis[k].step % N == 0;
    for (int k = 0; k < tiling.axes; ++k) {
        are_vectors = are_vectors && tiling.in_step[k] % N == 0 && tiling.out_step[k] % N == 0;
    }
    const std::int64_t least = least_vector_side<SIZE>;
    if (!are_vectors || rows.size < least || cols.size < least) return false;
    rows.vectors = vectors_of_side(rows.size / N, Kernel::DOWN);
    cols.vectors = vectors_of_side(cols.size / N, Kernel::ACROSS);
    if (rows.axes == 1 && cols.axes == 1 && leaves_tiles_empty<SIZE>(rows.size, cols.size)) {
        // Whole rows of `out`, which begin within sectors; of rows of `in` a line, or two.
        rows.vectors = static_cast<int>(rows.size / N);
        cols.vectors = rows.vectors > 32 ? 8 : 16;
    }
    // Where one side is short, the other one is longer.
    const int usual = Kernel::DOWN * Kernel::ACROSS, most = 64;
    const auto lengthened = [&](const Run& run, int other) {
        const std::int64_t all = run.size / N, wanted = usual / other;
        return static_cast<int>(all < wanted ? all : wanted < most ? wanted : most);
    };
    if (rows.vectors < Kernel::DOWN / 2) cols.vectors = lengthened(cols, rows.vectors);
    if (cols.vectors < Kernel::ACROSS / 2) rows.vectors = lengthened(rows, cols.vectors);
    if (rows.vectors * cols.vectors > Kernel::MOST) cols.vectors = Kernel::MOST / rows.vectors;
    rows.sides = static_cast<unsigned>(pieces_of(rows.vectors * N, rows.size));
    cols.sides = static_cast<unsigned>(pieces_of(cols.vectors * N, cols.size));
    return tiles_of(tiling) > 0;
}

template <int SIZE>
bool has_vector_tiles(const Plan& plan) {
    if constexpr (SIZE <= 4) {
        Tiling tiling = tiling_of<SIZE>(plan);
        return divide_into_vectors<SIZE>(tiling, plan);
    }
    return false;
}

/// Whether it pays that lines of memory stay in the second-level cache: as `transpose` has it.
template <int SIZE>
bool does_stay(const Plan& plan) {
    bool are_lines_cut = false;
    for (int k = 0; k < plan.axes; ++k) {
        const std::int64_t step = plan.axis[k].step;
        are_lines_cut = are_lines_cut || (step > 1 && step * SIZE % 128 != 0);
    }
    const std::int64_t least =
        are_lines_cut ? transposing::staying_bytes_anywhere : transposing::staying_bytes;
    return plan.count * SIZE >= least;
}

/// How a plan is carried out.
enum class Way { nothing, copy, transpose, compound, vector_tile, word_tile, tile, splice, gather };

/// Matrices whose rows are not side by side go to `transpose` from these sides on.
constexpr std::int64_t least_side = 64;
/// Rows from which on tiles of words are full enough.
constexpr std::int64_t least_word_rows = 128;
template <int SIZE>
Way way_of(const Plan& plan) {
    if (plan.count == 0) return Way::nothing;
    if (plan.axes == 0 || (plan.axes == 1 && keeps_last_axis(plan))) return Way::copy;
    if (keeps_last_axis(plan)) {
        const std::int64_t size = plan.axis[plan.axes - 1].size;
        const bool is_small = size * SIZE < most_small / 2 && plan.count / size < most_small;
        const bool is_spliced = SIZE <= 4 && size * SIZE >= least_spliced && is_small;
        if (compounds_of<SIZE>(plan).tiles_down > 0) return Way::compound;
        return is_spliced ? Way::splice : Way::gather;
    }
    if (plan.axes <= 3) {
        const Matrices matrices = matrices_of(plan);
        const bool is_large = matrices.rows >= least_side && matrices.cols >= least_side;
        const bool is_aligned = matrices.rows * SIZE % 16 == 0 && matrices.cols * SIZE % 16 == 0;
        const bool is_whole = plan.axes == 3 && matrices.is_dense && is_aligned &&
                              leaves_tiles_empty<SIZE>(matrices.rows, matrices.cols);
        if (is_whole && has_vector_tiles<SIZE>(plan)) return Way::vector_tile;
        if (matrices.is_dense || (is_large && (SIZE >= 4 || is_aligned))) return Way::transpose;
    }
    if (has_vector_tiles<SIZE>(plan)) return Way::vector_tile;
    const Tiling tiling = tiling_of<SIZE>(plan);
    if (tiles_of(tiling) == 0) return Way::gather;
    const bool is_long = tiling.rows.size >= least_word_rows && tiling.cols.size >= least_side;
    return SIZE < 4 && is_long ? Way::word_tile : Way::tile;
}

// ---- launches ----

template <int SIZE, class Index>
cudaError_t launch_gather(const Plan& plan, cudaStream_t stream) {
    return launch_kernel(gather_kernel<SIZE, Index>, pieces_of(threads * ahead, plan.count),
                         threads, 0, stream, plan);
}

template <int SIZE>
cudaError_t gather(const Plan& plan, cudaStream_t stream) {
    // Numbers of units that are not there are computed too, before they are left out.
    const bool is_small = plan.count <= most_small - threads * ahead;
    return is_small ? launch_gather<SIZE, unsigned>(plan, stream)
                    : launch_gather<SIZE, std::uint64_t>(plan, stream);
}

template <int SIZE>
cudaError_t splice(const Plan& plan, cudaStream_t stream) {
    if constexpr (SIZE <= 4) {
        const auto head =
            static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(plan.out) % 16);
        const std::int64_t blocks = pieces_of(bytes_spliced, plan.count * SIZE + head);
        return launch_kernel(splice_kernel<SIZE>, blocks, threads, 0, stream, plan);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t transpose(const Plan& plan, cudaStream_t stream) {
    const Matrices matrices = matrices_of(plan);
    return transposing::transpose<SIZE>(plan.out, plan.in, matrices.rows, matrices.cols,
                                        matrices.options, stream);
}

/// cudaErrorNotSupported: a grid has no room for as many tiles.
template <class Kernel>
cudaError_t launch_triples(Compounds task, cudaStream_t stream) {
    task.tiles_down = pieces_of(Kernel::ROWS, task.rows);
    task.tiles_across = pieces_of(Kernel::COLS, task.cols);
    if (!fits_into_grid(task)) return cudaErrorNotSupported;
    return launch_kernel(triple_kernel<Kernel>, tiles_of(task), Kernel::THREADS, 0, stream, task);
}

template <int SIZE, bool HAS_VECTORS>
cudaError_t launch_compounds(const Compounds& task, cudaStream_t stream) {
    return launch_kernel(compound_kernel<SIZE, HAS_VECTORS>, tiles_of(task), task.warps * 32,
                         (task.tile_rows + task.lead) * task.pitch * 4, stream, task);
}

template <int SIZE>
cudaError_t compound(const Plan& plan, cudaStream_t stream) {
    if constexpr (SIZE <= 4) {
        const Compounds task = compounds_of<SIZE>(plan);
        if constexpr (SIZE < 4) {
            // Runs that begin anywhere in a sector share its first and last one, so they should be long.
            using High = Triples<1, 128>;
            const bool are_high = SIZE == 1 && task.rows * 3 % 32 != 0 && task.rows >= High::ROWS;
            cudaError_t error = cudaErrorNotSupported;
            if (has_triples<SIZE>(task)) {
                error = are_high ? launch_triples<High>(task, stream)
                                 : launch_triples<Triples<SIZE>>(task, stream);
            }
            if (error != cudaErrorNotSupported) return error;
        }
        return task.has_vectors ? launch_compounds<SIZE, true>(task, stream)
                                : launch_compounds<SIZE, false>(task, stream);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE, transposing::Loads LOADS>
cudaError_t launch_vector_tiles(const Plan& plan, cudaStream_t stream) {
    Tiling tiling = tiling_of<SIZE>(plan);
    if (!divide_into_vectors<SIZE>(tiling, plan)) return cudaErrorInvalidValue;
    const int down = tiling.rows.vectors, across = tiling.cols.vectors;
    return launch_kernel(vector_tile_kernel<SIZE, LOADS>, tiles_of(tiling),
                         (down * across + 31) / 32 * 32,
                         VectorTile<SIZE>::shared_bytes(down, across), stream, tiling);
}

template <int SIZE>
cudaError_t vector_tile(const Plan& plan, cudaStream_t stream) {
    using transposing::Loads;
    if constexpr (SIZE == 2 || SIZE == 4) {  // bytes lose by it
        if (does_stay<SIZE>(plan)) return launch_vector_tiles<SIZE, Loads::stay_128>(plan, stream);
    }
    if constexpr (SIZE <= 4) return launch_vector_tiles<SIZE, Loads::plain>(plan, stream);
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t tile(const Plan& plan, cudaStream_t stream) {
    const Tiling tiling = tiling_of<SIZE>(plan);
    const int pitch = pitch_of<SIZE>(tiling.cols.log_side);
    return launch_kernel(tile_kernel<SIZE>, tiles_of(tiling), threads,
                         (pitch << tiling.rows.log_side) * SIZE, stream, tiling);
}

template <int SIZE, bool IS_LARGE>
cudaError_t launch_word_tiles(const Plan& plan, cudaStream_t stream) {
    using Tile = WordTile<SIZE, IS_LARGE>;
    Tiling tiling = tiling_of<SIZE>(plan);
    tiling.rows.sides = static_cast<unsigned>(pieces_of(Tile::ROWS, tiling.rows.size));
    tiling.cols.sides = static_cast<unsigned>(pieces_of(Tile::COLS, tiling.cols.size));
    tiling.is_across_first = IS_LARGE;
    return launch_kernel(word_tile_kernel<SIZE, IS_LARGE>, tiles_of(tiling), Tile::THREADS,
                         Tile::SHARED_BYTES, stream, tiling, plan.count * SIZE);
}

template <int SIZE>
cudaError_t word_tile(const Plan& plan, cudaStream_t stream) {
    if constexpr (SIZE < 4) {
        const bool is_large = plan.count * SIZE >= transposing::staying_bytes_anywhere;
        return is_large ? launch_word_tiles<SIZE, true>(plan, stream)
                        : launch_word_tiles<SIZE, false>(plan, stream);
    }
    return cudaErrorInvalidValue;
}

template <int SIZE>
cudaError_t carry_out(const Plan& plan, cudaStream_t stream) {
    switch (way_of<SIZE>(plan)) {
        case Way::nothing: return cudaSuccess;
        case Way::copy:
            return cudaMemcpyAsync(plan.out, plan.in, static_cast<std::size_t>(plan.count * SIZE),
                                   cudaMemcpyDeviceToDevice, stream);
        case Way::transpose: return transpose<SIZE>(plan, stream);
        case Way::compound: return compound<SIZE>(plan, stream);
        case Way::vector_tile: return vector_tile<SIZE>(plan, stream);
        case Way::word_tile: return word_tile<SIZE>(plan, stream);
        case Way::tile: return tile<SIZE>(plan, stream);
        case Way::splice: return splice<SIZE>(plan, stream);
        default: return gather<SIZE>(plan, stream);
    }
}

template <int LEAST, int SIZE>
constexpr int at_least = SIZE < LEAST ? LEAST : SIZE;

/// Units are never smaller than LEAST, so that kernels for smaller ones are not compiled.
template <int LEAST>
cudaError_t permute(void* out, const void* in, std::size_t element_size, int axes,
                    const std::int64_t* sizes, const int* order, cudaStream_t stream) {
    Plan plan;
    const cudaError_t error = understand(plan, out, in, element_size, axes, sizes, order);
    if (error != cudaSuccess) return error;
    switch (plan.unit) {
        case 16: return carry_out<16>(plan, stream);
        case 8: return carry_out<at_least<LEAST, 8>>(plan, stream);
        case 4: return carry_out<at_least<LEAST, 4>>(plan, stream);
        case 2: return carry_out<at_least<LEAST, 2>>(plan, stream);
        default: return carry_out<LEAST>(plan, stream);
    }
}

}  // namespace permuting

/// Changes the order of an array's axes: axis k of `out` is axis order[k] of `in`, as in NumPy's
/// transpose and PyTorch's permute. Both arrays are dense, the last axis innermost.
///
/// \param out     an array in device memory; may not overlap `in`
/// \param in      an array in device memory
/// \param axes    how many: 0 to 6
/// \param sizes   of the axes of `in`, from 0 on; where one is 0 nothing happens
/// \param order   each number below `axes` once
/// \param stream  where it is queued
/// \return cudaSuccess; cudaErrorInvalidValue for too many axes, a negative size, an order that is
///         none, or a null pointer; cudaErrorMisalignedAddress when an array does not start at a multiple
///         of the largest power of two that divides an element's size; or what the launch returned
template <class T>
cudaError_t permute(T* out, const T* in, int axes, const std::int64_t* sizes, const int* order,
                    cudaStream_t stream = nullptr) {
    static_assert(std::is_trivially_copyable<T>::value, "elements are moved as bits");
    static_assert(sizeof(T) <= 16, "elements have 1 to 16 bytes");
    constexpr int unit = sizeof(T) & (~sizeof(T) + 1);
    return permuting::permute<unit>(out, in, sizeof(T), axes, sizes, order, stream);
}

/// The same with lists: permute(out, in, {B, S, H, D}, {0, 2, 1, 3}).
template <class T, int AXES>
cudaError_t permute(T* out, const T* in, const std::int64_t (&sizes)[AXES],
                    const int (&order)[AXES], cudaStream_t stream = nullptr) {
    return permute(out, in, AXES, static_cast<const std::int64_t*>(sizes),
                   static_cast<const int*>(order), stream);
}

/// The same where the size of an element, in bytes, is known only when the program runs.
inline cudaError_t permute_elements(void* out, const void* in, std::size_t element_size, int axes,
                                    const std::int64_t* sizes, const int* order,
                                    cudaStream_t stream = nullptr) {
    return permuting::permute<1>(out, in, element_size, axes, sizes, order, stream);
}

}  // namespace coalesce

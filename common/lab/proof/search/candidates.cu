// The kernels of the search. All of them move tiles of ROWS x COLS floats. The matrix consists of
// whole tiles and there are no bounds checks, so that only the change under test affects the time.

#include <algorithm>
#include <utility>

#include "lab/proof/search/candidates.h"
#include "lab/proof/search/raw_tile.cuh"

namespace coalesce::proof {
namespace {

// ---- a transpose: 4 x 4 elements are transposed in registers, tiles in swizzled shared memory
// ----

/// The same as Plain, but a distinct type, so that kernels that use it can have their own
/// attributes.
struct Small : Plain {};

template <int ROWS, int COLS, int THREADS, class How = Plain>
struct Tile {
    static constexpr int quads = ROWS / 4;       // float4s in a row of the transposed tile
    static constexpr int piece_cols = COLS / 4;  // number of 4 x 4 pieces in a row of the tile
    static constexpr int pieces = quads * piece_cols / THREADS;
    static_assert(pieces > 0 && quads % 8 == 0 && piece_cols % 8 == 0);

    float4 piece[pieces][4];

    __device__ static Place place(int block, int rows, int cols) {
        return place_of<How::order, How::width>(block, rows / ROWS, cols / COLS);
    }

    __device__ void read(const float* in, int cols, Place at) {
#pragma unroll
        for (int k = 0; k < pieces; ++k) {
            const int p = threadIdx.x + k * THREADS;
            const int row = at.row * ROWS + p / piece_cols * 4;
            const float* const from = in + row * cols + at.col * COLS + p % piece_cols * 4;
#pragma unroll
            for (int i = 0; i < 4; ++i) piece[k][i] = load<How::loads>(from + i * cols);
        }
    }

    /// Returns the float4 with index `quad` in row `col` of the transposed tile; step 10 explains
    /// the swizzle.
    __device__ static float4& cell(float4* shared, int col, int quad) {
        return shared[col * quads + (quad ^ (col / 4 % 8))];
    }

    __device__ void turn(float4* shared) const {
#pragma unroll
        for (int k = 0; k < pieces; ++k) {
            const int p = threadIdx.x + k * THREADS;
            const int col = p % piece_cols * 4, quad = p / piece_cols;
            const auto [a, b, c, d] = piece[k];
            cell(shared, col + 0, quad) = {a.x, b.x, c.x, d.x};
            cell(shared, col + 1, quad) = {a.y, b.y, c.y, d.y};
            cell(shared, col + 2, quad) = {a.z, b.z, c.z, d.z};
            cell(shared, col + 3, quad) = {a.w, b.w, c.w, d.w};
        }
    }

    __device__ static void write(float* out, int rows, Place at, float4* shared) {
        float4 turned[pieces * 4];
#pragma unroll
        for (int k = 0; k < pieces * 4; ++k) {
            const int unit = threadIdx.x + k * THREADS;
            turned[k] = cell(shared, unit / quads, unit % quads);
        }
#pragma unroll
        for (int k = 0; k < pieces * 4; ++k) {
            const int unit = threadIdx.x + k * THREADS;
            const int col = at.col * COLS + unit / quads;
            store<How::stores>(out + col * rows + at.row * ROWS + unit % quads * 4, turned[k]);
        }
    }
};

template <int ROWS, int COLS, int THREADS, class How>
__global__ void __launch_bounds__(THREADS)
    transpose_tiles(float* out, const float* in, int rows, int cols) {
    extern __shared__ float4 shared[];
    Tile<ROWS, COLS, THREADS, How> tile;
    const Place at = tile.place(blockIdx.x, rows, cols);
    tile.read(in, cols, at);
    tile.turn(shared);
    __syncthreads();
    tile.write(out, rows, at, shared);
}

/// Persistent blocks process every gridDim.x-th tile. If AHEAD is true, the loads of the next tile
/// are in flight while the current tile is stored.
template <int ROWS, int COLS, int THREADS, bool AHEAD>
__global__ void __launch_bounds__(THREADS)
    transpose_staying(float* out, const float* in, int rows, int cols) {
    extern __shared__ float4 shared[];
    const int tiles = rows / ROWS * (cols / COLS), step = gridDim.x;
    Tile<ROWS, COLS, THREADS> tile;
    if constexpr (AHEAD) tile.read(in, cols, tile.place(blockIdx.x, rows, cols));
    for (int number = blockIdx.x; number < tiles; number += step) {
        const Place at = tile.place(number, rows, cols);
        if constexpr (!AHEAD) tile.read(in, cols, at);
        tile.turn(shared);
        __syncthreads();
        if (AHEAD && number + step < tiles) {
            tile.read(in, cols, tile.place(number + step, rows, cols));
        }
        tile.write(out, rows, at, shared);
        __syncthreads();
    }
}

// ---- less than a transpose: moving memory tile by tile without transposing ----

enum class Work { copy, read, write };

/// Moves 64 x 64 tiles with 256 threads, four float4s per thread.
template <Work WORK, Order ORDER>
__global__ void move_tiles(float* out, const float* in, int rows, int cols) {
    const Place at = place_of<ORDER, 1>(blockIdx.x, rows / 64, cols / 64);
    const int first = (at.row * 64 + threadIdx.x / 16) * cols + at.col * 64 + threadIdx.x % 16 * 4;
    float4 v[4] = {};
    for (int i = 0; i < 4 && WORK != Work::write; ++i) {
        v[i] = load<Hint::none>(in + first + i * 16 * cols);
    }
    if constexpr (WORK == Work::read) {
        // Use the loaded values, so that the compiler keeps the loads. No input has this sum.
        float sum = 0;
        for (const float4& u : v) sum += u.x + u.y + u.z + u.w;
        if (__float_as_uint(sum) == 0x7fedcba9u) out[0] = sum;
    } else {
        for (int i = 0; i < 4; ++i) store<Hint::none>(out + first + i * 16 * cols, v[i]);
    }
}

// ---- launching ----

template <class Kernel>
void allow_shared(Kernel* kernel, int bytes) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

/// Launches one block per tile. If `shared_bytes` exceeds the size of the tile, fewer blocks are
/// resident.
template <int ROWS, int COLS, int THREADS, class How = Plain>
Launch tiles(int shared_bytes = ROWS * COLS * 4) {
    return [=](float* out, const float* in, int rows, int cols) {
        auto* const kernel = transpose_tiles<ROWS, COLS, THREADS, How>;
        allow_shared(kernel, shared_bytes);
        const int grid = rows / ROWS * (cols / COLS);
        kernel<<<grid, THREADS, shared_bytes>>>(out, in, rows, cols);
    };
}

template <int ROWS, int COLS, int THREADS, bool AHEAD>
Launch staying(int blocks) {
    return [=](float* out, const float* in, int rows, int cols) {
        auto* const kernel = transpose_staying<ROWS, COLS, THREADS, AHEAD>;
        constexpr int bytes = ROWS * COLS * 4;
        allow_shared(kernel, bytes);
        const int tiles = rows / ROWS * (cols / COLS);
        const int grid = std::min(blocks, tiles);
        kernel<<<grid, THREADS, bytes>>>(out, in, rows, cols);
    };
}

/// Gives shared memory the largest possible part of the memory that it shares with the first-level
/// cache, and runs as many blocks as fit.
Launch without_first_level() {
    return [](float* out, const float* in, int rows, int cols) {
        auto* const kernel = transpose_tiles<64, 64, 256, Small>;
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared);
        kernel<<<rows / 64 * (cols / 64), 256, 64 * 64 * 4>>>(out, in, rows, cols);
    };
}

template <Work WORK, Order ORDER>
Launch moves() {
    return [](float* out, const float* in, int rows, int cols) {
        move_tiles<WORK, ORDER><<<rows / 64 * (cols / 64), 256>>>(out, in, rows, cols);
    };
}

template <Hint LOADS, Hint STORES>
struct HintedLoads : Plain {
    static constexpr Hint loads = LOADS, stores = STORES;
};

// ---- the questions ----

/// Adds the candidates that answer one question.
void ask(std::vector<Candidate>& all, const std::string& question, std::vector<Candidate> answers) {
    for (Candidate& one : answers) {
        one.question = question;
        all.push_back(std::move(one));
    }
}

void add_ceilings(std::vector<Candidate>& all) {
    const Produces copy = {Produces::copy};
    ask(all, "What does memory give, when nothing is turned?",
        {{"copy, along rows", moves<Work::copy, Order::along_rows>(), copy},
         {"copy, down columns", moves<Work::copy, Order::down_columns>(), copy},
         {"read only, along rows", moves<Work::read, Order::along_rows>(), copy, 0.5},
         {"read only, down columns", moves<Work::read, Order::down_columns>(), copy, 0.5},
         {"read only, strips 8 KB apart", moves<Work::read, Order::strips_apart>(), copy, 0.5},
         {"write only, along rows", moves<Work::write, Order::along_rows>(), copy, 0.5},
         {"write only, down columns", moves<Work::write, Order::down_columns>(), copy, 0.5}});
}

void add_orders(std::vector<Candidate>& all) {
    ask(all, "In which order should blocks take tiles?",
        {{"down columns", tiles<128, 64, 512>()},
         {"along rows", tiles<128, 64, 512, InOrder<Order::along_rows>>()},
         {"diagonal", tiles<128, 64, 512, InOrder<Order::diagonal>>()},
         {"along rows, 256 x 64", tiles<256, 64, 512, InOrder<Order::along_rows>>()},
         {"bands of 2", tiles<128, 64, 512, InOrder<Order::bands, 2>>()},
         {"bands of 4", tiles<128, 64, 512, InOrder<Order::bands, 4>>()},
         {"bands of 8", tiles<128, 64, 512, InOrder<Order::bands, 8>>()},
         {"bands of 32", tiles<128, 64, 512, InOrder<Order::bands, 32>>()}});
}

void add_tiles(std::vector<Candidate>& all) {
    ask(all, "Which tile?",
        {{"32 x 32, 64 threads", tiles<32, 32, 64>()},
         {"32 x 64, 128 threads", tiles<32, 64, 128>()},
         {"64 x 32, 128 threads", tiles<64, 32, 128>()},
         {"64 x 64, 128 threads", tiles<64, 64, 128>()},
         {"64 x 64, 256 threads", tiles<64, 64, 256>()},
         {"64 x 128, 512 threads", tiles<64, 128, 512>()},
         {"64 x 256, 512 threads", tiles<64, 256, 512>()},
         {"128 x 32, 256 threads", tiles<128, 32, 256>()},
         {"128 x 64, 256 threads", tiles<128, 64, 256>()},
         {"128 x 64, 512 threads", tiles<128, 64, 512>()},
         {"128 x 128, 512 threads", tiles<128, 128, 512>()},
         {"256 x 32, 512 threads", tiles<256, 32, 512>()},
         {"256 x 64, 512 threads", tiles<256, 64, 512>()},
         {"256 x 128, 1024 threads", tiles<256, 128, 1024>()}});
}

void add_hints(std::vector<Candidate>& all) {
    constexpr Hint none = Hint::none, streaming = Hint::streaming;
    constexpr Hint second = Hint::second_level_only, through = Hint::write_through;
    constexpr Hint leave = Hint::leave_first, stay = Hint::stay;
    ask(all, "Do hints to the caches help?",
        {{"none", tiles<128, 64, 512>()},
         {"streaming loads", tiles<128, 64, 512, HintedLoads<streaming, none>>()},
         {"streaming stores", tiles<128, 64, 512, HintedLoads<none, streaming>>()},
         {"both streaming", tiles<128, 64, 512, HintedLoads<streaming, streaming>>()},
         {"past the first level", tiles<128, 64, 512, HintedLoads<second, second>>()},
         {"stores written through", tiles<128, 64, 512, HintedLoads<none, through>>()},
         {"what is read leaves first", tiles<128, 64, 512, HintedLoads<leave, none>>()},
         {"what is written stays", tiles<128, 64, 512, HintedLoads<none, stay>>()},
         {"both of these", tiles<128, 64, 512, HintedLoads<leave, stay>>()}});
}

void add_occupancies(std::vector<Candidate>& all) {
    constexpr int kib = 1024;
    ask(all, "How many blocks should share a multiprocessor?",
        {{"64 x 64, at most 1", tiles<64, 64, 256>(200 * kib)},
         {"64 x 64, at most 2", tiles<64, 64, 256>(100 * kib)},
         {"64 x 64, at most 3", tiles<64, 64, 256>(70 * kib)},
         {"64 x 64, at most 4", tiles<64, 64, 256>(54 * kib)},
         {"64 x 64, at most 6", tiles<64, 64, 256>(36 * kib)},
         {"64 x 64, as many as fit", tiles<64, 64, 256>()},
         {"64 x 64, as many as fit, least first-level cache", without_first_level()}});
}

void add_staying(std::vector<Candidate>& all, int multiprocessors) {
    std::vector<Candidate> answers;
    for (const int blocks : {1, 2, 4}) {
        const std::string each = std::to_string(blocks) + " a multiprocessor";
        const int grid = blocks * multiprocessors;
        answers.push_back({"64 x 64, staying, " + each, staying<64, 64, 256, false>(grid)});
        answers.push_back({"64 x 64, ahead, " + each, staying<64, 64, 256, true>(grid)});
    }
    answers.push_back({"128 x 64, ahead, 2 per multiprocessor",
                       staying<128, 64, 512, true>(2 * multiprocessors)});
    ask(all, "Should blocks stay, and load the next tile ahead?", std::move(answers));
}

void add_ideas(std::vector<Candidate>& all) {
    constexpr Order down = Order::down_columns, strips_apart = Order::strips_apart;
    constexpr Hint none = Hint::none, stay = Hint::stay;
    ask(all, "Loads that stay, strips 8 KB apart",
        {{"128 x 64", tiles<128, 64, 512, SameHintForBoth<down, none>>()},
         {"128 x 64, stay", tiles<128, 64, 512, SameHintForBoth<down, stay>>()},
         {"128 x 64, apart", tiles<128, 64, 512, SameHintForBoth<strips_apart, none>>()},
         {"128 x 64, stay and apart", tiles<128, 64, 512, SameHintForBoth<strips_apart, stay>>()},
         {"raw 64 x 64", raw<SameHintForBoth<down, none>>()},
         {"raw 64 x 64, stay", raw<SameHintForBoth<down, stay>>()},
         {"raw 64 x 64, apart", raw<SameHintForBoth<strips_apart, none>>()},
         {"raw 64 x 64, stay and apart", raw<SameHintForBoth<strips_apart, stay>>()}});
}

}  // namespace

std::vector<Candidate> search_candidates(int multiprocessors) {
    std::vector<Candidate> all;
    add_ceilings(all);
    add_orders(all);
    add_tiles(all);
    add_hints(all);
    add_occupancies(all);
    add_staying(all, multiprocessors);
    add_ideas(all);
    return all;
}

}  // namespace coalesce::proof

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

/// The same as its base, but a distinct type, so that kernels that use it can have their own
/// attributes.
struct Small : DefaultTileAccess {};

template <int ROWS, int COLS, int THREADS, class How = DefaultTileAccess>
struct Tile {
    static constexpr int quads_per_transposed_row = ROWS / 4;
    // float4s in a row of the transposed tile
    static constexpr int pieces_per_row = COLS / 4;  // number of 4 x 4 pieces in a row of the tile
    static constexpr int pieces_per_thread = quads_per_transposed_row * pieces_per_row / THREADS;
    static_assert(pieces_per_thread > 0 && quads_per_transposed_row % 8 == 0 &&
                  pieces_per_row % 8 == 0);

    float4 piece[pieces_per_thread][4];

    __device__ static TilePlace place(int block, int rows, int cols) {
        return tile_place_of<How::order, How::width>(block, rows / ROWS, cols / COLS);
    }

    __device__ void read(const float* in, int cols, TilePlace tile_place) {
#pragma unroll
        for (int k = 0; k < pieces_per_thread; ++k) {
            const int p = threadIdx.x + k * THREADS;
            const int row = tile_place.row * ROWS + p / pieces_per_row * 4;
            const float* const from =
                in + row * cols + tile_place.col * COLS + p % pieces_per_row * 4;
#pragma unroll
            for (int i = 0; i < 4; ++i) piece[k][i] = load_with_hint<How::loads>(from + i * cols);
        }
    }

    /// Returns the float4 with index `quad` in row `col` of the transposed tile; step 10 explains
    /// the swizzle.
    __device__ static float4& cell(float4* shared, int col, int quad) {
        return shared[col * quads_per_transposed_row + (quad ^ (col / 4 % 8))];
    }

    __device__ void transpose_pieces_into_shared(float4* shared) const {
#pragma unroll
        for (int k = 0; k < pieces_per_thread; ++k) {
            const int p = threadIdx.x + k * THREADS;
            const int col = p % pieces_per_row * 4, quad = p / pieces_per_row;
            const auto [a, b, c, d] = piece[k];
            cell(shared, col + 0, quad) = {a.x, b.x, c.x, d.x};
            cell(shared, col + 1, quad) = {a.y, b.y, c.y, d.y};
            cell(shared, col + 2, quad) = {a.z, b.z, c.z, d.z};
            cell(shared, col + 3, quad) = {a.w, b.w, c.w, d.w};
        }
    }

    __device__ static void write(float* out, int rows, TilePlace tile_place, float4* shared) {
        float4 transposed_piece[pieces_per_thread * 4];
#pragma unroll
        for (int k = 0; k < pieces_per_thread * 4; ++k) {
            const int unit = threadIdx.x + k * THREADS;
            transposed_piece[k] =
                cell(shared, unit / quads_per_transposed_row, unit % quads_per_transposed_row);
        }
#pragma unroll
        for (int k = 0; k < pieces_per_thread * 4; ++k) {
            const int unit = threadIdx.x + k * THREADS;
            const int col = tile_place.col * COLS + unit / quads_per_transposed_row;
            store_with_hint<How::stores>(
                out + col * rows + tile_place.row * ROWS + unit % quads_per_transposed_row * 4,
                transposed_piece[k]);
        }
    }
};

template <int ROWS, int COLS, int THREADS, class How>
__global__ void __launch_bounds__(THREADS)
    transpose_tiles(float* out, const float* in, int rows, int cols) {
    extern __shared__ float4 shared[];
    Tile<ROWS, COLS, THREADS, How> tile;
    const TilePlace tile_place = tile.place(blockIdx.x, rows, cols);
    tile.read(in, cols, tile_place);
    tile.transpose_pieces_into_shared(shared);
    __syncthreads();
    tile.write(out, rows, tile_place, shared);
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
        const TilePlace tile_place = tile.place(number, rows, cols);
        if constexpr (!AHEAD) tile.read(in, cols, tile_place);
        tile.transpose_pieces_into_shared(shared);
        __syncthreads();
        if (AHEAD && number + step < tiles) {
            tile.read(in, cols, tile.place(number + step, rows, cols));
        }
        tile.write(out, rows, tile_place, shared);
        __syncthreads();
    }
}

// ---- less than a transpose: moving memory tile by tile without transposing ----

enum class MemoryWork { copy, read, write };

/// Moves 64 x 64 tiles with 256 threads, four float4s per thread.
template <MemoryWork WORK, TileOrder ORDER>
__global__ void move_tiles(float* out, const float* in, int rows, int cols) {
    const TilePlace at = tile_place_of<ORDER, 1>(blockIdx.x, rows / 64, cols / 64);
    const int base = (at.row * 64 + threadIdx.x / 16) * cols + at.col * 64 + threadIdx.x % 16 * 4;
    float4 v[4] = {};
    for (int i = 0; i < 4 && WORK != MemoryWork::write; ++i) {
        v[i] = load_with_hint<CacheHint::none>(in + base + i * 16 * cols);
    }
    if constexpr (WORK == MemoryWork::read) {
        // Use the loaded values, so that the compiler keeps the loads. No input has this sum.
        float sum = 0;
        for (const float4& u : v) sum += u.x + u.y + u.z + u.w;
        if (__float_as_uint(sum) == 0x7fedcba9u) out[0] = sum;
    } else {
        for (int i = 0; i < 4; ++i)
            store_with_hint<CacheHint::none>(out + base + i * 16 * cols, v[i]);
    }
}

// ---- launching ----

template <class Kernel>
void allow_dynamic_shared_memory(Kernel* kernel, int bytes) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
}

/// Launches one block per tile. If `shared_bytes` exceeds the size of the tile, fewer blocks are
/// resident.
template <int ROWS, int COLS, int THREADS, class How = DefaultTileAccess>
Launch make_tile_launch(int shared_bytes = ROWS * COLS * 4) {
    return [=](float* out, const float* in, int rows, int cols) {
        auto* const kernel = transpose_tiles<ROWS, COLS, THREADS, How>;
        allow_dynamic_shared_memory(kernel, shared_bytes);
        const int grid = rows / ROWS * (cols / COLS);
        kernel<<<grid, THREADS, shared_bytes>>>(out, in, rows, cols);
    };
}

template <int ROWS, int COLS, int THREADS, bool AHEAD>
Launch make_persistent_launch(int blocks) {
    return [=](float* out, const float* in, int rows, int cols) {
        auto* const kernel = transpose_staying<ROWS, COLS, THREADS, AHEAD>;
        constexpr int bytes = ROWS * COLS * 4;
        allow_dynamic_shared_memory(kernel, bytes);
        const int tiles = rows / ROWS * (cols / COLS);
        const int grid = std::min(blocks, tiles);
        kernel<<<grid, THREADS, bytes>>>(out, in, rows, cols);
    };
}

/// Gives shared memory the largest possible part of the memory that it shares with the first-level
/// cache, and runs as many blocks as fit.
Launch make_launch_without_l1() {
    return [](float* out, const float* in, int rows, int cols) {
        auto* const kernel = transpose_tiles<64, 64, 256, Small>;
        cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared);
        kernel<<<rows / 64 * (cols / 64), 256, 64 * 64 * 4>>>(out, in, rows, cols);
    };
}

template <MemoryWork WORK, TileOrder ORDER>
Launch make_move_launch() {
    return [](float* out, const float* in, int rows, int cols) {
        move_tiles<WORK, ORDER><<<rows / 64 * (cols / 64), 256>>>(out, in, rows, cols);
    };
}

template <CacheHint LOADS, CacheHint STORES>
struct HintedLoads : DefaultTileAccess {
    static constexpr CacheHint loads = LOADS, stores = STORES;
};

// ---- the questions ----

/// Adds the candidates that answer one question.
void add_question(std::vector<Candidate>& candidates, const std::string& question,
                  std::vector<Candidate> answers) {
    for (Candidate& one : answers) {
        one.question = question;
        candidates.push_back(std::move(one));
    }
}

void add_ceilings(std::vector<Candidate>& candidates) {
    const Produces copy = {Produces::copy};
    add_question(
        candidates, "What does memory give, when nothing is turned?",
        {{"copy, along rows", make_move_launch<MemoryWork::copy, TileOrder::along_rows>(), copy},
         {"copy, down columns", make_move_launch<MemoryWork::copy, TileOrder::down_columns>(),
          copy},
         {"read only, along rows", make_move_launch<MemoryWork::read, TileOrder::along_rows>(),
          copy, 0.5},
         {"read only, down columns", make_move_launch<MemoryWork::read, TileOrder::down_columns>(),
          copy, 0.5},
         {"read only, strips 8 KB apart",
          make_move_launch<MemoryWork::read, TileOrder::strips_apart>(), copy, 0.5},
         {"write only, along rows", make_move_launch<MemoryWork::write, TileOrder::along_rows>(),
          copy, 0.5},
         {"write only, down columns",
          make_move_launch<MemoryWork::write, TileOrder::down_columns>(), copy, 0.5}});
}

void add_orders(std::vector<Candidate>& candidates) {
    add_question(
        candidates, "In which order should blocks take tiles?",
        {{"down columns", make_tile_launch<128, 64, 512>()},
         {"along rows", make_tile_launch<128, 64, 512, InOrder<TileOrder::along_rows>>()},
         {"diagonal", make_tile_launch<128, 64, 512, InOrder<TileOrder::diagonal>>()},
         {"along rows, 256 x 64", make_tile_launch<256, 64, 512, InOrder<TileOrder::along_rows>>()},
         {"bands of 2", make_tile_launch<128, 64, 512, InOrder<TileOrder::bands, 2>>()},
         {"bands of 4", make_tile_launch<128, 64, 512, InOrder<TileOrder::bands, 4>>()},
         {"bands of 8", make_tile_launch<128, 64, 512, InOrder<TileOrder::bands, 8>>()},
         {"bands of 32", make_tile_launch<128, 64, 512, InOrder<TileOrder::bands, 32>>()}});
}

void add_tiles(std::vector<Candidate>& candidates) {
    add_question(candidates, "Which tile?",
                 {{"32 x 32, 64 threads", make_tile_launch<32, 32, 64>()},
                  {"32 x 64, 128 threads", make_tile_launch<32, 64, 128>()},
                  {"64 x 32, 128 threads", make_tile_launch<64, 32, 128>()},
                  {"64 x 64, 128 threads", make_tile_launch<64, 64, 128>()},
                  {"64 x 64, 256 threads", make_tile_launch<64, 64, 256>()},
                  {"64 x 128, 512 threads", make_tile_launch<64, 128, 512>()},
                  {"64 x 256, 512 threads", make_tile_launch<64, 256, 512>()},
                  {"128 x 32, 256 threads", make_tile_launch<128, 32, 256>()},
                  {"128 x 64, 256 threads", make_tile_launch<128, 64, 256>()},
                  {"128 x 64, 512 threads", make_tile_launch<128, 64, 512>()},
                  {"128 x 128, 512 threads", make_tile_launch<128, 128, 512>()},
                  {"256 x 32, 512 threads", make_tile_launch<256, 32, 512>()},
                  {"256 x 64, 512 threads", make_tile_launch<256, 64, 512>()},
                  {"256 x 128, 1024 threads", make_tile_launch<256, 128, 1024>()}});
}

void add_hints(std::vector<Candidate>& candidates) {
    constexpr CacheHint none = CacheHint::none, streaming = CacheHint::streaming;
    constexpr CacheHint second = CacheHint::second_level_only, through = CacheHint::write_through;
    constexpr CacheHint leave = CacheHint::leave_first, stay = CacheHint::stay;
    add_question(
        candidates, "Do hints to the caches help?",
        {{"none", make_tile_launch<128, 64, 512>()},
         {"streaming loads", make_tile_launch<128, 64, 512, HintedLoads<streaming, none>>()},
         {"streaming stores", make_tile_launch<128, 64, 512, HintedLoads<none, streaming>>()},
         {"both streaming", make_tile_launch<128, 64, 512, HintedLoads<streaming, streaming>>()},
         {"past the first level", make_tile_launch<128, 64, 512, HintedLoads<second, second>>()},
         {"stores written through", make_tile_launch<128, 64, 512, HintedLoads<none, through>>()},
         {"what is read leaves first", make_tile_launch<128, 64, 512, HintedLoads<leave, none>>()},
         {"what is written stays", make_tile_launch<128, 64, 512, HintedLoads<none, stay>>()},
         {"both of these", make_tile_launch<128, 64, 512, HintedLoads<leave, stay>>()}});
}

void add_occupancies(std::vector<Candidate>& candidates) {
    constexpr int kib = 1024;
    add_question(candidates, "How many blocks should share a multiprocessor?",
                 {{"64 x 64, at most 1", make_tile_launch<64, 64, 256>(200 * kib)},
                  {"64 x 64, at most 2", make_tile_launch<64, 64, 256>(100 * kib)},
                  {"64 x 64, at most 3", make_tile_launch<64, 64, 256>(70 * kib)},
                  {"64 x 64, at most 4", make_tile_launch<64, 64, 256>(54 * kib)},
                  {"64 x 64, at most 6", make_tile_launch<64, 64, 256>(36 * kib)},
                  {"64 x 64, as many as fit", make_tile_launch<64, 64, 256>()},
                  {"64 x 64, as many as fit, least first-level cache", make_launch_without_l1()}});
}

void add_persistent_blocks(std::vector<Candidate>& candidates, int multiprocessors) {
    std::vector<Candidate> answers;
    for (const int blocks : {1, 2, 4}) {
        const std::string blocks_text = std::to_string(blocks) + " a multiprocessor";
        const int grid = blocks * multiprocessors;
        answers.push_back(
            {"64 x 64, staying, " + blocks_text, make_persistent_launch<64, 64, 256, false>(grid)});
        answers.push_back(
            {"64 x 64, ahead, " + blocks_text, make_persistent_launch<64, 64, 256, true>(grid)});
    }
    answers.push_back({"128 x 64, ahead, 2 per multiprocessor",
                       make_persistent_launch<128, 64, 512, true>(2 * multiprocessors)});
    add_question(candidates, "Should blocks stay, and load the next tile ahead?",
                 std::move(answers));
}

void add_ideas(std::vector<Candidate>& candidates) {
    constexpr TileOrder down = TileOrder::down_columns, strips_apart = TileOrder::strips_apart;
    constexpr CacheHint none = CacheHint::none, stay = CacheHint::stay;
    add_question(
        candidates, "Loads that stay, strips 8 KB apart",
        {{"128 x 64", make_tile_launch<128, 64, 512, SameHintForBoth<down, none>>()},
         {"128 x 64, stay", make_tile_launch<128, 64, 512, SameHintForBoth<down, stay>>()},
         {"128 x 64, apart", make_tile_launch<128, 64, 512, SameHintForBoth<strips_apart, none>>()},
         {"128 x 64, stay and apart",
          make_tile_launch<128, 64, 512, SameHintForBoth<strips_apart, stay>>()},
         {"raw 64 x 64", make_raw_launch<SameHintForBoth<down, none>>()},
         {"raw 64 x 64, stay", make_raw_launch<SameHintForBoth<down, stay>>()},
         {"raw 64 x 64, apart", make_raw_launch<SameHintForBoth<strips_apart, none>>()},
         {"raw 64 x 64, stay and apart", make_raw_launch<SameHintForBoth<strips_apart, stay>>()}});
}

}  // namespace

std::vector<Candidate> make_search_candidates(int multiprocessors) {
    std::vector<Candidate> all_candidates;
    add_ceilings(all_candidates);
    add_orders(all_candidates);
    add_tiles(all_candidates);
    add_hints(all_candidates);
    add_occupancies(all_candidates);
    add_persistent_blocks(all_candidates, multiprocessors);
    add_ideas(all_candidates);
    return all_candidates;
}

}  // namespace coalesce::proof

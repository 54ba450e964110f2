// 16_many_gpus -- one matrix on several GPUs, whose kernels store into each other's memory.
//
// Builds on  10_registers: each GPU transposes as there. New is where and when it stores.
// Idea       With NVLink, the memory of another GPU has addresses like any other: store there.
// Watch      No link is idle, and no two GPUs store to the same one. A store touches 4 sectors.
// Next       17_reduction adds the rows of a matrix. hosts.cu, beside this file, uses several hosts.

#include "many/exchange.h"

using namespace coalesce::many;
static constexpr int TILE_DIM = 32, BLOCK_ROWS = 8, GPUS = 4;

//! [kernel]
// Shows only the order of stores. Four GPUs share one memory, each with a quarter of the tiles.
__global__ void transpose_in_turn(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // The number of tiles per GPU, down its rows and across its columns.
    int tiles_down = (gridDim.y + GPUS - 1) / GPUS;
    int tiles_across = gridDim.x / GPUS;

    int tile_row = blockIdx.y;
    int gpu = tile_row / tiles_down;  // the GPU that holds these rows
    int peer = (blockIdx.x + gpu) % GPUS;
    int tile_col = peer * tiles_across + blockIdx.x / GPUS;

    int col = tile_col * TILE_DIM + threadIdx.x;
    int row = tile_row * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < rows && col < cols) {
            tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * cols + col];
        }
    }

    __syncthreads();

    // The lanes of a warp now read a column of the tile, which is a row of the peer's `out`.
    col = tile_col * TILE_DIM + threadIdx.y;
    row = tile_row * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [kernel]

// ---- several GPUs: each has a piece of the matrix for each of the others ----

//! [order]
struct Work {
    int peer, tile_row, tile_col;
};

// Of every N neighbouring blocks, one takes a tile of the piece that stays. The other N - 1 work on
// the piece for one peer. When that piece is done, the next blocks serve the next peer. Each GPU
// begins with a different peer.
__device__ Work work_of_block(int rank) {
    int ranks = gridDim.x, tiles = gridDim.y * gridDim.z;  // tiles in each piece
    int tile = blockIdx.z * gridDim.y + blockIdx.y;
    int peer = rank;
    if (blockIdx.x > 0) {
        int sent = tile * (ranks - 1) + blockIdx.x - 1;
        peer = (rank + 1 + sent / tiles) % ranks;
        tile = sent % tiles;
    }
    return {peer, tile % int(gridDim.y), tile / int(gridDim.y)};
}
//! [order]

//! [pieces]
__global__ void transpose_pieces(Pieces pieces, int cols, int rank) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    auto [peer, tile_row, tile_col] = work_of_block(rank);
    Piece piece = pieces.of[peer];

    int col = tile_col * TILE_DIM + threadIdx.x;
    int row = tile_row * TILE_DIM + threadIdx.y;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row + k < piece.rows && col < piece.cols) {
            tile[threadIdx.y + k][threadIdx.x] = piece.in[size_t(row + k) * cols + col];
        }
    }

    __syncthreads();

    col = tile_col * TILE_DIM + threadIdx.y;
    row = tile_row * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < piece.rows && col + k < piece.cols) {
            piece.out[(col + k) * piece.pitch + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [pieces]

//! [wide]
// Does the same with the kernel of lesson 10: 4 x 4 pieces in registers, and 16 bytes per lane.
static constexpr int WIDE_DIM = 64, QUADS = WIDE_DIM / 4;

__device__ unsigned swizzled(unsigned col, unsigned quad) {
    return col * QUADS + (quad ^ (col / 4 % 8));
}

__global__ void transpose_wide(Pieces pieces, int cols, int rank) {
    extern __shared__ float4 transposed[];  // WIDE_DIM x QUADS
    auto [peer, tile_row, tile_col] = work_of_block(rank);
    Piece piece = pieces.of[peer];

    int col = tile_col * WIDE_DIM + threadIdx.x * 4;
    int row = tile_row * WIDE_DIM + threadIdx.y * 4;
    float4 quads[4];
    if (row < piece.rows && col < piece.cols) {
        for (int i = 0; i < 4; ++i) {
            quads[i] = reinterpret_cast<const float4&>(piece.in[size_t(row + i) * cols + col]);
        }
    }
    auto [a, b, c, d] = quads;
    transposed[swizzled(threadIdx.x * 4 + 0, threadIdx.y)] = {a.x, b.x, c.x, d.x};
    transposed[swizzled(threadIdx.x * 4 + 1, threadIdx.y)] = {a.y, b.y, c.y, d.y};
    transposed[swizzled(threadIdx.x * 4 + 2, threadIdx.y)] = {a.z, b.z, c.z, d.z};
    transposed[swizzled(threadIdx.x * 4 + 3, threadIdx.y)] = {a.w, b.w, c.w, d.w};

    __syncthreads();

    col = tile_col * WIDE_DIM + threadIdx.y;
    row = tile_row * WIDE_DIM + threadIdx.x * 4;
    for (int k = 0; k < WIDE_DIM; k += QUADS) {
        if (row < piece.rows && col + k < piece.cols) {
            reinterpret_cast<float4&>(piece.out[(col + k) * piece.pitch + row]) =
                transposed[swizzled(threadIdx.y + k, threadIdx.x)];
        }
    }
}
//! [wide]

// ---- launches for the methods in common/many/exchange.h ----

static void launch_pieces(const RankLaunch& launch, cudaStream_t stream) {
    if (launch.is_empty()) return;
    transpose_pieces<<<launch.grid(TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS), 0, stream>>>(
        launch.pieces, launch.cols, launch.rank);
}

static void launch_wide(const RankLaunch& launch, cudaStream_t stream) {
    if (launch.is_empty()) return;
    if (!launch.fits_float4()) return launch_pieces(launch, stream);
    int bytes = WIDE_DIM * WIDE_DIM * sizeof(float) + launch.unused_shared_kib * 1024;
    // A block gets more than 48 KiB of shared memory only on request.
    cudaFuncSetAttribute(transpose_wide, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    transpose_wide<<<launch.grid(WIDE_DIM), dim3(QUADS, QUADS), bytes, stream>>>(
        launch.pieces, launch.cols, launch.rank);
}

// ---- on one GPU: the same work for four ranks, in one memory ----

static void launch_in_turn(float* out, const float* in, int rows, int cols) {
    // Every GPU gets as many blocks across as the GPU with the most tiles needs.
    dim3 grid(ceil_div(ceil_div(cols, TILE_DIM), GPUS) * GPUS, ceil_div(rows, TILE_DIM));
    transpose_in_turn<<<grid, dim3(TILE_DIM, BLOCK_ROWS)>>>(out, in, rows, cols);
}

template <LaunchPieces launch>
static void launch_peers(float* out, const float* in, int rows, int cols) {
    Ranks ranks = make_ranks_on_one_gpu(out, in, rows, cols, GPUS);
    store_into_peers(ranks, launch)->start();
}

// The slots are kept from launch to launch, because allocating them takes longer than filling them.
static void launch_copies(float* out, const float* in, int rows, int cols) {
    static Ranks ranks;
    static std::unique_ptr<Method> method;
    Ranks now = make_ranks_on_one_gpu(out, in, rows, cols, GPUS);
    bool is_known = method && now.in == ranks.in && now.out == ranks.out &&
                    now.rows.count == ranks.rows.count && now.cols.count == ranks.cols.count;
    if (!is_known) {
        method.reset();
        ranks = now;
        method = send_copies(ranks, {.chunks = 2}, launch_wide);
    }
    method->start();
}

int main(int argc, char** argv) {
    // clang-format off
    if (has_gpus_option(argc, argv)) return run(argc, argv, {
        {.name = "peers", .about = "kernels store straight into the memory of the other GPUs",
         .make = [](const Ranks& ranks, Tuning) { return store_into_peers(ranks, launch_pieces); }},
        {.name = "wide", .about = "the same with 16 bytes per lane, if the shape allows it",
         .make = [](const Ranks& ranks, Tuning) { return store_into_peers(ranks, launch_wide); }},
        {.name = "pull", .about = "kernels read straight from the memory of the other GPUs",
         .make = [](const Ranks& ranks, Tuning) { return read_from_peers(ranks, launch_pieces); }},
        {.name = "copies", .about = "packed, and copied into place by the copy engines, in chunks", .is_chunked = true,
         .make = [](const Ranks& ranks, Tuning tuning) { return send_copies(ranks, tuning, launch_wide); }},
        {.name = "nccl", .about = "packed, sent by NCCL, unpacked, in chunks", .is_chunked = true, .needs_nccl = true,
         .make = [](const Ranks& ranks, Tuning tuning) { return send_by_nccl(ranks, tuning, launch_wide); }},
    });
    return run_step(argc, argv, {
        {.name = "in_turn", .about = "neighbouring blocks serve four GPUs in turn, in one memory",
         .launch = launch_in_turn},
        {.name = "peers", .about = "four blocks of rows, each stored into four blocks of `out`",
         .launch = launch_peers<launch_pieces>},
        {.name = "wide", .about = "the same with 16 bytes per lane",
         .launch = launch_peers<launch_wide>, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "copies", .about = "packed, and copied into place, in two chunks",
         .launch = launch_copies},
    });
    // clang-format on
}

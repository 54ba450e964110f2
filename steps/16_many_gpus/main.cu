// 16_many_gpus -- one matrix over several GPUs, whose kernels store into each other's memory.
//
// Builds on  10_registers: a GPU's own work is the same. Who stores where, and when, is new.
// Idea       A GPU's rows of `in` are columns of everybody's rows of `out`: a piece for each GPU.
//            With NVLink the memory of another GPU is an address like any other: store there.
// Watch      Blocks that run together serve the own GPU and one other, each GPU another one, so that
//            no link is idle and nobody is stormed. What is counted is as in 05: 4 and 4 sectors.
// Next       Your own: more hosts, other types, a matrix that is never there as a whole.

#include "harness/harness.h"
#include "many/many.h"
#include "many/nccl.h"

using namespace coalesce::many;

static constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
static constexpr int GPUS = 4;

//! [kernel]
// Four GPUs in one memory: the order alone. Each has a quarter of the tiles, down and across.
__global__ void transpose_in_turn(float* out, const float* in, int rows, int cols) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];

    // How many tiles each GPU has: down in its rows, and across in its columns.
    int tiles_down = (gridDim.y + GPUS - 1) / GPUS;
    int tiles_across = gridDim.x / GPUS;

    int tile_row = blockIdx.y;
    int gpu = tile_row / tiles_down;  // whose rows these are
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

    // Lanes now walk down a column of the tile, which is a row of the peer's `out`.
    col = tile_col * TILE_DIM + threadIdx.y;
    row = tile_row * TILE_DIM + threadIdx.x;
    for (int k = 0; k < TILE_DIM; k += BLOCK_ROWS) {
        if (row < rows && col + k < cols) {
            out[(col + k) * rows + row] = tile[threadIdx.x][threadIdx.y + k];
        }
    }
}
//! [kernel]

//! [order]
struct Work {
    int peer, tile_row, tile_col;
};

// Of N blocks side by side one turns a tile of the piece that stays, and N - 1 turn tiles of the same
// other piece. When its tiles are done, they go on to the next peer; each GPU begins with another one.
__device__ Work work_of_block(int rank) {
    int ranks = gridDim.x, tiles = gridDim.y * gridDim.z;  // as many tiles in each piece
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
// A part of one matrix that, turned, becomes a part of another, here or on another GPU. Rows of `in`
// are `cols` floats apart, as the kernel is told; rows of `out` are `pitch`.
struct Piece {
    float* out;
    const float* in;
    size_t pitch;
    int rows, cols;
};
struct Pieces {
    Piece of[most_ranks];
};

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
// The same by the kernel of 10: 4 x 4 floats a thread, turned in registers, 16 bytes a lane.
static constexpr int WIDE_DIM = 64, QUADS = WIDE_DIM / 4;

__device__ unsigned swizzled(unsigned col, unsigned quad) {
    return col * QUADS + (quad ^ (col / 4 % 8));
}

__global__ void transpose_wide(Pieces pieces, int cols, int rank) {
    extern __shared__ float4 turned[];  // WIDE_DIM x QUADS
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
    turned[swizzled(threadIdx.x * 4 + 0, threadIdx.y)] = {a.x, b.x, c.x, d.x};
    turned[swizzled(threadIdx.x * 4 + 1, threadIdx.y)] = {a.y, b.y, c.y, d.y};
    turned[swizzled(threadIdx.x * 4 + 2, threadIdx.y)] = {a.z, b.z, c.z, d.z};
    turned[swizzled(threadIdx.x * 4 + 3, threadIdx.y)] = {a.w, b.w, c.w, d.w};

    __syncthreads();

    col = tile_col * WIDE_DIM + threadIdx.y;
    row = tile_row * WIDE_DIM + threadIdx.x * 4;
    for (int k = 0; k < WIDE_DIM; k += QUADS) {
        if (row < piece.rows && col + k < piece.cols) {
            reinterpret_cast<float4&>(piece.out[(col + k) * piece.pitch + row]) =
                turned[swizzled(threadIdx.y + k, threadIdx.x)];
        }
    }
}
//! [wide]

// What a rank does in one launch.
struct Launch {
    Pieces pieces = {};
    int count = 0, cols = 0, rank = 0;
    // KiB of shared memory that nobody uses: fewer blocks run at a time, which leaves room for others.
    int unused = 0;

    int most(int Piece::*size) const {
        int most = 0;
        for (int i = 0; i < count; ++i) most = std::max(most, pieces.of[i].*size);
        return most;
    }
    // Whether every row that is read or stored begins at a multiple of 16 bytes.
    bool fits_float4() const {
        bool fits = cols % 4 == 0;
        for (int i = 0; i < count; ++i) {
            fits = fits && pieces.of[i].pitch % 4 == 0 && pieces.of[i].rows % 4 == 0;
        }
        return fits;
    }
    dim3 grid(int tile) const {
        return dim3(count, ceil_div(most(&Piece::rows), tile), ceil_div(most(&Piece::cols), tile));
    }
    bool is_empty() const { return most(&Piece::rows) == 0 || most(&Piece::cols) == 0; }

    void start(cudaStream_t stream) const {
        if (is_empty()) return;
        transpose_pieces<<<grid(TILE_DIM), dim3(TILE_DIM, BLOCK_ROWS), 0, stream>>>(pieces, cols,
                                                                                    rank);
    }
    void start_wide(cudaStream_t stream) const {
        if (is_empty()) return;
        if (!fits_float4()) return start(stream);
        int bytes = WIDE_DIM * WIDE_DIM * sizeof(float) + unused * 1024;
        // More than 48 KiB of shared memory is given on request only.
        cudaFuncSetAttribute(transpose_wide, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
        transpose_wide<<<grid(WIDE_DIM), dim3(QUADS, QUADS), bytes, stream>>>(pieces, cols, rank);
    }
};

// ---- straight into the peers ----

//! [peers]
// Where a piece of one rank belongs: its rows are columns of every rank's block of `out`.
static Piece piece_between(const Ranks& ranks, int from, int to) {
    return {.out = ranks.out[to] + ranks.rows.begin(from),
            .in = ranks.in[from] + ranks.cols.begin(to),
            .pitch = size_t(ranks.rows.count),
            .rows = ranks.rows.size(from),
            .cols = ranks.cols.size(to)};
}

static Launch all_pieces_of(const Ranks& ranks, int rank) {
    Launch launch = {.count = ranks.count(), .cols = ranks.cols.count, .rank = rank};
    for (int to = 0; to < ranks.count(); ++to) {
        launch.pieces.of[to] = piece_between(ranks, rank, to);
    }
    return launch;
}

// Each rank stores its pieces into the memory of the others.
struct Peers : Way {
    Peers(const Ranks& ranks, bool is_wide) : ranks(ranks), is_wide(is_wide) {}
    void start() override {
        ranks.each([&](int rank) {
            Launch launch = all_pieces_of(ranks, rank);
            is_wide ? launch.start_wide(ranks.packing[rank]) : launch.start(ranks.packing[rank]);
        });
    }
    const Ranks& ranks;
    bool is_wide;
};
//! [peers]

//! [pull]
// The other way round: each rank reads from the memory of the others what it needs.
struct Pull : Way {
    explicit Pull(const Ranks& ranks) : ranks(ranks) {}
    void start() override {
        ranks.each([&](int rank) {
            Launch launch = {.count = ranks.count(), .cols = ranks.cols.count, .rank = rank};
            for (int from = 0; from < ranks.count(); ++from) {
                launch.pieces.of[from] = piece_between(ranks, from, rank);
            }
            launch.start(ranks.packing[rank]);
        });
    }
    const Ranks& ranks;
};
//! [pull]

// ---- packed, exchanged, unpacked ----

//! [unpack]
// A piece that was received, in one run, goes to its place among longer rows: `width` Vectors a row.
template <class Vector>
__global__ void unpack(float* out, size_t pitch, const float* piece, int width, int cols) {
    for (int col = blockIdx.x; col < cols; col += gridDim.x) {
        Vector* to = reinterpret_cast<Vector*>(out + col * pitch);
        const Vector* from = reinterpret_cast<const Vector*>(piece) + size_t(col) * width;
        for (int x = threadIdx.x; x < width; x += blockDim.x) to[x] = from[x];
    }
}

static void unpack_piece(float* out, size_t pitch, const float* piece, int rows, int cols,
                         cudaStream_t stream) {
    if (rows == 0 || cols == 0) return;
    int blocks = std::min(cols, 512), threads = 256;
    if (rows % 4 == 0 && pitch % 4 == 0) {
        unpack<float4><<<blocks, threads, 0, stream>>>(out, pitch, piece, rows / 4, cols);
    } else {
        unpack<float><<<blocks, threads, 0, stream>>>(out, pitch, piece, rows, cols);
    }
}
//! [unpack]

//! [chunks]
// A chunk is a part of every piece. While one is exchanged, the next is packed and the one before
// unpacked: each on a stream of its own, with two slots that they use in turn.
struct Chunks : Way {
    Chunks(const Ranks& ranks, Tuning tuning)
        : ranks(ranks),
          chunks(tuning.chunks),
          unused(tuning.unused),
          pause(tuning.pause),
          width(ceil_div(ceil_div(ranks.cols.block(), chunks), 32) * 32),
          slots{Slot(ranks, slot_size()), Slot(ranks, slot_size())} {}

    void start() override {
        for (int chunk = 0; chunk < chunks; ++chunk) {
            Slot& slot = slots[chunk % 2];
            ranks.each([&](int rank) { pack(slot, rank, chunk); });
            exchange(slot, chunk);
            ranks.each([&](int rank) { unpack_all(slot, rank, chunk); });
        }
    }

    // The piece that stays goes to its place at once, the others into the slot.
    void pack(Slot& slot, int rank, int chunk) {
        Launch launch = all_pieces_of(ranks, rank);
        launch.unused = unused;
        for (int peer = 0; peer < ranks.count(); ++peer) {
            Piece& piece = launch.pieces.of[peer];
            piece.in += chunk * width;
            piece.cols = cols_of(peer, chunk);
            if (peer == rank) {
                piece.out += size_t(chunk) * width * piece.pitch;
            } else {
                piece.pitch = ranks.rows.size(rank);
                piece.out = slot.packed[rank] + place(peer);
            }
        }
        slot.is_sent.wait(rank, ranks.packing[rank]);
        if (chunk > 0) give_head_start(ranks.packing[rank], pause);
        launch.start_wide(ranks.packing[rank]);
        slot.is_packed.record(rank, ranks.packing[rank]);
    }

    // Sends what is packed, as soon as what it falls upon has been unpacked.
    void exchange(Slot& slot, int chunk) {
        ranks.each([&](int rank) {
            slot.is_packed.wait(rank, ranks.sending[rank]);
            slot.is_unpacked.wait_for_all(ranks.sending[rank]);
        });
        send(slot, chunk);
        ranks.each([&](int rank) { slot.is_sent.record(rank, ranks.sending[rank]); });
    }
    virtual void send(Slot& slot, int chunk) = 0;

    void unpack_all(Slot& slot, int rank, int chunk) {
        slot.is_sent.wait_for_all(ranks.unpacking[rank]);
        give_head_start(ranks.unpacking[rank], pause);
        float* out = ranks.out[rank] + size_t(chunk) * width * ranks.rows.count;
        for (int peer = 0; peer < ranks.count(); ++peer) {
            if (peer == rank) continue;
            unpack_piece(out + ranks.rows.begin(peer), ranks.rows.count,
                         slot.received[rank] + place(peer), ranks.rows.size(peer),
                         cols_of(rank, chunk), ranks.unpacking[rank]);
        }
        slot.is_unpacked.record(rank, ranks.unpacking[rank]);
    }
    //! [chunks]

    // Columns of a rank's piece that a chunk has.
    int cols_of(int rank, int chunk) const {
        return std::clamp(ranks.cols.size(rank) - chunk * width, 0, width);
    }
    // Floats that go from one rank to another.
    size_t floats(int from, int to, int chunk) const {
        return size_t(cols_of(to, chunk)) * ranks.rows.size(from);
    }
    // Where in a slot a rank's piece begins.
    size_t place(int rank) const { return size_t(rank) * width * ranks.rows.block(); }
    size_t slot_size() const { return place(ranks.count()); }

    const Ranks& ranks;
    int chunks, unused, pause, width;
    Slot slots[2];
};

//! [copies]
// The GPUs' copy engines carry the pieces: no thread has to.
struct Copies : Chunks {
    using Chunks::Chunks;
    void send(Slot& slot, int chunk) override {
        ranks.each([&](int rank) {
            for (int turn = 1; turn < ranks.count(); ++turn) {
                int peer = (rank + turn) % ranks.count();
                cudaMemcpyPeerAsync(slot.received[peer] + place(rank), ranks.devices[peer],
                                    slot.packed[rank] + place(peer), ranks.devices[rank],
                                    floats(rank, peer, chunk) * sizeof(float), ranks.sending[rank]);
            }
        });
    }
};
//! [copies]

//! [nccl]
// NCCL carries them: an all-to-all is a group of sends and receives.
struct ByNccl : Chunks {
    ByNccl(const Ranks& ranks, Tuning tuning) : Chunks(ranks, tuning), nccl(ranks.devices) {}
    void send(Slot& slot, int chunk) override {
        nccl.begin_group();
        for (int rank = 0; rank < ranks.count(); ++rank) {
            for (int turn = 1; turn < ranks.count(); ++turn) {
                int peer = (rank + turn) % ranks.count();
                nccl.send(rank, peer, slot.packed[rank] + place(peer), floats(rank, peer, chunk),
                          ranks.sending[rank]);
                nccl.receive(peer, rank, slot.received[peer] + place(rank),
                             floats(rank, peer, chunk), ranks.sending[peer]);
            }
        }
        nccl.end_group();
    }
    Nccl nccl;
};
//! [nccl]

// ---- on one GPU: the same work for four ranks, in one piece of memory ----

static void launch_in_turn(float* out, const float* in, int rows, int cols) {
    // As many tiles across as each GPU has at most, for every GPU.
    dim3 grid(ceil_div(ceil_div(cols, TILE_DIM), GPUS) * GPUS, ceil_div(rows, TILE_DIM));
    transpose_in_turn<<<grid, dim3(TILE_DIM, BLOCK_ROWS)>>>(out, in, rows, cols);
}

static void launch_peers(float* out, const float* in, int rows, int cols) {
    Ranks ranks = on_one_gpu(out, in, rows, cols, GPUS);
    Peers(ranks, false).start();
}

static void launch_wide(float* out, const float* in, int rows, int cols) {
    Ranks ranks = on_one_gpu(out, in, rows, cols, GPUS);
    Peers(ranks, true).start();
}

// The slots are kept from launch to launch: to allocate them takes longer than to fill them.
static void launch_copies(float* out, const float* in, int rows, int cols) {
    static Ranks ranks;
    static std::unique_ptr<Way> way;
    Ranks now = on_one_gpu(out, in, rows, cols, GPUS);
    bool is_known = way && now.in == ranks.in && now.out == ranks.out &&
                    now.rows.count == ranks.rows.count && now.cols.count == ranks.cols.count;
    if (!is_known) {
        way.reset();
        ranks = now;
        way = std::make_unique<Copies>(ranks, Tuning{.chunks = 2});
    }
    way->start();
}

static std::unique_ptr<Way> make_peers(const Ranks& ranks, Tuning) {
    return std::make_unique<Peers>(ranks, false);
}
static std::unique_ptr<Way> make_wide(const Ranks& ranks, Tuning) {
    return std::make_unique<Peers>(ranks, true);
}
static std::unique_ptr<Way> make_pull(const Ranks& ranks, Tuning) {
    return std::make_unique<Pull>(ranks);
}
template <class Exchange>
static std::unique_ptr<Way> make_chunks(const Ranks& ranks, Tuning tuning) {
    return std::make_unique<Exchange>(ranks, tuning);
}

int main(int argc, char** argv) {
    // clang-format off
    if (is_asked_for(argc, argv)) return run(argc, argv, {
        {.name = "peers", .about = "kernels store straight into the memory of the others",
         .make = make_peers},
        {.name = "wide", .about = "the same with 16 bytes a lane, where the shape allows it",
         .make = make_wide},
        {.name = "pull", .about = "kernels read straight from the memory of the others",
         .make = make_pull},
        {.name = "copies", .about = "packed, sent by the copy engines, unpacked, in chunks",
         .is_chunked = true, .make = make_chunks<Copies>},
        {.name = "nccl", .about = "packed, sent by NCCL, unpacked, in chunks",
         .is_chunked = true, .needs_nccl = true, .make = make_chunks<ByNccl>},
    });
    return run_step(argc, argv, {
        {.name = "in_turn", .about = "blocks side by side serve four GPUs in turn, in one memory",
         .launch = launch_in_turn},
        {.name = "peers", .about = "four blocks of rows, each stored into four blocks of `out`",
         .launch = launch_peers},
        {.name = "wide", .about = "the same with 16 bytes a lane",
         .launch = launch_wide, .rows_multiple = 4, .cols_multiple = 4},
        {.name = "copies", .about = "packed, copied and unpacked, in two chunks",
         .launch = launch_copies},
    });
    // clang-format on
}

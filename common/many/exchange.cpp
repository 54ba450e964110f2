#include "many/exchange.h"

#include <algorithm>
#include <functional>

#include "harness/errors.h"
#include "many/nccl.h"

namespace coalesce::many {
namespace {

// ---- each rank directly stores to, or reads from, the memory of its peers ----

struct PeerExchange : Method {
    enum Direction { stores, reads };

    PeerExchange(const Ranks& ranks, LaunchPieces transpose_pieces, Direction direction)
        : ranks(ranks), transpose_pieces(transpose_pieces), direction(direction) {}

    void start() override {
        ranks.for_each_rank([&](int rank) {
            RankLaunch launch = list_pieces(ranks, rank);
            for (int from = 0; direction == reads && from < ranks.count(); ++from) {
                launch.pieces.of[from] = find_piece(ranks, from, rank);
            }
            transpose_pieces(launch, ranks.packing_streams[rank]);
        });
    }

    const Ranks& ranks;
    LaunchPieces transpose_pieces;
    Direction direction;
};

// ---- pieces are packed and then exchanged ----

// Exchanges the pieces in chunks, each of which contains a part of every piece. While one chunk is
// exchanged, the next is packed on a separate stream. The chunks use the two slots alternately.
struct ChunkedExchange : Method {
    ChunkedExchange(const Ranks& ranks, Tuning tuning, LaunchPieces pack_pieces,
                    bool has_receive_buffers)
        : ranks(ranks),
          pack_pieces(pack_pieces),
          tuning(tuning),
          chunk_width(ceil_div(ceil_div(ranks.cols.block(), tuning.chunks), 32) * 32),
          slots{Slot(ranks, slot_offset(ranks.count()), has_receive_buffers),
                Slot(ranks, slot_offset(ranks.count()), has_receive_buffers)} {}

    void start() override { exchange_from(0); }

    // Packs and exchanges all chunks, starting with `first_chunk`. The last iteration packs
    // nothing. It only transposes the local part of the last chunk.
    void exchange_from(int first_chunk) {
        for (int chunk = first_chunk; chunk <= tuning.chunks; ++chunk) {
            Slot& slot = slots[chunk % 2];
            ranks.for_each_rank([&](int rank) { pack(slot, rank, chunk); });
            if (chunk < tuning.chunks) exchange(slot, chunk);
        }
    }

    // Packs into the slot those parts of a chunk that other ranks receive. The part that stays on
    // the rank is transposed directly into `out`, one chunk later, because no link has to wait for
    // it.
    void pack(Slot& slot, int rank, int chunk) {
        RankLaunch launch = list_pieces(ranks, rank);
        launch.unused_shared_kib = chunk == 0 ? 0 : tuning.unused_shared_kib;
        for (int peer = 0; peer < ranks.count(); ++peer) {
            Piece& piece = launch.pieces.of[peer];
            int local_chunk = peer == rank ? chunk - 1 : chunk;
            piece.cols = chunk_cols(peer, local_chunk);
            if (piece.cols == 0) continue;
            piece.in += local_chunk * chunk_width;
            if (peer == rank) {
                piece.out = out_address(rank, local_chunk) + ranks.rows.begin(rank);
            } else {
                piece.pitch = ranks.rows.size(rank);
                piece.out = slot.packed[rank] + slot_offset(peer);
            }
        }
        slot.sent_events.wait(rank, ranks.packing_streams[rank]);
        if (chunk > 0) delay_stream(ranks.packing_streams[rank], tuning.pause_us);
        pack_pieces(launch, ranks.packing_streams[rank]);
        slot.packed_events.record(rank, ranks.packing_streams[rank]);
    }
    virtual void exchange(Slot& slot, int chunk) = 0;

    // Returns the number of columns of a rank's piece in a chunk, or 0 if there is no such chunk.
    int chunk_cols(int rank, int chunk) const {
        return chunk < 0 ? 0
                         : std::clamp(ranks.cols.size(rank) - chunk * chunk_width, 0, chunk_width);
    }
    // Returns the number of floats in a chunk that rank `from` sends to rank `to`.
    std::size_t floats_to_send(int from, int to, int chunk) const {
        return std::size_t(chunk_cols(to, chunk)) * ranks.rows.size(from);
    }
    // Returns the offset in a slot at which the piece for a rank starts.
    std::size_t slot_offset(int rank) const {
        return std::size_t(rank) * chunk_width * ranks.rows.block();
    }
    // Returns the address in `out` at which a rank's part of a chunk starts.
    float* out_address(int rank, int chunk) const {
        return ranks.out[rank] + std::size_t(chunk) * chunk_width * ranks.rows.count;
    }

    const Ranks& ranks;
    LaunchPieces pack_pieces;
    Tuning tuning;
    int chunk_width;
    Slot slots[2];
};

// Exchanges the pieces with the GPUs' copy engines, so that no thread moves data between GPUs. The
// copy engines write each row of a piece to its final address, so nothing must be unpacked. The
// first chunk is sent without being transposed, while the second is packed, so that no link waits
// for a kernel. The receiver transposes the first chunk at the end, during the last copies.
struct CopyEngineExchange : ChunkedExchange {
    CopyEngineExchange(const Ranks& ranks, Tuning tuning, LaunchPieces pack_pieces)
        : ChunkedExchange(ranks, limit_blocks_for_copy_engines(tuning), pack_pieces, false),
          untransposed_buffers(ranks, slot_offset(ranks.count())) {}

    // Limits kernels to one block per multiprocessor. This is sufficient for packing. More blocks
    // would use memory bandwidth that the copy engines need.
    static Tuning limit_blocks_for_copy_engines(Tuning tuning) {
        int shared_bytes = 0;
        CUDA_CHECK(
            cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
        if (tuning.unused_shared_kib == 0) tuning.unused_shared_kib = shared_bytes / 1024 / 2;
        return tuning;
    }

    void start() override {
        ranks.for_each_rank(
            [&](int rank) { transposed_events.wait_for_all(ranks.sending_streams[rank]); });
        send_in_rounds([&](int rank, int peer) { send_untransposed(rank, peer); });
        ranks.for_each_rank(
            [&](int rank) { arrived_events.record(rank, ranks.sending_streams[rank]); });
        exchange_from(1);
        ranks.for_each_rank([&](int rank) { transpose_received(rank); });
    }

    void exchange(Slot& slot, int chunk) override {
        ranks.for_each_rank(
            [&](int rank) { slot.packed_events.wait(rank, ranks.sending_streams[rank]); });
        send_in_rounds([&](int rank, int peer) { send(slot, chunk, rank, peer); });
        ranks.for_each_rank(
            [&](int rank) { slot.sent_events.record(rank, ranks.sending_streams[rank]); });
    }
    // In each round, each rank sends to one peer, and no two ranks send to the same peer.
    void send_in_rounds(const std::function<void(int rank, int peer)>& send) {
        const int count = ranks.count();
        for (int round = 1; round < count; ++round) {
            // Wait until the rank that previously sent to the same peer has finished. Simultaneous
            // copies to one peer slow each other down.
            ranks.for_each_rank([&](int rank) {
                served_events.wait((rank + (round > 1 ? 1 : 2)) % count,
                                   ranks.sending_streams[rank]);
            });
            ranks.for_each_rank([&](int rank) {
                send(rank, (rank + round) % count);
                served_events.record(rank, ranks.sending_streams[rank]);
            });
        }
    }

    void send(Slot& slot, int chunk, int rank, int peer) {
        const std::size_t row_bytes = ranks.rows.size(rank) * sizeof(float);
        copy_rows(rank, out_address(peer, chunk) + ranks.rows.begin(rank),
                  ranks.rows.count * sizeof(float), slot.packed[rank] + slot_offset(peer),
                  row_bytes, row_bytes, chunk_cols(peer, chunk));
    }
    void send_untransposed(int rank, int peer) {
        const std::size_t row_bytes = chunk_cols(peer, 0) * sizeof(float);
        copy_rows(rank, untransposed_buffers[peer] + slot_offset(rank), row_bytes,
                  ranks.in[rank] + ranks.cols.begin(peer), ranks.cols.count * sizeof(float),
                  row_bytes, ranks.rows.size(rank));
    }
    void copy_rows(int rank, float* to, std::size_t to_pitch, const float* from,
                   std::size_t from_pitch, std::size_t bytes, int rows) {
        if (bytes == 0 || rows == 0) return;
        CUDA_CHECK(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, rows, cudaMemcpyDefault,
                                     ranks.sending_streams[rank]));
    }

    void transpose_received(int rank) {
        RankLaunch launch = {.count = ranks.count(),
                             .cols = chunk_cols(rank, 0),
                             .rank = rank,
                             .unused_shared_kib = tuning.unused_shared_kib};
        for (int from = 0; from < ranks.count(); ++from) {
            if (from == rank) continue;
            launch.pieces.of[from] = {.out = out_address(rank, 0) + ranks.rows.begin(from),
                                      .in = untransposed_buffers[rank] + slot_offset(from),
                                      .pitch = std::size_t(ranks.rows.count),
                                      .rows = ranks.rows.size(from),
                                      .cols = launch.cols};
        }
        arrived_events.wait_for_all(ranks.packing_streams[rank]);
        pack_pieces(launch, ranks.packing_streams[rank]);
        transposed_events.record(rank, ranks.packing_streams[rank]);
    }

    RankBuffers untransposed_buffers;  // the first chunk, as received
    Events arrived_events{ranks}, transposed_events{ranks}, served_events{ranks};
};

// Exchanges the pieces with NCCL, as a group of sends and receives that form an all-to-all
// exchange. NCCL sends only contiguous memory, so received pieces must be unpacked.
struct NcclExchange : ChunkedExchange {
    NcclExchange(const Ranks& ranks, Tuning tuning, LaunchPieces pack_pieces)
        : ChunkedExchange(ranks, tuning, pack_pieces, true), nccl(ranks) {}

    // Sends the packed pieces once the previous contents of the receive buffers have been unpacked.
    void exchange(Slot& slot, int chunk) override {
        ranks.for_each_rank([&](int rank) {
            slot.packed_events.wait(rank, ranks.sending_streams[rank]);
            slot.unpacked_events.wait_for_all(ranks.sending_streams[rank]);
        });
        send(slot, chunk);
        ranks.for_each_rank(
            [&](int rank) { slot.sent_events.record(rank, ranks.sending_streams[rank]); });
        ranks.for_each_rank([&](int rank) { unpack_pieces(slot, rank, chunk); });
    }
    // Queues all sends of this process's ranks to other ranks, and the matching receives.
    void send(Slot& slot, int chunk) {
        nccl.begin_group();
        ranks.for_each_rank([&](int rank) {
            for (int round = 1; round < ranks.count(); ++round) {
                int to = (rank + round) % ranks.count();
                int from = (rank + ranks.count() - round) % ranks.count();
                nccl.send(rank, to, slot.packed[rank] + slot_offset(to),
                          floats_to_send(rank, to, chunk), ranks.sending_streams[rank]);
                nccl.receive(rank, from, slot.received[rank] + slot_offset(from),
                             floats_to_send(from, rank, chunk), ranks.sending_streams[rank]);
            }
        });
        nccl.end_group();
    }
    void unpack_pieces(Slot& slot, int rank, int chunk) {
        slot.sent_events.wait_for_all(ranks.unpacking_streams[rank]);
        delay_stream(ranks.unpacking_streams[rank], tuning.pause_us);
        for (int peer = 0; peer < ranks.count(); ++peer) {
            if (peer == rank) continue;
            unpack_piece(out_address(rank, chunk) + ranks.rows.begin(peer), ranks.rows.count,
                         slot.received[rank] + slot_offset(peer), ranks.rows.size(peer),
                         chunk_cols(rank, chunk), ranks.unpacking_streams[rank]);
        }
        slot.unpacked_events.record(rank, ranks.unpacking_streams[rank]);
    }

    Nccl nccl;
};

}  // namespace

std::unique_ptr<Method> store_into_peers(const Ranks& ranks, LaunchPieces transpose_pieces) {
    return std::make_unique<PeerExchange>(ranks, transpose_pieces, PeerExchange::stores);
}
std::unique_ptr<Method> read_from_peers(const Ranks& ranks, LaunchPieces transpose_pieces) {
    return std::make_unique<PeerExchange>(ranks, transpose_pieces, PeerExchange::reads);
}
std::unique_ptr<Method> send_copies(const Ranks& ranks, Tuning tuning, LaunchPieces pack_pieces) {
    return std::make_unique<CopyEngineExchange>(ranks, tuning, pack_pieces);
}
std::unique_ptr<Method> send_by_nccl(const Ranks& ranks, Tuning tuning, LaunchPieces pack_pieces) {
    return std::make_unique<NcclExchange>(ranks, tuning, pack_pieces);
}

}  // namespace coalesce::many

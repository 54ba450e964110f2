#include "many/exchange.h"

#include <algorithm>

#include "harness/errors.h"
#include "many/nccl.h"

namespace coalesce::many {
namespace {

// ---- straight into the peers ----

struct Peers : Way {
    Peers(const Ranks& ranks, Turn turn) : ranks(ranks), turn(turn) {}
    void start() override {
        ranks.each([&](int rank) { turn(all_pieces_of(ranks, rank), ranks.packing[rank]); });
    }
    const Ranks& ranks;
    Turn turn;
};

struct Pull : Way {
    Pull(const Ranks& ranks, Turn turn) : ranks(ranks), turn(turn) {}
    void start() override {
        ranks.each([&](int rank) {
            RankLaunch launch = all_pieces_of(ranks, rank);
            for (int from = 0; from < ranks.count(); ++from) {
                launch.pieces.of[from] = piece_between(ranks, from, rank);
            }
            turn(launch, ranks.packing[rank]);
        });
    }
    const Ranks& ranks;
    Turn turn;
};

// ---- packed, exchanged, unpacked ----

// A chunk is a part of every piece. While one is exchanged, the next is packed and the one before
// unpacked: each on a stream of its own, with two slots that they use in turn.
struct Chunks : Way {
    Chunks(const Ranks& ranks, Tuning tuning, Turn pack_pieces, Unpack unpack_piece)
        : ranks(ranks),
          pack_pieces(pack_pieces),
          unpack_piece(unpack_piece),
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
        RankLaunch launch = all_pieces_of(ranks, rank);
        launch.unused = unused;
        for (int peer = 0; peer < ranks.count(); ++peer) {
            Piece& piece = launch.pieces.of[peer];
            piece.in += chunk * width;
            piece.cols = cols_of(peer, chunk);
            if (peer == rank) {
                piece.out += std::size_t(chunk) * width * piece.pitch;
            } else {
                piece.pitch = ranks.rows.size(rank);
                piece.out = slot.packed[rank] + place(peer);
            }
        }
        slot.is_sent.wait(rank, ranks.packing[rank]);
        if (chunk > 0) give_head_start(ranks.packing[rank], pause);
        pack_pieces(launch, ranks.packing[rank]);
        slot.is_packed.record(rank, ranks.packing[rank]);
    }

    // Sends what is packed, as soon as what it falls on has been unpacked.
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
        float* out = ranks.out[rank] + std::size_t(chunk) * width * ranks.rows.count;
        for (int peer = 0; peer < ranks.count(); ++peer) {
            if (peer == rank) continue;
            unpack_piece(out + ranks.rows.begin(peer), ranks.rows.count,
                         slot.received[rank] + place(peer), ranks.rows.size(peer),
                         cols_of(rank, chunk), ranks.unpacking[rank]);
        }
        slot.is_unpacked.record(rank, ranks.unpacking[rank]);
    }

    // Columns of a rank's piece that a chunk has.
    int cols_of(int rank, int chunk) const {
        return std::clamp(ranks.cols.size(rank) - chunk * width, 0, width);
    }
    // Floats that go from one rank to another.
    std::size_t floats(int from, int to, int chunk) const {
        return std::size_t(cols_of(to, chunk)) * ranks.rows.size(from);
    }
    // Where in a slot a rank's piece begins.
    std::size_t place(int rank) const { return std::size_t(rank) * width * ranks.rows.block(); }
    std::size_t slot_size() const { return place(ranks.count()); }

    const Ranks& ranks;
    Turn pack_pieces;
    Unpack unpack_piece;
    int chunks, unused, pause, width;
    Slot slots[2];
};

// The GPUs' copy engines carry the pieces: no thread has to.
struct Copies : Chunks {
    using Chunks::Chunks;
    void send(Slot& slot, int chunk) override {
        ranks.each([&](int rank) {
            for (int turn = 1; turn < ranks.count(); ++turn) {
                int peer = (rank + turn) % ranks.count();
                CUDA_CHECK(cudaMemcpyPeerAsync(
                    slot.received[peer] + place(rank), ranks.devices[peer],
                    slot.packed[rank] + place(peer), ranks.devices[rank],
                    floats(rank, peer, chunk) * sizeof(float), ranks.sending[rank]));
            }
        });
    }
};

// NCCL carries them: an all-to-all is a group of sends and receives.
struct ByNccl : Chunks {
    ByNccl(const Ranks& ranks, Tuning tuning, Turn pack, Unpack unpack)
        : Chunks(ranks, tuning, pack, unpack), nccl(ranks.devices) {}
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

}  // namespace

std::unique_ptr<Way> store_into_peers(const Ranks& ranks, Turn turn) {
    return std::make_unique<Peers>(ranks, turn);
}
std::unique_ptr<Way> read_from_peers(const Ranks& ranks, Turn turn) {
    return std::make_unique<Pull>(ranks, turn);
}
std::unique_ptr<Way> send_copies(const Ranks& ranks, Tuning tuning, Turn pack, Unpack unpack) {
    return std::make_unique<Copies>(ranks, tuning, pack, unpack);
}
std::unique_ptr<Way> send_by_nccl(const Ranks& ranks, Tuning tuning, Turn pack, Unpack unpack) {
    return std::make_unique<ByNccl>(ranks, tuning, pack, unpack);
}

}  // namespace coalesce::many

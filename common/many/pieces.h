/// \file
/// What a GPU has to turn and to store, and where: a piece for each of the others.
#pragma once

#include "harness/harness.h"
#include "many/many.h"

namespace coalesce::many {

/// A part of one matrix that, turned, becomes a part of another, here or on another GPU. Rows of `in`
/// are `cols` floats apart, as the kernel is told; rows of `out` are `pitch`.
struct Piece {
    float* out;
    const float* in;
    std::size_t pitch;
    int rows, cols;
};
/// One for each rank.
struct Pieces {
    Piece of[kMostRanks];
};

/// What a rank does in one launch.
struct RankLaunch {
    Pieces pieces = {};
    int count = 0, cols = 0, rank = 0;
    /// KiB of shared memory that nobody uses: fewer blocks run at a time, which leaves room for others.
    int unused = 0;

    /// Of one piece, the largest.
    int most(int Piece::*size) const;
    /// Whether every row that is read or stored begins at a multiple of 16 bytes.
    bool fits_float4() const;
    /// A block for each tile of each piece.
    dim3 grid(int tile) const;
    /// Whether there is nothing to do.
    bool is_empty() const { return most(&Piece::rows) == 0 || most(&Piece::cols) == 0; }
};

/// The piece of rank `from` that belongs to rank `to`: its rows are columns of every rank's block of `out`.
Piece piece_between(const Ranks& ranks, int from, int to);
/// Those of one rank, for all.
RankLaunch all_pieces_of(const Ranks& ranks, int rank);
/// What was received in one run goes to its place: a piece of `cols` rows of `rows` floats each goes to `out`, whose
/// rows are `pitch` floats apart.
void unpack_piece(float* out, std::size_t pitch, const float* piece, int rows, int cols,
                  cudaStream_t stream);

}  // namespace coalesce::many

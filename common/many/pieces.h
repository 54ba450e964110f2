/// \file
/// The pieces that a GPU transposes and stores, one for each rank.
#pragma once

#include "harness/harness.h"
#include "many/many.h"

namespace coalesce::many {

/// A part of a matrix, and the address to which its transpose is written, which may be on another
/// GPU. Rows of `in` are RankLaunch::cols floats apart, and rows of `out` are `pitch` floats apart.
struct Piece {
    float* out;
    const float* in;
    std::size_t pitch;
    int rows, cols;
};
/// One piece for each rank.
struct Pieces {
    Piece of[kMaxRanks];
};

/// The work of a rank in one launch.
struct RankLaunch {
    Pieces pieces = {};
    int count = 0, cols = 0, rank = 0;
    /// KiB of shared memory that each block requests without using it. Fewer blocks then run at the
    /// same time, which leaves room for other kernels.
    int unused_shared_kib = 0;

    /// Returns the maximum of one data member over all pieces. For example,
    /// max_over_pieces(&Piece::rows) returns the largest number of rows.
    int max_over_pieces(int Piece::*size) const;
    /// Reports whether all rows that are loaded or stored start at multiples of 16 bytes, as float4
    /// needs.
    bool fits_float4() const;
    /// Returns a grid with one block for each tile of each piece.
    dim3 grid(int tile) const;
    /// Reports whether all pieces are empty.
    bool is_empty() const {
        return max_over_pieces(&Piece::rows) == 0 || max_over_pieces(&Piece::cols) == 0;
    }
};

/// Returns the piece that rank `from` has in its block of `in` and that rank `to` needs.
Piece find_piece(const Ranks& ranks, int from, int to);
/// Returns all pieces that one rank transposes, one for each destination rank.
RankLaunch list_pieces(const Ranks& ranks, int rank);
/// Copies a received piece to its position in the matrix `out`. The piece has `cols` rows of `rows`
/// floats. The rows of `out` are `pitch` floats apart.
void unpack_piece(float* out, std::size_t pitch, const float* piece, int rows, int cols,
                  cudaStream_t stream);

}  // namespace coalesce::many

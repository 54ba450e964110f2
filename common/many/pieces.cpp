#include "many/pieces.h"

#include <algorithm>

namespace coalesce::many {

int RankLaunch::max_over_pieces(int Piece::*size) const {
    int max_over_pieces = 0;
    for (int i = 0; i < count; ++i) max_over_pieces = std::max(max_over_pieces, pieces.of[i].*size);
    return max_over_pieces;
}

bool RankLaunch::fits_float4() const {
    bool is_aligned = cols % 4 == 0;
    for (int i = 0; i < count; ++i) {
        is_aligned = is_aligned && pieces.of[i].pitch % 4 == 0 && pieces.of[i].rows % 4 == 0;
    }
    return is_aligned;
}

dim3 RankLaunch::grid(int tile) const {
    return dim3(count, ceil_div(max_over_pieces(&Piece::rows), tile),
                ceil_div(max_over_pieces(&Piece::cols), tile));
}

Piece find_piece(const Ranks& ranks, int from, int to) {
    // The memory of another process has no address in this process, so the packing code sets the
    // destination.
    float* out =
        ranks.devices[to] == kRankOfOtherProcess ? nullptr : ranks.out[to] + ranks.rows.begin(from);
    return {.out = out,
            .in = ranks.in[from] + ranks.cols.begin(to),
            .pitch = static_cast<std::size_t>(ranks.rows.count),
            .rows = ranks.rows.size(from),
            .cols = ranks.cols.size(to)};
}

RankLaunch list_pieces(const Ranks& ranks, int rank) {
    RankLaunch launch;
    launch.count = ranks.count();
    launch.cols = ranks.cols.count;
    launch.rank = rank;
    for (int to = 0; to < ranks.count(); ++to) {
        launch.pieces.of[to] = find_piece(ranks, rank, to);
    }
    return launch;
}

}  // namespace coalesce::many

#include "many/pieces.h"

#include <algorithm>

namespace coalesce::many {

int RankLaunch::most(int Piece::*size) const {
    int most = 0;
    for (int i = 0; i < count; ++i) most = std::max(most, pieces.of[i].*size);
    return most;
}

bool RankLaunch::fits_float4() const {
    bool fits = cols % 4 == 0;
    for (int i = 0; i < count; ++i) {
        fits = fits && pieces.of[i].pitch % 4 == 0 && pieces.of[i].rows % 4 == 0;
    }
    return fits;
}

dim3 RankLaunch::grid(int tile) const {
    return dim3(count, ceil_div(most(&Piece::rows), tile), ceil_div(most(&Piece::cols), tile));
}

Piece find_piece(const Ranks& ranks, int from, int to) {
    // This process cannot address the memory of another process. The packing code sets the
    // destination.
    float* out =
        ranks.devices[to] == kOtherProcess ? nullptr : ranks.out[to] + ranks.rows.begin(from);
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

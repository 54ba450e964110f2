// Transposes data that is not in the caches, by reading and writing whole cache lines.
#include <algorithm>
#include <cstdint>

#include "many/processes/local.h"

#ifdef __SSE__
#    include <immintrin.h>
#endif

namespace coalesce::processes {
namespace {

/// The number of floats in a cache line.
constexpr int kFloatsPerCacheLine = 16;
/// The side length of a tile, in elements. A tile touches 2 x 256 pages, which fit into the core's
/// TLB, and accesses to a page use consecutive cache lines.
constexpr int kTileSide = 256;

void transpose_plain(Piece<float> out, Piece<const float> in, int rows, int cols) {
    for (int col = 0; col < cols; ++col) {
        for (int row = 0; row < rows; ++row) {
            out.first[col * out.pitch + row] = in.first[row * in.pitch + col];
        }
    }
}

template <class Float>
Piece<Float> offset_piece(Piece<Float> piece, int row, int col) {
    return {piece.first + row * piece.pitch + col, piece.pitch};
}

#ifdef __SSE__
/// Reports whether every row of `out` starts at a cache line. In that case, non-temporal stores can
/// bypass the caches, so that the processor need not read lines that will be overwritten
/// completely.
bool has_whole_lines(Piece<float> out) {
    return reinterpret_cast<std::uintptr_t>(out.first) % (kFloatsPerCacheLine * sizeof(float)) ==
               0 &&
           out.pitch % kFloatsPerCacheLine == 0;
}

/// Transposes 16 rows and 4 columns of `in` into 4 whole cache lines of `out`, by transposing four
/// blocks of 4 x 4 in registers.
template <bool BYPASSES_CACHE>
void transpose_16x4(Piece<float> out, Piece<const float> in) {
    __m128 line[4][4];
    for (int quad = 0; quad < 4; ++quad) {
        const float* from = in.first + 4 * quad * in.pitch;
        __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + in.pitch),
               c = _mm_loadu_ps(from + 2 * in.pitch), d = _mm_loadu_ps(from + 3 * in.pitch);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        line[0][quad] = a, line[1][quad] = b, line[2][quad] = c, line[3][quad] = d;
    }
    for (int col = 0; col < 4; ++col) {
        float* to = out.first + col * out.pitch;
        for (int quad = 0; quad < 4; ++quad) {
            if constexpr (BYPASSES_CACHE) {
                _mm_stream_ps(to + 4 * quad, line[col][quad]);
            } else {
                _mm_storeu_ps(to + 4 * quad, line[col][quad]);
            }
        }
    }
}

template <bool BYPASSES_CACHE>
void transpose_tile(Piece<float> out, Piece<const float> in, int rows, int cols) {
    const int whole_rows = rows / kFloatsPerCacheLine * kFloatsPerCacheLine,
              whole_cols = cols / kFloatsPerCacheLine * kFloatsPerCacheLine;
    for (int row = 0; row < whole_rows; row += kFloatsPerCacheLine) {
        for (int col = 0; col < whole_cols; col += 4) {
            transpose_16x4<BYPASSES_CACHE>(offset_piece(out, col, row), offset_piece(in, row, col));
        }
    }
    transpose_plain(offset_piece(out, whole_cols, 0), offset_piece(in, 0, whole_cols), whole_rows,
                    cols - whole_cols);
    transpose_plain(offset_piece(out, 0, whole_rows), offset_piece(in, whole_rows, 0),
                    rows - whole_rows, cols);
}

using TransposeTile = void (*)(Piece<float>, Piece<const float>, int, int);

TransposeTile choose_tile_function(Piece<float> out) {
    return has_whole_lines(out) ? transpose_tile<true> : transpose_tile<false>;
}

/// Makes the non-temporal stores visible to other processors.
void fence_stores() {
    _mm_sfence();
}
#else
auto choose_tile_function(Piece<float>) {
    return transpose_plain;
}
void fence_stores() {}
#endif

}  // namespace

void transpose_on_cpu(Piece<float> out, Piece<const float> in, int rows, int cols) {
    const auto tile_function = choose_tile_function(out);
    for (int row = 0; row < rows; row += kTileSide) {
        for (int col = 0; col < cols; col += kTileSide) {
            tile_function(offset_piece(out, col, row), offset_piece(in, row, col),
                          std::min(kTileSide, rows - row), std::min(kTileSide, cols - col));
        }
    }
    fence_stores();
}

}  // namespace coalesce::processes

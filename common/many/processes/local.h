/// \file
/// What one process does by itself: it transposes a block of rows, or a piece of one.
#pragma once

#include <cstddef>

namespace coalesce::processes {

/// A matrix that is a part of a larger one: neighbours in a column are `pitch` floats apart.
template <class Float>
struct Piece {
    Float* first = nullptr;  ///< its element (0, 0)
    std::ptrdiff_t pitch = 0;
};

/// out(col, row) = in(row, col) on this processor; `in` is rows x cols.
void transpose_on_cpu(Piece<float> out, Piece<const float> in, int rows, int cols);

/// The same on this process's GPU, real or simulated, for whole blocks: `out` and `in` lie in host
/// memory, and go there and back.
void transpose_on_gpu(float* out, const float* in, int rows, int cols);

}  // namespace coalesce::processes

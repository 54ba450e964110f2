/// \file
/// The local work of a process: transposing a block of rows, or a part of it.
#pragma once

#include <cstddef>

namespace coalesce::processes {

/// A matrix that is a part of a larger matrix. Neighbours in a column are `pitch` floats apart.
template <class Float>
struct Piece {
    Float* first = nullptr;  ///< the address of element (0, 0)
    std::ptrdiff_t pitch = 0;
};

/// Transposes on the CPU: out(col, row) = in(row, col). `in` is rows x cols.
void transpose_on_cpu(Piece<float> out, Piece<const float> in, int rows, int cols);

/// Transposes a whole block on this process's GPU, real or simulated. `out` and `in` are in host
/// memory, and are copied to the GPU and back.
void transpose_on_gpu(float* out, const float* in, int rows, int cols);

}  // namespace coalesce::processes

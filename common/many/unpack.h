/// \file
/// What was received in one run goes to its place.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace coalesce::many {

/// A piece of `cols` rows of `rows` floats each goes to `out`, whose rows are `pitch` floats apart.
void unpack_piece(float* out, std::size_t pitch, const float* piece, int rows, int cols,
                  cudaStream_t stream);

}  // namespace coalesce::many

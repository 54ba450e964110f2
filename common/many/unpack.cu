#include <algorithm>

#include "harness/errors.h"
#include "many/pieces.h"

namespace coalesce::many {
namespace {

/// Copies rows of `width` Vectors.
template <class Vector>
__global__ void unpack(float* out, std::size_t pitch, const float* piece, int width, int cols) {
    for (int col = blockIdx.x; col < cols; col += gridDim.x) {
        auto* to = reinterpret_cast<Vector*>(out + col * pitch);
        const auto* from = reinterpret_cast<const Vector*>(piece) + std::size_t(col) * width;
        for (int i = threadIdx.x; i < width; i += blockDim.x) to[i] = from[i];
    }
}

}  // namespace

void unpack_piece(float* out, std::size_t pitch, const float* piece, int rows, int cols,
                  cudaStream_t stream) {
    if (rows == 0 || cols == 0) return;
    const int blocks = std::min(cols, 512), threads = 256;
    if (rows % 4 == 0 && pitch % 4 == 0) {
        unpack<float4><<<blocks, threads, 0, stream>>>(out, pitch, piece, rows / 4, cols);
    } else {
        unpack<float><<<blocks, threads, 0, stream>>>(out, pitch, piece, rows, cols);
    }
    CUDA_CHECK(cudaGetLastError());
}

}  // namespace coalesce::many

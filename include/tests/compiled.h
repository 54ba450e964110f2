/// \file
/// The headers of coalesce/ for the programs of this project: their kernels are compiled once, in compiled.cu, and
/// not once more in every file that includes them. Programs link compiled_transposes.
#pragma once

#include <coalesce/permute.cuh>

// COALESCE_COMPILED(extern) declares what COALESCE_COMPILED() makes: everything, for elements of every size.
#define COALESCE_COMPILED_SIZE(EXTERN, SIZE)                                                    \
    EXTERN template cudaError_t transposing::transpose<SIZE>(                                   \
        void*, const void*, std::int64_t, std::int64_t, const TransposeOptions&, cudaStream_t); \
    EXTERN template cudaError_t permuting::carry_out<SIZE>(const permuting::Plan&, cudaStream_t);
#define COALESCE_COMPILED(EXTERN)     \
    COALESCE_COMPILED_SIZE(EXTERN, 1) \
    COALESCE_COMPILED_SIZE(EXTERN, 2) \
    COALESCE_COMPILED_SIZE(EXTERN, 4) \
    COALESCE_COMPILED_SIZE(EXTERN, 8) \
    COALESCE_COMPILED_SIZE(EXTERN, 16)

namespace coalesce {
COALESCE_COMPILED(extern)
}  // namespace coalesce

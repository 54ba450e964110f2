/// \file
/// Includes the headers in include/coalesce/ without compiling the kernels again in each program.
/// Only compiled.cu compiles the kernels, and the programs link against compiled_transposes.
#pragma once

#include <coalesce/permute.cuh>

// COALESCE_COMPILED(extern) declares the kernels' instances for all element sizes.
// COALESCE_COMPILED() defines them.
#define COALESCE_COMPILED_SIZE(EXTERN, SIZE)                                                \
    EXTERN template cudaError_t transposing::transpose<SIZE>(                               \
        void*, const void*, std::int64_t, std::int64_t, const TransposeOptions&,            \
        const transposing::LaunchQueue&);                                                   \
    EXTERN template cudaError_t permuting::launch_plan<SIZE>(const permuting::PermutePlan&, \
                                                             const transposing::LaunchQueue&);
#define COALESCE_COMPILED(EXTERN)     \
    COALESCE_COMPILED_SIZE(EXTERN, 1) \
    COALESCE_COMPILED_SIZE(EXTERN, 2) \
    COALESCE_COMPILED_SIZE(EXTERN, 4) \
    COALESCE_COMPILED_SIZE(EXTERN, 8) \
    COALESCE_COMPILED_SIZE(EXTERN, 16)

namespace coalesce {
COALESCE_COMPILED(extern)
}  // namespace coalesce

/// \file
/// Includes the headers of coalesce/ for this project's own programs, without compiling the kernels
/// in every file. compiled.cu compiles the kernels once. Programs link to compiled_transposes.
#pragma once

#include <coalesce/permute.cuh>

// COALESCE_COMPILED(extern) declares the instances for all element sizes, and COALESCE_COMPILED()
// defines them.
#define COALESCE_COMPILED_SIZE(EXTERN, SIZE)                                         \
    EXTERN template cudaError_t transposing::transpose<SIZE>(                        \
        void*, const void*, std::int64_t, std::int64_t, const TransposeOptions&,     \
        const transposing::Queue&);                                                  \
    EXTERN template cudaError_t permuting::launch_plan<SIZE>(const permuting::Plan&, \
                                                             const transposing::Queue&);
#define COALESCE_COMPILED(EXTERN)     \
    COALESCE_COMPILED_SIZE(EXTERN, 1) \
    COALESCE_COMPILED_SIZE(EXTERN, 2) \
    COALESCE_COMPILED_SIZE(EXTERN, 4) \
    COALESCE_COMPILED_SIZE(EXTERN, 8) \
    COALESCE_COMPILED_SIZE(EXTERN, 16)

namespace coalesce {
COALESCE_COMPILED(extern)
}  // namespace coalesce

// Random kernels in CUDA C++ whose results are the same wherever they run.
#pragma once

#include <string>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

enum class Style {
    exact,
    learner  ///< as a learner writes it: two compilers that get the same LLVM IR have to agree, others need not
};

/// The text of one kernel; the same seed gives the same text.
///
/// Its first line is `// launch GRID_X BLOCK_X BLOCK_Y BLOCK_Z DYNAMIC_SHARED`, its kernel
///
///     extern "C" __global__ void kernel(const unsigned* in, unsigned* out, unsigned* sums,
///                                       unsigned char* scratch, unsigned seed)
///
/// `in` has 1024 words. `out` has 32 words for each thread, of which not all are written. `sums` has
/// 64 words that are zero, and ends up the same whatever the order of threads. `scratch` has 64
/// bytes for each thread, zero.
///
/// Nothing in it is left undefined: it has no race, reads nothing unwritten, and every loop ends. Its
/// floating point arithmetic says each rounding, so that compilers agree too, unless it is of Style::learner.
std::string generate_cuda(u64 seed, Style style = Style::exact);

}  // namespace coalesce::campaign

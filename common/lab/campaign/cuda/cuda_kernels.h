// Generates random kernels in CUDA C++ whose results are the same on every device.
#pragma once

#include <string>

#include "lab/campaign/contract.h"

namespace coalesce::campaign {

enum class KernelStyle {
    exact,  ///< code that gives the same results with every compiler
    /// Code of the kind that learners write. Different compilers may round its results differently,
    /// unless they start from the same LLVM IR.
    learner
};

/// Returns the text of one kernel. The same seed always produces the same text.
///
/// The first line is `// launch GRID_X BLOCK_X BLOCK_Y BLOCK_Z DYNAMIC_SHARED`, and the kernel is
///
///    extern "C" __global__ void kernel(const unsigned* in, unsigned* out, unsigned* sums,
///                                      unsigned char* scratch, unsigned seed)
///
/// `in` has 1024 words. `out` has 32 words for each thread, some of which are never written. `sums`
/// has 64 words, initially zero; their final values do not depend on the order of threads.
/// `scratch` has 64 bytes for each thread, initially zero.
///
/// The kernel has no undefined behaviour: it has no races, reads only memory that was written, and
/// every loop ends. Its floating-point arithmetic specifies each rounding so that compilers agree,
/// except in KernelStyle::learner.
std::string generate_cuda(u64 seed, KernelStyle style = KernelStyle::exact);

}  // namespace coalesce::campaign

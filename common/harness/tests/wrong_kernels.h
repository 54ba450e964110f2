// Kernels with deliberate mistakes. Each is paired with the fault that the verifier must report.
#pragma once

#include <vector>

#include "harness/faults.h"
#include "harness/harness.h"

namespace coalesce::tests {

struct WrongKernel {
    const char* name;
    LaunchFunction launch;
    int rows, cols;
    Fault fault;
    Produces produces = {Produces::transpose};
    /// A second fault that the verifier must report, or Fault::none.
    Fault also = Fault::none;
    /// The number of matrices in the batch, or 0 for a single matrix.
    int batches = 0;
    /// Whether the kernel transposes the matrix in place. If so, `out` is equal to `in`.
    bool in_place = false;
};

const std::vector<WrongKernel>& wrong_kernels();

/// Returns the wrong kernels that transpose a batch of matrices, or transpose in place.
std::vector<WrongKernel> wrong_batches();

}  // namespace coalesce::tests

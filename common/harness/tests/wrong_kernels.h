// Kernels that are wrong on purpose, each with what the verifier must call it.
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
    /// What is wrong besides, if anything.
    Fault also = Fault::none;
    /// It is to transpose so many matrices; 0: one, and no batch.
    int batches = 0;
    /// It is to transpose the matrix in its own memory: `out` is `in`.
    bool in_place = false;
};

const std::vector<WrongKernel>& wrong_kernels();

/// Those of them that transpose a batch of matrices, or a matrix in place.
std::vector<WrongKernel> wrong_batches();

}  // namespace coalesce::tests

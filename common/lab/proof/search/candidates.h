/// \file
/// The kernels of the search for the fastest transpose. Each kernel differs from another one in a
/// single property. docs/guide/search.md describes the search.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/harness.h"

namespace coalesce::proof {

/// The sides of all matrices in the search are multiples of this number.
constexpr int kMatrixSideMultiple = 256;

/// A kernel, and a function that launches it.
struct Candidate {
    std::string name;  ///< the change in this candidate
    std::function<void(float* out, const float* in, int rows, int cols)> launch;
    Produces produces = {Produces::transpose};
    /// The bytes that the kernel moves, as a fraction of the bytes that a transpose moves. The
    /// fraction is 1/2 for a kernel that only reads or only writes. Such a kernel has no output to
    /// verify.
    double moved_fraction = 1;
    std::string question = {};  ///< the experiment that the candidate belongs to

    /// Reports whether the kernel moves the whole matrix, so that its output can be verified.
    bool has_output() const { return moved_fraction == 1; }
};

using Launch = decltype(Candidate::launch);

/// Returns all candidates, grouped by question. The number of blocks of persistent kernels depends
/// on `multiprocessors`.
std::vector<Candidate> make_search_candidates(int multiprocessors);

}  // namespace coalesce::proof

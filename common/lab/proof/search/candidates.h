/// \file
/// The kernels of the search for the fastest transpose: each changes one thing in another one.
/// docs/guide/search.md tells the story.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/harness.h"

namespace coalesce::proof {

/// Sides of the matrices that the search takes are multiples of this.
constexpr int kSearchSide = 256;

/// One kernel, launched in one way.
struct Candidate {
    std::string name;  ///< what is different in it
    std::function<void(float* out, const float* in, int rows, int cols)> launch;
    Produces produces = {Produces::transpose};
    /// Share of "read and write the matrix once" that it moves: a kernel that only reads has half,
    /// and no output to verify.
    double share = 1;
    std::string question = {};  ///< the experiment that it belongs to

    /// Whether it moves the matrix, so that its output can be compared.
    bool has_output() const { return share == 1; }
};

using Launch = decltype(Candidate::launch);

/// Returns all candidates, question by question. `multiprocessors` sizes grids whose blocks stay.
std::vector<Candidate> search_candidates(int multiprocessors);

}  // namespace coalesce::proof

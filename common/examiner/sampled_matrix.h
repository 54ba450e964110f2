/// \file
/// Checks that the few blocks from which a time is predicted do the kernel's work.
///
/// A matrix of the size for which times are predicted is too large to verify: that would take seconds per kernel, and
/// gigabytes. Instead the blocks are launched twice. The first launch shows what they load. Those elements then get
/// values that nobody can know in advance, and what the second, timed launch stores is compared with them.
#pragma once

#include "harness/pattern.h"
#include "harness/predicted.h"
#include "harness/problem.h"

namespace coalesce {

/// A matrix that contains only some of its elements.
class SampledMatrix {
public:
    explicit SampledMatrix(const Problem& problem);
    /// Fills in values for the elements that were loaded from the matrix at `in`.
    void fill(void* in, const Touched& loaded) const;
    /// Reports whether the elements stored to the matrix at `out` are right: none is wrong, and nearly all that were
    /// stored have a known value.
    bool is_moved(const void* out, const Touched& stored) const;

private:
    /// The state of an element of the output: the right value, no value of the input, or another value.
    enum class Element { right, none, wrong };
    Element told(std::uint64_t index, float value) const;

    Problem problem_;
    Pattern pattern_;
};

}  // namespace coalesce

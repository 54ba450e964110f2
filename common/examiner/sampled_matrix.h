/// \file
/// Whether the few blocks by which a time is predicted do what the kernel has to do.
///
/// A matrix of the size at which times are predicted is too large to be verified: it would take seconds for each
/// kernel, and gigabytes. Those blocks are launched twice instead. The first time says what they load; there are
/// values then that nobody knows beforehand, and the second time, whose time it is, what they store is compared.
#pragma once

#include "harness/pattern.h"
#include "harness/predicted.h"
#include "harness/problem.h"

namespace coalesce {

/// A matrix of which some elements are there.
class SampledMatrix {
public:
    explicit SampledMatrix(const Problem& problem);
    /// Values for what was loaded from the matrix at `in`.
    void fill(void* in, const Touched& loaded) const;
    /// Whether what was stored to the matrix at `out` is what belongs there: no other value, and as many right
    /// ones as were stored, or nearly.
    bool is_moved(const void* out, const Touched& stored) const;

private:
    /// What an element of the output is: what belongs there, nothing of the input, or something else.
    enum class Element { right, none, wrong };
    Element told(std::uint64_t index, float value) const;

    Problem problem_;
    Pattern pattern_;
};

}  // namespace coalesce

/// \file
/// Verifies that the few blocks from which a time is predicted do the kernel's work.
///
/// Times are predicted for a matrix that is too large to verify as a whole, which would take
/// seconds and gigabytes per kernel. Instead, the blocks are launched twice. The first launch shows
/// which elements the blocks load. Those elements are then given values that nobody can know in
/// advance, and the elements that the second, timed launch stores are compared with these values.
#pragma once

#include "harness/pattern.h"
#include "harness/predicted.h"
#include "harness/problem.h"

namespace coalesce {

/// The values that sampled blocks stored.
enum class SampledValues {
    correct,
    too_few,  ///< no value is wrong, but too few cells are right for the number of stores
    wrong,
};

/// A matrix in which only some of the elements have values.
class SampledMatrix {
public:
    explicit SampledMatrix(const Problem& problem);
    /// Assigns values to the elements that were loaded from the matrix at `in`.
    void fill(void* in, const Touched& loaded) const;
    /// Checks the elements that were stored to the matrix at `out`.
    SampledValues check(const void* out, const Touched& stored) const;

private:
    /// The state of an output element: it has the correct value, it has no value because it was not
    /// stored, or it has an incorrect value.
    enum class ElementState { right, none, wrong };
    ElementState classify_element(std::uint64_t index, float value) const;

    Problem problem_;
    Pattern pattern_;
};

}  // namespace coalesce

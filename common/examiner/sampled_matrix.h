/// \file
/// Verifies the values that the sampled blocks of a predicted launch store.
///
/// Times are predicted for a large matrix. Verifying all of it would take seconds and gigabytes per
/// kernel. Instead, a few blocks are launched twice. The first launch records which elements the
/// blocks load. Those elements are then set to unpredictable values. The second launch is timed,
/// and the elements that it stores are compared with the correct values.
#pragma once

#include "harness/pattern.h"
#include "harness/predicted.h"
#include "harness/problem.h"

namespace coalesce {

/// The result of checking the values that sampled blocks stored.
enum class SampledValues {
    correct,
    too_few,  ///< all stored values are correct, but far too few elements were stored
    wrong,
};

/// A matrix in which only some of the elements have values.
class SampledMatrix {
public:
    explicit SampledMatrix(const Problem& problem);
    /// Writes the input's values to those elements of the matrix at `in` that the blocks loaded in
    /// an earlier launch (`touched_input`).
    void fill(void* in, const Touched& touched_input) const;
    /// Checks those elements of the matrix at `out` that the blocks stored (`touched_output`).
    SampledValues check(const void* out, const Touched& touched_output) const;

private:
    /// The state of an output element. `none` means that no value was stored.
    enum class ElementState { right, none, wrong };
    ElementState classify_element(std::uint64_t index, float value) const;

    Problem problem_;
    Pattern pattern_;
};

}  // namespace coalesce

/// \file
/// A learner's prediction of a kernel's cost, and the actual cost.
#pragma once

#include <optional>
#include <string>

#include "examiner/course/exercise.h"
#include "harness/predicted.h"
#include "learn/json_file.h"

namespace coalesce::learn {

/// A learner's prediction of one cost, and the actual cost.
struct Guess {
    std::string counter;         ///< the counter, as the exercise's prediction names it
    std::optional<double> said;  ///< the prediction; empty if the learner saw the cost without one
    std::optional<double> fact;  ///< the cost of the learner's own kernel, once it passed
    double within = kRounding;   ///< the relative error that still counts as right
    std::string label = "";      ///< "predicted, NVIDIA H200, ..." for a prediction; "" if counted

    /// Reports whether the prediction was right.
    bool is_right() const;
};

/// Returns what a prediction says of a kernel: {"percent": of a copy's speed, "label": "predicted, NVIDIA H200,
/// ..."}.
Json fact_of(const Predicted& predicted);
/// Fills in the actual cost if it is known: from a verdict's counters, or from what `fact_of` returned.
void settle(Guess& guess, const Json& counters, const Json& predicted);

/// Returns the actual cost and whether the guess was right: "it is 32: right", "it is 3.74 on average: wrong", "the
/// model says 43 (predicted, NVIDIA H200, within 8 %): right".
std::string fact_text(const Guess& guess);

}  // namespace coalesce::learn

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
    std::string counter;         ///< the name of the counter in the exercise's prediction
    std::optional<double> said;  ///< the prediction; empty if the learner made none
    std::optional<double> fact;  ///< the cost of the learner's own kernel, after it has passed
    double within = kRounding;   ///< the relative error up to which the prediction is right
    std::string label = "";      ///< "predicted, NVIDIA H200, ..." if the model gave it, else ""

    /// Reports whether the learner's prediction was right.
    bool is_right() const;
};

/// Returns the model's prediction for a kernel as JSON: "percent" is the percentage of a copy's
/// speed, and "label" is a text such as "predicted, NVIDIA H200, ...".
Json fact_of(const Predicted& predicted);
/// Sets the actual cost in `guess` if it is known from a verdict's counters or from the result of
/// `fact_of`.
void settle(Guess& guess, const Json& counters, const Json& predicted);

/// Returns a text with the actual cost that says whether the guess was right. Examples are "it is
/// 32: right", "it is 3.74 on average: wrong" and "the model says 43 (predicted, NVIDIA H200,
/// within 8 %): right".
std::string fact_text(const Guess& guess);

}  // namespace coalesce::learn

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
    std::string counter;             ///< the name of the counter that the exercise asks about
    std::optional<double> answered;  ///< the prediction; empty if the learner made none
    /// the cost of the learner's own kernel, if the kernel has passed
    std::optional<double> actual;
    /// the largest relative error of a prediction that counts as correct
    double tolerance = kRoundingTolerance;
    /// how `actual` is labelled if it is a prediction of the time model, such as "predicted, NVIDIA
    /// H200, ..."
    std::string label = "";

    /// Reports whether the learner's prediction was correct.
    bool is_right() const;
};

/// Returns the model's prediction for a kernel as JSON, such as {"percent": 43, "label":
/// "predicted, NVIDIA H200, ..."}. "percent" is a percentage of a copy's speed.
Json predicted_fact(const Predicted& predicted);
/// Copies the actual cost into `guess`, either from a verdict's counters or from the result of
/// `predicted_fact`. Does nothing if neither contains this cost.
void fill_in_actual(Guess& guess, const Json& counters, const Json& predicted);

/// Returns the actual cost and the outcome of the guess as text, such as "it is 32: right" or "it
/// is 3.74 on average: wrong".
std::string format_actual(const Guess& guess);

}  // namespace coalesce::learn

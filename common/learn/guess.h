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
    /// the cost of the learner's own kernel; known once the kernel has passed
    std::optional<double> actual;
    /// the relative error up to which the prediction counts as correct
    double tolerance = kRoundingTolerance;
    /// label of `actual` if a model predicted it, "predicted, NVIDIA H200, ..."; otherwise ""
    std::string label = "";

    /// Reports whether the learner's prediction was correct.
    bool is_right() const;
};

/// Returns the model's prediction for a kernel as JSON: "percent" is the percentage of a copy's
/// speed, and "label" is a string such as "predicted, NVIDIA H200, ...".
Json predicted_fact(const Predicted& predicted);
/// Copies the actual cost into `guess` from a verdict's counters or from the result of
/// `predicted_fact`. Does nothing if neither of them contains this cost.
void fill_in_actual(Guess& guess, const Json& counters, const Json& predicted);

/// Returns a string that states the actual cost and whether the guess was correct, such as "it is
/// 32: right", "it is 3.74 on average: wrong" and "the model predicts 43 (predicted, NVIDIA H200,
/// within 8 %): right".
std::string format_actual(const Guess& guess);

}  // namespace coalesce::learn

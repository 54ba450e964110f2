/// \file
/// What a learner said that a kernel costs, and what it does cost.
#pragma once

#include <optional>
#include <string>

#include "examiner/course/exercise.h"
#include "harness/predicted.h"
#include "learn/json_file.h"

namespace coalesce::learn {

/// What a learner said that something costs, and what it did cost.
struct Guess {
    std::string counter;         ///< as the exercise's prediction names it
    std::optional<double> said;  ///< nothing: it was seen without a guess
    std::optional<double> fact;  ///< of the learner's kernel once it passed
    double within = kRounding;   ///< the part of the fact that may be missed
    std::string label = "";      ///< what kind of fact: "predicted, NVIDIA H200, ..."; "": counted

    /// Whether it has been guessed right.
    bool is_right() const;
};

/// What is known of a kernel's time: {"percent": of a copy's speed, "label": "predicted, NVIDIA H200, ..."}.
Json fact_of(const Predicted& predicted);
/// Fills in the fact, if it is known: from counters as a verdict has them, or from what `fact_of` gave.
void settle(Guess& guess, const Json& counters, const Json& predicted);

/// What it is, and whether that was said: "it is 32: right", "it is 3.74 on average: not so", "the model says
/// 43 (predicted, NVIDIA H200, within 8 %): right".
std::string fact_text(const Guess& guess);

}  // namespace coalesce::learn

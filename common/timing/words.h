// Explains a prediction to learners. All sentences are about numbers in the Prediction, and guess
// nothing about the source. Numbers that are missing or round to 0 are not mentioned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "timing/gpu.h"
#include "timing/prediction.h"

namespace coalesce::timing {

/// The parts of the explanation, for programs that show them in different places. Other programs
/// use text().
struct TimeExplanation {
    std::string kernel;   ///< the kernel's name in the Prediction, which may be empty
    std::string time;     ///< the predicted time: "about 4.6 ms, 43 % of a copy"
    std::string label;    ///< the prediction's label: "predicted, NVIDIA H200, within 8 %"
    std::string verdict;  ///< the bottleneck: "the kernel waits at barriers: ..."
    /// Sentences that explain the prediction, beginning with those about the verdict.
    std::vector<std::string> reasons;
    std::vector<std::string> unknown;  ///< sentences about unknowns: "The model does not know ..."
    std::string cure;                  ///< a sentence about what could help
    /// Whether `cure` suggests a change. False if only moving fewer bytes would help.
    bool cure_is_advice = false;

    /// Returns the time and the verdict as text: "padded: about 4.6 ms, 43 % of a copy (predicted,
    /// NVIDIA H200, within 8 %). It waits ...".
    std::string headline() const;
    /// Returns the whole explanation, one paragraph per line.
    std::string text() const;
};

/// Explains a prediction. `useful_bytes` is the smallest number of bytes that the launch must read
/// and write, or 0 if it is unknown.
TimeExplanation explain_prediction(const Prediction& prediction, const Gpu& gpu,
                                   double useful_bytes = 0);

/// Returns the label for every number of a prediction: "predicted, unverified, NVIDIA L4, within 20
/// %".
std::string prediction_label(const Prediction& prediction);

/// Returns the predicted speed as a fraction of a copy's speed, such as 0.43. Returns nothing if
/// the time, `useful_bytes` or the GPU's copy speed is missing.
std::optional<double> fraction_of_copy(const Prediction& prediction, const Gpu& gpu,
                                       double useful_bytes);

/// Returns the bottleneck as a phrase for tables and sentences: "too few bytes in flight".
std::string describe_bottleneck(const Prediction& prediction);
std::string phrase_for(OccupancyLimit what);  ///< names the limit: "registers"
std::string phrase_for(Unknown unknown);      ///< names the unknown: "what local memory costs"

/// Replaces non-ASCII characters with question marks, so that the name can be printed anywhere.
std::string replace_non_ascii(const std::string& name);

}  // namespace coalesce::timing

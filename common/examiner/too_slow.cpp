#include "examiner/costs.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/predicted_launch.h"
#include "harness/text.h"
#include "timing/facts.h"
#include "timing/figures.h"
#include "timing/words.h"

namespace coalesce {
namespace {

/// Reports whether a property that is unknown to the model could make the kernel faster than
/// predicted. Waits for other blocks and register spills can only make a kernel slower. Blocks that
/// differ from the others do not count, because they are recorded too.
bool may_be_faster(timing::Unknown unknown_factor) {
    using timing::Unknown;
    return unknown_factor == Unknown::parts || unknown_factor == Unknown::first_level ||
           unknown_factor == Unknown::registers || unknown_factor == Unknown::half_lines;
}

}  // namespace

Failure explain_missing_prediction(const std::string& file, Shape shape) {
    return {
        .kind = FailureKind::too_slow_predicted,
        .headline = "at " + shape.name() +
                    " the kernel's time on a GPU cannot be predicted, so it is unknown whether the "
                    "kernel is as fast as the exercise requires.",
        .place = {file, 0, 0},
        .advice =
            "Make configure return a launch for every shape, and do not make blocks wait for each "
            "other."};
}

std::optional<Failure> find_slow_prediction(const Verdict& verdict, const Limits& limits) {
    if (!verdict.predicted || limits.predicted_fraction_of_copy <= 0) return std::nullopt;
    const Predicted& predicted = *verdict.predicted;
    const double best_fraction = predicted.fraction_of_copy() * (1 + predicted.error_band);
    const auto& unknown = predicted.longest().unknown;
    if (std::any_of(unknown.begin(), unknown.end(), may_be_faster) ||
        best_fraction >= limits.predicted_fraction_of_copy) {
        return std::nullopt;
    }
    const timing::TimeExplanation explanation = describe_prediction(predicted);
    const std::string solution_note =
        verdict.solution_predicted ? format_comparison(predicted, *verdict.solution_predicted) : "";
    Failure failure{.kind = FailureKind::too_slow_predicted, .place = {verdict.file, 0, 0}};
    failure.headline = "too slow on a GPU: at " + predicted.shape.name() + " the kernel takes " +
                       explanation.time + ", but the exercise requires " +
                       timing::percent_text(limits.predicted_fraction_of_copy) + " (" +
                       explanation.label + "). " + timing::capitalize(explanation.verdict) + ".";
    failure.details =
        wrap(solution_note.empty() ? joined(explanation.reasons, " ") : solution_note);
    failure.advice = explanation.cure;
    return failure;
}

}  // namespace coalesce

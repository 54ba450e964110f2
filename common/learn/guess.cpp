#include "learn/guess.h"

#include <cmath>

#include "examiner/predicted_launch.h"
#include "learn/counted.h"

namespace coalesce::learn {

bool Guess::is_right() const {
    return answered && actual && std::abs(*answered - *actual) <= tolerance * *actual;
}

Json predicted_fact(const Predicted& predicted) {
    return {{"percent", std::round(100 * predicted.fraction_of_copy())},
            {"label", describe_prediction(predicted).label}};
}

void fill_in_actual(Guess& guess, const Json& counters, const Json& predicted) {
    if (guess.counter != kCopyPercentQuestion) {
        guess.actual = average_per_request(counters, guess.counter);
    } else if (predicted.is_object()) {
        guess.actual = predicted.value("percent", 0.0);
        guess.label = predicted.value("label", "");
    }
}

std::string format_actual(const Guess& guess) {
    double actual = guess.actual.value_or(0);
    bool is_whole = std::abs(actual - std::round(actual)) <= kRoundingTolerance * actual;
    std::string text = guess.label.empty() ? "the count is " : "the model predicts ";
    text += format_figure(actual) + (is_whole ? "" : " on average");
    if (!guess.label.empty()) text += " (" + guess.label + ")";
    if (guess.answered) text += guess.is_right() ? ": right" : ": wrong";
    return text;
}

}  // namespace coalesce::learn

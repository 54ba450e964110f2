#include "learn/guess.h"

#include <cmath>

#include "examiner/predicted_launch.h"
#include "learn/counted.h"

namespace coalesce::learn {

bool Guess::is_right() const {
    return said && fact && std::abs(*said - *fact) <= within * *fact;
}

Json fact_of(const Predicted& predicted) {
    return {{"percent", std::round(100 * predicted.of_copy())},
            {"label", told_of(predicted).label}};
}

void settle(Guess& guess, const Json& counters, const Json& predicted) {
    if (guess.counter != kOfCopy) {
        guess.fact = per_request(counters, guess.counter);
    } else if (predicted.is_object()) {
        guess.fact = predicted.value("percent", 0.0);
        guess.label = predicted.value("label", "");
    }
}

std::string fact_text(const Guess& guess) {
    double fact = guess.fact.value_or(0);
    bool is_whole = std::abs(fact - std::round(fact)) <= kRounding * fact;
    std::string text = guess.label.empty() ? "it is " : "the model says ";
    text += figure(fact) + (is_whole ? "" : " on average");
    if (!guess.label.empty()) text += " (" + guess.label + ")";
    if (guess.said) text += guess.is_right() ? ": right" : ": wrong";
    return text;
}

}  // namespace coalesce::learn

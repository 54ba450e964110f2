// Converts a result to JSON, and JSON to a result. The same result produces the same bytes on every
// computer.
#include <stdexcept>

#include "examiner/verdict_codec.h"
#include "grader/judge/judge.h"

namespace coalesce::grader {

/// The fields of a result except its times, which differ between computers.
struct ResultWithoutTimes {
    Verdict& verdict;
};

void describe(auto& codec, ResultWithoutTimes& untimed_result) {
    describe_untimed_fields(codec, untimed_result.verdict);
}

void describe(auto& codec, Points& points) {
    fields(codec, "correct", points.correct, "clean", points.clean, "counters", points.counters);
}

void describe(auto& codec, Result& result) {
    codec::version(codec, "result", 2);
    codec("mark", result.mark);
    ResultWithoutTimes untimed_result{result.verdict};
    fields(codec, "verdict", untimed_result, "picture", result.picture, "hidden", result.is_hidden,
           "public_passed", result.public_passed, "public_tried", result.public_tried,
           "hidden_passed", result.hidden_passed, "hidden_tried", result.hidden_tried, "points",
           result.points, "sandbox", result.sandbox, "problem", result.problem);
}

std::string to_json(const Result& result) {
    return codec::write(result, true) + "\n";
}

Result result_from_json(const std::string& json) {
    return codec::read<Result>(json);
}

}  // namespace coalesce::grader

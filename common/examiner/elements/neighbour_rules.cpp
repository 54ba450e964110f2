#include <algorithm>
#include <cstdlib>

#include "examiner/elements/value_rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The largest distance between an element of the output and an input that contributes to it.
constexpr std::int64_t kMaxDistance = 8;
/// The fewest wrong elements that prove which neighbour is meant.
constexpr std::size_t kFewestWrong = 8;

/// An input with as many elements as the output, and its numbers.
struct Neighbours {
    const WrongOutput& seen;
    std::vector<double> values;
    std::int64_t rows = 1, cols = 1;

    /// Returns the element that is some rows and columns away from a place, or 0 outside the input.
    double at(std::int64_t index, std::int64_t down, std::int64_t right) const {
        const std::int64_t row = index / cols + down, col = index % cols + right;
        if (row < 0 || row >= rows || col < 0 || col >= cols) return 0;
        return values[static_cast<std::size_t>(row * cols + col)];
    }
    /// Reports whether each element of the output is wrong by `factor` times this neighbour.
    bool explains(std::int64_t down, std::int64_t right, double factor) const {
        for (std::int64_t i = 0; i < rows * cols; ++i) {
            const double wanted = seen.expected_number(i) + factor * at(i, down, right);
            if (seen.is_near(seen.actual_number(i), wanted)) continue;
            // The sum may be close to zero.
            const bool is_close =
                !seen.output().type.is_integer() && std::abs(seen.actual_number(i) - wanted) < 1e-6;
            if (!is_close) return false;
        }
        return true;
    }
};

std::string place_of_neighbour(std::int64_t down, std::int64_t right) {
    std::vector<std::string> parts;
    const auto add = [&](std::int64_t by, const char* one, const char* after, const char* before) {
        if (by == 0) return;
        parts.push_back(format_count(std::abs(by), one) + " " + (by > 0 ? after : before));
    };
    add(down, "row", "below", "above");
    add(right, "place", "after", "before");
    if (parts.empty()) return "at its own place";
    return parts.size() == 1 ? parts[0] + " it" : parts[0] + " and " + parts[1] + " it";
}

Failure explain_neighbour(const WrongOutput& seen, const std::string& input, std::int64_t down,
                          std::int64_t right, double factor) {
    const std::string neighbour =
        "the element of `" + input + "` " + place_of_neighbour(down, right);
    const bool is_missing = factor < 0;
    return seen.make(
        is_missing ? FailureKind::inputs_left_out : FailureKind::inputs_repeated,
        "each element of `" + seen.output().name + "` " + (is_missing ? "lacks " : "counts ") +
            neighbour + (is_missing ? "." : " once too often."),
        is_missing ? "Which step should add this neighbour? Does the loop end or begin "
                     "one element too early or too late?"
                   : "Which two steps add this element?");
}

}  // namespace

std::optional<Failure> find_wrong_neighbour(const WrongOutput& seen) {
    const OutputComparison& output = seen.output();
    if (seen.wrong().size() < kFewestWrong || output.untouched > 0 || output.type.components > 1 ||
        output.extents.size() > 2) {
        return std::nullopt;
    }
    const ElementTask& task = seen.evidence().elements->task();
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const Parameter& input = task.parameters[i];
        if (!input.is_array || !input.is_const || input.type.components > 1 ||
            task.extents(input, seen.trial().shape) != output.extents) {
            continue;
        }
        Neighbours all{seen, {}, seen.count() / output.extents.back(), output.extents.back()};
        const std::string& bytes = seen.arguments()[i].bytes;
        for (std::size_t at = 0; at < bytes.size(); at += input.type.bytes()) {
            all.values.push_back(input.type.read(bytes.data() + at));
        }
        const std::int64_t most_down = all.rows > 1 ? 2 : 0;
        for (std::int64_t down = -most_down; down <= most_down; ++down) {
            for (std::int64_t right = -kMaxDistance; right <= kMaxDistance; ++right) {
                for (const double factor : {-1.0, 1.0}) {
                    if (all.explains(down, right, factor))
                        return explain_neighbour(seen, input.name, down, right, factor);
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace coalesce

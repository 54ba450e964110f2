#include <algorithm>
#include <cmath>

#include "examiner/elements/value_rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The fewest elements whose differences are not a coincidence.
constexpr std::int64_t kFewestElements = 4;

bool is_scalar_vector(const WrongOutput& seen) {
    return seen.output().extents.size() == 1 && seen.output().type.components == 1 &&
           seen.count() >= kFewestElements;
}

/// Reports whether the output's expected element at each place is the sum of an input's elements up
/// to this place.
bool is_running_sum(const WrongOutput& seen, const std::vector<double>& input) {
    double sum = 0;
    for (std::int64_t i = 0; i < seen.count(); ++i) {
        sum += input[static_cast<std::size_t>(i)];
        if (!seen.is_near(seen.expected_number(i), sum)) return false;
    }
    return true;
}

/// Returns the name of the input and its elements if the output is its running sum.
std::optional<std::pair<std::string, std::vector<double>>> find_added_input(
    const WrongOutput& seen) {
    const ElementTask& task = seen.evidence().elements->task();
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const Parameter& input = task.parameters[i];
        const std::string& bytes = seen.arguments()[i].bytes;
        if (!input.is_array || input.type.components > 1 ||
            bytes.size() != static_cast<std::size_t>(seen.count()) * input.type.bytes()) {
            continue;
        }
        std::vector<double> values;
        for (std::size_t at = 0; at < bytes.size(); at += input.type.bytes()) {
            values.push_back(input.type.read(bytes.data() + at));
        }
        if (is_running_sum(seen, values)) return std::pair(input.name, values);
    }
    return std::nullopt;
}

/// Reports whether each element is wrong by `error_at(index)`.
template <class ErrorAt>
bool is_wrong_by(const WrongOutput& seen, const ErrorAt& error_at) {
    bool is_wrong = false;
    for (std::int64_t i = 0; i < seen.count(); ++i) {
        const double error = error_at(i);
        if (!seen.is_near(seen.actual_number(i), seen.expected_number(i) + error)) return false;
        is_wrong |= error != 0;
    }
    return is_wrong;
}

/// Finds sums that are wrong by the sum of their own group of elements, or of the groups before it.
std::optional<Failure> find_wrong_group(const WrongOutput& seen) {
    for (const std::int64_t size :
         {std::int64_t{32}, std::int64_t{seen.trial().launch.threads()}}) {
        if (size < 2 || seen.count() <= size) continue;
        const auto before = [&](std::int64_t index) {
            return index < size ? 0.0 : seen.expected_number(index / size * size - 1);
        };
        const auto through = [&](std::int64_t index) {
            return seen.expected_number(std::min(index / size * size + size, seen.count()) - 1);
        };
        const std::string number = std::to_string(size);
        if (is_wrong_by(seen, [&](std::int64_t i) { return through(i) - before(i); })) {
            return seen.make(
                FailureKind::inputs_repeated,
                "each element is too large by the sum of its own group of " + number + " elements.",
                "Add only the sums of the groups before the own one: the elements of "
                "the own group are already in the sum.");
        }
        if (is_wrong_by(seen, [&](std::int64_t i) { return -before(i); })) {
            return seen.make(
                FailureKind::inputs_left_out,
                "each element is the sum within its own group of " + number + " elements alone.",
                "Add the sums of all groups before it to each element.");
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Failure> find_wrong_scan(const WrongOutput& seen) {
    if (!is_scalar_vector(seen)) return std::nullopt;
    const auto added = find_added_input(seen);
    if (!added) return std::nullopt;
    const std::string& name = added->first;
    const std::vector<double>& values = added->second;
    const auto own = [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
    const OutputComparison& output = seen.output();
    const std::int64_t first = output.bad_elements().front();
    const std::string element = name + "[" + std::to_string(first) + "]";
    if (is_wrong_by(seen, [&](std::int64_t i) { return -own(i); })) {
        return seen.make(FailureKind::inputs_left_out,
                         "each sum leaves out its own element: " + output.name_of(first) +
                             " lacks " + element + ".",
                         "These are the sums of the elements before each place. Add the element at "
                         "the place itself.");
    }
    if (is_wrong_by(seen, own)) {
        return seen.make(FailureKind::inputs_repeated,
                         "each sum counts its own element twice: " + output.name_of(first) +
                             " counts " + element + " twice.",
                         "Is the element already in the sum to which it is added?");
    }
    const double total = seen.expected_number(seen.count() - 1);
    const auto of_rest = [&](std::int64_t i) {
        return total + own(i) - 2 * seen.expected_number(i);
    };
    if (is_wrong_by(seen, of_rest)) {
        return seen.make(FailureKind::wrong_elements,
                         "each element is the sum from its place to the end, instead of from the "
                         "beginning to its place.",
                         "Add the elements before each place, not the elements after it.");
    }
    return find_wrong_group(seen);
}

}  // namespace coalesce

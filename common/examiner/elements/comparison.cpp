#include "examiner/elements/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.h"

namespace coalesce {
namespace {

/// Returns the error of a component as a multiple of the tolerated error. A value above 1 means
/// that the component is wrong.
double component_error(const ElementType& type, const Tolerance& tolerance,
                       const char* actual_bytes, const char* expected_bytes) {
    if (std::memcmp(actual_bytes, expected_bytes, type.scalar_bytes) == 0) return 0;
    constexpr double infinite_error = std::numeric_limits<double>::infinity();
    const double actual_value = type.read_value(actual_bytes),
                 expected_value = type.read_value(expected_bytes);
    if (tolerance.kind == Tolerance::Kind::bits) return infinite_error;
    if (std::isnan(actual_value) && std::isnan(expected_value)) return 0;
    if (actual_value == expected_value) return 0;
    if (!std::isfinite(actual_value) || !std::isfinite(expected_value)) return infinite_error;
    switch (tolerance.kind) {
        case Tolerance::Kind::relative:
            if (expected_value == 0) return infinite_error;
            // Below the smallest normal number, even adjacent values may differ by more than the
            // tolerance.
            if (!type.is_integer() && type.distance_in_ulps(actual_bytes, expected_bytes) <= 1)
                return 0;
            return std::abs(actual_value - expected_value) /
                   (tolerance.limit * std::abs(expected_value));
        case Tolerance::Kind::absolute:
            return std::abs(actual_value - expected_value) / tolerance.limit;
        default: return type.distance_in_ulps(actual_bytes, expected_bytes) / tolerance.limit;
    }
}

double element_error(const OutputComparison& output, const char* actual_bytes,
                     const char* expected_bytes) {
    double largest_error = 0;
    for (int i = 0; i < output.type.components; ++i) {
        const std::size_t at = static_cast<std::size_t>(i) * output.type.scalar_bytes;
        largest_error = std::max(
            largest_error,
            component_error(output.type, output.tolerance, actual_bytes + at, expected_bytes + at));
    }
    return largest_error;
}

}  // namespace

std::vector<std::int64_t> OutputComparison::bad_elements() const {
    std::vector<std::int64_t> elements;
    for (std::int64_t i = 0; i < count(); ++i) {
        if (states[static_cast<std::size_t>(i)] != CellState::right) elements.push_back(i);
    }
    return elements;
}

bool OutputComparison::is_equal(const char* element_bytes, const char* expected_element) const {
    return element_error(*this, element_bytes, expected_element) <= 1;
}

double OutputComparison::worst_error() const {
    double largest_error = 0;
    for (const std::int64_t index : bad_elements()) {
        largest_error = std::max(largest_error, element_error(*this, element(actual_bytes, index),
                                                              element(expected_bytes, index)));
    }
    return largest_error;
}

std::string OutputComparison::element_name(std::int64_t index) const {
    std::vector<std::string> indices(extents.size());
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        indices[axis] = std::to_string(index % extents[axis]);
        index /= extents[axis];
    }
    return name + "(" + joined(indices, ",") + ")";
}

bool ElementComparison::is_right() const {
    return first_wrong_output() == nullptr && changed_inputs.empty() && overrun_before.empty() &&
           overrun_after.empty();
}

const OutputComparison* ElementComparison::first_wrong_output() const {
    const auto found = std::ranges::find_if(
        outputs, [](const OutputComparison& output) { return output.count_bad() > 0; });
    return found == outputs.end() ? nullptr : &*found;
}

OutputComparison compare_output(const ElementTask& task, const Parameter& output, Shape shape,
                                const std::string& initial, const std::string& actual_bytes,
                                const std::string& expected_bytes) {
    OutputComparison result{.name = output.name,
                            .type = output.type,
                            .tolerance = task.tolerance,
                            .extents = task.extents(output, shape),
                            .actual_bytes = actual_bytes,
                            .expected_bytes = expected_bytes};
    result.states.assign(static_cast<std::size_t>(count_elements(result.extents)),
                         CellState::right);
    const std::size_t bytes = result.type.bytes();
    for (std::int64_t i = 0; i < result.count(); ++i) {
        const char* const actual_element = result.element(result.actual_bytes, i);
        if (result.is_equal(actual_element, result.element(result.expected_bytes, i))) continue;
        const bool is_initial = std::memcmp(actual_element, result.element(initial, i), bytes) == 0;
        result.states[static_cast<std::size_t>(i)] =
            is_initial ? CellState::untouched : CellState::wrong;
        ++(is_initial ? result.untouched_count : result.wrong_count);
    }
    return result;
}

}  // namespace coalesce

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
double component_error(const ElementType& type, const Tolerance& tolerance, const char* actual,
                       const char* expected) {
    if (std::memcmp(actual, expected, type.scalar_bytes) == 0) return 0;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const double has = type.read(actual), should = type.read(expected);
    if (tolerance.kind == Tolerance::Kind::bits) return infinite;
    if (std::isnan(has) && std::isnan(should)) return 0;
    if (has == should) return 0;
    if (!std::isfinite(has) || !std::isfinite(should)) return infinite;
    switch (tolerance.kind) {
        case Tolerance::Kind::relative:
            if (should == 0) return infinite;
            // Below the smallest normal number, even adjacent values may differ by more than the
            // tolerance.
            if (!type.is_integer() && type.distance_in_ulps(actual, expected) <= 1) return 0;
            return std::abs(has - should) / (tolerance.amount * std::abs(should));
        case Tolerance::Kind::absolute: return std::abs(has - should) / tolerance.amount;
        default: return type.distance_in_ulps(actual, expected) / tolerance.amount;
    }
}

double element_error(const OutputComparison& output, const char* actual, const char* expected) {
    double worst = 0;
    for (int i = 0; i < output.type.components; ++i) {
        const std::size_t at = static_cast<std::size_t>(i) * output.type.scalar_bytes;
        worst = std::max(
            worst, component_error(output.type, output.tolerance, actual + at, expected + at));
    }
    return worst;
}

}  // namespace

std::vector<std::int64_t> OutputComparison::bad_elements() const {
    std::vector<std::int64_t> bad;
    for (std::int64_t i = 0; i < count(); ++i) {
        if (states[static_cast<std::size_t>(i)] != CellState::right) bad.push_back(i);
    }
    return bad;
}

bool OutputComparison::is_equal(const char* one, const char* expected_one) const {
    return element_error(*this, one, expected_one) <= 1;
}

double OutputComparison::worst_error() const {
    double worst = 0;
    for (const std::int64_t index : bad_elements()) {
        worst =
            std::max(worst, element_error(*this, element(actual, index), element(expected, index)));
    }
    return worst;
}

std::string OutputComparison::name_of(std::int64_t index) const {
    std::vector<std::string> indices(extents.size());
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        indices[axis] = std::to_string(index % extents[axis]);
        index /= extents[axis];
    }
    return name + "(" + joined(indices, ",") + ")";
}

bool ElementComparison::is_right() const {
    return first_bad() == nullptr && changed_inputs.empty() && overrun_before.empty() &&
           overrun_after.empty();
}

const OutputComparison* ElementComparison::first_bad() const {
    const auto found = std::ranges::find_if(
        outputs, [](const OutputComparison& output) { return output.bad() > 0; });
    return found == outputs.end() ? nullptr : &*found;
}

OutputComparison compare_output(const ElementTask& task, const Parameter& output, Shape shape,
                                const std::string& initial, const std::string& actual,
                                const std::string& expected) {
    OutputComparison result{.name = output.name,
                            .type = output.type,
                            .tolerance = task.tolerance,
                            .extents = task.extents(output, shape),
                            .actual = actual,
                            .expected = expected};
    result.states.assign(static_cast<std::size_t>(count_elements(result.extents)),
                         CellState::right);
    const std::size_t bytes = result.type.bytes();
    for (std::int64_t i = 0; i < result.count(); ++i) {
        const char* const has = result.element(result.actual, i);
        if (result.is_equal(has, result.element(result.expected, i))) continue;
        const bool is_initial = std::memcmp(has, result.element(initial, i), bytes) == 0;
        result.states[static_cast<std::size_t>(i)] =
            is_initial ? CellState::untouched : CellState::wrong;
        ++(is_initial ? result.untouched : result.wrong);
    }
    return result;
}

}  // namespace coalesce

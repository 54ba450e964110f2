#include <cmath>

#include "examiner/elements/value_rules.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The fewest elements of a row that prove a common factor.
constexpr std::int64_t kFewestInRow = 8;

/// Returns the factor by which all elements of a row differ from the expected ones, or nothing.
/// Elements that are too small for a precise quotient do not count.
std::optional<double> find_row_factor(const WrongOutput& seen, std::int64_t row) {
    const std::int64_t cols = seen.output().extents.back();
    std::optional<double> factor;
    std::int64_t count = 0;
    for (std::int64_t i = row * cols; i < (row + 1) * cols; ++i) {
        const double has = seen.actual_number(i), should = seen.expected_number(i);
        constexpr double least = 1e-30;
        if (std::abs(should) < least && std::abs(has) < least) continue;
        const double ratio = has / should;
        if (!std::isfinite(ratio) || ratio == 0) return std::nullopt;
        if (!factor) factor = ratio;
        if (std::abs(ratio - *factor) > 1e-3 * std::abs(*factor)) return std::nullopt;
        ++count;
    }
    return count >= kFewestInRow ? factor : std::nullopt;
}

}  // namespace

std::optional<Failure> find_row_factors(const WrongOutput& seen) {
    const OutputComparison& output = seen.output();
    if (output.extents.size() != 2 || output.type.is_integer() || output.type.components > 1) {
        return std::nullopt;
    }
    std::optional<double> first;
    std::int64_t first_row = 0;
    bool differ = false;
    for (std::int64_t row = 0; row < output.extents[0]; ++row) {
        const auto factor = find_row_factor(seen, row);
        if (!factor) return std::nullopt;
        if (!first && std::abs(*factor - 1) > 1e-3) {
            first = factor;
            first_row = row;
        }
        differ |= first && std::abs(*factor - *first) > 1e-3 * std::abs(*first);
    }
    if (!first || !differ) return std::nullopt;
    return seen.make(
        FailureKind::wrong_elements,
        format("all elements of row %lld are %.4g times the expected values, and other rows have "
               "other factors.",
               static_cast<long long>(first_row), *first),
        "The elements of a row are right except for one number that they share, such as the sum by "
        "which they are divided. What does it begin with, and which values does it contain?");
}

std::optional<Failure> find_whole_numbers(const WrongOutput& seen) {
    const OutputComparison& output = seen.output();
    if (output.type.is_integer() || output.type.components > 1 || seen.count() < 3 ||
        output.bad() < output.count()) {
        return std::nullopt;
    }
    std::int64_t whole_expected = 0;
    for (std::int64_t i = 0; i < seen.count(); ++i) {
        const double has = seen.actual_number(i), should = seen.expected_number(i);
        // An integer is converted back without an error only if it is small.
        if (has != std::trunc(has) || std::abs(has) > 1e6) return std::nullopt;
        whole_expected += should == std::trunc(should);
    }
    if (whole_expected > 0) return std::nullopt;
    return seen.make(
        FailureKind::wrong_elements,
        "all values of `" + output.name + "` are whole numbers, but the expected values are not.",
        "Is a value kept in an int, or is an integer divided by an integer?");
}

}  // namespace coalesce

/// \file
/// The first wrong output of a trial, and the failures that the rules for values make from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "examiner/causes.h"
#include "examiner/elements/element_trials.h"

namespace coalesce {

using Indices = std::vector<std::int64_t>;

class WrongOutput {
public:
    /// The trial must have a wrong output.
    WrongOutput(const Trial& trial, const Evidence& evidence);

    const Trial& trial() const { return trial_; }
    const Evidence& evidence() const { return evidence_; }
    const OutputComparison& output() const { return output_; }
    const std::string& source() const { return evidence_.source.text; }
    /// Returns the indices of the elements that were written with a wrong value.
    const Indices& wrong() const { return wrong_; }
    std::int64_t count() const { return output_.count(); }
    /// Returns the arguments of the launch before the kernel ran.
    const std::vector<CallArgument>& arguments() const;

    /// Makes a failure at the line that stores the output.
    Failure make(FailureKind kind, const std::string& headline, const std::string& next) const;
    Failure make(Fault fault, const std::string& headline, const std::string& next) const;

    /// Formats an element and its expected value, as in "out(3) is 2, expected 4."
    std::string compared(std::int64_t index) const;
    const char* actual(std::int64_t index) const { return output_.element(output_.actual, index); }
    const char* expected(std::int64_t index) const {
        return output_.element(output_.expected, index);
    }
    double actual_number(std::int64_t index) const { return output_.type.read(actual(index)); }
    double expected_number(std::int64_t index) const { return output_.type.read(expected(index)); }
    /// Reports whether the element has the value that is expected of another element.
    bool has_value_of(std::int64_t index, std::int64_t other) const {
        return output_.is_equal(actual(index), expected(other));
    }
    /// Reports whether the expected values of the elements at `indices` are different enough that a
    /// match cannot be a coincidence.
    bool are_distinct(const Indices& indices) const;
    /// Reports whether a number equals another one, except for rounding errors. The kernel may add
    /// numbers in a different order than the reference.
    bool is_near(double has, double wanted) const;

private:
    const Trial& trial_;
    const Evidence& evidence_;
    const OutputComparison& output_;
    Indices wrong_;
};

}  // namespace coalesce

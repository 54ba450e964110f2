#include "examiner/elements/wrong_output.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "examiner/elements/element_rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {

WrongOutput::WrongOutput(const Trial& trial, const Evidence& evidence)
    : trial_(trial), evidence_(evidence), output_(*trial.element_comparison->first_bad()) {
    for (std::int64_t i = 0; i < output_.count(); ++i) {
        if (output_.states[static_cast<std::size_t>(i)] == CellState::wrong) wrong_.push_back(i);
    }
}

const std::vector<CallArgument>& WrongOutput::arguments() const {
    return evidence_.elements->case_for(trial_.shape).arguments;
}

Failure WrongOutput::make(FailureKind kind, const std::string& headline,
                          const std::string& next) const {
    Failure failure{.kind = kind,
                    .headline = headline,
                    .place = {evidence_.source.name,
                              find_statement_line(evidence_.source.text, trial_.store_line), 0},
                    .shape = trial_.shape,
                    .details = wrap("Not right: " + describe_bad_elements(output_, trial_.launch) +
                                    ". " + compared(output_.bad_elements().front())),
                    .next = next};
    failure.map = map_of(output_);
    return failure;
}

Failure WrongOutput::make(Fault fault, const std::string& headline, const std::string& next) const {
    Failure failure = make(FailureKind::wrong_result, headline, next);
    failure.fault = fault;
    return failure;
}

std::string WrongOutput::compared(std::int64_t index) const {
    const bool is_unwritten =
        !output_.has_initial_values &&
        output_.states[static_cast<std::size_t>(index)] == CellState::untouched;
    return output_.name_of(index) +
           (is_unwritten ? " was never written"
                         : " is " + output_.value_of(output_.actual, index)) +
           ", expected " + output_.value_of(output_.expected, index) + ".";
}

bool WrongOutput::are_distinct(const Indices& indices) const {
    std::set<std::string> values;
    for (const std::int64_t index : indices) {
        values.emplace(expected(index), output_.type.bytes());
    }
    return values.size() > std::max<std::size_t>(1, indices.size() / 8);
}

bool WrongOutput::is_near(double has, double wanted) const {
    if (has == wanted) return true;
    if (output_.type.is_integer()) return false;
    return std::abs(has - wanted) <= 1e-4 * std::abs(wanted);
}

}  // namespace coalesce

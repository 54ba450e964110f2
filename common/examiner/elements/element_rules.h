// Rules that find the mistake in a kernel whose task is defined element by element.
#pragma once

#include <optional>
#include <string>

#include "examiner/causes.h"
#include "examiner/elements/element_trials.h"
#include "examiner/line_mistake.h"

namespace coalesce {

/// Returns the mistake that made a launch fail, or nothing if no rule finds the mistake.
std::optional<Failure> find_element_cause(const Trial& trial, const Evidence& evidence);

/// Returns the failure that the wrong values of the outputs suggest, or nothing if all values are
/// correct.
std::optional<Failure> find_wrong_elements(const Trial& trial, const Evidence& evidence);

// ---- element_lines.cpp ----

/// Attributes a race, or a read of uninitialized shared memory, to the source line that contains
/// the mistake. Does nothing if no such line is found.
void explain_by_element_lines(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Looks for the reason why a line makes more memory accesses than necessary: a loop of a single
/// thread, a loop with a short step, a sum in device memory.
LineMistake find_costly_element_line(const std::string& text, int line);

// ---- input_subsets.cpp ----
//
// Runs the reference on inputs in which some elements are left out or repeated. If the result
// equals the kernel's output, the kernel left out or repeated the same elements.

/// The inputs from which the kernel computed the wrong elements of an output.
struct UsedInputs {
    bool is_repeated = false;  ///< whether inputs are repeated; otherwise some are left out
    /// A clause such as "which is the result if only the first 96 of 100 inputs count".
    std::string sentence;
    std::string advice;  ///< a sentence of advice
};

/// Returns the inputs from which the kernel computed the wrong elements of `output`, if known.
std::optional<UsedInputs> find_used_inputs(const Trial& trial, const OutputComparison& output,
                                           std::size_t output_index, ElementTrials& trials);

// ---- element_pattern.cpp ----

/// Describes which elements of an output are wrong or unwritten: "the last 13 of 1000 elements",
/// "row 7".
std::string describe_bad_elements(const OutputComparison& output, const LaunchShape& launch);
/// Returns the index of the first bad element, if all elements before it are correct and all
/// elements after it are bad. Otherwise, or if all elements are bad, returns -1.
std::int64_t start_of_bad_tail(const OutputComparison& output);
/// Returns a map of the output's correct and bad cells. Returns nothing unless the output has two
/// extents.
std::optional<CellMap> make_cell_map(const OutputComparison& output);

}  // namespace coalesce

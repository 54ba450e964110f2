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
/// Looks for a loop around a line that goes through shared memory one element per pass, if each
/// thread makes many passes.
LineMistake find_loop_of_many_passes(const std::string& text, int line);

// ---- loop_shares.cpp ----
//
// Compares the values at which the threads of a launch begin a loop with the loop's step.

/// Looks for a loop around a line whose step is larger than the number of threads that share the
/// loop, so that elements are left out.
LineMistake find_loop_with_long_step(const Trial& trial, const Evidence& evidence, int line);
/// Looks for a loop that `factor` threads begin at the same value, although the kernel combines the
/// results of threads.
LineMistake find_loop_of_many_threads(const Trial& trial, const Evidence& evidence,
                                      long long factor);

// ---- position_causes.cpp ----

/// Looks for the reason why an output of positions is wrong, although the output of the values at
/// these positions is right.
LineMistake find_wrong_position(const Trial& trial, const Evidence& evidence);

// ---- value_lines.cpp ----

/// Looks for an index of a matrix that multiplies by a size other than the length of a row.
LineMistake find_wrong_row_length(const Evidence& evidence);
/// Looks for an input's index that is limited with min and max, if only elements near the ends of
/// the output are wrong.
LineMistake find_clamped_index(const Trial& trial, const Evidence& evidence);
/// Looks for atomic additions to an element of shared memory that still has an earlier value.
LineMistake find_stale_sum(const std::string& text);
/// Looks for a loop over sequences of 2, 4, 8, ... elements that ends before a sequence contains all
/// elements.
LineMistake find_short_network(const Trial& trial, const Evidence& evidence);

// ---- unwritten_lines.cpp ----

/// Looks for stores to the shared arrays of `line` that depend on a size of the input.
LineMistake find_store_without_zeros(int line, const Evidence& evidence);
/// Looks for a store in a loop that only some threads make in each pass, although the next pass
/// reads the elements of all threads.
LineMistake find_gap_in_buffer(int line, const std::string& text);
/// Looks for a quotient that rounds down, if exactly the elements of the remainder were not
/// written.
LineMistake find_dropped_rest(const OutputComparison& output, const Trial& trial,
                              const Evidence& evidence);
/// Looks for a place that is counted by comparisons, if only elements that equal their predecessor
/// are wrong.
LineMistake find_equal_places(const OutputComparison& output, const std::string& text);

// ---- input_subsets.cpp ----
//
// Runs the reference on inputs in which some elements are left out or repeated. If the result
// equals the kernel's output, the kernel left out or repeated the same elements.

/// The inputs from which the kernel computed the wrong elements of an output.
struct UsedInputs {
    bool is_repeated = false;  ///< whether inputs are repeated
    /// Whether each index has the input of a neighbouring index. If inputs are neither repeated nor
    /// shifted, some are left out.
    bool is_shifted = false;
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

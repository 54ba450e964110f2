// The rules that explain the wrong values of an output. Each rule returns nothing unless the values
// prove the mistake that it names.
#pragma once

#include <optional>

#include "examiner/elements/wrong_output.h"

namespace coalesce {

// ---- untouched_elements.cpp: outputs without a single wrong value, but with missing ones ----

/// Explains why elements were not written. The output must not have elements with wrong values.
Failure explain_untouched(const WrongOutput& seen);
/// Finds a line that multiplies a block's index by the size of the grid instead of the block.
std::optional<Failure> find_mixed_axes(const WrongOutput& seen);

// ---- order_rules.cpp: outputs that should be sorted ----

/// Finds elements that are missing because equal numbers get the same place.
std::optional<Failure> find_equal_places(const WrongOutput& seen);
/// Finds outputs with the right numbers in the wrong order, or with some numbers twice.
std::optional<Failure> find_wrong_order(const WrongOutput& seen);

// ---- position_rules.cpp: outputs that hold the position of a value ----

/// Finds values or positions that do not belong to each other, and equal values of which the wrong
/// one was chosen.
std::optional<Failure> find_wrong_positions(const WrongOutput& seen);

// ---- scan_rules.cpp: outputs whose elements add up the inputs before them ----

/// Finds elements that leave out or repeat their own input or their own group's sum.
std::optional<Failure> find_wrong_scan(const WrongOutput& seen);

// ---- neighbour_rules.cpp: outputs to which an input's neighbouring elements contribute ----

/// Finds elements to which one neighbour contributes too little or too much.
std::optional<Failure> find_wrong_neighbour(const WrongOutput& seen);

// ---- shuffle_rules.cpp ----

/// Finds shuffles whose result replaces the value that it should be combined with.
std::optional<Failure> find_replacing_shuffle(const WrongOutput& seen);

// ---- number_rules.cpp: the size of the values ----

/// Finds infinities, and values that are not numbers.
std::optional<Failure> find_not_finite(const WrongOutput& seen);
/// Finds values that differ by a factor which is the number of lanes, of threads, or a size. The
/// factor must be the same number on another shape.
std::optional<Failure> find_repeated_addition(const WrongOutput& seen);

// ---- other_inputs.cpp: outputs that the reference computes from other inputs ----

/// Finds a wrong row length, exchanged indices, and inputs that take the place of others.
std::optional<Failure> find_other_inputs(const WrongOutput& seen);
/// Finds outputs whose blocks do not see the elements of other blocks.
std::optional<Failure> find_missing_neighbours(const WrongOutput& seen);

// ---- row_rules.cpp ----

/// Finds rows whose elements are all wrong by one factor, which differs between the rows.
std::optional<Failure> find_row_factors(const WrongOutput& seen);
/// Finds whole numbers in the place of fractions.
std::optional<Failure> find_whole_numbers(const WrongOutput& seen);

// ---- dependence_rules.cpp ----

/// Finds an input that contributes too little, too much or not at all to an element.
std::optional<Failure> find_wrong_effect(const WrongOutput& seen);

// ---- size_borders.cpp ----

/// Finds the size from which on the kernel is right or wrong.
std::optional<Failure> find_size_border(const WrongOutput& seen);

}  // namespace coalesce

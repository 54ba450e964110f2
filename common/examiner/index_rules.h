// Declares the rules that check the indices of the tile in shared memory, and functions that all
// rules about indices use.
#pragma once

#include <string>

#include "examiner/line_mistake.h"

namespace coalesce {

/// Replaces the headline and the advice of a failure with more precise ones. For a wrong result,
/// the old headline moves to the details. If `line` is not 0, it also becomes the failure's line.
void blame_line(Failure& failure, int line, const std::string& headline, const std::string& advice);
/// Returns the factor of threadIdx.x in an expression: 4 for `threadIdx.x * 4`, 1 for
/// `threadIdx.x`, and 0 if threadIdx.x does not occur.
int factor_of_thread(const std::string& expression);

// ---- shared_index_causes.cpp: rules that check the indices of the tile ----
//
// Each function looks for one kind of mistake in the kernel's source. If it finds such a mistake,
// it describes the mistake in the failure and returns true.

/// Attributes the failure to two consecutive lines that use the same element of the tile, although
/// each should use a different one. Returns false if there are no such lines.
bool explain_repeated_place(Failure& failure, const Evidence& evidence);
/// Attributes the failure to a vector component that is loaded, but never stored in the tile.
bool explain_unused_component(Failure& failure, const Evidence& evidence);
/// Attributes the failure to a factor that is too small in an index of the tile, such as `2 *
/// threadIdx.x` in a kernel in which each thread moves four elements.
bool explain_thread_factor(Failure& failure, const Evidence& evidence);
/// Attributes the failure to a line that indexes the tile with a row or column of the whole matrix.
bool explain_matrix_index_in_tile(Failure& failure, const Evidence& evidence);
/// Attributes the failure to the wrong step of a loop over the tile. The step must equal the number
/// of rows that the block covers in one iteration.
bool explain_loop_step(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Attributes the failure to a line that passes another row to the function of a swizzle than the
/// one that it accesses, although other lines pass the accessed row.
bool explain_slot_row(Failure& failure, const Evidence& evidence);
/// Explains an access outside the tile. Returns false if the cause is not recognized.
bool explain_outside_tile(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- tile_element_causes.cpp: elements in the wrong place in the tile ----

/// Attributes the failure to a line that loads an element to the wrong place in the tile, or stores
/// the wrong element.
bool explain_other_element(Failure& failure, const Trial& trial, const Evidence& evidence);

}  // namespace coalesce

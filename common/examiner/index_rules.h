// Declares helpers of the rules about indices, and the rules about indices of the tile.
#pragma once

#include <string>

#include "examiner/line_mistake.h"

namespace coalesce {

/// Replaces the headline and the advice of a failure with more precise ones. The observation from
/// the old headline becomes a detail. If `line` is not 0, the failure then refers to that line.
void blame_line(Failure& failure, int line, const std::string& headline, const std::string& next);
/// Returns the factor of threadIdx.x in an expression: 4 for `threadIdx.x * 4`, 1 without a factor,
/// and 0 if threadIdx.x does not occur.
int factor_of_thread(const std::string& expression);

// ---- shared_index_causes.cpp: rules about indices of the tile ----
//
// Each function looks for one mistake in the kernel's text. If it finds the mistake, it changes the
// failure and returns true.

/// Explains two lines that use the same element of the tile.
bool explain_repeated_place(Failure& failure, const Evidence& evidence);
/// Explains a component that is loaded, but never put into the tile.
bool explain_unused_component(Failure& failure, const Evidence& evidence);
/// Explains indices of the tile that multiply threadIdx.x by less than the threads' vectors need.
bool explain_thread_factor(Failure& failure, const Evidence& evidence);
/// Explains an index of the tile that counts rows or columns of the matrix.
bool explain_matrix_index_in_tile(Failure& failure, const Evidence& evidence);
/// Explains a loop over the tile whose step is not the number of rows that the block covers.
bool explain_loop_step(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Explains an access outside of the tile.
bool explain_outside_tile(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- tile_element_causes.cpp: where an element enters the tile, and where it leaves ----

/// Explains a line that takes another element out of the tile than the one that it stores, or puts
/// elements into the tile so that neighbours do not stay neighbours.
bool explain_other_element(Failure& failure, const Trial& trial, const Evidence& evidence);

}  // namespace coalesce

// What the rules about indices share.
#pragma once

#include <string>

#include "examiner/line_mistake.h"

namespace coalesce {

/// Replaces the headline by a more precise one, which keeps the observation as a detail, and moves
/// the place to `line`, unless that is 0.
void blame_line(Failure& failure, int line, const std::string& headline, const std::string& next);
/// Returns the factor of threadIdx.x in an expression: 4 for `threadIdx.x * 4`, 1 without a factor,
/// and 0 if threadIdx.x does not occur.
int factor_of_thread(const std::string& expression);

// ---- shared_index_causes.cpp: indices of the tile. Each changes the failure and returns true if
// the text shows the mistake. ----

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

}  // namespace coalesce

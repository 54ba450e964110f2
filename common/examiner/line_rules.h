// Declares rules that look for a mistake in a kernel's lines, grouped by file. A rule returns the
// mistake, or a LineMistake whose line is 0 if it finds none.
#pragma once

#include "examiner/launch_shape.h"
#include "examiner/line_mistake.h"
#include "examiner/verdict.h"

namespace coalesce {

/// The most lines or terms that a rule examines closely. The text is untrusted, and each of them
/// takes several searches in the whole text.
constexpr int kMaxCandidates = 8;

// ---- coordinate_causes.cpp ----
//
// Finds mistakes in the row and the column that a line computes or uses.

LineMistake find_coordinate_mistake(const Failure& failure, const Trial& trial,
                                    const Evidence& evidence);

/// Looks for a loop in which each thread processes all columns or rows, although a variable counts
/// one for each thread.
LineMistake find_loop_over_matrix(const std::string& text, int line);

// ---- component_causes.cpp ----
//
// Finds mistakes in the elements that a thread keeps in a vector or in a local array.

LineMistake find_component_mistake(const Failure& failure, const Evidence& evidence);

// ---- sector_causes.cpp ----
//
// Finds mistakes in stores that begin earlier than their tile, so that they begin at a sector.

/// Looks for a wrong number of elements by which a store begins earlier.
LineMistake find_sector_mistake(const std::string& text);

// ---- pair_causes.cpp ----
//
// Finds mistakes in kernels that transpose pairs of tiles in place.

LineMistake find_pair_mistake(const Failure& failure, const Evidence& evidence);
/// Looks for a condition that compares two elements where it should compare the two tiles of a
/// pair.
LineMistake find_compared_elements(const std::string& text);

// ---- mbarrier_causes.cpp ----
//
// Finds mistakes in bulk copies, and in the wait for their mbarrier.

LineMistake find_mbarrier_mistake(const Failure& failure, const Trial& trial,
                                  const Evidence& evidence);

// ---- tile_causes.cpp ----

/// Looks for a grid that has not one block for each tile in a row of tiles, if the GPUs of the
/// kernel take the tiles of a row in turn.
LineMistake find_wrong_grid_width(const LaunchShape& launch, Shape shape, const std::string& text);

// ---- cost_lines.cpp ----

/// Changes a failure about costs if the kernel's text shows which line causes them.
void explain_by_costly_line(Failure& failure, const Verdict& found, const LaunchShape& launch);

}  // namespace coalesce

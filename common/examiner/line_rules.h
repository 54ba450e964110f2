// Declares rules that look for a mistake in a kernel's lines, grouped by implementation file. A
// rule returns the mistake, or a LineMistake whose line is 0 if it finds none.
#pragma once

#include "examiner/launch_shape.h"
#include "examiner/line_mistake.h"
#include "examiner/verdict.h"

namespace coalesce {

/// The maximum number of lines or terms that a rule examines closely. Each of them requires several
/// searches of the whole text, and the text is untrusted.
constexpr int kMaxCandidates = 8;

// ---- coordinate_causes.cpp ----
//
// Finds mistakes in the row and the column that a line computes or uses.

LineMistake find_coordinate_mistake(const Failure& failure, const Trial& trial,
                                    const Evidence& evidence);

/// Looks for a loop in which each thread processes all columns or rows, although the kernel also
/// computes a column or row for each thread and never uses it.
LineMistake find_loop_over_matrix(const std::string& text, int line);

// ---- component_causes.cpp ----
//
// Finds mistakes in the elements that a thread keeps in a vector or in a local array.

LineMistake find_component_mistake(const Failure& failure, const Evidence& evidence);

// ---- sector_causes.cpp ----
//
// Finds mistakes in stores that begin before their tile, in order to begin at a sector boundary.

/// Looks for a store that begins the wrong number of elements before its tile.
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

/// Looks for a wrong grid width in a kernel whose GPUs take the tiles of a row in turn: a grid that
/// is too wide, or a width that is not a multiple of the number of GPUs.
LineMistake find_wrong_grid_width(const LaunchShape& launch, Shape shape, const std::string& text);

// ---- cost_lines.cpp ----

/// If the kernel's text shows which line causes the excessive costs, rewrites the failure to refer
/// to that line.
void explain_by_costly_line(Failure& failure, const Verdict& found, const LaunchShape& launch);

}  // namespace coalesce

// Declares rules that look for a mistake in a kernel's lines, grouped by implementation file. A
// rule returns the mistake, or a LineMistake whose line is 0 if it finds none.
#pragma once

#include "examiner/launch_shape.h"
#include "examiner/line_mistake.h"
#include "examiner/verdict.h"

namespace coalesce {

/// The maximum number of lines or terms that a rule examines closely. The limit bounds the time,
/// because each of them requires several searches of an untrusted text.
constexpr int kMaxCandidates = 8;

// ---- coordinate_causes.cpp ----
//
// Finds mistakes in the row and the column that a line computes or uses.

LineMistake find_coordinate_mistake(const Failure& failure, const Trial& trial,
                                    const Evidence& evidence);

/// Looks for a loop in which each thread processes all rows or columns. The kernel computes the
/// thread's own row or column, but never uses it.
LineMistake find_loop_over_matrix(const std::string& text, int line);

// ---- component_causes.cpp ----
//
// Finds mistakes in the elements that a thread keeps in a vector or in a local array.

LineMistake find_component_mistake(const Failure& failure, const Evidence& evidence);

// ---- sector_causes.cpp ----
//
// Finds mistakes in kernels that start a tile's stores early, at the previous sector boundary.

/// Looks for a store that does not start at the last sector boundary before its tile.
LineMistake find_sector_mistake(const std::string& text);

// ---- pair_causes.cpp ----
//
// Finds mistakes in kernels that transpose pairs of tiles in place.

LineMistake find_pair_mistake(const Failure& failure, const Evidence& evidence);
/// Looks for a condition that compares the positions of two elements instead of the positions of a
/// pair's two tiles.
LineMistake find_compared_elements(const std::string& text);

// ---- mbarrier_causes.cpp ----
//
// Finds mistakes in bulk copies, and in the code that waits at their mbarrier.

LineMistake find_mbarrier_mistake(const Failure& failure, const Trial& trial,
                                  const Evidence& evidence);

// ---- tile_causes.cpp ----

/// Looks for a wrong grid width in a kernel that assigns tiles to several GPUs in turn. The grid
/// may be too wide, or its width may not be a multiple of the number of GPUs.
LineMistake find_wrong_grid_width(const LaunchShape& launch, Shape shape, const std::string& text);

// ---- layout_causes.cpp ----

/// Looks for a grid that covers the rows of all matrices of a stack, and also has blocks for each
/// matrix.
LineMistake find_stack_counted_twice(const std::string& text);

// ---- cost_lines.cpp ----

/// Looks in the kernel's text for the line that causes excessive costs. If there is one, rewrites
/// the failure to refer to that line.
void explain_by_costly_line(Failure& failure, const Verdict& verdict, const LaunchShape& launch);

}  // namespace coalesce

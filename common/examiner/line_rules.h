// Declares rules that look for a mistake in a kernel's lines, grouped by implementation file. A
// rule returns the mistake, or a LineMistake whose line is 0 if it finds none.
#pragma once

#include "examiner/launch_shape.h"
#include "examiner/line_mistake.h"
#include "examiner/verdict.h"

namespace coalesce {

/// The maximum number of lines or terms that a rule examines closely. The limit bounds the rule's
/// time, because each line or term requires several searches of an untrusted text.
constexpr int kMaxCandidates = 8;

// ---- coordinate_causes.cpp ----
//
// Finds mistakes in the row and the column that a line computes or uses.

LineMistake find_coordinate_mistake(const Failure& failure, const Trial& trial,
                                    const Evidence& evidence);

/// Looks for a loop in which each thread processes all rows or columns, although the kernel
/// computes a row or column for each thread and then never uses it.
LineMistake find_loop_over_matrix(const std::string& text, int line);

// ---- reach_causes.cpp ----

/// Looks for an access to `matrix` that repeats or leaves out rows or columns, because consecutive
/// loop iterations or neighbouring blocks overlap or are too far apart. `unreached` is a cell that
/// no thread accesses, if one is known; the mistake must then explain this cell. `matrix_size` is
/// the size of the accessed matrix.
LineMistake find_reach_mistake(const std::string& text, const std::string& matrix, int line,
                               const LaunchShape& launch, Shape matrix_size,
                               const std::optional<Cell>& unreached);
/// Looks for an access with which the threads of a block, whose rows and columns are quotients and
/// remainders, reach only a part of the block's tile.
LineMistake find_uncovered_cells(const std::string& text, const std::string& matrix, int line,
                                 const LaunchShape& launch);
/// Looks for a loop around a line that begins at the thread's index in the grid, but advances by
/// less than the number of threads in the grid.
LineMistake find_short_stride(const std::string& text, int line, const LaunchShape& launch);

// ---- guard_causes.cpp ----

/// Looks for a condition that checks the row and the column of an element other than the one that
/// `line` accesses. Assumes that `array` has `rows` rows and `cols` columns, as named in the
/// kernel.
LineMistake find_check_of_other_element(const std::string& array, int line,
                                        const std::string& text);

// ---- line_causes.cpp ----

/// Looks for two assignments that should exchange two values, but lose one of them.
LineMistake find_lost_exchange(const std::string& text);
/// Looks for a loop around `line` that indexes a shared array with its counter, although the
/// counter goes up to a size of the input.
LineMistake find_loop_beyond_array(const std::string& text, int line);

/// Looks for a number of tiles that the kernel computes by a division that rounds down, although
/// the matrix's side is not a multiple of the tile's side.
LineMistake find_rounded_quotient(const std::string& text, Shape shape);

// ---- shuffle_causes.cpp ----

/// Looks for a loop of shuffles that does not combine all 32 lanes, because its offsets leave some
/// out. The loop must be the only one with shuffles.
LineMistake find_short_shuffle(const std::string& text);
/// Looks for a store of a sum by all lanes of a warp, although only lane 0 has the sum of all lanes.
LineMistake find_store_by_all_lanes(const std::string& text, int line, const LaunchShape& launch);
/// Looks for a lane that is threadIdx.y, although the threads of a warp are neighbours along x.
LineMistake find_lane_along_y(const std::string& text, const LaunchShape& launch);
/// Looks for a lane that is computed as threadIdx.x / 32, or a warp as threadIdx.x % 32.
LineMistake find_exchanged_lane(const std::string& text);

// ---- unsigned_causes.cpp ----

/// Looks for a comparison with 0 that always holds because the variable is unsigned. Also looks for
/// a loop that divides its counter until the counter is 0, but whose condition still holds at 0.
LineMistake find_condition_that_always_holds(const std::string& text);

// ---- component_causes.cpp ----
//
// Finds mistakes in the elements that a thread keeps in a vector or in a local array.

LineMistake find_component_mistake(const Failure& failure, const Evidence& evidence);

// ---- sector_causes.cpp ----
//
// Finds mistakes in kernels that start a tile's stores early, at the previous sector boundary.

/// Looks for a store that does not start at the last sector boundary before its tile.
LineMistake find_sector_mistake(const std::string& text);

// ---- stored_row_causes.cpp ----
//
// Compares the row that a transpose stores with the row that it has loaded or checked.

/// Looks for the reason why a transpose reads an element of its shared array that was never
/// written: the array was filled from another row, only in part, or the condition checks a
/// row other than the one that is stored.
LineMistake find_unfilled_row(const std::string& details, const std::string& text);

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

// ---- turn_causes.cpp ----

/// Looks for a block that takes a tile other than the one that lesson 16 requires, and for the variable that
/// chooses this tile.
LineMistake find_turn_mistake(const Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- layout_causes.cpp ----

/// The sizes of the grid, as `configure` writes them.
struct GridSizes {
    int line = 0;  ///< 0 if `configure` does not list the sizes
    std::vector<std::string> sizes = {};
};
GridSizes read_grid_sizes(const std::string& text);

/// Looks for a grid that covers the rows of all matrices of a stack, and also has blocks for each
/// matrix.
LineMistake find_stack_counted_twice(const std::string& text);

// ---- cost_lines.cpp ----

/// Looks in the kernel's text for the line that causes the excessive costs. If such a line is
/// found, rewrites the failure to refer to it.
void explain_by_costly_line(Failure& failure, const Verdict& verdict, const LaunchShape& launch);

}  // namespace coalesce

// Lists the changes to try. Each function undoes one group of natural mistakes.
#pragma once

#include "examiner/changes/change.h"

namespace coalesce::changes {

// ---- name_changes.cpp ----

/// Replaces a name by another one of the same kind that can be used there: threadIdx.x by
/// threadIdx.y, `row` by `col`, `in` by `out`.
void list_name_changes(ChangeList& list);
/// Swaps two names in one expression or in one line, two indices of an array, or two arguments.
void list_swaps(ChangeList& list);
/// Returns the name with its words replaced by their counterparts: `tile_row` for `tile_col`.
/// Returns "" if no word of the name has a counterpart.
std::vector<std::string> counterparts_of(const std::string& name);

// ---- operator_changes.cpp ----

/// Replaces an operator by a similar one: < by <=, && by ||, + by -, = by +=.
void list_operator_changes(ChangeList& list);
/// Replaces a called function by a similar one: __shfl_up_sync by __shfl_down_sync, min by max.
void list_function_changes(ChangeList& list);
/// Replaces a number by a similar one, and adds or removes a term or a factor.
void list_term_changes(ChangeList& list);

// ---- expression_changes.cpp ----

/// Replaces an expression by another one of the same meaning elsewhere in the text: an argument of
/// a call, the value of a variable, the order of two values.
void list_expression_changes(ChangeList& list);

// ---- loop_changes.cpp ----

/// Replaces the start, the bound or the step of a loop by another expression of the text.
void list_loop_changes(ChangeList& list);

// ---- guard_changes.cpp ----

/// Adds, drops or extends a condition.
void list_guard_changes(ChangeList& list);

// ---- statement_changes.cpp ----

/// Moves a statement before or after its neighbour, or into or out of a loop or a branch, or
/// removes it.
void list_moves(ChangeList& list);
/// Adds a barrier after a statement.
void list_barriers(ChangeList& list);
/// Adds an initial value, or makes a plain addition atomic.
void list_store_changes(ChangeList& list);

// ---- launch_changes.cpp ----

/// Changes the grid, the block or the bytes of shared memory in `configure`.
void list_launch_changes(ChangeList& list);

}  // namespace coalesce::changes

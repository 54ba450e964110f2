// Generates the changes to try. Each function adds to `list` the changes that undo one group of
// common mistakes.
#pragma once

#include "examiner/changes/change.h"

namespace coalesce::changes {

// ---- name_changes.cpp ----

/// Adds changes that replace a name with another one of the same kind that can be used in its
/// place: threadIdx.x with threadIdx.y, `row` with `col`, `in` with `out`.
void list_name_changes(ChangeList& list);
/// Adds changes that swap two names in one expression or in one line, two indices of an array, or
/// two arguments.
void list_swaps(ChangeList& list);
/// Returns the names that result from replacing one word of `name` with its counterpart, such as
/// "tile_row" for "tile_col". Returns no names if no word has a counterpart.
std::vector<std::string> counterparts_of(const std::string& name);

// ---- operator_changes.cpp ----

/// Adds changes that replace an operator with a similar one: < with <=, && with ||, + with -, =
/// with +=.
void list_operator_changes(ChangeList& list);
/// Adds changes that call a similar function instead: __shfl_down_sync instead of __shfl_up_sync,
/// max instead of min.
void list_function_changes(ChangeList& list);
/// Adds changes that replace a number with a similar one, or that add or remove a term or a factor.
void list_term_changes(ChangeList& list);

// ---- expression_changes.cpp ----

/// Adds changes that replace an expression with a name, with a variable's value, or with the
/// argument of another call of the same function. Also adds changes that reset a sum before a loop,
/// or that extend a comparison with a second criterion.
void list_expression_changes(ChangeList& list);

// ---- loop_changes.cpp ----

/// Adds changes that replace the start, the bound or the step of a loop with another expression
/// from the text.
void list_loop_changes(ChangeList& list);

// ---- guard_changes.cpp ----

/// Adds changes that add, remove or extend a condition.
void list_guard_changes(ChangeList& list);

// ---- statement_changes.cpp ----

/// Adds changes that remove a statement, move it before or after a neighbouring statement, or move
/// it into or out of a loop or a branch.
void list_moves(ChangeList& list);
/// Adds changes that insert a barrier, or another call with which threads synchronize, after a
/// statement.
void list_barriers(ChangeList& list);
/// Adds changes that give a variable an initial value or the type float, or that make a plain
/// addition atomic or an atomic one plain.
void list_store_changes(ChangeList& list);

// ---- launch_changes.cpp ----

/// Adds changes that alter the grid, the block or the size of shared memory in `configure`.
void list_launch_changes(ChangeList& list);

}  // namespace coalesce::changes

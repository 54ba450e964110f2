// The rules that causes.h uses, by file. Each rule looks at one kind of symptom, and some call others.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "examiner/causes.h"

namespace coalesce {

// ---- report_failure.cpp ----
//
// From a report of the simulated GPU to a failure: its place, its words, with the learner's names
// of the matrices.

/// Returns the first report of this check and kind, or nullptr.
const simulated::Report* find_report(const Trial& trial, const char* check, const char* kind = "");

/// Returns the place if it is in the learner's file, and not on a line that the compiler made up.
Place place_in(const Place& place, const Evidence& evidence);

/// Returns the exercise's name for one of its matrices.
const char* name_of_matrix(bool is_out, const Evidence& evidence);

/// The failure that a report of this check and kind becomes.
struct ToldAs {
    const char* check;
    const char* kind;  ///< "" for any kind
    FailureKind failure;
    const char* headline;
    const char* next;
    bool prefers_cure = false;  ///< use the report's own advice instead of `next`, if it has any
};
/// Returns the failure for the first entry that matches a report, or nothing if none does.
std::optional<Failure> told_as(std::initializer_list<ToldAs> list, const Trial& trial,
                               const Evidence& evidence);
Failure from_report(FailureKind kind, const simulated::Report& report, const Trial& trial,
                    const Evidence& evidence, const std::string& headline, const std::string& next);

// ---- bounds_causes.cpp ----
//
// Why a kernel touches what is not its own: an index, a check of the bounds, an array that is too
// small.

/// Returns the failure that memcheck reports, if any.
std::optional<Failure> memory_error(const Trial& trial, const Evidence& evidence);

/// Returns the most likely cause of an access outside a matrix.
Failure outside(const Trial& trial, const Place& place, const std::string& details,
                const Evidence& evidence);

/// Finds accesses outside an array in registers. No check reports them, because the compiler removes or changes such
/// accesses.
std::optional<Failure> local_array_left(const Trial& trial, const Evidence& evidence);

// ---- sync_causes.cpp ----
//
// Why threads of a block see each other's half-done work: copies that are under way, barriers,
// races, a tile that nobody filled.

/// Finds uses of shared memory while an asynchronous copy is still writing it.
std::optional<Failure> copy_error(const Trial& trial, const Evidence& evidence);

/// Finds wrong barriers and warp operations, and threads that do not wait for each other.
std::optional<Failure> barrier_error(const Trial& trial, const Evidence& evidence);

/// Finds a tile that lacks __shared__. No check reports it: the elements of other threads are just missing.
std::optional<Failure> tile_of_one_thread(const Trial& trial, const Evidence& evidence);

/// Finds reads of memory that nothing wrote.
std::optional<Failure> uninitialised(const Trial& trial, const Evidence& evidence);

// ---- result_causes.cpp ----
//
// Why the result is not the one that was asked for.

/// Returns the cause of a race in global memory or of wrong cells, or nothing if the result is right.
std::optional<Failure> result_error(const Trial& trial, const Evidence& evidence);

/// Returns the failure that the pattern of wrong cells suggests.
Failure wrong_result(const Trial& trial, const Comparison& comparison, const Evidence& evidence);

// ---- grid_causes.cpp ----
//
// Cells that nobody wrote: whether the launch can be blamed, by its numbers and by which cells its
// blocks take.

/// Finds a grid that would cover the matrix if its two sizes were exchanged, but does not as it is.
std::optional<Failure> exchanged_grid(const Trial& trial, const Evidence& evidence);
/// Explains unwritten cells by the launch, and names the line to look at. Returns false if the launch explains
/// nothing, so that the guess from the result stands.
bool look_at_launch(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- value_causes.cpp ----
//
// A result of which some values are lost: the accesses of a warp and the text say where.

/// Adds to a wrong result what the comparison alone cannot know.
void look_at_values(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- left_out.cpp ----
//
// What a warp moves, stage by stage: where less goes on than came in, elements are left out.

/// A place where a warp leaves out elements.
struct LeftOut {
    std::string sentence;  ///< "a warp reads 128 elements of `in`, but stores only 32 of `out`."
    int line = 0;          ///< the first line that moves fewer elements
    std::string next;
};

/// Returns nothing if the first warp moves the same number of elements at each stage, or if its recorded accesses end
/// too early.
std::optional<LeftOut> elements_left_out(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce

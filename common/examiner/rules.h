// The rules behind causes.h, file by file: each looks at one kind of symptom, and some ask others.
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

/// The first report of this check and kind; null when there is none.
const simulated::Report* find_report(const Trial& trial, const char* check, const char* kind = "");

/// A place in the learner's file; a compiler-made line elsewhere is none to look at.
Place place_in(const Place& place, const Evidence& evidence);

/// How the exercise calls its matrices.
const char* name_of_matrix(bool is_out, const Evidence& evidence);

/// What a report of that check and kind is told as.
struct ToldAs {
    const char* check;
    const char* kind;  ///< "": any
    FailureKind failure;
    const char* headline;
    const char* next;
    bool prefers_cure = false;  ///< the report's own cure in the place of `next`, if it has one
};
/// By the first of the list that there is a report for; nothing when there is for none.
std::optional<Failure> told_as(std::initializer_list<ToldAs> list, const Trial& trial,
                               const Evidence& evidence);
Failure from_report(FailureKind kind, const simulated::Report& report, const Trial& trial,
                    const Evidence& evidence, const std::string& headline, const std::string& next);

// ---- bounds_causes.cpp ----
//
// Why a kernel touches what is not its own: an index, a check of the bounds, an array that is too
// small.

/// What memcheck says of the launch; nothing when it says nothing.
std::optional<Failure> memory_error(const Trial& trial, const Evidence& evidence);

/// An access outside of a matrix: of all its causes the one that fits.
Failure outside(const Trial& trial, const Place& place, const std::string& details,
                const Evidence& evidence);

/// Outside of an array in registers there is nothing to report either: the compiler leaves out what such an
/// access would have done, or does something else.
std::optional<Failure> local_array_left(const Trial& trial, const Evidence& evidence);

// ---- sync_causes.cpp ----
//
// Why threads of a block see each other's half-done work: copies that are under way, barriers,
// races, a tile that nobody filled.

/// Shared memory is used where an asynchronous copy is still writing.
std::optional<Failure> copy_error(const Trial& trial, const Evidence& evidence);

/// Barriers, warp operations, and threads that do not wait for each other.
std::optional<Failure> barrier_error(const Trial& trial, const Evidence& evidence);

/// An array without __shared__ gives no report: other threads' elements are just not in it.
std::optional<Failure> tile_of_one_thread(const Trial& trial, const Evidence& evidence);

/// What is read was never written.
std::optional<Failure> uninitialised(const Trial& trial, const Evidence& evidence);

// ---- result_causes.cpp ----
//
// Why the result is not the one that was asked for.

/// A race in global memory, or cells that are wrong; nothing when the result is right.
std::optional<Failure> result_error(const Trial& trial, const Evidence& evidence);

/// What the cells that differ say.
Failure wrong_result(const Trial& trial, const Comparison& comparison, const Evidence& evidence);

// ---- grid_causes.cpp ----
//
// Cells that nobody wrote: whether the launch can be blamed, by its numbers and by which cells its
// blocks take.

/// A grid that would cover the matrix if its sizes changed places, and does not as it is.
std::optional<Failure> exchanged_grid(const Trial& trial, const Evidence& evidence);
/// Says of unwritten cells what the launch shows to be behind them, and names the line to look at.
/// False: it shows nothing, and what was guessed from the result is all that there is to say.
bool look_at_launch(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- value_causes.cpp ----
//
// A result of which some values are lost: the accesses of a warp and the text say where.

/// Says of a wrong result what the comparison alone cannot know.
void look_at_values(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- left_out.cpp ----
//
// What a warp moves, stage by stage: where less goes on than came in, elements are left out.

/// Where elements are left out.
struct LeftOut {
    std::string sentence;  ///< "a warp stores 128 elements of `out`, but reads only 32 of `in`."
    int line = 0;          ///< the first that does less
    std::string next;
};

/// Nothing when the first warp moves as many elements at each stage, or when its code ends before it
/// has moved all.
std::optional<LeftOut> elements_left_out(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce

// The rules that causes.h uses, grouped by file. Each rule handles one kind of symptom, and some
// rules call others.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "examiner/causes.h"

namespace coalesce {

/// A shape whose sides are not multiples of any usual tile size, so that the edges of the matrix do
/// not coincide with the edges of tiles.
constexpr Shape kRaggedShape{84, 140};

// ---- causes.cpp ----

/// Returns the failure for a kernel that does not end, or ends with an error.
std::optional<Failure> find_execution_error(const Trial& trial, const Evidence& evidence);
/// Returns the failure for a refused launch. The code that refuses a launch knows only the name of
/// the file, so this function adds the line.
std::optional<Failure> find_refused_launch(const Trial& trial, const Evidence& evidence);

// ---- report_failure.cpp ----
//
// Converts a report of the simulated GPU to a failure, in terms of the learner's lines and
// matrices.

/// Returns the first report with this check and kind, or nullptr.
const simulated::Report* find_report(const Trial& trial, const char* check, const char* kind = "");

/// Returns the place in terms of the learner's file. The line is 0 if the place is in another file.
Place place_in_learner_file(const Place& place, const Evidence& evidence);

/// Returns the name that the exercise uses for its output or its input.
const char* matrix_name(bool is_out, const Evidence& evidence);

/// The failure that a report with this check and kind is converted to.
struct ReportRule {
    const char* check;
    const char* kind;  ///< "" for any kind
    FailureKind failure;
    const char* headline;
    const char* next;
    bool prefers_own_advice =
        false;  ///< whether the report's own advice takes precedence over `next`
};
/// Returns the failure for the first entry of `list` that matches a report, or nothing if no entry
/// matches.
std::optional<Failure> find_reported_failure(std::initializer_list<ReportRule> list,
                                             const Trial& trial, const Evidence& evidence);
Failure failure_from_report(FailureKind kind, const simulated::Report& report, const Trial& trial,
                            const Evidence& evidence, const std::string& headline,
                            const std::string& next);

// ---- bounds_causes.cpp ----
//
// Explains accesses outside an array. The index or the bounds check may be wrong, or the array may
// be too small.

/// Returns the failure for a report of memcheck, if there is one.
std::optional<Failure> find_memory_error(const Trial& trial, const Evidence& evidence);

/// Returns the most likely cause of an access outside a matrix.
Failure explain_out_of_bounds(const Trial& trial, const Place& place, const std::string& details,
                              const Evidence& evidence);

/// Finds accesses outside an array that the compiler keeps in registers. No check reports them,
/// because the compiler removes or changes such accesses.
std::optional<Failure> find_local_array_overrun(const Trial& trial, const Evidence& evidence);

// ---- guard_causes.cpp ----
//
// Names the mistake in a condition that checks the bounds.

/// Blames a bounds condition that admits threads outside the matrix, or that excludes threads whose
/// elements exist. Returns false and leaves the failure unchanged if there is no such condition.
bool explain_by_conditions(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- line_causes.cpp ----
//
// Names mistakes that a line shows by itself, whatever their symptom is.

/// Blames a line that is wrong for a reason that its text shows. Returns false if there is none.
bool explain_by_lines(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- index_causes.cpp ----
//
// Names the mistake in the index of a vector, of the tile, or of an element that two threads store.

/// Blames the part of an index that is wrong. Returns false if the text shows no such mistake.
bool explain_by_indices(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- pipeline_causes.cpp ----
//
// Names the mistake in the order of asynchronous copies, waits and barriers.

/// Blames the step of a pipeline that is missing or misplaced. Returns false if the text shows no
/// such mistake.
bool explain_by_pipeline(Failure& failure, const Evidence& evidence);

// ---- tile_causes.cpp ----
//
// Names the mistake in the lines that choose the tile of a block.

/// Blames the mistake in the lines that choose a tile, or points at these lines if it finds none in
/// them. Returns false if the kernel has no such lines.
bool explain_by_tile_choice(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Returns the last line that chooses the tile of a block, or 0.
int find_tile_choice_line(const std::string& text);

// ---- block_causes.cpp ----
//
// Finds block sizes that do not fit the kernel's loops, by launching the kernel with other block
// sizes.

/// Changes the failure if the kernel is correct with a different number of threads per block.
/// Usually the block size was taken from another lesson, or was not halved or quartered.
void explain_by_block_size(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- sync_causes.cpp ----
//
// Explains why threads of a block see incomplete data from other threads: copies in flight,
// barriers, races, and a tile that no thread filled.

/// Finds uses of shared memory that an asynchronous copy is still writing to.
std::optional<Failure> find_copy_error(const Trial& trial, const Evidence& evidence);

/// Finds an mbarrier that is initialized a second time. Threads that then wait forever, or too
/// briefly, only follow from this mistake.
std::optional<Failure> find_second_initialization(const Trial& trial, const Evidence& evidence);

/// Finds incorrect barriers and warp operations, and threads that do not wait for each other.
std::optional<Failure> find_barrier_error(const Trial& trial, const Evidence& evidence);

/// Finds a tile whose declaration lacks __shared__. No check reports this mistake, because each
/// thread then has its own tile.
std::optional<Failure> find_unshared_tile(const Trial& trial, const Evidence& evidence);

/// Finds reads of memory that was never written.
std::optional<Failure> find_uninitialised_read(const Trial& trial, const Evidence& evidence);

// ---- result_causes.cpp ----
//
// Explains why the result is wrong.

/// Returns the cause of a race in global memory or of incorrect cells, or nothing if the result is
/// correct.
std::optional<Failure> find_result_error(const Trial& trial, const Evidence& evidence);

/// Returns the failure that the pattern of incorrect cells suggests.
Failure explain_wrong_result(const Trial& trial, const Comparison& comparison,
                             const Evidence& evidence);

// ---- batch_causes.cpp ----
//
// Explains kernels that transpose a stack of matrices but access the wrong matrix.

/// Changes the failure if the first block of the second matrix begins at the wrong element of a
/// stack. Returns false if the stack is not to blame.
bool explain_by_matrix_begin(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Changes the failure and returns true if the text moves a pointer by something else than a whole
/// number of matrices.
bool explain_pointer_advance(Failure& failure, const Evidence& evidence);
/// Explains why some matrices were not written: there are too few blocks, or the blocks do not use
/// blockIdx.z.
void explain_missed_batches(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Explains a race between blocks that work on different matrices.
void explain_batch_race(Failure& failure, const simulated::Report& race, const Trial& trial,
                        const Evidence& evidence);

// ---- grid_causes.cpp ----
//
// Explains cells that no thread wrote. The launch configuration, and the cells that the blocks
// access, show whether the launch is to blame.

/// Finds a grid that does not cover the matrix, but would if its two sizes were swapped.
std::optional<Failure> find_exchanged_grid(const Trial& trial, const Evidence& evidence);
/// Explains unwritten cells by the launch, and names the line to look at. Returns false if the
/// launch does not explain them; the failure then keeps the guess that is based on the result.
bool explain_by_launch(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- value_causes.cpp ----
//
// Explains a result in which some values are missing, based on the accesses of a warp and the text
// of the kernel.

/// Adds to a wrong-result failure the details that the comparison alone cannot reveal.
void explain_values(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- left_out.cpp ----
//
// Compares how many elements a warp moves at each stage. If a stage moves fewer elements than
// another, some are left out.

/// A stage at which a warp leaves out elements.
struct LeftOutStage {
    /// A sentence such as "a warp reads 128 elements of `in`, but stores only 32 of `out`.".
    std::string sentence;
    int line = 0;  ///< the first line that moves too few elements
    std::string next;
};

/// Returns the stage at which the first warp leaves out elements. Returns nothing if every stage
/// moves the same number of elements, or if the recording of the warp's accesses is incomplete.
std::optional<LeftOutStage> find_left_out_stage(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce

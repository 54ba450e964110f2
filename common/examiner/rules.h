// Declares the rules that find_cause (causes.h) applies, grouped by implementation file. Each rule
// handles one kind of symptom, and some rules call others.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "examiner/causes.h"

namespace coalesce {

/// A shape whose sides are not multiples of any usual tile size. The tiles at the edges are
/// therefore incomplete.
constexpr Shape kRaggedShape{84, 140};

// ---- causes.cpp ----

/// Returns the failure of a kernel that does not terminate or that terminates with an error.
std::optional<Failure> find_execution_error(const Trial& trial, const Evidence& evidence);
/// Returns the failure of a refused launch. If the failure has no line, looks for the line in
/// `configure`.
std::optional<Failure> find_refused_launch(const Trial& trial, const Evidence& evidence);

// ---- report_failure.cpp ----
//
// Converts a report of the simulated GPU to a failure that refers to the learner's lines and
// matrices.

/// Returns the first report of this check and kind, or nullptr if there is none. An empty `kind`
/// matches any kind.
const simulated::Report* find_report(const Trial& trial, const char* check, const char* kind = "");

/// Returns `place` or, if `place` is in a function with inline assembly, the place where that
/// function is called. The line is 0 if `place` is not in the learner's file.
Place place_in_learner_file(const Place& place, const Evidence& evidence);

/// Returns the name that the exercise gives to the output matrix, or to the input matrix if
/// `is_out` is false.
const char* matrix_name(bool is_out, const Evidence& evidence);

/// A rule that maps reports with a given check and kind to a failure.
struct ReportRule {
    const char* check;
    const char* kind;  ///< "" for any kind
    FailureKind failure;
    const char* headline;
    const char* advice;
    bool prefers_own_advice =
        false;  ///< whether the report's own advice takes precedence over `advice`
};
/// Returns the failure for the first entry of `rules` that matches a report, or nothing if no entry
/// matches.
std::optional<Failure> find_reported_failure(std::initializer_list<ReportRule> rules,
                                             const Trial& trial, const Evidence& evidence);
Failure failure_from_report(FailureKind kind, const simulated::Report& report, const Trial& trial,
                            const Evidence& evidence, const std::string& headline,
                            const std::string& advice);

// ---- bounds_causes.cpp ----
//
// Explains accesses outside an array. The index or the bounds check may be wrong, or the array may
// be too small.

/// Returns the failure for an error that memcheck reported, or nothing if there is none.
std::optional<Failure> find_memory_error(const Trial& trial, const Evidence& evidence);

/// Returns the most likely cause of an access outside a matrix.
Failure explain_out_of_bounds(const Trial& trial, const Place& place, const std::string& details,
                              const Evidence& evidence);

/// Returns a failure if the kernel accesses elements outside an array that the compiler keeps in
/// registers. No check reports such an access, because the compiler removes or changes it.
std::optional<Failure> find_local_array_overrun(const Trial& trial, const Evidence& evidence);

// ---- guard_causes.cpp ----
//
// Finds mistakes in bounds checks.

/// Attributes the failure to a bounds check that admits a thread outside the matrix or excludes a
/// thread inside it. Returns false if there is no such check.
bool explain_by_conditions(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- line_causes.cpp ----
//
// Finds mistakes that are visible in a single line, independent of the symptom.

/// Attributes the failure to a line that contains an obvious mistake. Returns false if there is no
/// such line.
bool explain_by_lines(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- index_causes.cpp ----
//
// Finds wrong indices of vectors and of tile elements. Also finds indices with which two threads
// store to the same matrix element.

/// Attributes the failure to the incorrect part of an index. Returns false if no index in the text
/// is recognizably wrong.
bool explain_by_indices(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- pipeline_causes.cpp ----
//
// Finds mistakes in the order of asynchronous copies, waits and barriers.

/// Explains how many arrivals or bytes are missing at an mbarrier on which threads wait forever.
/// Returns false if the report does not give these numbers.
bool explain_endless_wait(Failure& failure, const Evidence& evidence);
/// Reports whether a kernel starts the copy of the next tile only after it has read the tile for
/// which it has waited. In such a kernel, no copy of a thread is in flight while the thread reads.
bool copies_after_read(const std::string& text);
/// Attributes the failure to a missing or misplaced step of a pipeline. Returns false if the text
/// shows no such mistake.
bool explain_by_pipeline(Failure& failure, const Evidence& evidence);

// ---- layout_causes.cpp ----
//
// Finds grids and tiles that do not fit each other.

/// Attributes the failure to wrong sizes of the grid or of the tile, or to a wrong order or wrong
/// indices of a tile's loads and stores. Returns false if the text shows no such mistake.
bool explain_by_layout(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- tile_causes.cpp ----
//
// Finds mistakes in the lines that assign a tile to a block.

/// Attributes the failure to a mistake in the lines that assign a tile to a block. If no mistake is
/// recognized, blames one of those lines. Returns false if the kernel has no such lines.
bool explain_by_tile_choice(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Says which of the lines that assign a tile to a block makes the order of the blocks wrong, if the
/// text tells.
void explain_wrong_order(Failure& failure, const std::string& text);
/// Returns the last line that assigns a tile to a block, or 0 if there is none.
int find_tile_choice_line(const std::string& text);

// ---- block_causes.cpp ----
//
// Finds incorrect block sizes by launching the kernel with other block sizes.

/// Launches the kernel with other numbers of threads per block. If one of them makes the kernel
/// correct, attributes the failure to the block size, or to loops that depend on the block size.
/// Otherwise returns false.
bool explain_by_block_size(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- reach_causes.cpp ----
//
// Compares the extent of the elements that a block accesses with the distance between blocks.

/// Attributes the failure to loop iterations that repeat or leave out rows or columns, or to a
/// distance between blocks that differs from the size of a block's tile. Returns false if the
/// access has neither of these mistakes, or if its index has an unusual form.
bool explain_by_reach(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- sync_causes.cpp ----
//
// Explains why threads of a block see incomplete data. For example, a barrier is missing, or the
// data is still being copied.

/// Returns a failure if the kernel uses shared memory that an asynchronous copy is still writing
/// to.
std::optional<Failure> find_copy_error(const Trial& trial, const Evidence& evidence);

/// Returns a failure if an mbarrier is initialized twice. The second initialization explains why
/// threads wait forever or do not wait long enough.
std::optional<Failure> find_second_initialization(const Trial& trial, const Evidence& evidence);

/// Returns a failure for an incorrect or missing barrier, or for an incorrect warp operation.
std::optional<Failure> find_barrier_error(const Trial& trial, const Evidence& evidence);

/// Returns a failure if the tile was declared without __shared__. No check reports this mistake,
/// because each thread correctly accesses its own private tile.
std::optional<Failure> find_unshared_tile(const Trial& trial, const Evidence& evidence);

/// Returns a failure if the kernel reads memory that was never written.
std::optional<Failure> find_uninitialised_read(const Trial& trial, const Evidence& evidence);

// ---- result_causes.cpp ----
//
// Explains why the result is wrong.

/// Returns the cause of incorrect cells or of a race in global memory. Returns nothing if the
/// result is correct.
std::optional<Failure> find_result_error(const Trial& trial, const Evidence& evidence);

/// Returns the failure that the pattern of incorrect cells suggests.
Failure explain_wrong_result(const Trial& trial, const Comparison& comparison,
                             const Evidence& evidence);

// ---- batch_causes.cpp ----
//
// Explains why a kernel that transposes a stack of matrices accesses the wrong matrix.

/// Attributes the failure to a wrong assignment of blocks to matrices. For example, the grid has
/// more blocks along z than there are matrices. Returns false if there is no such mistake.
bool explain_by_matrix_begin(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Attributes the failure to a pointer that the kernel advances by an amount that is not a multiple
/// of the matrix size. Returns false if there is no such pointer.
bool explain_pointer_advance(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Explains why some matrices were not written: there are too few blocks, or the blocks do not use
/// blockIdx.z.
void explain_missed_batches(Failure& failure, const Trial& trial, const Evidence& evidence);
/// Explains a race between blocks that work on different matrices.
void explain_batch_race(Failure& failure, const simulated::Report& race, const Trial& trial,
                        const Evidence& evidence);

// ---- grid_causes.cpp ----
//
// Explains cells that no thread wrote. The cells that the blocks access show whether the launch
// configuration is the cause.

/// Returns a failure if the grid does not cover the matrix, but would if its two sizes were
/// swapped.
std::optional<Failure> find_exchanged_grid(const Trial& trial, const Evidence& evidence);
/// Attributes the failure to the line of the launch configuration that causes the unwritten cells.
/// Returns false if there is no such line.
bool explain_by_launch(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- value_causes.cpp ----
//
// Explains why values are missing from the result. The rules look at the accesses of one warp and
// at the text of the kernel.

/// Adds to a wrong-result failure the details that a comparison of the cells does not reveal.
void explain_values(Failure& failure, const Trial& trial, const Evidence& evidence);

// ---- left_out.cpp ----
//
// Compares the numbers of elements that a warp moves at each stage, for example from the input to
// the tile. A stage that moves fewer elements than another leaves some out.

/// A stage of the kernel at which a warp moves fewer elements than at another stage.
struct LeftOutStage {
    /// A sentence such as "a warp reads 128 elements of `in`, but stores only 32 of `out`.".
    std::string sentence;
    int line = 0;  ///< the first line that moves too few elements
    std::string advice;
};

/// Returns the stage at which the first warp leaves out elements. Returns nothing if there is no
/// such stage, or if the recording of the warp's accesses is incomplete.
std::optional<LeftOutStage> find_left_out_stage(const Trial& trial, const Evidence& evidence);

}  // namespace coalesce

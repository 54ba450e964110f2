/// \file
/// The failures that can be reported for a learner's kernel. The identifier of a failure never
/// changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cell_map.h"
#include "harness/faults.h"
#include "harness/options.h"

namespace coalesce {

/// The kinds of failures. Course files, tests and grades refer to them by `Failure::id`.
enum class FailureKind {
    none,  ///< no failure

    // Problems with the file.
    file_missing,     ///< there is no such file
    file_unreadable,  ///< the file exists but cannot be read, or is not a regular file
    file_empty,       ///< the file contains only blanks
    file_binary,      ///< the file contains bytes that never occur in text
    file_too_large,   ///< the file is larger than `kLargestSource`
    include_refused,  ///< the file includes a file other than a toolkit header

    // Failures of the compilation.
    does_not_compile,   ///< the compiler reports errors
    kernel_missing,     ///< there is no __global__ function with the required name
    wrong_signature,    ///< the kernel does not have the required parameters
    configure_missing,  ///< `configure` is missing or has the wrong signature
    compile_time_out,   ///< the compiler did not finish in time
    not_translated,     ///< the translator from LLVM IR to PTX does not support the kernel

    // Failures of the launch.
    does_not_load,           ///< the device rejected the compiled kernel
    bad_launch,              ///< configure returns no blocks, no threads, or too many blocks
    block_too_large,         ///< configure returns more threads per block than the device allows
    too_much_shared_memory,  ///< the block needs more shared memory than the device allows
    not_simulated,           ///< the kernel uses something that the simulated GPU lacks

    // Failures while the kernel runs.
    endless_loop,       ///< the kernel exceeds a generous limit on instructions
    deadlock,           ///< threads wait for something that will never happen
    divergent_barrier,  ///< some threads of a block do not reach __syncthreads()
    bad_warp_mask,      ///< the mask of a warp operation contains lanes that do not execute it
    assertion_failed,   ///< an assert failed, or the kernel executed a trap instruction
    no_bounds_check,    ///< memory is accessed out of bounds, but only on shapes with partial tiles
    out_of_bounds,      ///< memory is accessed out of bounds, even on shapes without partial tiles
    outside_shared_memory,  ///< a thread accesses memory outside a shared array
    outside_local_array,    ///< a thread accesses memory outside its local array
    stack_overflow,         ///< nested calls need more stack than a thread has
    misaligned,             ///< the address of a vector is not a multiple of the vector's size
    missing_barrier,        ///< threads read shared memory while other threads write to it
    shared_race,            ///< threads write different values to the same address in shared memory
    elements_left_out,      ///< a warp stores fewer or more elements than it loads
    uninitialised_shared,   ///< the kernel reads shared memory that was never written
    uninitialised_read,     ///< the kernel reads device memory that was never written
    race_between_blocks,    ///< blocks access the same address without synchronization
    kernel_failed,          ///< the device stopped the kernel for some other reason
    tile_not_shared,        ///< the tile is not declared __shared__, so each thread has its own
    copy_not_waited_for,    ///< shared memory is used while an asynchronous copy writes to it
    copy_not_committed,     ///< like copy_not_waited_for, but no copy is ever committed
    copy_too_short,         ///< asynchronous copies leave gaps in the data that is read
    too_much_work,          ///< threads repeat each other's work far too often
    grid_exchanged,         ///< the grid would cover the matrix if its x and y sizes were swapped

    // Failures of a whole program.
    program_failed,      ///< the program crashes, or a CUDA runtime call fails
    not_launched,        ///< no kernel was launched
    launch_exchanged,    ///< the block count and the thread count of a launch are swapped
    not_copied,          ///< the input is not copied to the GPU, or the result is not copied back
    wrong_element,       ///< an element of the result is wrong
    launch_not_checked,  ///< the program does not notice that a launch failed
    comparison_wrong,    ///< the program accepts an incorrect result or rejects a correct one
    memory_leaked,       ///< some GPU memory is never freed

    // Wrong results in matrix exercises.
    wrong_result,  ///< `Failure::fault` describes the mistake and supplies the identifier

    // Wrong results of a task that is defined element by element.
    inputs_left_out,   ///< the kernel used only some of the inputs
    inputs_repeated,   ///< the kernel used some inputs more than once
    beyond_tolerance,  ///< the values are nearly right, but their errors exceed the tolerance
    wrong_elements,    ///< the values are wrong in some other way

    // Costs above the exercise's limits.
    uncoalesced_loads,   ///< the kernel reads more sectors than the lesson allows
    uncoalesced_stores,  ///< the kernel writes more sectors than the lesson allows
    bank_conflicts,      ///< accesses to shared memory take more wavefronts than the lesson allows
    too_many_requests,   ///< the kernel makes more and smaller accesses than necessary
    too_many_threads,    ///< each thread moves fewer elements than the lesson requires
    tile_too_small,      ///< each block moves fewer elements than the lesson requires
    wrong_block_order,   ///< blocks process tiles in an order that the lesson does not allow
    work_repeated,       ///< elements are moved several times
    lanes_idle,          ///< most lanes of a warp do nothing
    too_many_atomics,    ///< the kernel uses more atomics than the exercise allows
    needless_atomics,    ///< the kernel uses atomics on addresses that only one thread accesses
    multiprocessors_idle,   ///< there are too few blocks or threads to use the whole GPU
    loads_not_overlapped,   ///< each load waits for the previous one
    copies_not_async,       ///< the kernel uses plain loads instead of asynchronous copies
    copies_not_overlapped,  ///< no copy is in flight while shared memory is read
    /// the predicted time on a GPU is too long, even if all counters are within their limits
    too_slow_predicted,

    // Failures of a submission.
    no_file,            ///< the submission has no file with the exercise's name
    two_files,          ///< the submission has several files for one exercise
    two_submissions,    ///< one student has several submissions
    not_a_file,         ///< the submission is a link, a device or another special file
    archive_too_large,  ///< the archive has more files or more deeply nested folders than allowed
    archive_encrypted,  ///< a password protects the archive
    archive_broken,     ///< the archive is damaged
    archive_hostile,    ///< the archive contains a path that leads outside the archive

    // Failures in the grader's sandbox.
    ptx_refused,             ///< the PTX contains something that the assignment forbids
    ptx_too_large,           ///< the PTX is larger than allowed
    ptx_forged,              ///< the PTX imitates lines that the grader adds
    compiler_out_of_memory,  ///< the compiler needs more memory than allowed
    compiler_crashed,        ///< the compiler crashes on the submission
    launch_out_of_memory,    ///< a launch takes more memory than allowed
    launch_out_of_time,      ///< a launch takes more time than allowed
    grader_fault,            ///< the grader crashes repeatedly, but only on this submission

    // Problems with this computer. Verdict::outcome is then `not_examined`.
    no_compiler,          ///< no compiler is installed
    environment_problem,  ///< no device, no solution, not enough memory, or a similar problem
};
/// Returns the last kind, so that a loop can visit all kinds.
constexpr FailureKind last_of(FailureKind) {
    return FailureKind::environment_problem;
}

/// A place in a file.
struct Place {
    std::string file;  ///< the file's name in messages; "" if unknown
    int line = 0;      ///< line, counted from 1; 0 if unknown
    int column = 0;    ///< column, counted from 1; 0 if unknown

    /// Returns, for example, "kernel.cu:12", or "" if the place is unknown.
    std::string text() const;
    bool operator==(const Place&) const = default;
};

/// A failure as it is reported to the learner.
struct Failure {
    FailureKind kind = FailureKind::none;  ///< the kind; none if there is no failure
    Fault fault = Fault::none;             ///< the fault, if `kind` is `wrong_result`
    std::string headline = "";             ///< a sentence that states what is wrong
    Place place = {};                      ///< the source line to look at first
    Shape shape{0, 0};                     ///< the failing input's shape; 0 x 0 if there is none
    std::string details = "";  ///< more details, in lines of at most 80 columns; may be ""
    std::string advice = "";   ///< a sentence that suggests what to do next
    /// a map of correct and incorrect cells; empty if there is none
    std::optional<CellMap> map = {};
    /// Whether the examiner's rules found only a symptom, so that the cause remains open. Not in
    /// the JSON.
    bool is_cause_open = false;

    /// Returns the failure's identifier, such as "no-bounds-check" or "indices-not-swapped".
    std::string id() const;
};

/// Returns every identifier that a Failure can have, in the order of FailureKind. The identifiers
/// of all Faults take the place of "wrong-result".
std::vector<std::string> all_failure_ids();

}  // namespace coalesce

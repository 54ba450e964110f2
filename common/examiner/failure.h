/// \file
/// Everything that can be wrong with a learner's kernel, each with a name that never changes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cell_map.h"
#include "harness/faults.h"
#include "harness/options.h"

namespace coalesce {

/// What is wrong. Course files, tests and grades refer to these by `Failure::id`.
enum class FailureKind {
    none,  ///< nothing

    // The file.
    file_missing,     ///< there is no such file
    file_unreadable,  ///< it is there but cannot be read, or is not an ordinary file
    file_empty,       ///< nothing in it but blanks
    file_binary,      ///< it holds bytes that no text has
    file_too_large,   ///< more than `kLargestSource`
    include_refused,  ///< it includes something else than the toolkit's headers

    // Compiling.
    does_not_compile,   ///< the compiler has errors to tell
    kernel_missing,     ///< there is no __global__ function of the wanted name
    wrong_signature,    ///< it takes other arguments
    configure_missing,  ///< there is no `configure`, or one that cannot be used
    compile_time_out,   ///< the compiler was still busy after a long time
    not_translated,     ///< the translator from LLVM IR to PTX lacks something that it needs

    // Launching.
    does_not_load,    ///< the device refuses the compiled kernel
    bad_launch,       ///< configure gives no blocks, no threads, or more blocks than there can be
    block_too_large,  ///< configure gives more threads per block than the device takes
    too_much_shared_memory,  ///< more than a block can have
    not_simulated,           ///< the kernel uses something that the simulated GPU lacks

    // Running.
    endless_loop,           ///< it was still running after far more work than the task takes
    deadlock,               ///< threads wait for something that never comes
    divergent_barrier,      ///< not every thread of a block reaches __syncthreads()
    bad_warp_mask,          ///< a warp operation names lanes that do not take part
    assertion_failed,       ///< an assert in the kernel, or a trap
    no_bounds_check,        ///< right on whole tiles, outside of the matrix on others
    out_of_bounds,          ///< outside of the matrix even on whole tiles
    outside_shared_memory,  ///< outside of a shared array
    outside_local_array,    ///< outside of an array of a thread's own
    stack_overflow,         ///< calls nested deeper than a thread's stack has room for
    misaligned,             ///< a vector access at an address that is not a multiple of its size
    missing_barrier,        ///< threads read shared memory while others write it
    shared_race,            ///< threads write different values to one place in shared memory
    elements_left_out,      ///< a warp reads more elements than it stores, or fewer
    uninitialised_shared,   ///< it reads shared memory that nothing wrote
    uninitialised_read,     ///< it reads device memory that nothing wrote
    race_between_blocks,    ///< threads access one place in device memory without any order
    kernel_failed,          ///< the device gave up, for none of the reasons above
    tile_not_shared,        ///< the tile is an array of each thread's own
    copy_not_waited_for,    ///< shared memory is used while an asynchronous copy writes it
    copy_not_committed,     ///< likewise, and no copy is ever committed
    copy_too_short,         ///< asynchronous copies leave gaps in what is read at once
    too_much_work,          ///< threads do again what others have done: far too much, but it ends
    grid_exchanged,         ///< the grid would cover the matrix if its two sizes changed places

    // A whole program.
    program_failed,    ///< it breaks down, or a call of CUDA's runtime fails
    not_launched,      ///< no kernel was launched
    launch_exchanged,  ///< the launch has the threads where the blocks belong, and the blocks there
    not_copied,        ///< the input never came to the GPU, or the result never came back
    wrong_element,     ///< what came back is not what was asked for
    launch_not_checked,  ///< a launch that fails goes unnoticed
    comparison_wrong,    ///< it says that a wrong result is right, or the other way round
    memory_leaked,       ///< memory of the GPU is never freed

    // The result.
    wrong_result,  ///< `Failure::fault` says in which way, and gives its name

    // The cost.
    uncoalesced_loads,      ///< more sectors read than the lesson asks
    uncoalesced_stores,     ///< more sectors written than the lesson asks
    bank_conflicts,         ///< more wavefronts of shared memory than the lesson asks
    too_many_requests,      ///< the same bytes with more, smaller accesses
    too_many_threads,       ///< fewer elements per thread than the lesson asks
    tile_too_small,         ///< fewer elements per block than the lesson asks
    wrong_block_order,      ///< blocks take other tiles than the lesson asks
    work_repeated,          ///< elements are moved several times
    lanes_idle,             ///< most lanes of a warp do nothing
    needless_atomics,       ///< atomics where nobody else writes
    multiprocessors_idle,   ///< one block does everything
    loads_not_overlapped,   ///< a load waits for the one before
    copies_not_async,       ///< plain loads where copies should be under way
    copies_not_overlapped,  ///< copies of which none is under way while shared memory is read
    too_slow_predicted,     ///< by the model of time, on a GPU: counters may see nothing of it

    // What was handed in.
    no_file,            ///< nothing was handed in under the exercise's name
    two_files,          ///< several files for one exercise
    two_submissions,    ///< several of one student
    not_a_file,         ///< a link, a device ...
    archive_too_large,  ///< more, or deeper, than anybody would hand in
    archive_encrypted,  ///< it is locked with a password
    archive_broken,     ///< it cannot be read to its end
    archive_hostile,    ///< a name in it leads elsewhere

    // In a jail: what a grader does not let a kernel do.
    ptx_refused,             ///< its PTX has something that the assignment forbids
    ptx_too_large,           ///< its PTX is larger than allowed
    ptx_forged,              ///< its PTX tries to be what it is not
    compiler_out_of_memory,  ///< the compiler needs more memory than allowed for it
    compiler_crashed,        ///< the compiler breaks down over it
    launch_out_of_memory,    ///< a launch takes more memory than allowed
    launch_out_of_time,      ///< a launch takes more time than allowed
    grader_fault,  ///< the grader breaks down over it again and again, and over nothing else

    // Not the learner's fault: Verdict::outcome is `not_examined` then.
    no_compiler,          ///< there is nothing to compile with
    environment_problem,  ///< no device, no memory, no solution to compare with ...
};
/// The last one, for those who want all of them.
constexpr FailureKind last_of(FailureKind) {
    return FailureKind::environment_problem;
}

/// A place in a file.
struct Place {
    std::string file;  ///< as the learner knows it; "": no place is known
    int line = 0;      ///< from 1; 0: not known
    int column = 0;    ///< from 1; 0: not known

    /// "kernel.cu:12", or "" when no place is known.
    std::string text() const;
    /// The same place.
    bool operator==(const Place&) const = default;
};

/// One thing that is wrong, as it is told to the learner.
struct Failure {
    FailureKind kind = FailureKind::none;  ///< what
    Fault fault = Fault::none;             ///< which, when kind is wrong_result
    std::string headline = "";             ///< a sentence: what is wrong
    Place place = {};                      ///< the source line to look at first
    Shape shape{0, 0};                     ///< the input it was seen with; 0 x 0: with none
    std::string details = "";              ///< more, in lines of at most 80 columns; may be ""
    std::string next = "";                 ///< a sentence: what to do next
    std::optional<CellMap> map = {};       ///< the picture of right and wrong cells

    /// Its identifier: "no-bounds-check", "indices-not-swapped".
    std::string id() const;
};

/// Every identifier that a Failure may have, in the order above; faults stand for wrong-result.
std::vector<std::string> all_failure_ids();

}  // namespace coalesce

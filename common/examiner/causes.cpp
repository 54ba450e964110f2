#include "examiner/causes.h"

#include <cuda_runtime_api.h>

#include "base/first_found.h"
#include "base/text.h"
#include "examiner/elements/element_rules.h"
#include "examiner/expressions.h"
#include "examiner/line_rules.h"
#include "examiner/matches.h"
#include "examiner/rules.h"
#include "examiner/source_lines.h"
#include "harness/text.h"

namespace coalesce {
namespace {

using simulated::Report;

// ---- kernels that never finish, or finish with an error ----

/// Returns a failure if the kernel exceeds the instruction budget because many threads do the same
/// work. Such a kernel still finishes on a small matrix.
std::optional<Failure> find_too_much_work(const Trial& trial, const Report& report,
                                          const Evidence& evidence) {
    if (evidence.elements) return std::nullopt;
    constexpr int side = 8;
    const Shape small_shape = evidence.exercise.round_up_shape(side, side);
    const Trial unchecked_trial = evidence.launch_without_checks(small_shape);
    if (!unchecked_trial.has_ended()) return std::nullopt;
    // Each store request writes at least one element, so this quotient is a lower bound on how
    // often each element is written.
    const std::uint64_t stores_per_element =
        unchecked_trial.counters.store_requests / unchecked_trial.elements();
    if (stores_per_element < 4) return std::nullopt;
    Failure failure = failure_from_report(
        FailureKind::too_much_work, report, trial, evidence,
        "threads repeat the work of others, so the kernel does far more than the task needs.",
        "Which elements belong to this thread, according to blockIdx and threadIdx? Make the "
        "thread process only these elements.");
    failure.details = wrap("With rows = " + std::to_string(small_shape.rows) + " and cols = " +
                           std::to_string(small_shape.cols) + ", each element is stored at least " +
                           std::to_string(stores_per_element) + " times on average.");
    failure.place.line = unchecked_trial.store_line;
    return failure;
}

/// Explains a barrier under a condition that only some threads of a block fulfil.
void explain_barrier_in_branch(Failure& failure, const std::string& text) {
    const int line = failure.place.line;
    if (code_on_line(text, line).find("__syncthreads") == std::string::npos) return;
    for (const Condition& condition : find_conditions(text, line)) {
        if (condition.is_exit || condition.text.find("threadIdx") == std::string::npos) continue;
        failure.kind = FailureKind::divergent_barrier;
        failure.headline = "only the threads that fulfil the condition on line " +
                           std::to_string(condition.line) +
                           " reach this __syncthreads(), and wait there for all others.";
        failure.advice =
            "Move the barrier out of the branch, to a place that every thread of the block "
            "reaches.";
        return;
    }
}

}  // namespace

std::optional<Failure> find_execution_error(const Trial& trial, const Evidence& evidence) {
    auto failure = find_reported_failure(
        {{"synccheck", "deadlock", FailureKind::deadlock,
          "threads wait here for something that never happens.",
          "Which thread should end this wait? Follow that thread through the kernel.", true},
         {"execution", "instruction budget", FailureKind::endless_loop, "the kernel does not end.",
          "Look at the loop around this line: does its counter reach the bound?"},
         {"synccheck", "endless loop", FailureKind::endless_loop, "the kernel does not end.",
          "Each iteration of the loop must change a value that its condition tests. A variable "
          "that another thread sets must be volatile."},
         {"execution", "assertion failed", FailureKind::assertion_failed,
          "an assertion in the kernel failed.", "Find out why the asserted condition is false."},
         {"execution", "trap", FailureKind::assertion_failed, "the kernel stopped itself.",
          "Remove __trap(), or find out why it is reached."},
         {"execution", "unsupported", FailureKind::not_simulated,
          "the kernel uses a feature that the simulated GPU does not have.",
          "Write the kernel without this feature; no exercise needs it."},
         {"execution", "", FailureKind::kernel_failed, "the kernel was stopped.", "", true}},
        trial, evidence);
    if (failure && failure->kind == FailureKind::deadlock)
        explain_barrier_in_branch(*failure, evidence.source.text);
    if (!failure || failure->kind != FailureKind::endless_loop) return failure;
    const LineMistake mistake = find_condition_that_always_holds(evidence.source.text);
    if (mistake.line > 0) {
        blame(*failure, mistake);
        return failure;
    }
    const Report* report = find_report(trial, "execution", "instruction budget");
    if (!report) return failure;
    if (auto cause = find_too_much_work(trial, *report, evidence)) return cause;
    failure->details = wrap(report->thread.text() +
                            " was still at this line after the kernel had executed many times "
                            "the number of instructions that the task needs.");
    return failure;
}

namespace {

// ---- errors of a real GPU ----

/// Returns the failure for an error that a real GPU has reported and that no other rule explains.
Failure explain_device_error(const Trial& trial, const Evidence& evidence) {
    const auto error = static_cast<cudaError_t>(trial.error);
    const std::string error_text =
        std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error) + ".";
    Failure failure{.kind = FailureKind::kernel_failed,
                    .headline = "the device stopped the kernel: " + error_text,
                    .place = {evidence.source.name, 0, 0},
                    .shape = trial.shape,
                    .advice = "Check the kernel on the simulated GPU, which reports more details."};
    const auto set_failure =
        [&](FailureKind kind, const char* headline,
            const char* advice = "Check the kernel on the simulated GPU, which names the line.") {
            failure.kind = kind;
            failure.headline = headline;
            failure.advice = advice;
        };
    switch (error) {
        case cudaErrorIllegalAddress:
            if (evidence.elements) {
                set_failure(FailureKind::out_of_bounds,
                            "the kernel accesses memory outside of its arrays.");
                break;
            }
            return explain_out_of_bounds(trial, failure.place, wrap(error_text), evidence);
        case cudaErrorMisalignedAddress:
            set_failure(
                FailureKind::misaligned,
                "a vector access uses an address that is not a multiple of the vector's size.");
            failure.details = wrap(error_text);
            break;
        case cudaErrorLaunchTimeout:
            set_failure(FailureKind::endless_loop, "the kernel does not end.");
            break;
        case cudaErrorAssert:
            set_failure(FailureKind::assertion_failed, "an assertion in the kernel failed.",
                        "Find out why the asserted condition is false.");
            break;
        default: break;
    }
    return failure;
}

}  // namespace

namespace {

/// Names the largest shared array of a kernel that declares too much shared memory.
void explain_largest_array(Failure& failure, const std::string& text) {
    const SharedArray* largest = nullptr;
    const std::vector<SharedArray> arrays = list_shared_arrays(text);
    const auto bytes_of = [&](const SharedArray& array) {
        long long bytes = 4LL * vector_width(code_on_line(text, array.line));
        for (const long long length : array.lengths) bytes *= length;
        return array.lengths.empty() ? 0 : bytes;
    };
    for (const SharedArray& array : arrays) {
        if (!largest || bytes_of(array) > bytes_of(*largest)) largest = &array;
    }
    if (!largest || bytes_of(*largest) == 0) return;
    const int width = vector_width(code_on_line(text, largest->line));
    std::string lengths;
    for (const long long length : largest->lengths)
        lengths += (lengths.empty() ? "" : " x ") + std::to_string(length);
    const std::string type = width == 1 ? "" : "float" + std::to_string(width);
    failure.place.line = largest->line;
    failure.details = wrap(add_backticks(largest->name) + " has " + lengths + " elements of " +
                           std::to_string(4 * width) +
                           " bytes: " + std::to_string(bytes_of(*largest)) + " bytes.");
    failure.advice =
        width == 1 ? "Declare fewer elements: does the array need each of its lengths?"
                   : "Declare fewer elements: a " + type + " holds " + std::to_string(width) +
                         " floats, so a tile needs only a " + (width == 2 ? "half" : "quarter") +
                         " as many elements as it has floats; and no more stages than the kernel "
                         "uses.";
}

/// Explains a block that is too large because the constant for its sides, such as 33, includes the
/// padding of the tile. Returns false for all other blocks.
bool explain_padded_constant(Failure& failure, const std::string& text) {
    static const TextPattern row(R"(\[\s*([A-Z]\w*)\s*\]\s*;)");
    if (failure.kind != FailureKind::block_too_large) return false;
    const int block = find_configure_line(text, ".block");
    for (const SharedArray& array : list_shared_arrays(text)) {
        TextMatch match;
        const std::string code = code_on_line(text, array.line);
        if (!search(code, match, row)) continue;
        const std::string name = match.str(1);
        const auto value = constant_value(text, name);
        const int line = find_constant_line(text, name);
        if (value != 33 || line == 0 || !contains_word(code_on_line(text, block), name)) continue;
        failure.place.line = line;
        failure.headline += " " + add_backticks(name) + " is also the side of a block, not only " +
                            "the length of a row of " + add_backticks(array.name) + ".";
        failure.advice = "Keep " + name +
                         " = 32, and lengthen only the rows of the array: " + array.name + "[" +
                         name + "][" + name + " + 1].";
        return true;
    }
    return false;
}

}  // namespace

std::optional<Failure> find_refused_launch(const Trial& trial, const Evidence& evidence) {
    if (trial.launch_failure.kind == FailureKind::none) return std::nullopt;
    Failure refused_launch = trial.launch_failure;
    if (refused_launch.place.line > 0) return refused_launch;
    if (explain_padded_constant(refused_launch, evidence.source.text)) return refused_launch;
    const bool is_block_failure =
        refused_launch.kind == FailureKind::block_too_large ||
        refused_launch.headline.find("gives blocks of") != std::string::npos;
    if (is_block_failure || refused_launch.kind == FailureKind::bad_launch) {
        refused_launch.place.line =
            find_configure_line(evidence.source.text, is_block_failure ? ".block" : ".grid");
    }
    if (refused_launch.kind == FailureKind::too_much_shared_memory)
        explain_largest_array(refused_launch, evidence.source.text);
    const bool is_stack = evidence.exercise.task().kind == Produces::permuted;
    if (is_stack && refused_launch.headline.find(" x 0 blocks") != std::string::npos) {
        refused_launch.advice =
            "In configure, set the third number of .grid to the number of matrices, " +
            std::string("which is rows / MATRIX_ROWS.");
    }
    return refused_launch;
}

bool has_whole_tiles(Shape shape) {
    constexpr int largest_side = 64;
    return shape.rows % largest_side == 0 && shape.cols % largest_side == 0;
}

namespace {

/// Attributes missing tiles, and accesses outside the matrix, to a number of tiles that is rounded
/// down. Returns false if there is none.
bool explain_by_rounding(Failure& failure, const Trial& trial, const Evidence& evidence) {
    const bool is_outside =
        failure.kind == FailureKind::out_of_bounds || failure.kind == FailureKind::no_bounds_check;
    const bool is_unwritten =
        failure.fault == Fault::ragged_edge_missed || failure.fault == Fault::never_written;
    const bool is_race = failure.kind == FailureKind::race_between_blocks;
    if (!is_outside && !is_unwritten && !is_race) return false;
    const LineMistake mistake = find_rounded_quotient(evidence.source.text, trial.shape);
    if (mistake.line == 0) return false;
    if (is_unwritten) {
        const std::string observation = first_sentence(failure.headline);
        failure.details =
            wrap(observation.empty() ? failure.headline : observation) + failure.details;
    }
    blame(failure, mistake);
    return true;
}

std::optional<Failure> find_matrix_cause(const Trial& trial, const Evidence& evidence) {
    auto failure =
        first_found({find_local_array_overrun, find_memory_error, find_second_initialization,
                     find_execution_error, find_refused_launch, find_copy_error, find_barrier_error,
                     find_unshared_tile, find_uninitialised_read, find_result_error},
                    trial, evidence);
    if (!failure) return failure;
    const bool is_block_cause = explain_by_block_size(*failure, trial, evidence);
    // Each of these rules searches the source for a mistake that explains the symptom. The first
    // rule that finds a mistake names it in the failure.
    const bool is_batch_failure = failure->headline.find("second matrix") != std::string::npos ||
                                  failure->headline.find("along z") != std::string::npos;
    const bool is_explained =
        is_block_cause || explain_by_rounding(*failure, trial, evidence) || is_batch_failure ||
        explain_pointer_advance(*failure, trial, evidence) ||
        explain_by_reach(*failure, trial, evidence) || explain_by_pipeline(*failure, evidence) ||
        explain_by_lines(*failure, trial, evidence) ||
        explain_by_layout(*failure, trial, evidence) ||
        explain_by_tile_choice(*failure, trial, evidence) ||
        explain_by_indices(*failure, trial, evidence) ||
        explain_by_conditions(*failure, trial, evidence);
    if (is_explained) failure->is_cause_open = false;
    return failure;
}

}  // namespace

Failure find_cause(const Trial& trial, const Evidence& evidence) {
    const auto cause = evidence.elements ? find_element_cause(trial, evidence)
                                         : find_matrix_cause(trial, evidence);
    return cause ? *cause : explain_device_error(trial, evidence);
}

}  // namespace coalesce

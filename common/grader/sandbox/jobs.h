/// \file
/// The requests to a jail and the jail's answers, as JSON. Functions that read answers throw
/// std::runtime_error on anything unexpected, because the grader does not trust answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "examiner/compile.h"
#include "examiner/predicted_launch.h"
#include "examiner/signature_codec.h"
#include "examiner/trial_codec.h"
#include "harness/predicted.h"

namespace coalesce::grader {

/// A request to compile a file.
struct CompileJob {
    std::string name;    ///< the file's name in messages
    std::string source;  ///< text of the file
    Signature kernel;    ///< the kernel that the file must define
};

/// An argument of a launch. Arrays and matrices are not part of the job: their contents are in the
/// memory that the grader shares with the worker.
struct JobArgument {
    bool is_array = false;
    std::uint64_t value = 0;    ///< value of a scalar
    std::uint64_t bytes = 0;    ///< size of an array
    bool is_unwritten = false;  ///< whether the array's initial content counts as unwritten
};

/// A request to launch a kernel once.
struct LaunchJob {
    Compiled kernel;                 ///< the kernel's PTX and names
    TrialRequest order;              ///< the launch to make
    bool is_in_place = false;        ///< whether the kernel takes a single matrix
    bool is_predicted = false;       ///< whether to only predict the time, without matrices
    std::uint64_t guard_bytes = 0;   ///< size of the guards around each matrix, in bytes
    std::uint64_t address_seed = 0;  ///< seed for the device addresses, or 0 for the default ones
    bool is_out_unwritten = false;   ///< whether the initial content of `out` counts as unwritten
    /// The kernel's arguments. Empty if the kernel takes `out` and `in`, or a single matrix.
    std::vector<JobArgument> arguments = {};
    /// The seed of the input's values for a prediction. If it is 0, the values that the blocks
    /// store are not checked.
    std::uint64_t value_seed = 0;
    /// Whether a prediction must report the reason if the kernel cannot be launched.
    bool must_launch = false;
};

// The fields of each job, for base/codec.h. Only the grader writes jobs, so their values need no
// checks.
void describe(auto& codec, JobArgument& argument) {
    fields(codec, "is_array", argument.is_array, "value", argument.value, "bytes", argument.bytes,
           "is_unwritten", argument.is_unwritten);
}
void describe(auto& codec, CompileJob& job) {
    fields(codec, "name", job.name, "source", job.source, "kernel", job.kernel);
}
void describe(auto& codec, LaunchJob& job) {
    fields(codec, "file", job.kernel.file, "kernel", job.kernel.kernel, "sizes", job.kernel.sizes,
           "ptx", job.kernel.ptx, "entry", job.kernel.entry, "order", job.order, "is_in_place",
           job.is_in_place, "is_predicted", job.is_predicted, "guard_bytes", job.guard_bytes,
           "address_seed", job.address_seed, "is_out_unwritten", job.is_out_unwritten, "arguments",
           job.arguments, "value_seed", job.value_seed, "must_launch", job.must_launch);
}

std::string to_json(const Compiled& compiled);
Compiled parse_compile_answer(std::string_view json);
/// Returns the results of a launch as JSON. The matrices, the comparison and the requested shape
/// are left out.
std::string to_json(const Trial& trial);
Trial parse_trial_answer(std::string_view json);

/// The predicted time of a launch on a GPU.
struct PredictedTime {
    std::optional<Predicted> predicted = {};  ///< the time; empty if the model cannot predict it
    bool is_moved = true;  ///< whether the blocks that ran stored the right values
    /// Whether the blocks that ran stored right values, but too few elements. This happens, for
    /// example, if several blocks store the same elements.
    bool is_idle = false;
    /// the failure that prevents the launch, or a failure of kind `none`
    Failure launch_failure = {};
    SampledCosts costs = {};  ///< the costs of the launch
};
std::string to_json(const PredictedTime& predicted_time);
/// Parses a prediction. The worker is not trusted: only the numbers of the prediction are taken
/// from its answer, and impossibly short times are rejected. Throws std::runtime_error if the
/// simulator cannot have produced the answer.
PredictedTime parse_prediction_answer(std::string_view json, Shape shape);

/// The note that a worker sends after it has loaded the kernel. The grader replies with the
/// matrices.
constexpr std::string_view kImageRequest = "loaded";

/// The layout of the memory that the grader shares with a worker: first `in`, then `out`, each with
/// guards on both sides. A kernel's arrays instead follow each other without guards.
struct ImageLayout {
    std::size_t matrix_bytes = 0, guard_bytes = 0;
    std::size_t array_bytes = 0;  ///< total size of all arrays, if there are no matrices
    std::size_t guarded_matrix_bytes() const { return matrix_bytes + 2 * guard_bytes; }
    std::size_t image_bytes() const {
        return array_bytes > 0 ? array_bytes : 2 * guarded_matrix_bytes();
    }
};
/// Returns the layout of the matrices for a job.
ImageLayout layout_for_job(const LaunchJob& job);
/// Returns the offset of the text that follows the matrices in a launch's answer.
std::size_t text_offset(const ImageLayout& layout);
/// The maximum size in bytes of the text that follows the matrices in a launch's answer.
constexpr std::size_t kMaxAnswerTextBytes = std::size_t{4} << 20;
/// The maximum length in bytes of a trial's JSON. Reports and source lines that do not fit are
/// dropped.
constexpr std::size_t kMaxTrialTextBytes = kMaxAnswerTextBytes - 64;

}  // namespace coalesce::grader

#include "learn/measure.h"

#include <cuda_runtime_api.h>

#include <iostream>
#include <stdexcept>

#include "base/child.h"
#include "base/errors.h"
#include "examiner/loaded_kernel.h"
#include "examiner/render.h"
#include "harness/device.h"
#include "harness/errors.h"
#include "harness/stopwatch.h"
#include "harness/text.h"
#include "harness/verify.h"
#include "learn/counted.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

constexpr int kMaxSide = 1 << 15;
constexpr int kMeasureSeconds = 120;

struct KernelMeasurement {
    Timing kernel_timing, copy_timing;
    double bytes = 0;

    double gbps() const { return bytes / kernel_timing.ms * 1e3 / 1e9; }
    double copy_gbps() const { return bytes / copy_timing.ms * 1e3 / 1e9; }
    double fraction_of_copy() const { return copy_timing.ms / kernel_timing.ms; }
};

void validate_arguments(const LearnerExercise& exercise, const MeasureArguments& words) {
    if (exercise.is_program()) {
        throw UsageError(exercise.name() +
                         " is a whole program, but bandwidth can be measured only for a kernel; "
                         "./learn check " +
                         exercise.command_arguments() + " runs the program");
    }
    if (exercise.has_element_task()) {
        throw UsageError(exercise.name() +
                         " does not move a matrix, so its time cannot be compared with that of a "
                         "copy; ./learn check " +
                         exercise.command_arguments() + " counts its costs");
    }
    for (int extent : {words.rows, words.cols}) {
        if (extent < 1 || extent > kMaxSide) {
            throw UsageError("--rows and --cols take whole numbers from 1 to " +
                             std::to_string(kMaxSide));
        }
    }
}

[[noreturn]] void fail_with(const Failure& failure) {
    throw std::runtime_error(terminal_text(failure) + "./learn check shows more details");
}

// Verifies the kernel's output, and then times the kernel at the same size.
KernelMeasurement verify_and_time(LoadedKernel& kernel, const Problem& problem,
                                  const Device& device) {
    Shape shape = {static_cast<int>(problem.rows), static_cast<int>(problem.cols)};
    Failure failure;
    auto launch = kernel.configure(shape, failure);
    if (!launch) fail_with(failure);
    VerifiedBuffers buffers(problem);
    buffers.prepare();
    auto launch_once = [&] {
        CUDA_CHECK(kernel.launch(*launch, buffers.out(), buffers.in(), shape));
    };
    launch_once();
    Comparison comparison = buffers.check();
    if (!comparison.is_right()) {
        throw std::runtime_error("the result is wrong at " + shape.name() + ":\n" +
                                 comparison.text());
    }
    Stopwatch stopwatch(device.l2_bytes);
    KernelMeasurement measurement;
    measurement.bytes = 2.0 * static_cast<double>(problem.bytes());
    measurement.kernel_timing = stopwatch.time_on_device(launch_once);
    measurement.copy_timing = stopwatch.time_on_device([&] {
        CUDA_CHECK(cudaMemcpyAsync(buffers.out(), buffers.in(), problem.bytes(),
                                   cudaMemcpyDeviceToDevice));
    });
    return measurement;
}

Json measured_to_json(const LearnerExercise& exercise, const MeasureArguments& words,
                      const KernelMeasurement& measurement, const Device& device) {
    return {{"exercise", exercise.step->name},
            {"hunt", exercise.is_hunt},
            {"device", device.name},
            {"rows", words.rows},
            {"cols", words.cols},
            {"ms", measurement.kernel_timing.ms},
            {"gbps", measurement.gbps()},
            {"copy_gbps", measurement.copy_gbps()},
            {"of_copy", measurement.fraction_of_copy()},
            {"verified", true}};
}

std::string format_measured(const Json& measurement) {
    return wrap(
        "Measured on " + measurement.value("device", "") + ", " +
        format_figure(measurement.value("rows", 0.0)) + " x " +
        format_figure(measurement.value("cols", 0.0)) +
        ", verified: " + format("%.4f ms, ", measurement.value("ms", 0.0)) +
        format("%.0f GB/s, ", measurement.value("gbps", 0.0)) +
        format("%.1f %% of the speed of cudaMemcpy", 100 * measurement.value("of_copy", 0.0)) +
        ".");
}

}  // namespace

int measure(Session& session, const LearnerExercise& exercise, const MeasureArguments& words,
            char** argv) {
    validate_arguments(exercise, words);
    // Report a missing GPU here, because the usual message suggests the option --device, which this
    // command does not have.
    std::string failure_reason = find_gpu_problem();
    if (!failure_reason.empty()) {
        throw UsageError("a bandwidth can be measured only on a real GPU, and none works here (" +
                         failure_reason + "); ./learn check " + exercise.command_arguments() +
                         " counts the kernel's costs on the simulated GPU");
    }
    Device device = choose_device(DeviceChoice::gpu, argv);
    Compiled compiled =
        compile(exercise.source(words.file),
                {.kernel = exercise.requirements().kernel, .architecture = native_architecture()});
    if (!compiled.is_ok()) fail_with(compiled.failure);
    LoadedKernel kernel(compiled);
    if (kernel.problem().kind != FailureKind::none) fail_with(kernel.problem());
    Problem problem = {
        .rows = words.rows, .cols = words.cols, .produces = exercise.requirements().task()};
    Json measurement =
        measured_to_json(exercise, words, verify_and_time(kernel, problem, device), device);
    if (words.file.empty()) {
        session.progress.update([&](State& state) {
            Json& best_measurement = state.records[exercise.name()].best_measured;
            if (best_measurement.is_null() ||
                best_measurement.value("gbps", 0.0) < measurement.value("gbps", 0.0)) {
                best_measurement = measurement;
            }
        });
    }
    std::cout << (words.prints_json ? measurement.dump(1) + "\n" : format_measured(measurement));
    return 0;
}

Json measure_in_child(const LearnerExercise& exercise, const std::string& file, bool is_required,
                      std::string& failure_reason) {
    std::vector<std::string> arguments = {"measure", exercise.step->number(), "--json"};
    if (exercise.is_hunt) arguments.push_back("--hunt");
    if (!file.empty()) arguments.insert(arguments.end(), {"--file", file});
    const ProcessResult child_result =
        run_to_end({.program = this_program(), .arguments = arguments, .captures_stderr = true},
                   kMeasureSeconds);
    if (child_result.exit_code == 0) return Json::parse(child_result.output);
    const bool is_without_gpu = child_result.exit_code == 2;
    failure_reason = child_result.timed_out           ? "the measurement took too long."
                     : is_without_gpu && !is_required ? ""
                                                      : child_result.output;
    return nullptr;
}

std::string format_bandwidth(const LearnerExercise& exercise, const std::string& file,
                             bool is_required) {
    if (exercise.is_program() || exercise.has_element_task()) return "";
    std::string failure_reason;
    const Json measurement = measure_in_child(exercise, file, is_required, failure_reason);
    if (!measurement.is_null()) return "\n" + format_measured(measurement);
    return failure_reason.empty() ? ""
                                  : "\nThe bandwidth was not measured: " + wrap(failure_reason);
}

}  // namespace coalesce::learn

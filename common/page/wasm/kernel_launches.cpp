// Answers the questions "launch_request", "launch", "launch_time", "launch_steps_request" and
// "launch_steps", which launch a kernel of any signature with arguments that the reader describes.
// Nothing is compared with a reference. README.md describes these questions.
#include <cuda_runtime_api.h>

#include <map>
#include <nlohmann/json.hpp>

#include "any_kernel.h"
#include "array_answer.h"
#include "base/text.h"
#include "examiner/block_steps.h"
#include "examiner/causes.h"
#include "examiner/elements/element_trials.h"
#include "examiner/elements/inputs.h"
#include "examiner/load_lines.h"
#include "examiner/loaded_kernel.h"
#include "examiner/render.h"
#include "harness/errors.h"
#include "page_runner.h"
#include "questions.h"
#include "time_of_launch.h"
#include "verdict_answer.h"

namespace coalesce::page {
namespace {

using nlohmann::json;

/// The most warp instructions of a launch. The page's time limit usually ends an endless loop
/// first.
constexpr std::uint64_t kMaxInstructions = 100'000'000;

constexpr std::uint64_t kInputSeed = 1;

/// A compiled kernel with the arguments of its launch.
struct CompiledKernel {
    const AnyKernel& kernel;
    const Compiled& compiled;
    std::vector<CallArgument> arguments =
        generate_arguments(kernel.task(), kernel.shape(), kInputSeed);
};

/// Launches the kernel once.
Trial launch_on(PageRunner& runner, const CompiledKernel& launched, const TrialRequest& request) {
    const AnyKernel& kernel = launched.kernel;
    const bool is_usual = request.shape == kernel.shape();
    TrialRequest order = request;
    order.more_instructions = kMaxInstructions;
    Trial trial =
        runner.run_with(launched.compiled,
                        is_usual ? launched.arguments
                                 : generate_arguments(kernel.task(), request.shape, kInputSeed),
                        order);
    trial.shape = request.shape;
    correct_load_lines(kernel.source.text, trial);
    // No result is wrong, because there is no reference.
    if (trial.has_ended()) trial.element_comparison.emplace();
    return trial;
}

/// Returns the sizes of the launch as text, such as "rows = 20, cols = 30".
std::string size_text(const AnyKernel& kernel) {
    std::string text;
    for (std::size_t i = 0; i < kernel.task().sizes.size(); ++i)
        text += (i ? ", " : "") + kernel.task().sizes[i] + " = " +
                std::to_string(size_at(kernel.shape(), i));
    return text;
}

/// Returns the cause of a launch that failed, or that the simulator's checks report.
Failure cause_of(const Trial& trial, const CompiledKernel& launched, const CompilerOutput& made) {
    const json nothing;
    // This runner captures the output of further launches.
    PageRunner runner(made, {}, nothing);
    const AnyKernel& kernel = launched.kernel;
    ElementTrials trials(kernel.exercise, runner, runner);
    const Evidence evidence{
        .source = kernel.source,
        .exercise = kernel.exercise,
        .relaunch = [&](const TrialRequest& order) { return launch_on(runner, launched, order); },
        .elements = &trials};
    Failure cause = find_cause(trial, evidence);
    // A text without `configure` has no line for a failure of the launch.
    const auto lines = static_cast<int>(lines_of(kernel.source.text).size());
    if (cause.place.line > lines) cause.place.line = 0;
    return cause;
}

/// Launches the compiled kernel, and fills in the verdict. Returns the arrays after the launch, or
/// an empty list if the kernel did not run to completion.
json launch_kernel(PageRunner& runner, const CompiledKernel& launched, const CompilerOutput& made,
                   Verdict& verdict) {
    const AnyKernel& kernel = launched.kernel;
    const Trial trial =
        launch_on(runner, launched, {.shape = kernel.shape(), .needs_counters = true});
    verdict.output = runner.take_output(verdict.output_is_truncated);
    verdict.print_call_count = trial.print_call_count;
    verdict.counted_shape = trial.shape;
    verdict.shapes.push_back({trial.shape, trial.is_good(), trial.launch});
    if (trial.has_ended()) {
        verdict.counters = trial.counters;
        verdict.bulk_copies = trial.bulk_copies;
        verdict.lines = trial.lines;
    }
    if (trial.is_good()) {
        verdict.outcome = Verdict::Outcome::passed;
    } else {
        verdict.fail(cause_of(trial, launched, made));
    }
    json arrays = json::array();
    std::size_t array = 0;
    for (std::size_t i = 0; trial.has_ended() && i < kernel.task().parameters.size(); ++i) {
        const Parameter& parameter = kernel.task().parameters[i];
        if (!parameter.is_array) continue;
        arrays.push_back(array_json(parameter, kernel.task().extents(parameter, trial.shape),
                                    launched.arguments[i], trial.arrays.at(array++)));
    }
    return arrays;
}

}  // namespace

json request_for_launch(const json& question) {
    const AnyKernel kernel = parse_any_kernel(question);
    if (!kernel.source.is_good()) return {{"refused", true}};
    return task_for_clang(kernel.source_to_compile(), kernel.task().sizes);
}

json launch_any_kernel(const json& question) {
    const AnyKernel kernel = parse_any_kernel(question);
    const CompilerOutput made = parse_compiler_output(question, question);
    const json nothing;
    PageRunner runner(made, {}, nothing);
    Verdict verdict{.file = kernel.source.name,
                    .kernel = kernel.exercise.kernel,
                    .source = kernel.source.text,
                    .device = runner.device(),
                    .is_simulated = true,
                    .sizes = kernel.task().sizes};
    json arrays = json::array();
    Compiled compiled;
    if (!kernel.source.is_good()) {
        verdict.fail(kernel.source.problem);
    } else {
        compiled = runner.compile(kernel.source_to_compile(), Signature(kernel.exercise));
        verdict.compiler = compiled.compiler;
        verdict.messages = compiled.messages;
        verdict.ptx = compiled.ptx;
        if (!compiled.is_ok()) verdict.fail(compiled.failure);
    }
    if (verdict.failures.empty()) {
        arrays = launch_kernel(runner, {.kernel = kernel, .compiled = compiled}, made, verdict);
    }
    json answer = verdict_json(verdict, compiled);
    answer["arrays"] = arrays;
    return answer;
}

// ---- steps ----

json request_for_launch_steps(const json& question) {
    const AnyKernel kernel = parse_any_kernel(question);
    if (!kernel.source.is_good()) return {{"refused", true}};
    return task_for_clang(kernel.source_to_compile(), kernel.task().sizes, true);
}

json record_launch_steps(const json& question) {
    const AnyKernel kernel = parse_any_kernel(question);
    const CompilerOutput made = parse_compiler_output(question, question);
    const json nothing;
    PageRunner runner(made, {}, nothing);
    const Compiled compiled =
        runner.compile(kernel.source_to_compile(), Signature(kernel.exercise));
    if (!compiled.is_ok()) return {{"problem", terminal_text(compiled.failure)}};
    const CompiledKernel launched{.kernel = kernel, .compiled = compiled};
    const json asked = question.value("block", json());
    TracedBlock block{.block = asked.is_number() ? asked.get<std::uint64_t>() : 0,
                      .steps = kMaxTracedSteps};
    Trial trial = launch_on(runner, launched, {.shape = kernel.shape(), .traced_block = block});
    std::string mistake;
    if (!trial.reports.empty() && !asked.is_number()) {
        const simulated::Report& report = trial.reports.front();
        mistake = report.kind + ": " + report.message;
        block.block = block_of_report(report, trial.launch);
        if (block.block != 0)
            trial = launch_on(runner, launched, {.shape = kernel.shape(), .traced_block = block});
    }
    if (trial.launch_failure.kind != FailureKind::none)
        return {{"problem", terminal_text(trial.launch_failure)}};
    if (trial.block_trace.empty()) return {{"problem", "No block was launched."}};
    std::string steps = trial.block_trace;
    std::map<std::string, std::vector<long long>> extents;
    for (const Parameter& parameter : kernel.task().parameters) {
        if (!parameter.is_array) continue;
        const auto all = kernel.task().extents(parameter, kernel.shape());
        extents[parameter.name] = {all.begin(), all.end()};
    }
    add_known_extents(steps, kernel.source, extents);
    return {{"shape", size_text(kernel)}, {"mistake", mistake}, {"steps", json::parse(steps)}};
}

// ---- predicted times ----

namespace {

/// The most bytes of the arrays in a launch whose time is predicted. The module has 32-bit
/// addresses.
constexpr double kMaxPredictedBytes = 3.0 * (1 << 30);

/// Returns the sizes of the launch, each multiplied by `factor`.
Shape scaled_shape(const CompiledKernel& launched, int factor) {
    std::vector<int> values;
    const std::size_t count = std::max<std::size_t>(launched.kernel.task().sizes.size(), 1);
    for (std::size_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(size_at(launched.kernel.shape(), i)) * factor;
        if (value > 2147483647.0) throw std::runtime_error("These sizes are too large.");
        values.push_back(static_cast<int>(value));
    }
    return make_shape(values);
}

/// Arrays that have addresses, but no contents.
std::vector<std::uint64_t> address_arguments(const CompiledKernel& launched, Shape shape,
                                             std::vector<std::unique_ptr<DeviceBuffer>>& buffers) {
    const ElementTask& task = launched.kernel.task();
    std::vector<std::uint64_t> arguments;
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const Parameter& one = task.parameters[i];
        if (!one.is_array) {
            const auto size = task.find_size(one.name, shape);
            std::uint64_t bits = launched.arguments[i].value;
            if (size) one.type.write_value(*size, &bits);
            arguments.push_back(bits);
            continue;
        }
        const auto bytes =
            static_cast<std::size_t>(count_elements(task.extents(one, shape))) * one.type.bytes();
        buffers.push_back(std::make_unique<DeviceBuffer>(bytes));
        arguments.push_back(to_address(buffers.back()->data()));
    }
    return arguments;
}

/// Launches the kernel, and records a few of its blocks.
void launch_recorded(LoadedKernel& loaded, const LaunchShape& launch,
                     const std::vector<std::uint64_t>& arguments) {
    cudaError_t error = loaded.launch(launch, arguments);
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    static_cast<void>(cudaGetLastError());
    if (error == cudaSuccess) return;
    throw std::runtime_error(std::string("the recorded blocks of the kernel were stopped (") +
                             cudaGetErrorString(error) + ").");
}

LaunchShape launch_at(LoadedKernel& loaded, const AnyKernel& kernel, Shape shape) {
    if (const auto launch = kernel.launch_for(shape)) return *launch;
    Failure failure;
    const auto launch = loaded.configure(shape, failure);
    if (!launch) throw std::runtime_error(failure.headline);
    return *launch;
}

}  // namespace

json predict_any_kernel(const json& question) {
    const AnyKernel kernel = parse_any_kernel(question);
    const Compiled compiled{.file = kernel.source.name,
                            .kernel = kernel.exercise.kernel,
                            .sizes = kernel.task().sizes,
                            .ptx = question.at("ptx").get<std::string>(),
                            .entry = question.at("entry").get<std::string>()};
    const CompiledKernel launched{.kernel = kernel, .compiled = compiled};
    const int factor = question.at("factor").get<int>();
    const Shape shape = scaled_shape(launched, factor);
    if (bytes_of_arrays(kernel.task(), shape) > kMaxPredictedBytes) {
        throw std::runtime_error("the arrays are too large for a page. Choose smaller sizes.");
    }
    const OutputCapture hidden_output;
    simulated::prepare("none", kMaxInstructions);
    LoadedKernel loaded(compiled);
    const LaunchShape launch = launch_at(loaded, kernel, shape);
    using Mode = simulator::Recorder::RecordMode;
    std::vector<std::unique_ptr<DeviceBuffer>> buffers;
    std::optional<DeviceArrays> arrays;
    // With the sizes of the launch itself, the recorded blocks read the values of the inputs.
    if (factor == 1) arrays.emplace(launched.arguments, 0);
    const auto arguments =
        arrays ? arrays->arguments() : address_arguments(launched, shape, buffers);
    const simulator::LaunchRecording recorded(factor == 1 ? Mode::sample : Mode::alone);
    launch_recorded(loaded, launch, arguments);
    return json::parse(
        simulator::time_of_launch(recorded.recording(), question.at("gpu").get<std::string>(), 0));
}

}  // namespace coalesce::page

#include "examiner/elements/element_trials.h"

#include <algorithm>

#include "base/text.h"
#include "examiner/elements/inputs.h"
#include "examiner/launch_limits.h"
#include "harness/text.h"

namespace coalesce {
namespace {

/// The maximum number of warp instructions of a reference. Executing them takes about ten seconds.
constexpr std::uint64_t kMaxReferenceInstructions = 50'000'000;
/// The instruction limit of a kernel, as a multiple of the reference's warp instructions. A kernel
/// that does all work in one lane of each warp executes 32 times as many instructions as necessary.
constexpr std::uint64_t kInstructionRatio = 40;
/// Warp instructions that are added to every limit. A kernel may execute as many instructions on a
/// small shape as on a large one. For example, a block may always execute all steps of a reduction.
constexpr std::uint64_t kExtraInstructions = 2'000'000;

/// The largest shape, in elements, on which kernels are also launched with other orders of blocks
/// and warps.
constexpr double kMaxReorderedElements = 1 << 14;

Failure explain_order_dependence(const std::string& file, Shape shape) {
    return {.kind = FailureKind::race_between_blocks,
            .headline =
                "the result depends on the order in which blocks and warps run, or on a clock: the "
                "result is right in one launch and wrong in another.",
            .place = {file, 0, 0},
            .shape = shape,
            .advice =
                "Let no thread rely on another thread's work, unless a barrier separates the two."};
}

/// Returns the extents of an array as C++ expressions.
std::vector<std::string> extents_in_code(const Parameter& array) {
    std::vector<std::string> extent_code;
    for (const std::string& extent : array.extents)
        extent_code.push_back("(long long)(" + extent + ")");
    return extent_code;
}

/// Returns the indices of the array element with the linear index `number`, as arguments of a call.
std::string indices_in_code(const Parameter& array, const std::string& number) {
    const std::vector<std::string> extents = extents_in_code(array);
    std::string indices, remaining_index = number;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        const bool is_first = axis == 0;
        const std::string index =
            is_first ? remaining_index : remaining_index + " % " + extents[axis];
        indices = ", (int)(" + index + ")" + indices;
        remaining_index = "(" + remaining_index + ") / " + extents[axis];
    }
    return indices;
}

Parameter make_size_parameter(const std::string& size) {
    return {.text = "int " + size, .name = size, .type = *find_element_type("int")};
}

bool is_size(const ElementTask& task, const Parameter& parameter) {
    return !parameter.is_array && std::ranges::count(task.sizes, parameter.name) > 0;
}

std::string result_name(const Parameter& output) {
    return "coalesce_" + output.name;
}

/// Returns the declaration of the required reference function, for messages.
std::string reference_declaration(const ElementTask& task, const std::string& kernel,
                                  const Parameter& output) {
    std::vector<std::string> declarations;
    for (Parameter parameter : task.parameters) {
        if (!parameter.is_read_by_reference()) continue;
        parameter.is_const = parameter.is_array;
        declarations.push_back(parameter.declaration());
    }
    for (std::size_t i = 0; i < output.extents.size(); ++i) {
        declarations.push_back(output.extents.size() == 1 ? "int index"
                                                          : "int index" + std::to_string(i));
    }
    return "__device__ " + output.type.name + " " + task.reference_name(kernel, output) + "(" +
           joined(declarations, ", ") + ")";
}

[[noreturn]] void fail_to_compile(const ElementTask& task, const std::string& kernel,
                                  const Compiled& compiled) {
    const int lines = static_cast<int>(lines_of(task.reference).size());
    const Place& place = compiled.failure.place;
    if (place.line == 0 || place.line > lines) {
        const auto declare = [&](const Parameter* output) {
            return reference_declaration(task, kernel, *output);
        };
        throw ReferenceUnusable(task.reference_file + ": it needs " +
                                joined(task.outputs(), " and ", declare) + " { ... }. " +
                                compiled.failure.headline);
    }
    throw ReferenceUnusable(place.text() + ": " + compiled.failure.headline);
}

/// Returns the output arrays of a trial of the reference, which are its last arrays.
std::vector<std::string> select_outputs(const Trial& trial, const ElementTask& task) {
    std::vector<std::string> outputs;
    const std::size_t first_output = trial.arrays.size() - task.outputs().size();
    for (std::size_t i = first_output; i < trial.arrays.size(); ++i) {
        outputs.push_back(trial.arrays[i].bytes);
    }
    return outputs;
}

}  // namespace

Source reference_source(const Exercise& exercise) {
    const ElementTask& task = *exercise.elements;
    return make_source(reference_program(task, exercise.kernel), task.reference_file);
}

Signature reference_signature(const ElementTask& task) {
    Signature signature(kReferenceKernel);
    signature.sizes = task.sizes;
    for (const std::string& size : task.sizes) {
        signature.parameters.push_back(make_size_parameter(size));
    }
    for (const Parameter& parameter : task.parameters) {
        if (!parameter.is_read_by_reference() || is_size(task, parameter)) continue;
        signature.parameters.push_back(parameter);
        signature.parameters.back().is_const = parameter.is_array;
    }
    for (const Parameter* output : task.outputs()) {
        Parameter result = *output;
        result.name = result_name(*output);
        signature.parameters.push_back(result);
    }
    return signature;
}

std::string reference_program(const ElementTask& task, const std::string& kernel) {
    const std::string number = "coalesce_number";
    std::string body;
    std::vector<std::string> size_products;
    for (const Parameter* output : task.outputs()) {
        const std::string count = joined(extents_in_code(*output), " * ");
        size_products.push_back(count);
        std::vector<std::string> parameter_list;
        for (const Parameter& parameter : task.parameters) {
            if (parameter.is_read_by_reference()) parameter_list.push_back(parameter.name);
        }
        body += "if (" + number + " < " + count + ") " + result_name(*output) + "[" + number +
                "] = " + task.reference_name(kernel, *output) + "(" + joined(parameter_list, ", ") +
                indices_in_code(*output, number) + ");\n";
    }
    const std::string threads = "128";
    const Signature signature = reference_signature(task);
    return task.reference + "\n" + signature.declaration() + " {\nconst long long " + number +
           " = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n" + body + "}\n" +
           signature.configure_declaration() + " {\nreturn {.grid = {(" +
           joined(size_products, " + ") + " + " + threads + " - 1) / " + threads + "}, .block = {" +
           threads + "}};\n}\n";
}

ElementTrials::ElementTrials(const Exercise& exercise, Runner& runner, Runner& reference_runner)
    : exercise_(exercise),
      task_(*exercise.elements),
      runner_(runner),
      reference_runner_(reference_runner) {}

const Compiled& ElementTrials::compiled_reference() {
    if (reference_) return *reference_;
    const Source source = reference_source(exercise_);
    if (!source.is_good()) throw ReferenceUnusable(source.problem.headline);
    const Compiled compiled = reference_runner_.compile(source, reference_signature(task_));
    if (!compiled.is_ok()) fail_to_compile(task_, exercise_.kernel, compiled);
    return reference_.emplace(compiled);
}

Trial ElementTrials::run_reference(Shape shape, const std::vector<CallArgument>& arguments) {
    std::vector<CallArgument> known_arguments;
    for (const NamedSize& size : task_.named_sizes(shape)) {
        known_arguments.push_back({.value = static_cast<std::uint64_t>(size.value)});
    }
    for (std::size_t i = 0; i < task_.parameters.size(); ++i) {
        const Parameter& parameter = task_.parameters[i];
        if (parameter.is_read_by_reference() && !is_size(task_, parameter))
            known_arguments.push_back(arguments[i]);
    }
    for (std::size_t i = 0; i < task_.parameters.size(); ++i) {
        if (!task_.parameters[i].is_output()) continue;
        known_arguments.push_back({.is_array = true,
                                   .bytes = std::string(arguments[i].bytes.size(), '\0'),
                                   .is_unwritten = true});
    }
    return reference_runner_.run_with(
        compiled_reference(), known_arguments,
        {.shape = shape, .more_instructions = kMaxReferenceInstructions});
}

std::vector<std::string> ElementTrials::compute_expected_outputs(
    Shape shape, const std::vector<CallArgument>& arguments) {
    const Trial trial = run_reference(shape, arguments);
    if (!trial.has_ended() || !trial.reports.empty()) return {};
    return select_outputs(trial, task_);
}

const ElementCase& ElementTrials::case_for(Shape shape) {
    const auto known_case = std::ranges::find(cases_, shape, &ElementCase::shape);
    if (known_case != cases_.end()) return *known_case;
    ElementCase element_case{
        .shape = shape, .arguments = generate_arguments(task_, shape, runner_.input_seed(shape))};
    const Trial trial = run_reference(shape, element_case.arguments);
    const auto fail = [&](const std::string& failed_step, const std::string& reason) {
        throw ReferenceUnusable(failed_step + ": with " + describe_sizes(task_.sizes, shape) +
                                ", " + reason);
    };
    if (!trial.reports.empty()) {
        const simulated::Report& report = trial.reports.front();
        fail(report.place.line > 0 ? report.place.text() : task_.reference_file, report.message);
    }
    if (!trial.has_ended()) {
        const std::string& reason = trial.launch_failure.headline;
        fail(task_.reference_file, reason.empty() ? "the device stopped the kernel." : reason);
    }
    element_case.expected_outputs = select_outputs(trial, task_);
    element_case.instructions = trial.instructions;
    return cases_.emplace_back(std::move(element_case));
}

Trial ElementTrials::run(const Compiled& kernel, const TrialRequest& request) {
    Trial usual_trial = run_on(runner_, kernel, request);
    const bool is_observed = request.needs_counters || request.traced.limit > 0;
    const bool has_one_order = usual_trial.launch.blocks() * usual_trial.launch.threads() <= 32;
    if (!usual_trial.is_good() || is_observed || has_one_order ||
        element_count(request.shape) > kMaxReorderedElements) {
        return usual_trial;
    }
    for (const std::uint64_t seed : runner_.other_orders(request.shape)) {
        TrialRequest reordered_request = request;
        reordered_request.seed = seed;
        Trial reordered_trial = run_on(runner_, kernel, reordered_request);
        if (reordered_trial.is_good()) continue;
        if (reordered_trial.has_ended() && reordered_trial.reports.empty()) {
            reordered_trial.launch_failure = explain_order_dependence(kernel.file, request.shape);
        }
        return reordered_trial;
    }
    return usual_trial;
}

Trial ElementTrials::run_on(Runner& runner, const Compiled& kernel,
                            const TrialRequest& trial_request) {
    const ElementCase& element_case = case_for(trial_request.shape);
    TrialRequest request = trial_request;
    request.more_instructions += kExtraInstructions + kInstructionRatio * element_case.instructions;
    Trial trial = runner.run_with(kernel, element_case.arguments, request);
    trial.shape = trial_request.shape;
    if (!trial.has_ended()) return trial;
    ElementComparison& comparison = trial.element_comparison.emplace();
    std::size_t array = 0, output = 0;
    for (std::size_t i = 0; i < task_.parameters.size(); ++i) {
        const Parameter& parameter = task_.parameters[i];
        if (!parameter.is_array) continue;
        const ArrayAfter& array_after = trial.arrays[array++];
        if (array_after.is_written_before) comparison.overrun_before.push_back(parameter.name);
        if (array_after.is_written_after) comparison.overrun_after.push_back(parameter.name);
        const std::string& bytes_before = element_case.arguments[i].bytes;
        if (parameter.is_output()) {
            comparison.outputs.push_back(compare_output(task_, parameter, trial_request.shape,
                                                        bytes_before, array_after.bytes,
                                                        element_case.expected_outputs[output++]));
        } else if (array_after.bytes != bytes_before) {
            comparison.changed_inputs.push_back(parameter.name);
        }
    }
    return trial;
}

}  // namespace coalesce

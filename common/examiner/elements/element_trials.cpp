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
    return {
        .kind = FailureKind::race_between_blocks,
        .headline =
            "the result depends on the order in which blocks and warps run, or on a clock: the "
            "result is right in one launch and wrong in another.",
        .place = {file, 0, 0},
        .shape = shape,
        .next = "Let no thread rely on another thread's work, unless a barrier separates the two."};
}

/// Returns the extents of an array as C++ expressions.
std::vector<std::string> extents_in_code(const Parameter& array) {
    std::vector<std::string> all;
    for (const std::string& extent : array.extents) all.push_back("(long long)(" + extent + ")");
    return all;
}

/// Returns the indices of the array element with the linear index `number`, as arguments of a call.
std::string indices_in_code(const Parameter& array, const std::string& number) {
    const std::vector<std::string> extents = extents_in_code(array);
    std::string indices, rest = number;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
        const bool is_first = axis == 0;
        const std::string index = is_first ? rest : rest + " % " + extents[axis];
        indices = ", (int)(" + index + ")" + indices;
        rest = "(" + rest + ") / " + extents[axis];
    }
    return indices;
}

Parameter size_parameter(const std::string& size) {
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
    std::vector<std::string> declared;
    for (Parameter one : task.parameters) {
        if (!one.is_read_by_reference()) continue;
        one.is_const = one.is_array;
        declared.push_back(one.declaration());
    }
    for (std::size_t i = 0; i < output.extents.size(); ++i) {
        declared.push_back(output.extents.size() == 1 ? "int index"
                                                      : "int index" + std::to_string(i));
    }
    return "__device__ " + output.type.name + " " + task.reference_name(kernel, output) + "(" +
           joined(declared, ", ") + ")";
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
std::vector<std::string> outputs_of(const Trial& trial, const ElementTask& task) {
    std::vector<std::string> outputs;
    const std::size_t first = trial.arrays.size() - task.outputs().size();
    for (std::size_t i = first; i < trial.arrays.size(); ++i) {
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
        signature.parameters.push_back(size_parameter(size));
    }
    for (const Parameter& one : task.parameters) {
        if (!one.is_read_by_reference() || is_size(task, one)) continue;
        signature.parameters.push_back(one);
        signature.parameters.back().is_const = one.is_array;
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
    std::vector<std::string> counts;
    for (const Parameter* output : task.outputs()) {
        const std::string count = joined(extents_in_code(*output), " * ");
        counts.push_back(count);
        std::vector<std::string> given;
        for (const Parameter& one : task.parameters) {
            if (one.is_read_by_reference()) given.push_back(one.name);
        }
        body += "if (" + number + " < " + count + ") " + result_name(*output) + "[" + number +
                "] = " + task.reference_name(kernel, *output) + "(" + joined(given, ", ") +
                indices_in_code(*output, number) + ");\n";
    }
    const std::string threads = "128";
    const Signature signature = reference_signature(task);
    return task.reference + "\n" + signature.declaration() + " {\nconst long long " + number +
           " = blockIdx.x * (long long)blockDim.x + threadIdx.x;\n" + body + "}\n" +
           signature.configure_declaration() + " {\nreturn {.grid = {(" + joined(counts, " + ") +
           " + " + threads + " - 1) / " + threads + "}, .block = {" + threads + "}};\n}\n";
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
    if (!compiled.ok()) fail_to_compile(task_, exercise_.kernel, compiled);
    return reference_.emplace(compiled);
}

Trial ElementTrials::run_reference(Shape shape, const std::vector<CallArgument>& arguments) {
    std::vector<CallArgument> given;
    for (const NamedSize& size : task_.named_sizes(shape)) {
        given.push_back({.value = static_cast<std::uint64_t>(size.value)});
    }
    for (std::size_t i = 0; i < task_.parameters.size(); ++i) {
        const Parameter& one = task_.parameters[i];
        if (one.is_read_by_reference() && !is_size(task_, one)) given.push_back(arguments[i]);
    }
    for (std::size_t i = 0; i < task_.parameters.size(); ++i) {
        if (!task_.parameters[i].is_output()) continue;
        given.push_back({.is_array = true,
                         .bytes = std::string(arguments[i].bytes.size(), '\0'),
                         .is_unwritten = true});
    }
    return reference_runner_.run_with(
        compiled_reference(), given,
        {.shape = shape, .more_instructions = kMaxReferenceInstructions});
}

std::vector<std::string> ElementTrials::expected_for(Shape shape,
                                                     const std::vector<CallArgument>& arguments) {
    const Trial trial = run_reference(shape, arguments);
    if (!trial.has_ended() || !trial.reports.empty()) return {};
    return outputs_of(trial, task_);
}

const ElementCase& ElementTrials::case_for(Shape shape) {
    const auto known = std::ranges::find(cases_, shape, &ElementCase::shape);
    if (known != cases_.end()) return *known;
    ElementCase made{.shape = shape,
                     .arguments = generate_arguments(task_, shape, runner_.input_seed(shape))};
    const Trial trial = run_reference(shape, made.arguments);
    const auto fail = [&](const std::string& where, const std::string& why) {
        throw ReferenceUnusable(where + ": with " + describe_sizes(task_.sizes, shape) + ", " +
                                why);
    };
    if (!trial.reports.empty()) {
        const simulated::Report& report = trial.reports.front();
        fail(report.place.line > 0 ? report.place.text() : task_.reference_file, report.message);
    }
    if (!trial.has_ended()) {
        const std::string& why = trial.launch_failure.headline;
        fail(task_.reference_file, why.empty() ? "the device stopped the kernel." : why);
    }
    made.expected = outputs_of(trial, task_);
    made.instructions = trial.instructions;
    return cases_.emplace_back(std::move(made));
}

Trial ElementTrials::run(const Compiled& kernel, const TrialRequest& order) {
    Trial usual = run_on(runner_, kernel, order);
    const bool is_looked_into = order.wants_counters || order.traced.limit > 0;
    const bool has_one_order = usual.launch.blocks() * usual.launch.threads() <= 32;
    if (!usual.is_good() || is_looked_into || has_one_order ||
        element_count(order.shape) > kMaxReorderedElements) {
        return usual;
    }
    for (const std::uint64_t seed : runner_.other_orders(order.shape)) {
        TrialRequest reordered = order;
        reordered.seed = seed;
        Trial other = run_on(runner_, kernel, reordered);
        if (other.is_good()) continue;
        if (other.has_ended() && other.reports.empty()) {
            other.launch_failure = explain_order_dependence(kernel.file, order.shape);
        }
        return other;
    }
    return usual;
}

Trial ElementTrials::run_on(Runner& runner, const Compiled& kernel, const TrialRequest& order) {
    const ElementCase& one = case_for(order.shape);
    TrialRequest asked = order;
    asked.more_instructions += kExtraInstructions + kInstructionRatio * one.instructions;
    Trial trial = runner.run_with(kernel, one.arguments, asked);
    trial.shape = order.shape;
    if (!trial.has_ended()) return trial;
    ElementComparison& found = trial.element_comparison.emplace();
    std::size_t array = 0, output = 0;
    for (std::size_t i = 0; i < task_.parameters.size(); ++i) {
        const Parameter& parameter = task_.parameters[i];
        if (!parameter.is_array) continue;
        const ArrayAfter& after = trial.arrays[array++];
        if (after.is_written_before) found.overrun_before.push_back(parameter.name);
        if (after.is_written_after) found.overrun_after.push_back(parameter.name);
        const std::string& before = one.arguments[i].bytes;
        if (parameter.is_output()) {
            found.outputs.push_back(compare_output(task_, parameter, order.shape, before,
                                                   after.bytes, one.expected[output++]));
        } else if (after.bytes != before) {
            found.changed_inputs.push_back(parameter.name);
        }
    }
    return trial;
}

}  // namespace coalesce

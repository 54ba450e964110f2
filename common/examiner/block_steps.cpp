#include "examiner/block_steps.h"

#include <algorithm>
#include <map>
#include <memory>

#include "examiner/elements/element_trials.h"
#include "examiner/launch_limits.h"
#include "examiner/source_lines.h"

namespace coalesce {
namespace {

Failure explain(const std::string& file, const std::string& reason, const std::string& advice) {
    return {.kind = FailureKind::environment_problem,
            .headline = reason,
            .place = {file, 0, 0},
            .advice = advice};
}

/// A wrong element of an array.
struct WrongElement {
    std::size_t argument = 0;  ///< index of the array among the kernel's arguments, from 0
    std::uint64_t byte = 0;    ///< byte offset of the element in its array
    std::string sentence = "";
};

std::optional<WrongElement> find_wrong_cell(const Comparison& comparison) {
    if (comparison.is_right() || !comparison.first_bad) return std::nullopt;
    const Cell cell = *comparison.first_bad;
    const auto index = cell.row * comparison.problem.out_cols() + cell.col;
    return WrongElement{.byte = static_cast<std::uint64_t>(index) *
                                static_cast<std::uint64_t>(comparison.problem.element_size),
                        .sentence = comparison.findings.front().sentence};
}

std::optional<WrongElement> find_wrong_element(const ElementComparison& comparison,
                                               const ElementTask& task) {
    const OutputComparison* output = comparison.first_wrong_output();
    if (!output) return std::nullopt;
    const auto parameter =
        std::find_if(task.parameters.begin(), task.parameters.end(),
                     [&](const Parameter& candidate) { return candidate.name == output->name; });
    const std::int64_t index = output->bad_elements().front();
    return WrongElement{.argument = static_cast<std::size_t>(parameter - task.parameters.begin()),
                        .byte = static_cast<std::uint64_t>(index) * output->type.bytes(),
                        .sentence = output->element_name(index) + " is " +
                                    output->format_value(output->actual_bytes, index) +
                                    ", expected " +
                                    output->format_value(output->expected_bytes, index)};
}

// ---- information about arrays in the source and the exercise ----

using Extents = std::vector<long long>;

/// Adds the extents of an array to the JSON of the recorded steps, unless the simulator has already
/// written them.
void add_extents(std::string& json, const std::string& array, const char* space,
                 const Extents& extents) {
    const std::string unknown_extents = "\"extents\":[]";
    const std::size_t begin = json.find("{\"name\":\"" + array + "\",\"space\":\"" + space + "\"");
    const std::size_t at = begin == json.npos ? json.npos : json.find(unknown_extents, begin);
    if (extents.empty() || at == json.npos || at > json.find('}', begin)) return;
    std::string text;
    for (const long long extent : extents)
        text += (text.empty() ? "" : ",") + std::to_string(extent);
    json.replace(at, unknown_extents.size(), "\"extents\":[" + text + "]");
}

/// Returns the extents of the kernel's arguments.
std::map<std::string, Extents> find_argument_extents(const Exercise& exercise, Shape shape) {
    std::map<std::string, Extents> shapes_by_name;
    if (!exercise.elements) {
        const Problem problem{.rows = shape.rows, .cols = shape.cols, .produces = exercise.task()};
        shapes_by_name["in"] = {shape.rows, shape.cols};
        shapes_by_name["out"] = {problem.out_rows(), problem.out_cols()};
        return shapes_by_name;
    }
    for (const Parameter& parameter : exercise.elements->parameters) {
        if (!parameter.is_array) continue;
        const auto extents = exercise.elements->extents(parameter, shape);
        shapes_by_name[parameter.name] = {extents.begin(), extents.end()};
    }
    return shapes_by_name;
}

class StepRecorder {
public:
    StepRecorder(const Source& source, const Exercise& exercise, Runner& runner,
                 const StepsRequest& request)
        : source_(source), exercise_(exercise), runner_(runner), request_(request) {
        if (exercise.elements)
            elements_ = std::make_unique<ElementTrials>(exercise, runner, runner);
    }

    BlockSteps record() {
        compiled_ = runner_.compile(source_, Signature(exercise_));
        if (!compiled_.is_ok()) return {.problem = compiled_.failure};
        BlockSteps steps;
        const Trial trial = find_trial(steps);
        if (steps.problem.kind == FailureKind::none && steps.json.empty())
            steps.problem = explain(source_.name, "the kernel was not launched.",
                                    "Look at the launch that configure returns.");
        if (steps.is_ok() && !request_.block) record_mistake(trial, steps);
        add_known_extents(steps.json, source_, find_argument_extents(exercise_, steps.shape));
        return steps;
    }

private:
    Trial run(Shape shape, const TracedBlock& block) {
        const TrialRequest request{.shape = shape, .traced_block = block};
        return elements_ ? elements_->run(compiled_, request)
                         : runner_.run(compiled_, exercise_.task(), request);
    }

    bool is_tiny(Shape shape) const {
        constexpr double min_elements = 1024;
        const double elements =
            elements_ ? element_count(shape) : static_cast<double>(shape.rows) * shape.cols;
        return elements < min_elements;
    }

    /// Launches the kernel on the requested shape. If no shape was requested, tries the exercise's
    /// shapes in order, up to the first one on which the kernel fails.
    Trial find_trial(BlockSteps& steps) {
        std::vector<Shape> shapes = exercise_.shapes;
        if (request_.shape) shapes = {*request_.shape};
        const TracedBlock block{.block = request_.block.value_or(0), .steps = kMaxTracedSteps};
        Trial first_trial;
        for (const Shape shape : shapes) {
            Trial trial = run(shape, block);
            const bool is_first = steps.json.empty();
            // Keep the first shape that is not tiny. Use a later shape only if the kernel is wrong
            // on it.
            if (!is_first && trial.is_good() && !is_tiny(steps.shape)) continue;
            steps.shape = shape;
            steps.json = trial.block_trace;
            steps.problem = trial.launch_failure;
            first_trial = std::move(trial);
            if (!first_trial.is_good()) break;
        }
        return first_trial;
    }

    /// Records the trial's mistake, and the steps of the block that made it. This may not be the
    /// block that was traced.
    void record_mistake(const Trial& trial, BlockSteps& steps) {
        if (trial.is_good()) return;
        TracedBlock block{.steps = kMaxTracedSteps};
        if (!trial.reports.empty()) {
            const simulated::Report& report = trial.reports.front();
            steps.mistake = report.kind + ": " + report.message;
            block.block = block_of_report(report, trial.launch);
            if (block.block == 0 && !ends_before_mistake(steps.json)) return;
        } else if (const auto wrong_element = find_wrong_output(trial)) {
            steps.mistake = wrong_element->sentence;
            block.stored_byte = {wrong_element->argument, wrong_element->byte};
        } else {
            return;
        }
        record_again(block, steps);
        if (!ends_before_mistake(steps.json)) return;
        block.steps = kMaxStepsToMistake;
        record_again(block, steps);
    }

    void record_again(const TracedBlock& block, BlockSteps& steps) {
        const Trial recorded_trial = run(steps.shape, block);
        if (!recorded_trial.block_trace.empty()) steps.json = recorded_trial.block_trace;
    }

    /// Reports whether the recorded steps end before the moment of the mistake.
    static bool ends_before_mistake(const std::string& json) {
        return json.find("\"is_complete\":false") != json.npos &&
               json.find("\"moments\":[]") != json.npos;
    }

    std::optional<WrongElement> find_wrong_output(const Trial& trial) const {
        if (trial.comparison) return find_wrong_cell(*trial.comparison);
        if (!trial.element_comparison) return std::nullopt;
        return find_wrong_element(*trial.element_comparison, *exercise_.elements);
    }

    const Source& source_;
    const Exercise& exercise_;
    Runner& runner_;
    const StepsRequest& request_;
    std::unique_ptr<ElementTrials> elements_;
    Compiled compiled_;
};

}  // namespace

std::uint64_t block_of_report(const simulated::Report& report, const LaunchShape& launch) {
    const auto& [x, y, z] = report.thread.block;
    return x + static_cast<std::uint64_t>(launch.grid[0]) *
                   (y + static_cast<std::uint64_t>(launch.grid[1]) * z);
}

void add_known_extents(std::string& json, const Source& source,
                       const std::map<std::string, Extents>& arguments) {
    // NVRTC's debug information leaves out the extents of arrays in shared memory.
    for (const SharedArray& array : list_shared_arrays(source.text))
        add_extents(json, array.name, "shared", array.lengths);
    for (const auto& [array, extents] : arguments) add_extents(json, array, "global", extents);
}

BlockSteps record_steps(const Source& source, const Exercise& exercise, Runner& runner,
                        const StepsRequest& request) {
    if (!runner.is_simulated())
        return {.problem = explain(
                    source.name, "the steps of a kernel can be recorded only on the simulated GPU.",
                    "Run the kernel there: --device sim")};
    if (!source.is_good()) return {.problem = source.problem};
    try {
        return StepRecorder(source, exercise, runner, request).record();
    } catch (const std::exception& caught) {
        return {.problem = explain(source.name,
                                   std::string("the steps could not be recorded: ") + caught.what(),
                                   "./learn doctor shows what is missing.")};
    }
}

}  // namespace coalesce

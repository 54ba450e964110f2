#include "learn/request.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/errors.h"
#include "harness/options.h"
#include "learn/commands.h"

namespace coalesce::learn {
namespace {

// Returns the options to pass to every program in the request. The programs parse them again, with
// the same parser.
std::vector<std::string> common_program_options(const RunArguments& arguments) {
    const bool is_predicted =
        !arguments.predicted_gpu.empty() || !arguments.predicted_shape.empty();
    if (is_predicted && arguments.device == "gpu") {
        throw UsageError(
            "--time predicts times on the simulated GPU, and --device gpu measures times; use "
            "only one of them (./learn validate --time shows both side by side)");
    }
    const std::pair<const char*, std::string> option_values[] = {
        {"--device", arguments.device},      {"--rows", arguments.rows},
        {"--cols", arguments.cols},          {"--variant", arguments.variant},
        {"--time", arguments.predicted_gpu}, {"--at", arguments.predicted_shape}};
    std::vector<std::string> options;
    for (auto& [option, value] : option_values) {
        if (!value.empty()) options.insert(options.end(), {option, value});
    }
    static_cast<void>(parse_options(options));
    return options;
}

void add_steps(const RunArguments& arguments, const course::Course& course, RunRequest& request) {
    std::set<const course::Step*> wanted_steps;
    for (auto& word : arguments.steps) {
        const course::Step* step = course.find(word);
        if (word == "all") {
            for (auto& course_step : course.steps) wanted_steps.insert(&course_step);
            if (request.rivals == RunRequest::Rivals::no) {
                request.rivals = RunRequest::Rivals::on_gpu;
            }
        } else if (word == "rivals") {
            request.rivals = RunRequest::Rivals::yes;
        } else if (step != nullptr) {
            wanted_steps.insert(step);
        } else {
            throw UsageError("there is no step \"" + word + "\"; the steps are " +
                             course.steps.front().number() + " to " + course.steps.back().number() +
                             ", `rivals` or `all` (./learn list shows the steps)");
        }
    }
    for (auto& step : course.steps) {
        if (wanted_steps.contains(&step)) request.steps.push_back(&step);
    }
}

// Adds the whole program to the request. A whole program has no matrix, no variants and no table.
void add_program(const RunArguments& arguments, const course::Course& course, RunRequest& request) {
    request.program = &*course.program;
    const bool is_plain = arguments.steps.size() == 1 && arguments.rows.empty() &&
                          arguments.cols.empty() && arguments.variant.empty() &&
                          arguments.json.empty() && arguments.predicted_gpu.empty() &&
                          arguments.predicted_shape.empty();
    if (is_plain) return;
    throw UsageError(
        course.program->name +
        " is a whole program, which runs alone and takes only the option --device (./learn run " +
        course.program->number() + ")");
}

// Reports whether the learner asked for the whole-program lesson.
bool asks_for_program(const RunArguments& arguments, const course::Course& course) {
    const auto names_program = [&](const std::string& word) {
        return course.program && course.lesson(word) == &*course.program;
    };
    return std::ranges::any_of(arguments.steps, names_program);
}

void keep_steps_with_variant(const std::string& variant, RunRequest& request) {
    if (variant.empty()) return;
    std::erase_if(request.steps, [&](auto* step) { return step->find(variant) == nullptr; });
    request.rivals = RunRequest::Rivals::no;
    if (request.steps.empty()) {
        throw UsageError("none of these steps has a variant \"" + variant +
                         "\"; ./learn list STEP shows its variants");
    }
}

}  // namespace

RunRequest parse_request(const RunArguments& arguments, const course::Course& course) {
    if (arguments.steps.empty()) {
        throw UsageError("name the steps to run: ./learn run all, or ./learn run 02 03");
    }
    RunRequest request;
    request.options = common_program_options(arguments);
    request.needs_gpu = arguments.device == "gpu";
    request.is_predicted = !arguments.predicted_gpu.empty() || !arguments.predicted_shape.empty();
    request.json = arguments.json;
    if (asks_for_program(arguments, course)) {
        add_program(arguments, course, request);
    } else {
        add_steps(arguments, course, request);
        keep_steps_with_variant(arguments.variant, request);
    }
    return request;
}

}  // namespace coalesce::learn

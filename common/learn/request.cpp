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
std::vector<std::string> common_program_options(const RunArguments& words) {
    const bool is_predicted = !words.predicted_gpu.empty() || !words.predicted_shape.empty();
    if (is_predicted && words.device == "gpu") {
        throw UsageError(
            "--time predicts times on the simulated GPU, and --device gpu measures times; use "
            "only one of them (./learn validate --time shows both side by side)");
    }
    const std::pair<const char*, std::string> given[] = {
        {"--device", words.device},      {"--rows", words.rows},
        {"--cols", words.cols},          {"--variant", words.variant},
        {"--time", words.predicted_gpu}, {"--at", words.predicted_shape}};
    std::vector<std::string> options;
    for (auto& [option, value] : given) {
        if (!value.empty()) options.insert(options.end(), {option, value});
    }
    static_cast<void>(parse_options(options));
    return options;
}

void add_steps(const RunArguments& words, const course::Course& course, RunRequest& request) {
    std::set<const course::Step*> wanted;
    for (auto& word : words.steps) {
        const course::Step* step = course.find(word);
        if (word == "all") {
            for (auto& each : course.steps) wanted.insert(&each);
            if (request.rivals == RunRequest::Rivals::no) {
                request.rivals = RunRequest::Rivals::on_gpu;
            }
        } else if (word == "rivals") {
            request.rivals = RunRequest::Rivals::yes;
        } else if (step != nullptr) {
            wanted.insert(step);
        } else {
            throw UsageError("there is no step \"" + word + "\"; the steps are " +
                             course.steps.front().number() + " to " + course.steps.back().number() +
                             ", `rivals` or `all` (./learn list shows the steps)");
        }
    }
    for (auto& step : course.steps) {
        if (wanted.contains(&step)) request.steps.push_back(&step);
    }
}

// Adds the whole program to the request. A whole program has no matrix, no variants and no table.
void add_program(const RunArguments& words, const course::Course& course, RunRequest& request) {
    request.program = &*course.program;
    const bool is_plain = words.steps.size() == 1 && words.rows.empty() && words.cols.empty() &&
                          words.variant.empty() && words.json.empty() &&
                          words.predicted_gpu.empty() && words.predicted_shape.empty();
    if (is_plain) return;
    throw UsageError(
        course.program->name +
        " is a whole program, which runs alone and takes only the option --device (./learn run " +
        course.program->number() + ")");
}

// Reports whether the learner asked for the whole-program lesson.
bool asks_for_program(const RunArguments& words, const course::Course& course) {
    const auto is_it = [&](const std::string& word) {
        return course.program && course.lesson(word) == &*course.program;
    };
    return std::ranges::any_of(words.steps, is_it);
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

RunRequest parse_request(const RunArguments& words, const course::Course& course) {
    if (words.steps.empty()) {
        throw UsageError("name the steps to run: ./learn run all, or ./learn run 02 03");
    }
    RunRequest request;
    request.options = common_program_options(words);
    request.needs_gpu = words.device == "gpu";
    request.is_predicted = !words.predicted_gpu.empty() || !words.predicted_shape.empty();
    request.json = words.json;
    if (asks_for_program(words, course)) {
        add_program(words, course, request);
    } else {
        add_steps(words, course, request);
        keep_steps_with_variant(words.variant, request);
    }
    return request;
}

}  // namespace coalesce::learn

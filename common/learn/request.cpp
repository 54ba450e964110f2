#include "learn/request.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <set>

#include "base/errors.h"
#include "harness/options.h"
#include "learn/renew.h"

namespace coalesce::learn {
namespace {

// Kernels of the course compute indices as int.
constexpr std::int64_t kMostElements = std::numeric_limits<std::int32_t>::max();

// The number of rows or cols that an option gives.
std::int64_t extent(const std::string& option, const std::string& word) {
    std::int64_t value = 0;
    const char* end = word.data() + word.size();
    auto [stopped, error] = std::from_chars(word.data(), end, value);
    if (error == std::errc::invalid_argument || stopped != end) {
        throw UsageError(option + " takes a whole number from 1 on, not \"" + word + "\"");
    }
    if (error == std::errc::result_out_of_range || value > kMostElements) {
        throw UsageError(option + " " + word + " is too large; the most is " +
                         std::to_string(kMostElements));
    }
    if (value < 1) throw UsageError(option + " " + word + " is too small; the least is 1");
    return value;
}

void add_shape(const RunWords& words, RunRequest& request) {
    if (words.rows.empty() && words.cols.empty()) return;
    if (words.rows.empty() || words.cols.empty()) {
        throw UsageError("--rows and --cols go together; give both, or neither");
    }
    std::int64_t rows = extent("--rows", words.rows), cols = extent("--cols", words.cols);
    request.options.insert(request.options.end(),
                           {"--rows", std::to_string(rows), "--cols", std::to_string(cols)});
    if (rows * cols > kMostElements) {
        throw UsageError("a matrix of " + words.rows + " x " + words.cols +
                         " has more than 2^31 - 1 elements, and these kernels count in int; "
                         "choose a smaller one");
    }
}

void add_device(const RunWords& words, RunRequest& request) {
    if (words.device.empty()) return;
    if (words.device != "auto" && words.device != "gpu" && words.device != "sim") {
        throw UsageError("there is no device \"" + words.device +
                         "\"; there are auto, gpu and sim");
    }
    request.needs_gpu = words.device == "gpu";
    request.options.insert(request.options.end(), {"--device", words.device});
}

// Every program reads these words again; this is the same reader.
void add_prediction(const RunWords& words, RunRequest& request) {
    if (words.time.empty() && words.at.empty()) return;
    if (words.device == "gpu") {
        throw UsageError(
            "--time predicts, on the simulated GPU, and --device gpu measures: give one of them "
            "(./learn validate --time shows both side by side)");
    }
    std::vector<std::string> options;
    if (!words.time.empty()) options.insert(options.end(), {"--time", words.time});
    // A lesson's table of times is of that shape. As small as what is counted, all of it lies in the L2.
    const std::string at = words.at.empty() && words.rows.empty() ? kMeasuredAt : words.at;
    if (!at.empty()) options.insert(options.end(), {"--at", at});
    static_cast<void>(parse_options(options));
    request.is_predicted = true;
    request.options.insert(request.options.end(), options.begin(), options.end());
}

void add_steps(const RunWords& words, const course::Course& course, RunRequest& request) {
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
            throw UsageError("there is no step \"" + word + "\"; there are " +
                             course.steps.front().number() + " to " + course.steps.back().number() +
                             ", rivals and all (./learn list)");
        }
    }
    for (auto& step : course.steps) {
        if (wanted.contains(&step)) request.steps.push_back(&step);
    }
}

// The program knows nothing of matrices, variants and tables.
void add_program(const RunWords& words, const course::Course& course, RunRequest& request) {
    request.program = &*course.program;
    const bool is_plain = words.steps.size() == 1 && words.rows.empty() && words.cols.empty() &&
                          words.variant.empty() && words.json.empty() && words.time.empty() &&
                          words.at.empty();
    if (is_plain) return;
    throw UsageError(course.program->name +
                     " is a whole program: it is run alone, and takes no option but "
                     "--device (./learn run " +
                     course.program->number() + ")");
}

// Whether the words ask for the lesson that is no step.
bool asks_for_program(const RunWords& words, const course::Course& course) {
    const auto is_it = [&](const std::string& word) {
        return course.program && course.lesson(word) == &*course.program;
    };
    return std::ranges::any_of(words.steps, is_it);
}

void add_variant(const RunWords& words, RunRequest& request) {
    if (words.variant.empty()) return;
    auto lacks_it = [&](const course::Step* step) { return step->find(words.variant) == nullptr; };
    std::erase_if(request.steps, lacks_it);
    request.rivals = RunRequest::Rivals::no;
    if (request.steps.empty()) {
        throw UsageError("none of these steps has a variant \"" + words.variant +
                         "\"; ./learn list STEP names them");
    }
    request.options.insert(request.options.end(), {"--variant", words.variant});
}

}  // namespace

RunRequest understand(const RunWords& words, const course::Course& course) {
    RunRequest request;
    request.json = words.json;
    if (words.steps.empty()) {
        throw UsageError("which steps? ./learn run all, or ./learn run 02 03");
    }
    add_device(words, request);
    if (asks_for_program(words, course)) {
        add_program(words, course, request);
        return request;
    }
    add_steps(words, course, request);
    add_shape(words, request);
    add_variant(words, request);
    add_prediction(words, request);
    return request;
}

}  // namespace coalesce::learn

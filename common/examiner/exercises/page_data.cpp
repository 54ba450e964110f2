#include "examiner/exercises/page_data.h"

#include "base/files.h"
#include "base/text.h"
#include "examiner/exercises/skeleton.h"

namespace coalesce::exercises {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

ordered_json limits_json(const Limits& limits) {
    ordered_json object = ordered_json::object();
    for (const auto& [name, limit] : kLimits) {
        if (limits.*limit != 0) object[name] = limits.*limit;
    }
    return object;
}

ordered_json questions_json(const Exercise& exercise) {
    ordered_json list = ordered_json::array();
    for (const Prediction& prediction : exercise.predictions) {
        list.push_back({{"counter", prediction.counter},
                        {"question", prediction.question},
                        {"within", prediction.tolerance}});
    }
    return list;
}

std::string require_file(const fs::path& root, const fs::path& name) {
    const auto text = read_if_exists(root / name);
    if (!text) throw std::runtime_error((root / name).string() + " is missing");
    return *text;
}

/// Returns the text without the comments that name terminal commands. A page has buttons instead.
std::string remove_commands(const std::string& text) {
    std::string result;
    for (const std::string& line : lines_of(text)) {
        const bool is_comment = line.starts_with("//") && line.find("./learn ") != line.npos;
        if (!is_comment) result += line + "\n";
    }
    return result;
}

/// Returns an exercise or a bug hunt as JSON: the learner's initial text, and the solution.
ordered_json work_json(const Exercise& exercise, const fs::path& root) {
    const fs::path name = fs::path(exercise.name) / exercise.file();
    const fs::path solution = "solutions" / name;
    const Skeleton skeleton = parse_skeleton(require_file(root, solution), solution.string());
    return {{"file", ("exercises" / name).string()},
            {"kernel", exercise.kernel},
            {"produces", exercise.elements ? "computed" : exercise.produces},
            {"skeleton", remove_commands(skeleton.blank_text())},
            {"solution", remove_commands(skeleton.solved_text())},
            {"limits", limits_json(exercise.limits)},
            {"questions", questions_json(exercise)}};
}

}  // namespace

ordered_json page_data(const course::Step& step, const fs::path& root) {
    return {{"name", step.name},
            {"title", step.title},
            {"exercise", work_json(*step.exercise, root)},
            {"hunt", step.hunt ? work_json(*step.hunt, root) : ordered_json(nullptr)}};
}

ordered_json page_data_with_records(const course::Step& step, const fs::path& root) {
    ordered_json data = page_data(step, root);
    for (const char* file : {"exercise.toml", "reference.cu"}) {
        const fs::path name = fs::path("solutions") / step.name / file;
        data["texts"].push_back({{"file", name.string()}, {"text", require_file(root, name)}});
    }
    return data;
}

}  // namespace coalesce::exercises

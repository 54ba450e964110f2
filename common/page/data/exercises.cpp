// Writes a script with the data about exercises that a page needs from the start: the initial
// texts, the solutions, the requirements, and the GPUs for which times are predicted.
//
//     exercise_data REPOSITORY FILE

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/text.h"
#include "examiner/course/course.h"
#include "examiner/exercises/skeleton.h"
#include "timing/gpu.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using namespace coalesce;

namespace {

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

/// Returns a text without the comments that name commands of the terminal. In a page, buttons do the
/// same.
std::string without_commands(const std::string& text) {
    std::string result;
    for (const std::string& line : lines_of(text)) {
        const bool is_comment = line.starts_with("//") && line.find("./learn ") != line.npos;
        if (!is_comment) result += line + "\n";
    }
    return result;
}

/// Returns an exercise or a bug hunt: the learner's initial text, and the solution.
ordered_json work_json(const Exercise& exercise, const fs::path& root) {
    const fs::path name = fs::path(exercise.name) / exercise.file();
    const auto marked = read_if_exists(root / "solutions" / name);
    if (!marked) throw std::runtime_error((root / "solutions" / name).string() + " is missing");
    const exercises::Skeleton skeleton =
        exercises::parse_skeleton(*marked, (fs::path("solutions") / name).string());
    return {{"file", (fs::path("exercises") / name).string()},
            {"kernel", exercise.kernel},
            {"produces", exercise.produces},
            {"skeleton", without_commands(skeleton.blank())},
            {"solution", without_commands(skeleton.solved())},
            {"limits", limits_json(exercise.limits)},
            {"questions", questions_json(exercise)}};
}

ordered_json exercises_json(const fs::path& root) {
    ordered_json exercises = ordered_json::array();
    for (const course::Step& step : course::read_course(root).steps) {
        if (!step.exercise) continue;
        exercises.push_back(
            {{"name", step.name},
             {"title", step.title},
             {"exercise", work_json(*step.exercise, root)},
             {"hunt", step.hunt ? work_json(*step.hunt, root) : ordered_json(nullptr)}});
    }
    return exercises;
}

/// Returns the GPUs to choose from. The simulator in the page has all other data about them.
ordered_json gpus_json() {
    ordered_json gpus = ordered_json::array();
    for (const timing::Gpu& gpu : timing::known_gpus()) {
        gpus.push_back({{"name", gpu.name}, {"source", gpu.source}, {"measured", gpu.measured}});
    }
    return gpus;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("Usage: exercise_data REPOSITORY FILE\n", stderr);
        return 2;
    }
    try {
        std::ofstream file(argv[2], std::ios::binary);
        const ordered_json all = {{"exercises", exercises_json(argv[1])}, {"gpus", gpus_json()}};
        file << "window.exerciseData = " << all.dump() << ";\n";
        if (!file.flush()) throw std::runtime_error(std::string(argv[2]) + ": cannot be written");
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "exercise_data: %s\n", error.what());
        return 1;
    }
}

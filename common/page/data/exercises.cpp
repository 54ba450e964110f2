// Writes a script with the data that the pages about exercises need when they are loaded: the
// initial texts, the solutions, the requirements, and the GPUs for which times are predicted.
//
//     exercise_data REPOSITORY FILE

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "examiner/course/course.h"
#include "examiner/exercises/page_data.h"
#include "timing/gpu.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using namespace coalesce;

namespace {

ordered_json exercises_json(const fs::path& root) {
    ordered_json all = ordered_json::array();
    const course::Course course = course::read_course(root);
    for (const auto* steps : {&course.steps, &course.beyond_exercises}) {
        for (const course::Step& step : *steps) {
            if (step.exercise) all.push_back(exercises::page_data(step, root));
        }
    }
    return all;
}

/// Returns the names of the GPUs that can be chosen, and the sources of their figures. The
/// simulator in the page contains all other data about these GPUs.
ordered_json gpus_json() {
    ordered_json gpus = ordered_json::array();
    for (const timing::Gpu& gpu : timing::known_gpus()) {
        gpus.push_back({{"name", gpu.name}, {"source", gpu.source}, {"measured", gpu.is_measured}});
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

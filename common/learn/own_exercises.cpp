#include <filesystem>
#include <nlohmann/json.hpp>

#include "examiner/course/course.h"
#include "examiner/exercises/page_data.h"
#include "learn/own_exercise.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

/// Returns the exercises beyond the transpose for which the book has no page.
std::vector<course::Step> read_own_exercises(const fs::path& root, const fs::path& book_folder) {
    std::vector<course::Step> own_exercises = course::read_course(root).beyond_exercises;
    std::erase_if(own_exercises, [&](const course::Step& step) {
        return fs::exists(book_folder / ("exercise_" + step.name + ".html"));
    });
    return own_exercises;
}

}  // namespace

std::string own_exercises_script(const fs::path& root, const fs::path& book_folder) {
    nlohmann::ordered_json script_data = {{"exercises", nlohmann::ordered_json::array()},
                                          {"problem", ""}};
    try {
        for (const course::Step& step : read_own_exercises(root, book_folder)) {
            script_data["exercises"].push_back(exercises::page_data_with_records(step, root));
        }
    } catch (const std::exception& problem) {
        script_data["problem"] = problem.what();
    }
    return "window.ownExercises = " +
           script_data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
           ";\n";
}

}  // namespace coalesce::learn

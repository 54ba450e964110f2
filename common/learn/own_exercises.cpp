#include <filesystem>
#include <nlohmann/json.hpp>

#include "examiner/course/course.h"
#include "examiner/exercises/page_data.h"
#include "learn/own_exercise.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

/// Returns the exercises beyond the transpose for which the book has no page.
std::vector<course::Step> read_own_exercises(const fs::path& root, const fs::path& book) {
    std::vector<course::Step> own = course::read_course(root).beyond;
    std::erase_if(own, [&](const course::Step& step) {
        return fs::exists(book / ("exercise_" + step.name + ".html"));
    });
    return own;
}

}  // namespace

std::string own_exercises_script(const fs::path& root, const fs::path& book) {
    nlohmann::ordered_json all = {{"exercises", nlohmann::ordered_json::array()}, {"problem", ""}};
    try {
        for (const course::Step& step : read_own_exercises(root, book)) {
            all["exercises"].push_back(exercises::page_data_with_records(step, root));
        }
    } catch (const std::exception& problem) {
        all["problem"] = problem.what();
    }
    return "window.ownExercises = " +
           all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + ";\n";
}

}  // namespace coalesce::learn

#include "exercise_question.h"

#include <map>

#include "examiner/elements/element_trials.h"
#include "page/wasm/course_files.h"
#include "verdict_answer.h"

namespace coalesce::page {

using nlohmann::json;

const course::Course& course_of(const json& question) {
    static std::map<std::string, course::Course> known;
    const json more = question.value("texts", json::array());
    const std::string key = more.dump();
    if (const auto found = known.find(key); found != known.end()) return found->second;
    std::vector<course::CourseText> texts = course_texts();
    for (const json& one : more) {
        texts.push_back({one.at("file").get<std::string>(), one.at("text").get<std::string>()});
    }
    return known.emplace(key, course::parse_course(texts)).first->second;
}

const Exercise& find_exercise(const json& question) {
    const std::string name = question.at("exercise").get<std::string>();
    const bool is_hunt = question.value("hunt", false);
    const course::Course& course = course_of(question);
    const course::Step* step = is_beyond(name) ? course.lesson(name) : course.find(name);
    if (step && !is_hunt && step->exercise) return *step->exercise;
    if (step && is_hunt && step->hunt) return *step->hunt;
    throw std::runtime_error("the course has no " + std::string(is_hunt ? "bug hunt" : "exercise") +
                             " " + name);
}

std::string exercise_path(const Exercise& exercise) {
    return exercise.name + "/" + exercise.file();
}

const json& costs_of(const std::string& path) {
    static const json all = json::parse(solutions_text()), none;
    const auto found = all.find(path);
    return found == all.end() ? none : *found;
}

Source parse_source(const json& question, const Exercise& exercise) {
    return make_source(question.at("source").get<std::string>(),
                       "exercises/" + exercise_path(exercise));
}

namespace {

/// Returns the module's data about the reference of an exercise, or null if there is none.
const json& parse_known_reference(const Exercise& exercise) {
    static const json none;
    const json& costs = costs_of(exercise.name + "/kernel.cu");
    const auto found = costs.find("reference");
    return found == costs.end() ? none : *found;
}

/// Reports whether the page must compile the reference of this exercise.
bool needs_reference(const json& question, const Exercise& exercise) {
    return exercise.elements &&
           (question.contains("texts") || parse_known_reference(exercise).is_null());
}

}  // namespace

void add_reference_task(const json& question, const Exercise& exercise, json& task) {
    if (!needs_reference(question, exercise)) return;
    const Source reference = reference_source(exercise);
    if (!reference.is_good()) throw std::runtime_error(reference.problem.headline);
    task["reference"] = task_for_clang(reference, exercise.size_names());
}

CompilerOutput parse_reference_output(const json& question, const Exercise& exercise) {
    if (!exercise.elements) return {};
    json given = question.value("reference", json());
    if (given.is_null() && needs_reference(question, exercise)) {
        throw std::runtime_error("The reference of " + exercise.name + " was not compiled.");
    }
    return parse_compiler_output(question,
                                 given.is_null() ? parse_known_reference(exercise) : given);
}

}  // namespace coalesce::page

#include "learn/work.h"

#include "base/errors.h"
#include "base/files.h"
#include "examiner/cache.h"
#include "examiner/exercises/skeleton.h"
#include "examiner/source.h"
#include "learn/paths.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// Reads the solution, including its markers.
exercises::Skeleton read_marked_solution(const LearnerExercise& exercise) {
    fs::path file = fs::path("solutions") / exercise.step->name / exercise.file().filename();
    auto text = read_if_exists(repository() / file);
    if (!text) {
        throw UsageError((repository() / file).string() +
                         " cannot be read; git checkout solutions restores it");
    }
    return exercises::parse_skeleton(*text, file.string());
}

}  // namespace

fs::path LearnerExercise::relative_file() const {
    return fs::path("exercises") / step->name / requirements().file();
}

fs::path LearnerExercise::file() const {
    return repository() / relative_file();
}

Source LearnerExercise::source(const std::string& other_file) const {
    if (!other_file.empty()) return read_source(other_file, other_file);
    return read_source(file(), relative_file().string());
}

std::string LearnerExercise::skeleton() const {
    return read_marked_solution(*this).blank_text();
}

std::string LearnerExercise::solution() const {
    return read_marked_solution(*this).solved_text();
}

std::string LearnerExercise::lesson() const {
    return is_beyond() ? "docs/guide/beyond.md" : "steps/" + step->name + "/README.md";
}

std::vector<LearnerExercise> list_exercises(const course::Course& course) {
    std::vector<LearnerExercise> exercises;
    if (course.program) exercises.push_back({&*course.program, false});
    for (auto* steps : {&course.steps, &course.beyond_exercises}) {
        for (auto& step : *steps) {
            if (step.exercise) exercises.push_back({&step, false});
        }
    }
    return exercises;
}

std::vector<LearnerExercise> list_exercises_and_hunts(const course::Course& course) {
    std::vector<LearnerExercise> exercises;
    for (auto& exercise : list_exercises(course)) {
        exercises.push_back(exercise);
        if (exercise.step->hunt) exercises.push_back({exercise.step, true});
    }
    return exercises;
}

LearnerExercise find_exercise(const course::Course& course, const std::string& word, bool is_hunt) {
    const course::Step* step = course.lesson(word);
    if (step == nullptr || !step->exercise) {
        throw UsageError("there is no exercise \"" + word + "\"; ./learn list shows all exercises");
    }
    if (is_hunt && !step->hunt) {
        throw UsageError("the step " + step->name +
                         " has no bug hunt; ./learn list shows which steps have one");
    }
    return {step, is_hunt};
}

std::string hash_source(const std::string& text) {
    return hash_text(convert_to_line_feeds(text));
}

}  // namespace coalesce::learn

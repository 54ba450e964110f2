#include "learn/session.h"

#include <iostream>

#include "base/errors.h"
#include "base/files.h"
#include "learn/paths.h"

namespace coalesce::learn {

Session::Session(bool is_plain)
    : course(course::read_course(repository())),
      progress(learners_folder(), print_message),
      style(style_for_stdout(is_plain)) {}

LearnerExercise Session::exercise(const std::string& word, bool is_hunt) {
    if (!word.empty()) return find_exercise(course, word, is_hunt);
    LearnerExercise upcoming_exercise = next_exercise(course, progress.read());
    if (upcoming_exercise.step == nullptr) {
        throw UsageError("all exercises are done; give the number of an exercise, such as 03");
    }
    return find_exercise(course, upcoming_exercise.step->name, is_hunt);
}

LearnerExercise next_exercise(const course::Course& course, const State& state) {
    for (auto& exercise : list_exercises(course)) {
        Status status = status_of(state.record(exercise.name()), read_if_exists(exercise.file()));
        if (status != Status::done) return exercise;
    }
    return {};
}

LearnerExercise exercise_after(const course::Course& course, const LearnerExercise& exercise) {
    bool is_after_current = false;
    for (auto& candidate : list_exercises(course)) {
        if (is_after_current) return candidate;
        is_after_current = candidate.step == exercise.step;
    }
    return {};
}

}  // namespace coalesce::learn

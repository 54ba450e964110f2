/// \file
/// The data that every learner command uses.
#pragma once

#include <string>

#include "examiner/course/course.h"
#include "learn/state.h"
#include "learn/terminal.h"
#include "learn/work.h"

namespace coalesce::learn {

/// The course, the learner's progress, and the style of the terminal.
struct Session {
    course::Course course;
    Progress progress;
    Style style;

    /// Reads the course. Throws course::CourseError if a record of the course is invalid. If
    /// `is_plain` is set, `style` is plain (style_for_stdout).
    explicit Session(bool is_plain);

    /// Returns the exercise that `word` refers to. If `word` is empty, returns the next exercise.
    LearnerExercise exercise(const std::string& word, bool is_hunt);
};

/// Returns the first exercise that is not done, leaving out bug hunts. If all exercises are done,
/// the result's `step` is null.
LearnerExercise next_exercise(const course::Course& course, const State& state);
/// Returns the exercise after `exercise` in the course. After the last exercise, the result's
/// `step` is null.
LearnerExercise exercise_after(const course::Course& course, const LearnerExercise& exercise);

}  // namespace coalesce::learn

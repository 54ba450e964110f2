/// \file
/// The data that every command of the learner's works with.
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

    /// Reads the course. Throws course::CourseError.
    explicit Session(bool plain);

    /// Returns the exercise that `word` names, or the next one if it is "".
    Work exercise(const std::string& word, bool is_hunt);
};

/// Returns the first exercise that is not done, ignoring bug hunts. Its `step` is nullptr if all are done.
Work next_exercise(const course::Course& course, const State& state);
/// Returns the exercise after another one in the course. Its `step` is nullptr after the last.
Work exercise_behind(const course::Course& course, const Work& exercise);

}  // namespace coalesce::learn

/// \file
/// What every command of the learner's has at hand.
#pragma once

#include <string>

#include "examiner/course/course.h"
#include "learn/state.h"
#include "learn/terminal.h"
#include "learn/work.h"

namespace coalesce::learn {

/// The course, the learner's progress, and how to write to the terminal.
struct Session {
    course::Course course;
    Progress progress;
    Style style;

    /// Reads the course; throws course::CourseError.
    explicit Session(bool plain);

    /// The exercise that is meant by `word`, "" for the one that is next.
    Work exercise(const std::string& word, bool is_hunt);
};

/// The first exercise that is not done, hunts left out; nullptr's step when all are.
Work next_exercise(const course::Course& course, const State& state);
/// The exercise behind another one in the course; nullptr's step after the last.
Work exercise_behind(const course::Course& course, const Work& exercise);

}  // namespace coalesce::learn

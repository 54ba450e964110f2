/// \file
/// An exercise of a step, or a bug hunt, with the paths and the contents of its files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/course/course.h"
#include "examiner/source.h"

namespace coalesce::learn {

/// An exercise or a bug hunt, and the paths of its files.
struct LearnerExercise {
    const course::Step* step = nullptr;
    bool is_hunt = false;

    /// Returns "03_tiled" or "03_tiled hunt", the name used in messages and in the learner's
    /// progress.
    std::string name() const { return step->name + (is_hunt ? " hunt" : ""); }
    /// Returns the command-line arguments that select the exercise, such as "03" or "03 --hunt".
    std::string command_arguments() const { return step->number() + (is_hunt ? " --hunt" : ""); }
    /// Returns the path of the learner's file relative to the course's folder, such as
    /// "exercises/03_tiled/kernel.cu".
    std::filesystem::path relative_file() const;
    /// Returns the full path of the learner's file.
    std::filesystem::path file() const;
    /// Returns the source in the learner's file, or in `other_file` if that is not empty. The
    /// source includes the name of its file, for use in messages.
    Source source(const std::string& other_file) const;
    /// Returns the original text of the learner's file. The text is derived from the marked
    /// solution. Throws an exception if solutions/ contains no solution of the exercise.
    std::string skeleton() const;
    /// Returns the solution without its markers.
    std::string solution() const;
    /// Reports whether the learner writes a whole program instead of a kernel. Such a program has
    /// no single kernel to profile or draw.
    bool is_program() const { return requirements().is_program; }
    /// Reports whether the exercise is beyond the transpose. Such exercises have no lesson.
    bool is_beyond() const { return coalesce::is_beyond(step->name); }
    /// Reports whether the task is defined element by element. Such an exercise has no matrix to
    /// draw.
    bool has_element_task() const { return requirements().elements.has_value(); }
    /// Returns the exercise's description from the course.
    const Exercise& requirements() const { return is_hunt ? *step->hunt : *step->exercise; }
    /// Returns the path of the lesson's text, such as "steps/03_tiled/README.md". All exercises
    /// beyond the transpose share one page of the guide.
    std::string lesson() const;
    /// Returns the points for passing the exercise.
    int points() const { return requirements().points; }
};

/// Returns the exercises in course order, without bug hunts. The whole program comes first, and the
/// exercises beyond the transpose come last.
std::vector<LearnerExercise> list_exercises(const course::Course& course);
/// Returns all exercises, each followed by its bug hunt.
std::vector<LearnerExercise> list_exercises_and_hunts(const course::Course& course);

/// Returns the exercise with this number or name. Throws UsageError if there is none.
LearnerExercise find_exercise(const course::Course& course, const std::string& word, bool is_hunt);

/// Returns a hash of a source text, by which verdicts and the learner's progress identify the text.
std::string hash_source(const std::string& text);

}  // namespace coalesce::learn

/// \file
/// One thing that a learner works on: the exercise of a step, or its bug hunt.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "examiner/course/course.h"
#include "examiner/source.h"

namespace coalesce::learn {

/// An exercise or a bug hunt, and where its files are.
struct Work {
    const course::Step* step = nullptr;
    bool is_hunt = false;

    /// "03_tiled", "03_tiled hunt": for messages, and its name in the learner's progress.
    std::string name() const { return step->name + (is_hunt ? " hunt" : ""); }
    /// What follows a command to mean this one: "03", "03 --hunt".
    std::string words() const { return step->number() + (is_hunt ? " --hunt" : ""); }
    /// The learner's file, from the course's folder on: "exercises/03_tiled/kernel.cu".
    std::filesystem::path relative_file() const;
    /// The same with its whole path.
    std::filesystem::path file() const;
    /// The text of that file, or of the other one that was named, as messages name it.
    Source source(const std::string& other_file) const;
    /// The file as it is without what the learner writes. Throws when solutions/ lacks it.
    std::string skeleton() const;
    /// The solution, without its marks.
    std::string solution() const;
    /// Whether it is a program, and no kernel that could be counted, drawn or timed.
    bool is_program() const { return asked().is_program; }
    /// What is asked of it.
    const Exercise& asked() const { return is_hunt ? *step->hunt : *step->exercise; }
    /// The lesson that goes with it: "steps/03_tiled/README.md".
    std::string lesson() const;
    /// Points for passing it.
    int points() const { return asked().points; }
};

/// The exercises in the course's order, without bug hunts; the program comes first.
std::vector<Work> exercises_of(const course::Course& course);
/// All of them: after each exercise its bug hunt.
std::vector<Work> exercises_and_hunts_of(const course::Course& course);

/// The one that a learner names by number or name. Throws UsageError when there is none.
Work find_exercise(const course::Course& course, const std::string& word, bool is_hunt);

/// What identifies a text: the same in verdicts and in the learner's progress.
std::string identity_of(const std::string& text);

}  // namespace coalesce::learn

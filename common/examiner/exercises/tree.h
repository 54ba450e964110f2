/// \file
/// Generates the repository's exercises from the solutions, and checks that each exercise is
/// complete.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "examiner/course/course.h"
#include "examiner/exercises/mutants.h"
#include "examiner/exercises/skeleton.h"

namespace coalesce::exercises {

/// A repository that contains solutions/ and exercises/.
class ExerciseTree {
public:
    /// Opens the repository. Throws UsageError if it has no solutions/.
    explicit ExerciseTree(std::filesystem::path root);

    const std::filesystem::path& root() const { return root_; }
    /// Returns the names of the exercises in order. They are the names of the folders in
    /// solutions/.
    const std::vector<std::string>& names() const { return names_; }
    /// Returns the files that the learner edits: kernel.cu and hunt.cu, or program.cu.
    std::vector<std::string> files(const std::string& name) const;
    /// Returns the skeleton of a file of an exercise. `file` must be one of `files(name)`.
    Skeleton skeleton(const std::string& name, const std::string& file) const;

    /// Writes all skeletons and returns the files that changed. Overwrites the learner's work.
    std::vector<std::string> generate() const;
    /// Returns the faults in the exercises. Each string is a sentence that says where the fault is
    /// and how to fix it.
    std::vector<std::string> faults() const;
    /// Returns the faults in the course's hints. A fault is either a hint for an unknown failure,
    /// or a failure of a mutant or a skeleton for which there is no hint.
    std::vector<std::string> find_faults_in_hints() const;
    /// Returns the skeletons that have been edited since they were committed.
    std::vector<std::string> list_edited_files() const;

private:
    std::filesystem::path root_;
    std::vector<std::string> names_;
};

/// Returns the faults in the comment at the top of an exercise. The comment must name the exercise,
/// describe the task, and say how to check the kernel and where to get help. The comment of a bug
/// hunt must say what the bug does and what to fix.
std::vector<std::string> find_header_faults(const std::string& name, const Skeleton& skeleton,
                                            bool is_hunt);

/// Returns the lines of the kernel in `text`, normalized for comparison: without comments, blank
/// lines, template arguments and the kernel's name. Returns no lines if there is no kernel.
std::vector<std::string> extract_kernel_lines(const std::string& text);

/// Returns a sentence for each hint of the course that names an unknown failure. The sentence
/// states the line of the hint.
std::vector<std::string> find_hint_faults(const course::Course& course);
/// Returns the elements of `failures` for which neither the exercise nor course.toml has a hint.
std::vector<std::string> failures_without_hint(const course::Course& course,
                                               const std::string& step,
                                               const std::set<std::string>& failures);

}  // namespace coalesce::exercises

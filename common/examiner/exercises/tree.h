/// \file
/// The exercises as they stand in the repository: written from the solutions, and proved to be whole.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "examiner/course/course.h"
#include "examiner/exercises/mutants.h"
#include "examiner/exercises/skeleton.h"

namespace coalesce::exercises {

/// A repository with solutions/ and exercises/.
class Tree {
public:
    /// Its folder. Throws UsageError when it has no solutions/.
    explicit Tree(std::filesystem::path root);

    const std::filesystem::path& root() const { return root_; }
    /// The exercises' names, in order: the folders of solutions/.
    const std::vector<std::string>& names() const { return names_; }
    /// What the learner writes in, the exercise itself first: kernel.cu and hunt.cu, or program.cu.
    std::vector<std::string> files(const std::string& name) const;
    /// The skeleton that exercises/NAME/FILE comes from, where FILE is one of `files`.
    Skeleton skeleton(const std::string& name, const std::string& file) const;

    /// Writes all skeletons; says which files changed. It overwrites what a learner wrote.
    std::vector<std::string> generate() const;
    /// A sentence, with its place and what to do, for everything that is not as it should be.
    std::vector<std::string> faults() const;
    /// Returns the faults of the course's hints: slips, and failures that an exercise provokes but no hint
    /// explains.
    std::vector<std::string> faults_of_hints() const;
    /// Files in which somebody has begun to write since they were committed.
    std::vector<std::string> edited() const;

private:
    std::filesystem::path root_;
    std::vector<std::string> names_;
};

/// What is wrong with the comment at the head of an exercise: it must name the exercise, what is
/// given, what to write in how many lines, how to check it and where to get help. That of a bug hunt names what
/// is seen and what to fix.
std::vector<std::string> header_faults(const std::string& name, const Skeleton& skeleton,
                                       bool is_hunt);

/// The lines of the kernel in `text`, to compare kernels: without comments, blank lines, template
/// arguments and its name. Empty when there is none.
std::vector<std::string> bare_kernel(const std::string& text);

/// Slips in the hints of the course, with their lines: a failure that nothing is ever called.
std::vector<std::string> hint_faults(const course::Course& course);
/// Those of `failures` for which neither the exercise nor course.toml has a hint.
std::vector<std::string> failures_without_hint(const course::Course& course,
                                               const std::string& step,
                                               const std::set<std::string>& failures);

}  // namespace coalesce::exercises

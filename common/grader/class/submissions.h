/// \file
/// Who handed in what: from a folder or an archive with a folder, an archive or a file for each
/// student.
///
/// A student's file for exercise 03_tiled is called kernel.cu in a folder 03_tiled (or 03), anywhere
/// in what they handed in, or 03_tiled.cu. When the assignment has one exercise, a single .cu file of
/// any name will do.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/class/tree.h"

namespace coalesce::grader {

/// What one student handed in for one exercise.
struct Handed {
    std::string exercise;  ///< "03_tiled"
    std::string source;    ///< the file's bytes; "" when there is a problem
    std::string problem;  ///< "no-file", "two-files", "not-a-file", "file-too-large", "archive-..."
    /// The same in words for the student; without a problem, what was handed in and not looked at.
    std::string details;

    /// Whether there is something to judge.
    bool is_there() const { return problem.empty(); }
};

/// One student.
struct Student {
    std::string name;  ///< bytes as they came: of a folder, or of an archive without ending
    std::vector<Handed> handed;  ///< one for each exercise, in their order
};

/// The class, in the order of their names. Throws UsageError when there is nobody.
std::vector<Student> read_class(const std::filesystem::path& submissions,
                                const std::vector<std::string>& exercises);

/// One student's files from a folder, an archive or a file.
Student read_student(const std::filesystem::path& submission, const std::string& name,
                     const std::vector<std::string>& exercises);

/// Finds the files for the exercises among what a student handed in.
std::vector<Handed> find_files(const Tree& tree, const std::vector<std::string>& exercises);

}  // namespace coalesce::grader

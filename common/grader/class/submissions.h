/// \file
/// Reads the submissions of a class from a folder or an archive, which contains one item for each
/// student: a folder, an archive or a file.
///
/// A student's file for exercise 03_tiled is either 03_tiled.cu, or kernel.cu in a folder 03_tiled
/// (or 03) anywhere in the submission. If the assignment has one exercise, a single .cu file with
/// any name is accepted. The name formats of downloads from Moodle and Canvas are recognized
/// (platform_names.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/class/tree.h"

namespace coalesce::grader {

/// One student's submission for one exercise.
struct Submission {
    std::string exercise;  ///< such as "03_tiled"
    std::string source;    ///< bytes of the file, or "" if the submission cannot be judged
    /// The reason why the submission cannot be judged, such as "no-file" or "two-files". "" if it
    /// can be judged.
    std::string problem;
    /// A description of the problem for the student. If there is no problem, lists the files that
    /// were not examined.
    std::string details;

    /// Reports whether the submission contains a file that can be judged.
    bool has_file() const { return problem.empty(); }
};

/// One student's submissions.
struct Student {
    std::string name;  ///< name of the folder or archive, as raw bytes, without extension
    /// A submission for each exercise, in the order of the exercises.
    std::vector<Submission> submissions;
    std::string platform_name = "";  ///< see Entry::platform_name
};

/// Reads all students' submissions, sorted by name. Throws UsageError if there are no students.
std::vector<Student> read_class(const std::filesystem::path& submissions,
                                const std::vector<std::string>& exercises);

/// Reads one student's files from a folder, an archive or a file.
Student read_student(const std::filesystem::path& submission, const std::string& name,
                     const std::vector<std::string>& exercises);

std::vector<Submission> find_files(const FileTree& tree, const std::vector<std::string>& exercises);

}  // namespace coalesce::grader

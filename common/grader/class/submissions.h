/// \file
/// Reads the submissions of a class. They are in a folder or an archive that contains a folder, an
/// archive or a file for each student.
///
/// A student's file for exercise 03_tiled is kernel.cu in a folder 03_tiled (or 03) anywhere in the
/// submission, or 03_tiled.cu. If the assignment has one exercise, a single .cu file of any name is
/// accepted. Names in the downloads of Moodle and Canvas are understood (platform_names.h).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/class/tree.h"

namespace coalesce::grader {

/// One student's submission for one exercise.
struct Submission {
    std::string exercise;  ///< such as "03_tiled"
    std::string source;    ///< the bytes of the file, or "" if there is a problem
    /// "no-file", "two-files", "not-a-file", "file-too-large", "archive-...", or "" for none.
    std::string problem;
    /// Describes the problem for the student. If there is no problem, lists the files that were not
    /// examined.
    std::string details;

    /// Reports whether there is a file to judge.
    bool is_there() const { return problem.empty(); }
};

/// One student's submissions.
struct Student {
    std::string name;  ///< name of the folder or archive, as raw bytes, without extension
    std::vector<Submission> submissions;  ///< a submission for each exercise, in order
    std::string platform_name = "";       ///< see Entry::platform_name
};

/// Reads all students' submissions, sorted by name. Throws UsageError if there are no students.
std::vector<Student> read_class(const std::filesystem::path& submissions,
                                const std::vector<std::string>& exercises);

/// Reads one student's files from a folder, an archive or a file.
Student read_student(const std::filesystem::path& submission, const std::string& name,
                     const std::vector<std::string>& exercises);

/// Finds the exercises' files in a submission.
std::vector<Submission> find_files(const Tree& tree, const std::vector<std::string>& exercises);

}  // namespace coalesce::grader

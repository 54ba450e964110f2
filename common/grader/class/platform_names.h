/// \file
/// Parses and generates file names in the formats that learning platforms use for downloaded
/// submissions.
///
///     Ada Lovelace_42_assignsubmission_file_/kernel.cu      Moodle, with or without folders
///     lovelaceada_LATE_1815_7_kernel-2.cu                   Canvas
#pragma once

#include <optional>
#include <string>

namespace coalesce::grader {

/// The parts of a file name or folder name in a platform's download.
struct PlatformName {
    std::string student;  ///< the student's name and id: "Ada Lovelace (42)"
    std::string file;     ///< the name that the student gave the file, or "" for a folder
    /// The file name under which the platform accepts feedback for the student.
    std::string feedback_path;
    bool is_late = false;  ///< whether the platform marked the submission as late
};

/// Parses the name of a folder or a file. Returns nothing if the name does not match any platform's
/// format.
std::optional<PlatformName> parse_platform_name(const std::string& name);

}  // namespace coalesce::grader

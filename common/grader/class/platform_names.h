/// \file
/// Reads and writes the names of files in the downloads of learning platforms.
///
///     Ada Lovelace_42_assignsubmission_file_/kernel.cu      Moodle, with or without folders
///     lovelaceada_LATE_1815_7_kernel-2.cu                   Canvas
#pragma once

#include <optional>
#include <string>

namespace coalesce::grader {

/// The name of a student's folder or file in a platform's download.
struct PlatformName {
    std::string student;   ///< the student's name and number: "Ada Lovelace (42)"
    std::string file;      ///< the name that the student gave the file, or "" for a folder
    std::string feedback;  ///< the name under which the platform takes feedback for the student
    bool is_late = false;  ///< whether the platform says that the submission was late
};

/// Parses the name of a folder or a file. Returns nothing if the name has no platform's format.
std::optional<PlatformName> parse_platform_name(const std::string& name);

}  // namespace coalesce::grader

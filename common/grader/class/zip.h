/// \file
/// Writes a zip archive.
#pragma once

#include <string>
#include <vector>

namespace coalesce::grader {

/// A file to put in.
struct Packed {
    std::string name;      ///< with / between folders
    std::string bytes;     ///< its content
    unsigned mode = 0644;  ///< its rights
};

/// The archive's bytes; the same for the same files. Throws Infrastructure.
std::string zip_of(const std::vector<Packed>& files);

}  // namespace coalesce::grader

/// \file
/// Writes zip archives.
#pragma once

#include <string>
#include <vector>

namespace coalesce::grader {

/// A file to put into the archive.
struct Packed {
    std::string name;      ///< name, with / between folders
    std::string bytes;     ///< content
    unsigned mode = 0644;  ///< permissions
};

/// Returns a zip archive of the files. The same files always produce the same bytes. Throws
/// Infrastructure.
std::string zip_of(const std::vector<Packed>& files);

}  // namespace coalesce::grader

/// \file
/// Writes zip and tar archives.
#pragma once

#include <string>
#include <vector>

namespace coalesce::grader {

/// A file to store in an archive.
struct ZipEntry {
    std::string name;      ///< name, with / between folders
    std::string bytes;     ///< content of the file
    unsigned mode = 0644;  ///< permissions of the file
};

/// Returns a zip archive of the files. The same files always produce the same bytes. Throws
/// InfrastructureError if packing fails.
std::string create_zip(const std::vector<ZipEntry>& files);
/// Returns a tar archive of the files. The same files always produce the same bytes.
std::string create_tar(const std::vector<ZipEntry>& files);

}  // namespace coalesce::grader

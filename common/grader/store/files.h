/// \file
/// Writes files that exist completely or not at all, even if the computer stops.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/files.h"

namespace coalesce::grader {

/// Writes a file under a temporary name beside its destination, syncs it to the disk, and renames it. Throws
/// Infrastructure.
void write_whole(const std::filesystem::path& file, std::string_view bytes, mode_t mode = 0644);

/// Writes a file unless it exists. Returns false, and changes nothing, if it does. Throws Infrastructure.
bool write_first(const std::filesystem::path& file, std::string_view bytes, mode_t mode = 0644);

/// Creates a folder and its parents. Throws Infrastructure.
void make_folder(const std::filesystem::path& folder, mode_t mode = 0755);

/// A work folder, which is removed with this object and everything in it.
class WorkFolder {
public:
    /// The user of this object creates the folder.
    explicit WorkFolder(const std::filesystem::path& where) : path(where) {}
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path path;
};

/// A lock that one process at a time can hold, and that is released however the process ends.
class FileLock {
public:
    /// Takes the lock, or throws Infrastructure that says which process has it. `what` describes what it guards.
    FileLock(const std::filesystem::path& file, const std::string& what);

private:
    Descriptor descriptor_;
};

}  // namespace coalesce::grader

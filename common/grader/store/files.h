/// \file
/// Writes files atomically, even if the computer crashes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/files.h"

namespace coalesce::grader {

/// Writes a file under a temporary name in the same folder, syncs it to disk, and renames it.
/// Throws InfrastructureError on failure.
void write_atomically(const std::filesystem::path& file, std::string_view bytes,
                      mode_t mode = 0644);

/// Writes a file unless it already exists. Returns false if the file exists. Throws
/// InfrastructureError on failure.
bool write_if_absent(const std::filesystem::path& file, std::string_view bytes, mode_t mode = 0644);

/// Creates a folder and any missing parent folders. Throws InfrastructureError on failure.
void make_folder(const std::filesystem::path& folder, mode_t mode = 0755);

/// A work folder. The destructor removes it and its contents.
class WorkFolder {
public:
    /// Takes ownership of the folder at `folder`, which must exist.
    explicit WorkFolder(const std::filesystem::path& folder) : path(folder) {}
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path path;
};

/// A lock that only one process at a time can hold. Linux releases the lock when the process ends,
/// even after a crash.
class FileLock {
public:
    /// Acquires the lock. If another process holds the lock, throws an InfrastructureError that
    /// names the other process. `lock_name` says what the lock protects.
    FileLock(const std::filesystem::path& file, const std::string& lock_name);

private:
    Descriptor descriptor_;
};

}  // namespace coalesce::grader

/// \file
/// Writes files that exist completely or not at all, even if the computer crashes.
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

/// Writes a file. If it exists already, changes nothing and returns false. Throws
/// InfrastructureError on failure.
bool write_if_absent(const std::filesystem::path& file, std::string_view bytes, mode_t mode = 0644);

/// Creates a folder and its parents. Throws InfrastructureError on failure.
void make_folder(const std::filesystem::path& folder, mode_t mode = 0755);

/// A work folder. The destructor removes it and its contents.
class WorkFolder {
public:
    /// Takes over a folder, which the caller must create.
    explicit WorkFolder(const std::filesystem::path& where) : path(where) {}
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path path;
};

/// A lock that only one process can hold at a time. The kernel releases it when the process ends,
/// even if it crashes.
class FileLock {
public:
    /// Takes the lock. If another process already holds it, throws an InfrastructureError naming
    /// that process. `what` says what the lock protects, for the message.
    FileLock(const std::filesystem::path& file, const std::string& what);

private:
    Descriptor descriptor_;
};

}  // namespace coalesce::grader

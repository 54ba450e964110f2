/// \file
/// Files that are there whole, or not at all, whenever the machine stops.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/files.h"

namespace coalesce::grader {

/// Writes a file under another name beside its goal, makes sure that it is on the disk, and puts it in
/// its place. Throws Infrastructure.
void write_whole(const std::filesystem::path& file, std::string_view bytes, mode_t mode = 0644);

/// Writes a file of which there is only ever one: false, and nothing changes, when there is one
/// already. Throws Infrastructure.
bool write_first(const std::filesystem::path& file, std::string_view bytes, mode_t mode = 0644);

/// Makes a folder and those above it. Throws Infrastructure.
void make_folder(const std::filesystem::path& folder, mode_t mode = 0755);

/// A folder to work in that goes with this object, with all that is in it.
class WorkFolder {
public:
    /// Whoever needs it makes it.
    explicit WorkFolder(const std::filesystem::path& where) : path(where) {}
    ~WorkFolder();
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;

    const std::filesystem::path path;
};

/// A lock that one process has at a time, and that goes with the process, however that ends.
class FileLock {
public:
    /// Takes it, or throws Infrastructure that says who has it. `what` is what it guards.
    FileLock(const std::filesystem::path& file, const std::string& what);

private:
    Descriptor descriptor_;
};

}  // namespace coalesce::grader

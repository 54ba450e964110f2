/// \file
/// Reads and writes whole files, and creates temporary folders.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace coalesce {

/// Returns the contents of a regular file, or nothing if it does not exist or cannot be read.
std::optional<std::string> read_if_exists(const std::filesystem::path& file);
/// Returns the contents of a regular file. Throws a UsageError naming the file if it cannot be
/// read.
std::string read_file(const std::filesystem::path& file);

/// Options for write_atomically.
struct WriteOptions {
    /// The permissions of the new file, which override the umask. If empty, the umask determines
    /// the permissions. The permissions of a replaced file are never kept.
    std::optional<mode_t> mode = {};
    bool should_sync = false;     ///< whether to sync the new file before it replaces the old one
    bool must_not_exist = false;  ///< whether to fail with EEXIST if the file already exists
};
/// Writes to a temporary file in the same folder, then renames it to `file`. A reader therefore
/// sees either the complete old file or the complete new one. Returns the error, if any.
std::error_code write_atomically(const std::filesystem::path& file, std::string_view bytes,
                                 const WriteOptions& options = {});

/// Writes the whole file. On failure it throws UsageError and leaves the old file unchanged.
void write_file(const std::filesystem::path& file, std::string_view bytes);
/// Checks that `file` can be written, without changing anything. Throws UsageError if it cannot.
void check_writable(const std::filesystem::path& file);

/// A temporary folder. The destructor deletes the folder and its contents, unless
/// `remove_temporary_folders` has done so already.
class TemporaryFolder {
public:
    /// Creates the folder in $TMPDIR or /tmp. Throws UsageError on failure.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return path / name; }

    const std::filesystem::path path;
};

/// Deletes all temporary folders. Call this in programs that end on SIGTERM without running
/// destructors.
void remove_temporary_folders();

}  // namespace coalesce

/// \file
/// Files that are read and written whole, and folders that are gone in the end.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace coalesce {

/// The bytes of an ordinary file; nothing where there is none that can be read.
std::optional<std::string> read_if_there(const std::filesystem::path& file);
/// The same. Throws UsageError that names it.
std::string read_file(const std::filesystem::path& file);

/// How a file is written.
struct Writing {
    std::optional<mode_t> mode = {};  ///< these rights, whatever umask says and an older file has
    bool is_synced = false;           ///< on the disk before it is in its place
    bool is_first = false;  ///< fails with EEXIST, and changes nothing, where there is one
};
/// Writes a file under another name beside its goal, then puts it in its place: whoever reads it finds it
/// whole, old or new. Says why that cannot be done.
std::error_code write_whole(const std::filesystem::path& file, std::string_view bytes,
                            const Writing& how = {});

/// Writes a file whole or not at all. Throws UsageError.
void write_file(const std::filesystem::path& file, std::string_view bytes);
/// Throws UsageError when nothing could be written to that file; writes nothing.
void check_writable(const std::filesystem::path& file);

/// A folder that is gone in the end, with all that is in it.
/// Also when `remove_temporary_folders` is called before.
class TemporaryFolder {
public:
    /// In $TMPDIR or /tmp. Throws UsageError.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(const std::string& name) const { return path / name; }

    const std::filesystem::path path;
};

/// Removes those that are there: for a program that is told to end (SIGTERM), and unwinds nothing.
void remove_temporary_folders();

}  // namespace coalesce

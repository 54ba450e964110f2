/// \file
/// Reads submitted files from a folder or an archive into memory. Reads only *.cu files, and lists
/// all others.
///
/// An archive may contain links, devices, names that point outside the archive, and files that
/// expand to ten thousand times their size. Therefore, this code never writes to disk and never
/// uses a submitted name as a path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce::grader {

/// An item in a folder or an archive.
struct TreeItem {
    /// The kinds of items.
    enum class Kind {
        file,       ///< an ordinary file
        too_large,  ///< a file of the assignment that is too large to be read
        ignored,    ///< a file that the assignment does not require; its content was not read
        special,    ///< a link, a device, a FIFO or another special file
        hostile,    ///< an item whose name points outside the archive; `path` lacks the ".." parts
    };
    std::vector<std::string> path;  ///< the components of the item's name, as raw bytes
    Kind kind = Kind::file;         ///< kind of the item
    std::string bytes = "";         ///< content of a file
    std::uintmax_t size = 0;        ///< size of an ignored file
};

/// The items that were found in a folder or an archive.
struct FileTree {
    std::vector<TreeItem>
        items;  ///< all items except folders, in the order in which they were found
    /// The reason why reading stopped, such as "archive-too-large", or "" if it did not.
    std::string problem;
    std::string details;  ///< a description of the problem

    /// Records the problem that stops the reading, with a description for messages.
    void refuse(const std::string& problem_id, const std::string& description) {
        problem = problem_id;
        details = description;
    }
};

/// Limits for reading.
struct TreeLimits {
    std::size_t max_items = 20000;            ///< maximum number of items
    std::size_t max_total_bytes = 32u << 20;  ///< maximum total size of all files that are read
    std::size_t max_file_bytes = 4u << 20;    ///< maximum size of a single file that is read
    std::size_t max_archive_bytes = 256u
                                    << 20;  ///< maximum size of a nested archive, before unpacking
    /// The maximum total size, in bytes, of ignored files and nested archives. Ignored files count,
    /// because even skipping a zip bomb requires decompressing it.
    std::size_t max_unwanted_bytes = 512u << 20;
    std::size_t max_depth = 12;      ///< maximum nesting depth of folders
    bool includes_archives = false;  ///< whether to read nested archives too
};

/// Limits for an archive of a whole class.
inline constexpr TreeLimits kClassLimits = {.max_items = 1000000,
                                            .max_total_bytes = 1u << 30,
                                            .max_file_bytes = 4u << 20,
                                            .max_unwanted_bytes = std::size_t{8} << 30,
                                            .max_depth = 16,
                                            .includes_archives = true};

/// Reads a folder. Checks the sizes of files before reading them, and does not follow links. Throws
/// UsageError if `folder` is not a folder.
FileTree read_folder(const std::filesystem::path& folder, const TreeLimits& limits = {});

/// Reads a zip or tar archive, compressed or not.
FileTree read_archive(std::string_view archive, const TreeLimits& limits = {});

/// Describes the ignored files: "notes.pdf (50 MB) and 3 others". Returns "" if there are none.
std::string describe_ignored_files(const FileTree& tree);

/// Reports whether a file name has the extension of an archive.
bool is_archive_name(std::string_view name);
/// Returns the file name without an archive extension such as .zip or .tar.gz.
std::string strip_archive_extension(std::string_view name);

}  // namespace coalesce::grader

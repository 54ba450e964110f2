/// \file
/// Files that somebody handed in, read into memory from a folder or an archive. What is wanted are
/// files named *.cu; the others are named and passed over, whatever their size, in the same way from
/// a folder and from an archive. Nothing is ever written to the disk from here, and no name in it is
/// ever used as a path: an archive may hold names that climb out of it, links, devices, or ten
/// thousand times its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce::grader {

/// One thing in a folder or an archive.
struct Item {
    /// What it is.
    enum class Kind {
        file,       ///< an ordinary file
        too_large,  ///< one that was wanted, but is too large: nothing of it was read
        ignored,    ///< one that nobody asked for: nothing of it was read either
        special,    ///< a link, a device, a FIFO ...
        hostile,    ///< a name that leads out of the archive; `path` is what is left of it
    };
    std::vector<std::string> path;  ///< the parts of its name, bytes as they are
    Kind kind = Kind::file;         ///< what it is
    std::string bytes = "";         ///< of a file
    std::uintmax_t size = 0;        ///< how many there are of one that was ignored
};

/// What was found.
struct Tree {
    std::vector<Item> items;  ///< in the order in which they were met; folders are not among them
    std::string problem;      ///< why it was not read to its end ("archive-too-large"); "": it was
    std::string details;      ///< the same in words

    /// Stops reading for a reason.
    void refuse(const std::string& id, const std::string& words) {
        problem = id;
        details = words;
    }
};

/// How much is read.
struct TreeLimits {
    std::size_t items = 20000;               ///< things in it
    std::size_t bytes = 32u << 20;           ///< of all files that are wanted
    std::size_t file_bytes = 4u << 20;       ///< of one of them
    std::size_t archive_bytes = 256u << 20;  ///< of an archive, packed
    /// Of all that is ignored, and of archives in it: a bomb must be unpacked to be passed over.
    std::size_t other_bytes = 512u << 20;
    std::size_t depth = 12;     ///< folders in folders
    bool has_archives = false;  ///< archives in it are wanted too
};

/// For an archive of a whole class.
inline constexpr TreeLimits kClassLimits = {.items = 1000000,
                                            .bytes = 1u << 30,
                                            .file_bytes = 4u << 20,
                                            .other_bytes = std::size_t{8} << 30,
                                            .depth = 16,
                                            .has_archives = true};

/// Reads a folder. Sizes are looked at before anything is read. Links are not followed. Throws UsageError when it is none.
Tree read_folder(const std::filesystem::path& folder, const TreeLimits& limits = {});

/// Reads a zip or tar archive, packed or not.
Tree read_archive(std::string_view archive, const TreeLimits& limits = {});

/// Files that were handed in beside what is wanted: "notes.pdf (50 MB) and 3 others"; "": none were.
std::string ignored_in(const Tree& tree);

/// Whether a file is named as an archive.
bool is_archive_name(std::string_view name);
/// The name without .zip, .tar.gz ...
std::string without_archive_ending(std::string_view name);

}  // namespace coalesce::grader

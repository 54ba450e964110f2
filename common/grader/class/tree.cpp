#include "grader/class/tree.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <sstream>

#include "base/descriptor.h"
#include "base/text.h"
#include "examiner/safe_text.h"
#include "grader/store/errors.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

std::string to_lower_case(std::string_view text) {
    std::string lowered(text);
    for (char& letter : lowered) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return lowered;
}

// How the reader treats a file. It reads a kernel, unpacks a nested archive, and skips any other
// file.
enum class WantedContent { kernel, archive, nothing };

WantedContent classify_content(const std::string& name, const TreeLimits& limits) {
    // A file called KERNEL.CU has the wrong name, but is read so that the student is told about it.
    if (to_lower_case(name).ends_with(".cu")) return WantedContent::kernel;
    return limits.includes_archives && is_archive_name(name) ? WantedContent::archive
                                                             : WantedContent::nothing;
}

// Reports whether a path belongs to a file that was created by an operating system, by git or by
// the course.
bool is_system_file(const std::vector<std::string>& path) {
    for (const std::string& component : path) {
        if (component == "__MACOSX" || component == ".git" || component == ".learn") return true;
    }
    const std::string& file_name = path.back();
    return file_name == ".DS_Store" || file_name == "Thumbs.db" || file_name == "desktop.ini" ||
           file_name.starts_with("._");
}

// Counts the files and bytes that have been read. Stops reading when a limit is exceeded.
class LimitMeter {
public:
    LimitMeter(const TreeLimits& limits, FileTree& tree) : limits(limits), tree_(tree) {}

    bool count_item() {
        if (++items_ <= limits.max_items) return true;
        tree_.refuse(
            "archive-too-large",
            "There are more than " + std::to_string(limits.max_items) + " files in the archive.");
        return false;
    }
    bool count_bytes(std::size_t added_bytes) {
        return count_against_limit(added_bytes, bytes_, limits.max_total_bytes,
                                   "The kernels in the archive take");
    }
    // Counts the bytes of skipped files and of compressed archives. Returns false if the archive
    // exceeds the limit.
    bool count_unwanted_bytes(std::uintmax_t added_bytes) {
        return count_against_limit(added_bytes, unwanted_bytes_, limits.max_unwanted_bytes,
                                   "The contents of the archive take");
    }

    const TreeLimits& limits;

private:
    bool count_against_limit(std::uintmax_t added_bytes, std::uintmax_t& byte_sum,
                             std::size_t max_bytes, const char* content_phrase) {
        byte_sum += added_bytes;
        if (byte_sum <= max_bytes) return true;
        tree_.refuse("archive-too-large", std::string(content_phrase) + " more than " +
                                              std::to_string(max_bytes >> 20) + " MiB.");
        return false;
    }

    FileTree& tree_;
    std::size_t items_ = 0;
    std::uintmax_t bytes_ = 0, unwanted_bytes_ = 0;
};

// ---- folders ----

class FolderReader {
public:
    FolderReader(FileTree& tree, const TreeLimits& limits) : tree_(tree), meter_(limits, tree) {}

    // Reads an open folder and its subfolders recursively. `path` is the path of the folder.
    void read(int folder, const std::vector<std::string>& path) {
        for (const std::string& name : list_names(folder)) {
            if (!tree_.problem.empty()) return;
            std::vector<std::string> inner_path = path;
            inner_path.push_back(name);
            if (!is_system_file(inner_path)) read_item(folder, name, inner_path);
        }
    }

private:
    // Returns the names in sorted order, because the order in which readdir returns them depends on
    // the file system.
    static std::set<std::string> list_names(int folder) {
        std::set<std::string> names;
        DIR* directory = fdopendir(dup(folder));
        if (directory == nullptr) return names;
        while (const dirent* entry = readdir(directory)) {
            std::string name = entry->d_name;
            if (name != "." && name != "..") names.insert(name);
        }
        closedir(directory);
        return names;
    }

    void read_item(int folder, const std::string& name, const std::vector<std::string>& path) {
        // Without O_NONBLOCK, opening a FIFO would wait until another process opens it for writing.
        Descriptor descriptor(openat(folder, name.c_str(),
                                     O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
        struct stat status;
        bool has_status = descriptor && fstat(descriptor.get(), &status) == 0;
        if (has_status && S_ISDIR(status.st_mode)) {
            if (path.size() < meter_.limits.max_depth) return read(descriptor.get(), path);
            return tree_.refuse("archive-too-large", "The folders are nested too deeply.");
        }
        if (!meter_.count_item()) return;
        if (!has_status && errno != ELOOP && errno != ENXIO && errno != EOPNOTSUPP) {
            throw InfrastructureError(escape_line(name) + " cannot be read (" + strerror(errno) +
                                      "); change its permissions, then run again");
        }
        if (!has_status || !S_ISREG(status.st_mode)) {
            tree_.items.push_back({path, TreeItem::Kind::special});
            return;
        }
        read_regular(descriptor.get(), path, static_cast<std::uintmax_t>(status.st_size));
    }

    void read_regular(int file, const std::vector<std::string>& path, std::uintmax_t size) {
        const WantedContent wanted_content = classify_content(path.back(), meter_.limits);
        if (wanted_content == WantedContent::nothing) {
            if (meter_.count_unwanted_bytes(size)) {
                tree_.items.push_back({path, TreeItem::Kind::ignored, "", size});
            }
            return;
        }
        const bool is_archive = wanted_content == WantedContent::archive;
        const std::size_t max_bytes =
            is_archive ? meter_.limits.max_archive_bytes : meter_.limits.max_file_bytes;
        TreeItem item{path, TreeItem::Kind::file};
        // Limit the number of bytes to read, because the file may have grown since its size was
        // checked.
        if (size <= max_bytes && !read_all(file, item.bytes, max_bytes)) {
            throw InfrastructureError(escape_line(path.back()) + " cannot be read (" +
                                      strerror(errno) + "); repair the disk, then run again");
        }
        if (size > max_bytes || item.bytes.size() > max_bytes)
            item = {path, TreeItem::Kind::too_large};
        const bool is_within_limits = is_archive ? meter_.count_unwanted_bytes(item.bytes.size())
                                                 : meter_.count_bytes(item.bytes.size());
        if (is_within_limits) tree_.items.push_back(std::move(item));
    }

    FileTree& tree_;
    LimitMeter meter_;
};

// ---- archives ----

// Opens an archive. Returns false if the bytes are not an archive.
bool open_archive(archive* archive_handle, std::string_view bytes) {
    if (archive_handle == nullptr) return false;
    // Enable only common formats. The code for any other format would be an additional target for
    // hostile files.
    archive_read_support_format_zip(archive_handle);
    archive_read_support_format_tar(archive_handle);
    archive_read_support_filter_gzip(archive_handle);
    archive_read_support_filter_bzip2(archive_handle);
    archive_read_support_filter_xz(archive_handle);
    return archive_read_open_memory(archive_handle, bytes.data(), bytes.size()) == ARCHIVE_OK;
}

// Splits a path into its components: "a/./b" becomes "a" and "b". Backslashes, the separators of
// Windows, are also treated as separators.
std::vector<std::string> split_path(std::string name) {
    std::ranges::replace(name, '\\', '/');
    std::istringstream stream(name);
    std::vector<std::string> components;
    for (std::string component; std::getline(stream, component, '/');) {
        if (!component.empty() && component != ".") components.push_back(component);
    }
    return components;
}

// Reports whether a name is empty, is absolute, or refers to a file outside its folder.
bool leaves_archive(const std::string& name) {
    std::vector<std::string> components = split_path(name);
    if (components.empty() || name[0] == '/' || name[0] == '\\') return true;
    bool has_drive_letter = components[0].size() == 2 && components[0][1] == ':';
    return has_drive_letter || std::ranges::find(components, "..") != components.end();
}

class ArchiveReader {
public:
    ArchiveReader(FileTree& tree, const TreeLimits& limits) : tree_(tree), meter_(limits, tree) {}

    void read(archive* archive_handle) {
        archive_entry* entry = nullptr;
        int code;
        while (tree_.problem.empty() &&
               (code = archive_read_next_header(archive_handle, &entry)) != ARCHIVE_EOF) {
            if (code < ARCHIVE_WARN) return refuse_broken_archive(archive_handle);
            if (archive_entry_filetype(entry) == AE_IFDIR) continue;
            if (!meter_.count_item()) return;
            read_entry(archive_handle, entry);
        }
    }

private:
    void refuse_broken_archive(archive* archive_handle) {
        if (archive_read_has_encrypted_entries(archive_handle) == 1) {
            return tree_.refuse("archive-encrypted", "The archive is protected by a password.");
        }
        tree_.refuse("archive-broken", "The archive is damaged and cannot be read completely.");
    }

    void read_entry(archive* archive_handle, archive_entry* entry) {
        const char* name = archive_entry_pathname(entry);
        if (name == nullptr) name = archive_entry_pathname_utf8(entry);
        std::string full_name = name == nullptr ? "" : name;
        std::vector<std::string> path = split_path(full_name);
        if (leaves_archive(full_name)) {
            std::erase(path, "..");
            if (path.empty()) path.push_back(escape_line(full_name));
            tree_.items.push_back({path, TreeItem::Kind::hostile});
            return;
        }
        if (path.size() > meter_.limits.max_depth) {
            return tree_.refuse("archive-too-large", "The folders are nested too deeply.");
        }
        if (is_system_file(path)) return skip_file(archive_handle, entry, path, false);
        bool is_file = archive_entry_filetype(entry) == AE_IFREG &&
                       archive_entry_hardlink(entry) == nullptr &&
                       archive_entry_symlink(entry) == nullptr;
        if (!is_file) {
            tree_.items.push_back({path, TreeItem::Kind::special});
            return;
        }
        if (archive_entry_is_encrypted(entry) != 0) {
            return tree_.refuse("archive-encrypted", "The archive is protected by a password.");
        }
        const WantedContent wanted_content = classify_content(path.back(), meter_.limits);
        if (wanted_content == WantedContent::nothing)
            return skip_file(archive_handle, entry, path, true);
        read_file_bytes(archive_handle, path, wanted_content == WantedContent::archive);
    }

    // Skips a file. In most formats, the reader must unpack a file to reach the next one. The
    // unpacked bytes of a skipped file therefore count towards the limit, even if the file has the
    // name of a system file, because a zip bomb may be called ._x.
    void skip_file(archive* archive_handle, archive_entry* entry,
                   const std::vector<std::string>& path, bool should_record) {
        // The archive may state a false size, so the code below also limits the number of unpacked
        // bytes.
        const la_int64_t size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
        if (size > 0 && static_cast<std::uintmax_t>(size) > meter_.limits.max_unwanted_bytes) {
            meter_.count_unwanted_bytes(static_cast<std::uintmax_t>(size));
            return;
        }
        std::uintmax_t count = 0;
        const auto count_block = [&](const char*, std::size_t bytes) {
            count += bytes;
            return meter_.count_unwanted_bytes(bytes);
        };
        if (!unpack(archive_handle, count_block)) return;
        if (should_record) tree_.items.push_back({path, TreeItem::Kind::ignored, "", count});
    }

    void read_file_bytes(archive* archive_handle, const std::vector<std::string>& path,
                         bool is_archive) {
        const std::size_t max_bytes =
            is_archive ? meter_.limits.max_archive_bytes : meter_.limits.max_file_bytes;
        TreeItem item{path, TreeItem::Kind::file};
        const auto append_block = [&](const char* bytes, std::size_t count) {
            if (item.bytes.size() <= max_bytes) item.bytes.append(bytes, count);
            // Bytes that exceed the limit of a file count as unwanted, like the bytes of skipped
            // files.
            return is_archive || item.bytes.size() > max_bytes ? meter_.count_unwanted_bytes(count)
                                                               : meter_.count_bytes(count);
        };
        if (!unpack(archive_handle, append_block)) return;
        if (item.bytes.size() > max_bytes) item = {path, TreeItem::Kind::too_large};
        tree_.items.push_back(std::move(item));
    }

    // Passes the unpacked data of a file to `on_block` in blocks, until `on_block` returns false.
    // Returns true if the whole file was unpacked.
    template <class OnBlock>
    bool unpack(archive* archive_handle, OnBlock on_block) {
        char buffer[65536];
        for (;;) {
            la_ssize_t count = archive_read_data(archive_handle, buffer, sizeof buffer);
            if (count == ARCHIVE_RETRY) continue;
            if (count < 0) return refuse_broken_archive(archive_handle), false;
            if (count == 0) return true;
            if (!on_block(buffer, static_cast<std::size_t>(count))) return false;
        }
    }

    FileTree& tree_;
    LimitMeter meter_;
};

constexpr const char* kArchiveExtensions[] = {".zip", ".tar",     ".tar.gz",
                                              ".tgz", ".tar.bz2", ".tar.xz"};

}  // namespace

FileTree read_folder(const fs::path& folder, const TreeLimits& limits) {
    Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!descriptor) {
        throw UsageError(folder.string() + " cannot be read (" + strerror(errno) + ")");
    }
    FileTree tree;
    FolderReader(tree, limits).read(descriptor.get(), {});
    return tree;
}

FileTree read_archive(std::string_view bytes, const TreeLimits& limits) {
    FileTree tree;
    const std::unique_ptr<archive, decltype(&archive_read_free)> archive_handle(archive_read_new(),
                                                                                archive_read_free);
    if (!open_archive(archive_handle.get(), bytes)) {
        tree.refuse("archive-broken", "The file is neither a zip nor a tar archive.");
        return tree;
    }
    ArchiveReader(tree, limits).read(archive_handle.get());
    return tree;
}

std::string describe_ignored_files(const FileTree& tree) {
    std::vector<std::string> names;
    for (const TreeItem& item : tree.items) {
        if (item.kind != TreeItem::Kind::ignored) continue;
        names.push_back(escape_line(item.path.back(), 60));
        if (item.size < 1'000'000) continue;
        names.back() += " (" + std::to_string(item.size / 1'000'000) + " MB)";
    }
    return join_up_to(names, 5);
}

bool is_archive_name(std::string_view name) {
    return strip_archive_extension(name).size() < name.size();
}

std::string strip_archive_extension(std::string_view name) {
    std::string lowered = to_lower_case(name);
    std::size_t extension_length = 0;
    for (std::string_view extension : kArchiveExtensions) {
        if (lowered.ends_with(extension))
            extension_length = std::max(extension_length, extension.size());
    }
    // A file called ".zip" has no extension.
    if (extension_length == name.size()) extension_length = 0;
    return std::string(name.substr(0, name.size() - extension_length));
}

}  // namespace coalesce::grader

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

std::string lower(std::string_view text) {
    std::string small(text);
    for (char& letter : small) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return small;
}

// How the reader treats a file. It reads a kernel, unpacks a nested archive, and skips any other
// file.
enum class WantedContent { kernel, archive, nothing };

WantedContent classify_content(const std::string& name, const TreeLimits& limits) {
    // A file called KERNEL.CU has the wrong name, but is read so that the student is told about it.
    if (lower(name).ends_with(".cu")) return WantedContent::kernel;
    return limits.has_archives && is_archive_name(name) ? WantedContent::archive
                                                        : WantedContent::nothing;
}

// Reports whether a path belongs to a file that was created by an operating system, by git or by
// the course.
bool is_system_file(const std::vector<std::string>& path) {
    for (const std::string& part : path) {
        if (part == "__MACOSX" || part == ".git" || part == ".learn") return true;
    }
    const std::string& last = path.back();
    return last == ".DS_Store" || last == "Thumbs.db" || last == "desktop.ini" ||
           last.starts_with("._");
}

// Counts the files and bytes that have been read. Stops reading when a limit is exceeded.
class LimitMeter {
public:
    LimitMeter(const TreeLimits& limits, Tree& tree) : limits(limits), tree_(tree) {}

    bool count_item() {
        if (++items_ <= limits.items) return true;
        tree_.refuse("archive-too-large", "There are more than " + std::to_string(limits.items) +
                                              " files in the archive.");
        return false;
    }
    bool count_bytes(std::size_t more) {
        return takes(more, bytes_, limits.bytes, "The kernels in the archive take");
    }
    // Counts the bytes of skipped files and of compressed archives. Returns false if the archive
    // exceeds the limit.
    bool count_unwanted_bytes(std::uintmax_t more) {
        return takes(more, unwanted_bytes_, limits.unwanted_bytes,
                     "The contents of the archive take");
    }

    const TreeLimits& limits;

private:
    bool takes(std::uintmax_t more, std::uintmax_t& sum, std::size_t most, const char* what) {
        sum += more;
        if (sum <= most) return true;
        tree_.refuse("archive-too-large",
                     std::string(what) + " more than " + std::to_string(most >> 20) + " MiB.");
        return false;
    }

    Tree& tree_;
    std::size_t items_ = 0;
    std::uintmax_t bytes_ = 0, unwanted_bytes_ = 0;
};

// ---- folders ----

class FolderReader {
public:
    FolderReader(Tree& tree, const TreeLimits& limits) : tree_(tree), meter_(limits, tree) {}

    // Reads an open folder and its subfolders recursively. `path` is the path of the folder.
    void read(int folder, const std::vector<std::string>& path) {
        for (const std::string& name : names_in(folder)) {
            if (!tree_.problem.empty()) return;
            std::vector<std::string> inner = path;
            inner.push_back(name);
            if (!is_system_file(inner)) read_item(folder, name, inner);
        }
    }

private:
    // Returns the names in sorted order, because the order in which readdir returns them depends on
    // the file system.
    static std::set<std::string> names_in(int folder) {
        std::set<std::string> names;
        DIR* listing = fdopendir(dup(folder));
        if (listing == nullptr) return names;
        while (const dirent* found = readdir(listing)) {
            std::string name = found->d_name;
            if (name != "." && name != "..") names.insert(name);
        }
        closedir(listing);
        return names;
    }

    void read_item(int folder, const std::string& name, const std::vector<std::string>& path) {
        // Without O_NONBLOCK, opening a FIFO would wait until another process opens it for writing.
        Descriptor opened(openat(folder, name.c_str(),
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
        struct stat status;
        bool is_known = opened && fstat(opened.get(), &status) == 0;
        if (is_known && S_ISDIR(status.st_mode)) {
            if (path.size() < meter_.limits.depth) return read(opened.get(), path);
            return tree_.refuse("archive-too-large", "The folders are nested too deeply.");
        }
        if (!meter_.count_item()) return;
        if (!is_known && errno != ELOOP && errno != ENXIO && errno != EOPNOTSUPP) {
            throw InfrastructureError(escape_line(name) + " cannot be read (" + strerror(errno) +
                                      "); change its permissions, then run again");
        }
        if (!is_known || !S_ISREG(status.st_mode)) {
            tree_.items.push_back({path, Item::Kind::special});
            return;
        }
        read_regular(opened.get(), path, static_cast<std::uintmax_t>(status.st_size));
    }

    void read_regular(int file, const std::vector<std::string>& path, std::uintmax_t size) {
        const WantedContent want = classify_content(path.back(), meter_.limits);
        if (want == WantedContent::nothing) {
            if (meter_.count_unwanted_bytes(size)) {
                tree_.items.push_back({path, Item::Kind::ignored, "", size});
            }
            return;
        }
        const bool is_archive = want == WantedContent::archive;
        const std::size_t most =
            is_archive ? meter_.limits.archive_bytes : meter_.limits.file_bytes;
        Item item{path, Item::Kind::file};
        // Limit the number of bytes to read, because the file may have grown since its size was
        // checked.
        if (size <= most && !read_all(file, item.bytes, most)) {
            throw InfrastructureError(escape_line(path.back()) + " cannot be read (" +
                                      strerror(errno) + "); repair the disk, then run again");
        }
        if (size > most || item.bytes.size() > most) item = {path, Item::Kind::too_large};
        const bool is_taken = is_archive ? meter_.count_unwanted_bytes(item.bytes.size())
                                         : meter_.count_bytes(item.bytes.size());
        if (is_taken) tree_.items.push_back(std::move(item));
    }

    Tree& tree_;
    LimitMeter meter_;
};

// ---- archives ----

// Opens an archive. Returns false if the bytes are not an archive.
bool open_archive(archive* handle, std::string_view bytes) {
    if (handle == nullptr) return false;
    // Enable only common formats. The code for any other format would be an additional target for
    // hostile files.
    archive_read_support_format_zip(handle);
    archive_read_support_format_tar(handle);
    archive_read_support_filter_gzip(handle);
    archive_read_support_filter_bzip2(handle);
    archive_read_support_filter_xz(handle);
    return archive_read_open_memory(handle, bytes.data(), bytes.size()) == ARCHIVE_OK;
}

// Splits a path into its components: "a/./b" becomes "a" and "b". Backslashes, the separators of
// Windows, are also treated as separators.
std::vector<std::string> split_path(std::string name) {
    std::ranges::replace(name, '\\', '/');
    std::istringstream stream(name);
    std::vector<std::string> parts;
    for (std::string part; std::getline(stream, part, '/');) {
        if (!part.empty() && part != ".") parts.push_back(part);
    }
    return parts;
}

// Reports whether a name is empty, is absolute, or refers to a file outside its folder.
bool leaves_archive(const std::string& name) {
    std::vector<std::string> parts = split_path(name);
    if (parts.empty() || name[0] == '/' || name[0] == '\\') return true;
    bool has_drive = parts[0].size() == 2 && parts[0][1] == ':';
    return has_drive || std::ranges::find(parts, "..") != parts.end();
}

class ArchiveReader {
public:
    ArchiveReader(Tree& tree, const TreeLimits& limits) : tree_(tree), meter_(limits, tree) {}

    void read(archive* opened) {
        archive_entry* entry = nullptr;
        int code;
        while (tree_.problem.empty() &&
               (code = archive_read_next_header(opened, &entry)) != ARCHIVE_EOF) {
            if (code < ARCHIVE_WARN) return refuse_broken_archive(opened);
            if (archive_entry_filetype(entry) == AE_IFDIR) continue;
            if (!meter_.count_item()) return;
            read_entry(opened, entry);
        }
    }

private:
    void refuse_broken_archive(archive* opened) {
        if (archive_read_has_encrypted_entries(opened) == 1) {
            return tree_.refuse("archive-encrypted", "The archive is protected by a password.");
        }
        tree_.refuse("archive-broken", "The archive is damaged and cannot be read completely.");
    }

    void read_entry(archive* opened, archive_entry* entry) {
        const char* name = archive_entry_pathname(entry);
        if (name == nullptr) name = archive_entry_pathname_utf8(entry);
        std::string full = name == nullptr ? "" : name;
        std::vector<std::string> path = split_path(full);
        if (leaves_archive(full)) {
            std::erase(path, "..");
            if (path.empty()) path.push_back(escape_line(full));
            tree_.items.push_back({path, Item::Kind::hostile});
            return;
        }
        if (path.size() > meter_.limits.depth) {
            return tree_.refuse("archive-too-large", "The folders are nested too deeply.");
        }
        if (is_system_file(path)) return skip_file(opened, entry, path, false);
        bool is_file = archive_entry_filetype(entry) == AE_IFREG &&
                       archive_entry_hardlink(entry) == nullptr &&
                       archive_entry_symlink(entry) == nullptr;
        if (!is_file) {
            tree_.items.push_back({path, Item::Kind::special});
            return;
        }
        if (archive_entry_is_encrypted(entry) != 0) {
            return tree_.refuse("archive-encrypted", "The archive is protected by a password.");
        }
        const WantedContent want = classify_content(path.back(), meter_.limits);
        if (want == WantedContent::nothing) return skip_file(opened, entry, path, true);
        read_file_bytes(opened, path, want == WantedContent::archive);
    }

    // Skips a file. In most formats, the reader must unpack a file to reach the next one. The
    // unpacked bytes of a skipped file therefore count towards the limit, even if the file has the
    // name of a system file, because a zip bomb may be called ._x.
    void skip_file(archive* opened, archive_entry* entry, const std::vector<std::string>& path,
                   bool is_told) {
        // The archive may state a false size, so the code below also limits the number of unpacked
        // bytes.
        const la_int64_t size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : 0;
        if (size > 0 && static_cast<std::uintmax_t>(size) > meter_.limits.unwanted_bytes) {
            meter_.count_unwanted_bytes(static_cast<std::uintmax_t>(size));
            return;
        }
        std::uintmax_t count = 0;
        const auto counts = [&](const char*, std::size_t bytes) {
            count += bytes;
            return meter_.count_unwanted_bytes(bytes);
        };
        if (!unpack(opened, counts)) return;
        if (is_told) tree_.items.push_back({path, Item::Kind::ignored, "", count});
    }

    void read_file_bytes(archive* opened, const std::vector<std::string>& path, bool is_archive) {
        const std::size_t most =
            is_archive ? meter_.limits.archive_bytes : meter_.limits.file_bytes;
        Item item{path, Item::Kind::file};
        const auto keep = [&](const char* bytes, std::size_t count) {
            if (item.bytes.size() <= most) item.bytes.append(bytes, count);
            // Bytes that exceed the limit of a file count as unwanted, like the bytes of skipped
            // files.
            return is_archive || item.bytes.size() > most ? meter_.count_unwanted_bytes(count)
                                                          : meter_.count_bytes(count);
        };
        if (!unpack(opened, keep)) return;
        if (item.bytes.size() > most) item = {path, Item::Kind::too_large};
        tree_.items.push_back(std::move(item));
    }

    // Passes the unpacked data to `read_entry` in pieces, until `read_entry` returns false. Returns
    // true if the whole file was unpacked.
    template <class Take>
    bool unpack(archive* opened, Take read_entry) {
        char buffer[65536];
        for (;;) {
            la_ssize_t count = archive_read_data(opened, buffer, sizeof buffer);
            if (count == ARCHIVE_RETRY) continue;
            if (count < 0) return refuse_broken_archive(opened), false;
            if (count == 0) return true;
            if (!read_entry(buffer, static_cast<std::size_t>(count))) return false;
        }
    }

    Tree& tree_;
    LimitMeter meter_;
};

constexpr const char* kArchiveExtensions[] = {".zip", ".tar",     ".tar.gz",
                                              ".tgz", ".tar.bz2", ".tar.xz"};

}  // namespace

Tree read_folder(const fs::path& folder, const TreeLimits& limits) {
    Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened) {
        throw UsageError(folder.string() + " cannot be read (" + strerror(errno) + ")");
    }
    Tree tree;
    FolderReader(tree, limits).read(opened.get(), {});
    return tree;
}

Tree read_archive(std::string_view bytes, const TreeLimits& limits) {
    Tree tree;
    const std::unique_ptr<archive, decltype(&archive_read_free)> opened(archive_read_new(),
                                                                        archive_read_free);
    if (!open_archive(opened.get(), bytes)) {
        tree.refuse("archive-broken", "The file is neither a zip nor a tar archive.");
        return tree;
    }
    ArchiveReader(tree, limits).read(opened.get());
    return tree;
}

std::string describe_ignored_files(const Tree& tree) {
    std::vector<std::string> names;
    for (const Item& item : tree.items) {
        if (item.kind != Item::Kind::ignored) continue;
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
    std::string small = lower(name);
    std::size_t longest = 0;
    for (std::string_view ending : kArchiveExtensions) {
        if (small.ends_with(ending)) longest = std::max(longest, ending.size());
    }
    // A file called ".zip" has no extension.
    if (longest == name.size()) longest = 0;
    return std::string(name.substr(0, name.size() - longest));
}

}  // namespace coalesce::grader

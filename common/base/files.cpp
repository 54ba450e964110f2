#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <random>

#include "base/descriptor.h"
#include "base/errors.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;

std::error_code failed(bool has_failed) {
    return {has_failed ? errno : 0, std::generic_category()};
}

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

/// Some file systems cannot do it, and say so.
bool sync(int descriptor) {
    return fsync(descriptor) == 0 || errno == EINVAL;
}

/// Other computers may write to the same folder, and processes there have the same numbers.
fs::path name_beside(const fs::path& file) {
    thread_local std::random_device random;
    return file.string() + ".unfinished-" + std::to_string(random()) + std::to_string(random());
}

std::error_code write_new(const fs::path& file, std::string_view bytes, const Writing& how) {
    const Descriptor opened(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                 how.mode.value_or(0666)));
    return failed(opened < 0 || (how.mode && fchmod(opened, *how.mode) != 0) ||
                  !write_all(opened, bytes) || (how.is_synced && !sync(opened)));
}

/// A rename is only on the disk when its folder is.
std::error_code sync_folder(const fs::path& folder) {
    const Descriptor opened(
        open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return failed(opened < 0 || !sync(opened));
}

[[noreturn]] void cannot_write(const fs::path& file, const std::string& reason) {
    throw UsageError(file.string() + " cannot be written: " + reason);
}

fs::path make_temporary_folder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string name = (error ? fs::path("/tmp") : parent) / "coalesce-XXXXXX";
    if (mkdtemp(name.data())) return name;
    throw UsageError("no temporary folder can be made in " + parent.string() +
                     "; set TMPDIR to another");
}

}  // namespace

std::optional<std::string> read_if_there(const fs::path& file) {
    // Without O_NONBLOCK opening a pipe would wait for somebody who writes to it.
    const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (opened < 0 || fstat(opened, &status) != 0) return std::nullopt;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return std::nullopt;
    }
    // What is in /proc has no size, and another file may grow.
    std::string bytes(static_cast<std::size_t>(status.st_size) + 4096, '\0');
    for (std::size_t filled = 0;;) {
        const ssize_t count = read(opened, bytes.data() + filled, bytes.size() - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        filled += static_cast<std::size_t>(count);
        if (count == 0) bytes.resize(filled);
        if (count == 0) return bytes;
        if (filled == bytes.size()) bytes.resize(2 * filled);
    }
}

std::string read_file(const fs::path& file) {
    auto bytes = read_if_there(file);
    if (bytes) return *std::move(bytes);
    throw UsageError(file.string() + " cannot be read: " + failed(true).message());
}

std::error_code write_whole(const fs::path& file, std::string_view bytes, const Writing& how) {
    const fs::path unfinished = name_beside(file);
    std::error_code error = write_new(unfinished, bytes, how);
    // link() refuses where there is one already: rename would not.
    if (!error) {
        error = failed((how.is_first ? link : rename)(unfinished.c_str(), file.c_str()) != 0);
    }
    if (error || how.is_first) unlink(unfinished.c_str());
    if (!error && how.is_synced) error = sync_folder(file.parent_path());
    return error;
}

void write_file(const fs::path& file, std::string_view bytes) {
    if (const std::error_code error = write_whole(file, bytes)) cannot_write(file, error.message());
}

void check_writable(const fs::path& file) {
    if (file.empty()) cannot_write("\"\"", "it is no name of a file");
    std::error_code error;
    if (fs::is_directory(file, error)) cannot_write(file, "it is a folder; name a file in it");
    const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
    if (!fs::is_directory(folder, error))
        cannot_write(file, "there is no folder " + folder.string());
    if (access(folder.c_str(), W_OK) != 0) {
        cannot_write(file, folder.string() + ": " + failed(true).message());
    }
}

TemporaryFolder::TemporaryFolder() : path(make_temporary_folder()) {}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

}  // namespace coalesce

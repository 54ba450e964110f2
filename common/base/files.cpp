#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <random>
#include <set>

#include "base/descriptor.h"
#include "base/errors.h"

namespace coalesce {
namespace {

namespace fs = std::filesystem;

std::error_code last_error_if(bool has_failed) {
    return {has_failed ? errno : 0, std::generic_category()};
}

/// Syncs a file or folder to disk. Returns false on failure. EINVAL does not count as a failure,
/// because some file systems do not support fsync.
bool sync(int descriptor) {
    return fsync(descriptor) == 0 || errno == EINVAL;
}

/// Returns a random file name in the folder of `file`. A name derived from the process id would not
/// be unique, because other computers may also write to the folder.
fs::path temporary_name_next_to(const fs::path& file) {
    thread_local std::random_device random;
    return file.string() + ".unfinished-" + std::to_string(random()) + std::to_string(random());
}

std::error_code write_new_file(const fs::path& file, std::string_view bytes,
                               const WriteOptions& options) {
    const Descriptor opened(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                                 options.mode.value_or(0666)));
    return last_error_if(!opened || (options.mode && fchmod(opened.get(), *options.mode) != 0) ||
                         !write_all(opened.get(), bytes) ||
                         (options.should_sync && !sync(opened.get())));
}

/// Syncs a folder to disk, so that files renamed in it keep their new names after a crash.
std::error_code sync_folder(const fs::path& folder) {
    const Descriptor opened(
        open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return last_error_if(!opened || !sync(opened.get()));
}

[[noreturn]] void throw_cannot_write(const fs::path& file, const std::string& reason) {
    throw UsageError(file.string() + " cannot be written: " + reason);
}

fs::path make_temporary_folder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    std::string name = (error ? fs::path("/tmp") : parent) / "coalesce-XXXXXX";
    if (mkdtemp(name.data())) return name;
    throw UsageError("a temporary folder cannot be created in " + parent.string() +
                     "; set TMPDIR to another folder");
}

}  // namespace

std::optional<std::string> read_if_exists(const fs::path& file) {
    // Without O_NONBLOCK, opening a FIFO would wait for a writer.
    const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat status {};
    if (!opened || fstat(opened.get(), &status) != 0) return std::nullopt;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return std::nullopt;
    }
    std::string bytes;
    bytes.reserve(static_cast<std::size_t>(status.st_size));
    if (!read_all(opened.get(), bytes)) return std::nullopt;
    return bytes;
}

std::string read_file(const fs::path& file) {
    auto bytes = read_if_exists(file);
    if (bytes) return *std::move(bytes);
    throw UsageError(file.string() + " cannot be read: " + last_error_if(true).message());
}

std::error_code write_atomically(const fs::path& file, std::string_view bytes,
                                 const WriteOptions& options) {
    const fs::path unfinished_file = temporary_name_next_to(file);
    std::error_code error = write_new_file(unfinished_file, bytes, options);
    // link() fails if the file exists, whereas rename() replaces it.
    if (!error) {
        error = last_error_if(
            (options.must_not_exist ? link : rename)(unfinished_file.c_str(), file.c_str()) != 0);
    }
    if (error || options.must_not_exist) unlink(unfinished_file.c_str());
    if (!error && options.should_sync) error = sync_folder(file.parent_path());
    return error;
}

void write_file(const fs::path& file, std::string_view bytes) {
    if (const std::error_code error = write_atomically(file, bytes))
        throw_cannot_write(file, error.message());
}

void check_writable(const fs::path& file) {
    if (file.empty()) throw_cannot_write("\"\"", "a file name must not be empty");
    std::error_code error;
    if (fs::is_directory(file, error))
        throw_cannot_write(file, "this is a folder; name a file in the folder");
    const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
    if (!fs::is_directory(folder, error))
        throw_cannot_write(file, "there is no folder " + folder.string());
    if (access(folder.c_str(), W_OK) != 0) {
        throw_cannot_write(file, folder.string() + ": " + last_error_if(true).message());
    }
}

namespace {

/// The temporary folders that currently exist. This object is never destroyed, because a static
/// TemporaryFolder may outlive any other static object.
struct TemporaryFolders {
    std::mutex mutex;
    std::set<fs::path> paths;
};

TemporaryFolders& temporary_folders() {
    static auto& folders = *new TemporaryFolders;
    return folders;
}

}  // namespace

TemporaryFolder::TemporaryFolder() : path(make_temporary_folder()) {
    const std::lock_guard lock(temporary_folders().mutex);
    temporary_folders().paths.insert(path);
}

TemporaryFolder::~TemporaryFolder() {
    const std::lock_guard lock(temporary_folders().mutex);
    std::error_code ignored_error;
    fs::remove_all(path, ignored_error);
    temporary_folders().paths.erase(path);
}

void remove_temporary_folders() {
    const std::lock_guard lock(temporary_folders().mutex);
    std::error_code ignored_error;
    for (const fs::path& path : temporary_folders().paths) fs::remove_all(path, ignored_error);
    temporary_folders().paths.clear();
}

}  // namespace coalesce

#include "grader/store/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "grader/store/errors.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& file, const char* step, int error = errno) {
    throw InfrastructureError(
        file.string() + ": " + step + " failed (" + strerror(error) +
        "); free disk space or change the permissions, then run the same command again");
}

}  // namespace

void write_atomically(const fs::path& file, std::string_view bytes, mode_t mode) {
    const auto error = coalesce::write_atomically(file, bytes, {.mode = mode, .should_sync = true});
    if (error) fail(file, "writing", error.value());
}

bool write_if_absent(const fs::path& file, std::string_view bytes, mode_t mode) {
    const auto error = coalesce::write_atomically(
        file, bytes, {.mode = mode, .should_sync = true, .must_not_exist = true});
    if (error && error != std::errc::file_exists) fail(file, "writing", error.value());
    return !error;
}

void make_folder(const fs::path& folder, mode_t mode) {
    std::error_code error;
    if (fs::is_directory(folder, error)) return;
    if (folder.has_parent_path()) make_folder(folder.parent_path());
    if (mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) fail(folder, "making the folder");
}

WorkFolder::~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

FileLock::FileLock(const fs::path& file, const std::string& lock_name)
    : descriptor_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
    if (!descriptor_) fail(file, "opening");
    if (flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0) {
        char owner_text[32] = {};
        ssize_t count = pread(descriptor_.get(), owner_text, sizeof owner_text - 1, 0);
        throw InfrastructureError(
            lock_name + " is in use by another process" +
            (count > 0 ? " (" + std::string(owner_text) + ")" : "") +
            "; wait until that process ends, then run the same command again");
    }
    std::string owner_text = "process " + std::to_string(getpid());
    // Record the owner for the error message above. The lock works even if the write fails.
    if (ftruncate(descriptor_.get(), 0) == 0) {
        (void)!pwrite(descriptor_.get(), owner_text.data(), owner_text.size(), 0);
    }
}

}  // namespace coalesce::grader

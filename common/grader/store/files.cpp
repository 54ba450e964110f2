#include "grader/store/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "grader/store/errors.h"

namespace coalesce::grader {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& file, const char* step) {
    throw Infrastructure(file.string() + ": " + step + " failed (" + strerror(errno) +
                         "); make room or mend the rights, then run the same command again");
}

// A descriptor that is closed when it goes.
struct Open {
    int descriptor;
    ~Open() {
        if (descriptor >= 0) close(descriptor);
    }
};

void write_all(int descriptor, std::string_view bytes, const fs::path& file) {
    while (!bytes.empty()) {
        ssize_t count = write(descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail(file, "writing");
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

// A rename is only on the disk when its folder is.
void sync_folder(const fs::path& file) {
    fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    Open opened{open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (opened.descriptor < 0 || fsync(opened.descriptor) != 0) fail(folder, "writing the folder");
}

// The content on the disk under another name. `writer` is in the name, so that two writers do not
// meet.
fs::path write_beside(const fs::path& file, std::string_view bytes, mode_t mode,
                      const std::string& writer) {
    fs::path temporary = file;
    temporary += ".unfinished-" + writer;
    try {
        Open opened{
            open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode)};
        if (opened.descriptor < 0) fail(temporary, "opening");
        // The mode that is asked for, whatever umask says and an older file had.
        if (fchmod(opened.descriptor, mode) != 0) fail(temporary, "setting the rights");
        write_all(opened.descriptor, bytes, temporary);
        if (fsync(opened.descriptor) != 0) fail(temporary, "writing to the disk");
    } catch (const Infrastructure&) {
        unlink(temporary.c_str());
        throw;
    }
    return temporary;
}

}  // namespace

std::string read_file(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
        throw Usage(file.string() +
                    (fs::exists(file, error) ? " is no ordinary file" : " is not there"));
    }
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) throw Usage(file.string() + " cannot be read: are its rights as they should be?");
    return text.str();
}

void write_whole(const fs::path& file, std::string_view bytes, mode_t mode) {
    // What a killed one left is overwritten in time.
    fs::path temporary = write_beside(file, bytes, mode, std::to_string(getpid()));
    if (rename(temporary.c_str(), file.c_str()) != 0) {
        unlink(temporary.c_str());
        fail(file, "putting it in its place");
    }
    sync_folder(file);
}

bool write_first(const fs::path& file, std::string_view bytes, mode_t mode) {
    // Other computers may write to the same folder, and processes there have the same numbers.
    fs::path temporary = write_beside(
        file, bytes, mode,
        std::to_string(std::random_device()()) + std::to_string(std::random_device()()));
    // link() refuses where there is one already: rename would not.
    bool is_first = link(temporary.c_str(), file.c_str()) == 0;
    int reason = errno;
    unlink(temporary.c_str());
    errno = reason;
    if (!is_first && reason != EEXIST) fail(file, "putting it in its place");
    sync_folder(file);
    return is_first;
}

void make_folder(const fs::path& folder, mode_t mode) {
    std::error_code error;
    if (fs::is_directory(folder, error)) return;
    if (folder.has_parent_path()) make_folder(folder.parent_path());
    if (mkdir(folder.c_str(), mode) != 0 && errno != EEXIST) fail(folder, "making the folder");
}

FileLock::FileLock(const fs::path& file, const std::string& what) {
    descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (descriptor < 0) fail(file, "opening");
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        char owner[32] = {};
        ssize_t count = pread(descriptor, owner, sizeof owner - 1, 0);
        close(descriptor);
        throw Infrastructure(what + " is in use by another process" +
                             (count > 0 ? " (" + std::string(owner) + ")" : "") +
                             "; wait until it ends, then run the same command again");
    }
    std::string owner = "process " + std::to_string(getpid());
    // Only for the message above: the lock holds without it.
    if (ftruncate(descriptor, 0) == 0) (void)!pwrite(descriptor, owner.data(), owner.size(), 0);
}

FileLock::~FileLock() {
    close(descriptor);
}

}  // namespace coalesce::grader

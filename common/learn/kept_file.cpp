#include "learn/kept_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/descriptor.h"
#include "base/files.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;

// Waits for the lock, which only one command can hold at a time. The lock is released when the
// descriptor is closed or the process ends. On a file system that does not support locks, commands
// run without it.
Descriptor lock_file(const fs::path& file) {
    Descriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    while (lock && flock(lock.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    return lock;
}

}  // namespace

LockedFile::LockedFile(fs::path folder, const std::string& name,
                       std::function<void(const std::string&)> warn)
    : folder_(folder), file_(folder / name), warn_(std::move(warn)) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) warn_once(folder.string() + " cannot be created (" + error.message() + ")");
}

void LockedFile::warn_once(const std::string& message) {
    if (!has_complained_) warn_(message + ", so your progress is not saved");
    has_complained_ = true;
}

void LockedFile::set_aside_damaged_file(const std::string& failure_reason) {
    fs::path renamed_file;
    for (int number = 1; renamed_file.empty() || fs::exists(renamed_file); ++number) {
        renamed_file = file_.string() + ".broken-" + std::to_string(number);
    }
    std::error_code error;
    fs::rename(file_, renamed_file, error);
    if (error) return warn_once(file_.string() + " is damaged and cannot be renamed");
    warn_(file_.string() + " is damaged (" + failure_reason + "); it was renamed to " +
          renamed_file.filename().string() + ", and your progress starts from the beginning");
}

void LockedFile::read_locked(const Read& read) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(file_, error))) return;
    auto text = read_if_exists(file_);
    if (!text) {
        if (fs::is_directory(file_, error)) return set_aside_damaged_file("a folder has this name");
        return warn_once(file_.string() + " cannot be read");
    }
    try {
        read(*text);
    } catch (const NewerFormatError&) {
        warn_once(file_.string() +
                  " was written by a newer version of this command (update: git pull, then ./learn "
                  "build)");
    } catch (const std::exception& problem) {
        set_aside_damaged_file(text->empty() ? "empty" : "the content is not valid");
    }
}

void LockedFile::write_locked(const std::string& text) {
    std::error_code ignored;
    const std::string unfinished_prefix = file_.filename().string() + ".unfinished";
    // Remove unfinished files. Only the holder of the lock writes, so these files must have been
    // left by processes that were killed.
    for (auto& entry : fs::directory_iterator(folder_, ignored)) {
        if (entry.path().filename().string().starts_with(unfinished_prefix)) {
            fs::remove(entry.path(), ignored);
        }
    }
    const auto error = write_atomically(file_, text, {.should_sync = true});
    if (error) warn_once(file_.string() + " cannot be written (" + error.message() + ")");
}

void LockedFile::read(const Read& read) {
    const Descriptor lock = lock_file(folder_ / "lock");
    read_locked(read);
}

void LockedFile::update(const Read& read, const std::function<std::string()>& make_new_text) {
    const Descriptor lock = lock_file(folder_ / "lock");
    read_locked(read);
    const std::string text = make_new_text();
    // Do not overwrite a file that could not be read.
    if (!has_complained_) write_locked(text);
}

}  // namespace coalesce::learn

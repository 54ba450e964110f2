/// \file Detects changes to a file's content, whether an editor overwrites the file or renames
/// another file to its name.
///
/// The watcher uses inotify on the folder. The watcher also checks the file once a second, because
/// inotify misses changes if the file is a link into another folder. On file systems that report no
/// changes, the watcher instead reads the file five times per second.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace coalesce::learn {

/// Reports whether the watcher must poll files in this folder, because inotify may miss their
/// changes, as on NFS and on Windows drives in WSL.
bool must_poll(const std::filesystem::path& folder);

/// Watches a single file, which does not have to exist.
class FileWatcher {
public:
    /// Starts watching the file. If `is_polling_only` is true, the watcher never uses inotify.
    FileWatcher(const std::filesystem::path& file, bool is_polling_only);
    ~FileWatcher();
    FileWatcher(const FileWatcher&) = delete;
    FileWatcher& operator=(const FileWatcher&) = delete;

    /// Returns a descriptor that becomes readable when the file may have changed, or -1 if the
    /// watcher polls.
    int descriptor() const { return inotify_; }
    /// Reports whether the watcher polls instead of using inotify.
    bool is_polling() const { return inotify_ < 0; }
    /// Returns the number of milliseconds after which the caller should call `has_changed`, even if
    /// the descriptor is not readable.
    int milliseconds_left() const;
    /// Reports, without waiting, whether the content has changed since the last call that returned
    /// true. While an editor is still writing the file, returns false, and a later call reports the
    /// change.
    bool has_changed();
    /// Returns the content that `has_changed` last found, or nothing if there is no file.
    const std::optional<std::string>& text() const { return content_; }

private:
    using Clock = std::chrono::steady_clock;
    void start_inotify();
    void read_events();
    void schedule_check(std::chrono::milliseconds quiet_time);
    std::string signature() const;

    std::filesystem::path file_;
    int inotify_ = -1;
    std::optional<std::string> content_;
    std::string signature_;
    std::optional<Clock::time_point> first_event_;
    Clock::time_point next_check_ = Clock::now();
    bool is_first_ = true;
};

}  // namespace coalesce::learn

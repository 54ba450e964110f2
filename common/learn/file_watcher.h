/// \file
/// Notices that a file's content has changed, whether an editor writes it in place or renames another file over it.
///
/// The watcher uses inotify on the folder, so that it sees renames too. On file systems that report no changes it
/// reads the file five times per second. It also looks once a second everywhere, for the changes that inotify misses:
/// through a link into another folder, or in a folder that is replaced.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace coalesce::learn {

/// Reports whether inotify may miss changes in this folder, as on NFS and on Windows drives in WSL, so that the
/// watcher must poll.
bool must_poll(const std::filesystem::path& folder);

/// Watches one file, which need not exist.
class FileWatcher {
public:
    /// Starts watching. With `polls`, never uses inotify.
    FileWatcher(const std::filesystem::path& file, bool polls);
    ~FileWatcher();
    FileWatcher(const FileWatcher&) = delete;
    FileWatcher& operator=(const FileWatcher&) = delete;

    /// Returns a descriptor that becomes readable when the file may have changed, or -1 if the watcher polls.
    int descriptor() const { return inotify_; }
    /// Reports whether the watcher polls instead of using inotify.
    bool is_polling() const { return inotify_ < 0; }
    /// Returns the milliseconds after which `has_changed` should be called even if the descriptor is not readable.
    int milliseconds_left() const;
    /// Reports, without waiting, whether the content differs from that of the last call that returned true. Returns
    /// false while the file is being written; a later call reports the change.
    bool has_changed();
    /// Returns the content that `has_changed` saw, or nothing if there is no such file.
    const std::optional<std::string>& text() const { return seen_; }

private:
    using Clock = std::chrono::steady_clock;
    void start_inotify();
    void take_events();
    void look_in(std::chrono::milliseconds quiet);
    std::string signature() const;

    std::filesystem::path file_;
    int inotify_ = -1;
    std::optional<std::string> seen_;
    std::string seen_signature_;
    std::optional<Clock::time_point> first_event_;
    Clock::time_point next_look_ = Clock::now();
    bool is_first_ = true;
};

}  // namespace coalesce::learn

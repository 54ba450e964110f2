/// \file
/// Notices that a file has got another content, however an editor writes it: in place, or under
/// another name that is renamed.
///
/// The folder is watched (inotify), so that a rename is seen too. Where a file system tells nothing of
/// changes, the file is looked at five times per second; and once a second everywhere, for what inotify
/// misses (a link into another folder, a folder that is replaced).
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace coalesce::learn {

/// Whether changes in a folder have to be looked for: on NFS, on mounts of Windows in WSL, and wherever
/// else inotify does not tell of what others change.
bool must_poll(const std::filesystem::path& folder);

/// Watches one file, which need not be there.
class FileWatcher {
public:
    /// With `polls` it never relies on inotify.
    FileWatcher(const std::filesystem::path& file, bool polls);
    ~FileWatcher();
    FileWatcher(const FileWatcher&) = delete;
    FileWatcher& operator=(const FileWatcher&) = delete;

    /// Readable when something may have happened; -1 when only looking helps.
    int descriptor() const { return inotify_; }
    /// Whether it looks for changes rather than being told.
    bool is_polling() const { return inotify_ < 0; }
    /// Milliseconds until `has_changed` should be called, whatever the descriptor says.
    int milliseconds_left() const;
    /// Whether the content is another than when this was last true. Does not wait. While the file is
    /// being written it is false; then it soon becomes true.
    bool has_changed();
    /// What `has_changed` saw; nothing when there is no such file.
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

#include "learn/file_watcher.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "learn/work.h"

namespace coalesce::learn {
namespace {

namespace fs = std::filesystem;
using Milliseconds = std::chrono::milliseconds;

// The time to wait after a file was closed or renamed. The file is complete then, but some editors
// change it once more.
constexpr Milliseconds kDelayAfterClose(4);
// The time to wait after a write or a removal, because the editor may not have finished.
constexpr Milliseconds kDelayAfterWrite(60);
constexpr Milliseconds kMaxDelay(400);
constexpr Milliseconds kPollInterval(200), kPollIntervalWithInotify(1000);

constexpr std::uint32_t kCompleteEvents = IN_CLOSE_WRITE | IN_MOVED_TO;
constexpr std::uint32_t kPartialEvents =
    IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_CREATE | IN_ATTRIB;

}  // namespace

bool must_poll(const fs::path& folder) {
    // File systems on which inotify misses changes. The numbers are the types returned by statfs
    // (see its manual page and linux/magic.h).
    constexpr unsigned long SILENT_FILE_SYSTEMS[] = {
        0x6969,      // NFS
        0x01021997,  // 9p: Windows drives in WSL 2, shared folders of a virtual machine
        0x53464846,  // Windows drives in WSL 1
        0xff534d42,  // CIFS
        0xfe534d42,  // SMB 2
        0x517b,      // SMB
        0x65735546,  // FUSE: sshfs and others
        0x6a656a63,  // virtiofs, if it reports its own number
        0x786f4256,  // VirtualBox's shared folders
        0xbacbacbc,  // VMware's shared folders
        0x5346414f,  // AFS
    };
    struct statfs file_system = {};
    if (statfs(folder.c_str(), &file_system) != 0) return false;
    auto type = static_cast<unsigned long>(file_system.f_type) & 0xffffffffUL;
    return std::ranges::find(SILENT_FILE_SYSTEMS, type) != std::end(SILENT_FILE_SYSTEMS);
}

FileWatcher::FileWatcher(const fs::path& file, bool is_polling_only) : file_(file) {
    if (!is_polling_only && !must_poll(file.parent_path())) start_inotify();
}

FileWatcher::~FileWatcher() {
    if (inotify_ >= 0) close(inotify_);
}

void FileWatcher::start_inotify() {
    inotify_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (inotify_ < 0) return;
    int watch_descriptor =
        inotify_add_watch(inotify_, file_.parent_path().c_str(), kCompleteEvents | kPartialEvents);
    if (watch_descriptor >= 0) return;
    close(inotify_);
    inotify_ = -1;
}

int FileWatcher::milliseconds_left() const {
    auto remaining_ms = std::chrono::ceil<Milliseconds>(next_check_ - Clock::now()).count();
    return static_cast<int>(std::max<long long>(0, remaining_ms));
}

void FileWatcher::schedule_check(Milliseconds quiet_time) {
    auto now = Clock::now();
    if (!first_event_) first_event_ = now;
    next_check_ = std::min(now + quiet_time, *first_event_ + kMaxDelay);
}

void FileWatcher::read_events() {
    alignas(inotify_event) char buffer[4096];
    for (;;) {
        ssize_t size = inotify_ < 0 ? 0 : read(inotify_, buffer, sizeof buffer);
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return;
        for (char* event_begin = buffer; event_begin < buffer + size;) {
            auto* event = reinterpret_cast<inotify_event*>(event_begin);
            event_begin += sizeof(inotify_event) + event->len;
            if (event->mask & (IN_Q_OVERFLOW | IN_IGNORED)) schedule_check(kDelayAfterWrite);
            if (event->len == 0 || file_.filename() != event->name) continue;
            schedule_check(event->mask & kCompleteEvents ? kDelayAfterClose : kDelayAfterWrite);
        }
    }
}

// Returns a string that changes whenever the file changes. The file itself is not read.
std::string FileWatcher::signature() const {
    struct stat file_status = {};
    if (stat(file_.c_str(), &file_status) != 0) return "none";
    auto text = [](const timespec& time) {
        return std::to_string(time.tv_sec) + "." + std::to_string(time.tv_nsec) + " ";
    };
    return text(file_status.st_mtim) + text(file_status.st_ctim) +
           std::to_string(file_status.st_size) + " " + std::to_string(file_status.st_ino) + " " +
           std::to_string(file_status.st_mode);
}

bool FileWatcher::has_changed() {
    read_events();
    if (Clock::now() < next_check_) return false;
    bool had_event = first_event_.has_value();
    first_event_.reset();
    next_check_ = Clock::now() + (is_polling() ? kPollInterval : kPollIntervalWithInotify);

    std::string signature = this->signature();
    if (!is_first_ && !had_event && signature == signature_) return false;
    signature_ = signature;
    std::optional<std::string> text = read_if_exists(file_);
    bool is_other = is_first_ || text != content_;
    is_first_ = false;
    content_ = std::move(text);
    return is_other;
}

}  // namespace coalesce::learn

#include "grader/corpus/leftovers.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "base/files.h"
#include "grader/sandbox/cgroup.h"

namespace coalesce::grader {
namespace {

namespace fs = std::filesystem;

/// The name and the parent of a process, read from /proc/PID/stat: "12 (name with spaces) S 7 ...".
struct Process {
    std::string name;
    pid_t parent = 0;
};

Process read_process(const fs::path& folder) {
    const std::string text = read_if_exists(folder / "stat").value_or("");
    const std::size_t begin = text.find('('), end = text.rfind(')');
    if (begin == text.npos || end == text.npos) return {};
    std::istringstream stat_fields(text.substr(end + 1));
    char state = 0;
    Process process{text.substr(begin + 1, end - begin - 1), 0};
    stat_fields >> state >> process.parent;
    return process;
}

/// The file that hostile archives in the corpus try to create.
constexpr const char* kEscapedFile = "/tmp/coalesce-escaped";

std::string grader_cgroup_prefix() {
    return "coalesce-grader-" + std::to_string(getpid()) + "-";
}

/// Reports whether a process is our child, or an orphan of our session or of one of our cgroups.
/// Processes of other graders do not count.
bool is_from_this_grader(const fs::path& folder, const Process& process) {
    if (process.parent == getpid()) return true;
    if (process.parent != 1) return false;
    const std::string cgroup_lines = read_if_exists(folder / "cgroup").value_or("");
    const pid_t process_id = std::atoi(folder.filename().c_str());
    return cgroup_lines.find(grader_cgroup_prefix()) != cgroup_lines.npos ||
           getsid(process_id) == getsid(0);
}

void add_processes(Leftovers& leftovers) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const std::string process_id = entry.path().filename();
        if (!std::all_of(process_id.begin(), process_id.end(),
                         [](unsigned char c) { return std::isdigit(c); })) {
            continue;
        }
        const Process process = read_process(entry.path());
        const bool is_jail = process.name == "jail" || process.name == "bwrap";
        if (is_jail && is_from_this_grader(entry.path(), process))
            leftovers.insert("process " + process_id + " (" + process.name + ")");
    }
}

void add_files(const fs::path& folder, Leftovers& leftovers) {
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
        leftovers.insert("file " + entry.path().string());
    }
}

}  // namespace

Leftovers find_leftovers(const fs::path& folder) {
    Leftovers leftovers;
    add_processes(leftovers);
    add_files(folder, leftovers);
    add_files("/dev/shm", leftovers);
    if (fs::exists(fs::symlink_status(kEscapedFile))) {
        leftovers.insert(std::string("file ") + kEscapedFile);
    }
    for (const fs::path& group : find_grader_cgroups(getpid()))
        leftovers.insert("cgroup " + group.string());
    return leftovers;
}

std::vector<std::string> find_new_leftovers(const Leftovers& current_leftovers,
                                            const Leftovers& earlier_leftovers) {
    std::vector<std::string> new_leftovers;
    std::set_difference(current_leftovers.begin(), current_leftovers.end(),
                        earlier_leftovers.begin(), earlier_leftovers.end(),
                        std::back_inserter(new_leftovers));
    return new_leftovers;
}

}  // namespace coalesce::grader

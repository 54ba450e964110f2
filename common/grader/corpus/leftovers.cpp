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

Process process_at(const fs::path& folder) {
    const std::string text = read_if_exists(folder / "stat").value_or("");
    const std::size_t begin = text.find('('), end = text.rfind(')');
    if (begin == text.npos || end == text.npos) return {};
    std::istringstream rest(text.substr(end + 1));
    char state = 0;
    Process process{text.substr(begin + 1, end - begin - 1), 0};
    rest >> state >> process.parent;
    return process;
}

/// The file that hostile archives in the corpus try to create.
constexpr const char* escaped_file = "/tmp/coalesce-escaped";

std::string own_group_prefix() {
    return "coalesce-grader-" + std::to_string(getpid()) + "-";
}

/// Reports whether a process is our child, or an orphan of our session or of one of our cgroups.
/// Processes of other graders do not count.
bool is_ours(const fs::path& folder, const Process& process) {
    if (process.parent == getpid()) return true;
    if (process.parent != 1) return false;
    const std::string groups = read_if_exists(folder / "cgroup").value_or("");
    const pid_t number = std::atoi(folder.filename().c_str());
    return groups.find(own_group_prefix()) != groups.npos || getsid(number) == getsid(0);
}

void add_processes(Leftovers& all) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        const std::string number = entry.path().filename();
        if (!std::all_of(number.begin(), number.end(),
                         [](unsigned char c) { return std::isdigit(c); })) {
            continue;
        }
        const Process process = process_at(entry.path());
        const bool is_jail = process.name == "jail" || process.name == "bwrap";
        if (is_jail && is_ours(entry.path(), process))
            all.insert("process " + number + " (" + process.name + ")");
    }
}

void add_files(const fs::path& folder, Leftovers& all) {
    std::error_code error;
    for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
        all.insert("file " + entry.path().string());
    }
}

}  // namespace

Leftovers leftovers_in(const fs::path& folder) {
    Leftovers all;
    add_processes(all);
    add_files(folder, all);
    add_files("/dev/shm", all);
    if (fs::exists(fs::symlink_status(escaped_file))) {
        all.insert(std::string("file ") + escaped_file);
    }
    for (const fs::path& group : find_grader_cgroups(getpid()))
        all.insert("cgroup " + group.string());
    return all;
}

std::vector<std::string> new_in(const Leftovers& now, const Leftovers& before) {
    std::vector<std::string> fresh;
    std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                        std::back_inserter(fresh));
    return fresh;
}

}  // namespace coalesce::grader

#include "grader/sandbox/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "base/descriptor.h"
#include "base/files.h"

namespace coalesce::grader {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "coalesce-grader-";

bool write_control(const fs::path& file, const std::string& text) {
    const Descriptor opened(open(file.c_str(), O_WRONLY | O_CLOEXEC));
    return opened && write_all(opened.get(), text);
}

/// Returns the mount point of each controller's hierarchy. In cgroups version 2, there is a single
/// hierarchy, which has the key "".
std::map<std::string, fs::path> find_cgroup_mounts() {
    std::map<std::string, fs::path> found;
    std::ifstream stream("/proc/self/mounts");
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        std::string device, place, type, options;
        words >> device >> place >> type >> options;
        if (type == "cgroup2") found.emplace("", place);
        if (type != "cgroup") continue;
        std::istringstream list(options);
        for (std::string option; std::getline(list, option, ',');) found.emplace(option, place);
    }
    return found;
}

/// Returns the cgroup of this process for each controller.
std::map<std::string, std::string> find_own_groups() {
    std::map<std::string, std::string> found;
    std::ifstream stream("/proc/self/cgroup");
    for (std::string line; std::getline(stream, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos) continue;
        // In cgroups version 2, the list of controllers is empty, so the key is "".
        std::istringstream list(line.substr(first + 1, second - first - 1) + ",");
        for (std::string controller; std::getline(list, controller, ',');) {
            found.emplace(controller, line.substr(second + 1));
        }
    }
    return found;
}

/// Returns the folder of this process's cgroup for a controller, or "" if there is none.
fs::path find_own_folder(const std::string& controller) {
    const auto places = find_cgroup_mounts();
    const auto groups = find_own_groups();
    const auto place = places.find(controller);
    const auto group = groups.find(controller);
    if (place == places.end() || group == groups.end()) return {};
    fs::path folder = place->second / fs::path(group->second).relative_path();
    std::error_code error;
    // In a container, only the container's part of the hierarchy is mounted. The path may therefore
    // be valid only on the host.
    if (!fs::is_directory(folder, error)) folder = place->second;
    return folder;
}

std::string new_name() {
    static std::atomic<int> count{0};
    return kPrefix + std::to_string(getpid()) + "-" + std::to_string(count++);
}

void kill_all_in(const fs::path& folder) {
    if (write_control(folder / "cgroup.kill", "1")) return;
    std::istringstream processes(read_if_exists(folder / "cgroup.procs").value_or(""));
    for (pid_t process = 0; processes >> process;) {
        if (process > 1 && process != getpid()) kill(process, SIGKILL);
    }
}

/// Removes a cgroup, and returns false on failure. Retries, because a killed process remains in its
/// cgroup for a short time.
bool remove_group(const fs::path& folder) {
    using namespace std::chrono_literals;
    for (int attempt = 0; attempt < 400; ++attempt) {
        if (rmdir(folder.c_str()) == 0 || errno == ENOENT) return true;
        if (errno != EBUSY) return false;
        kill_all_in(folder);
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

/// Returns the process ID of the grader that created the cgroup with this name, or 0 if no grader
/// created it.
pid_t owner_of(const std::string& name) {
    if (!name.starts_with(kPrefix)) return 0;
    return static_cast<pid_t>(std::atol(name.c_str() + std::string(kPrefix).size()));
}

}  // namespace

bool Cgroup::add(const fs::path& parent, std::initializer_list<Limit> limits) {
    const fs::path folder = parent / new_name();
    if (mkdir(folder.c_str(), 0700) != 0) return false;
    folders_.push_back(folder);
    for (const auto& [file, most] : limits) {
        if (!write_control(folder / file, std::to_string(most))) return false;
    }
    enter_files_.push_back(folder / "cgroup.procs");
    return true;
}

std::unique_ptr<Cgroup> Cgroup::make(std::size_t memory_bytes, std::size_t processes) {
    std::unique_ptr<Cgroup> group(new Cgroup);
    const fs::path memory = find_own_folder("memory"), pids = find_own_folder("pids"),
                   unified = find_own_folder("");
    if (!memory.empty() && group->add(memory, {{"memory.limit_in_bytes", memory_bytes}})) {
        if (!pids.empty()) group->add(pids, {{"pids.max", processes}});
        return group;
    }
    if (unified.empty()) return nullptr;
    const std::string controllers = read_if_exists(unified / "cgroup.controllers").value_or("");
    if (controllers.find("memory") == controllers.npos ||
        !write_control(unified / "cgroup.subtree_control", "+memory +pids") ||
        !group->add(unified, {{"memory.max", memory_bytes}, {"pids.max", processes}})) {
        return nullptr;
    }
    write_control(group->folders_.back() / "memory.swap.max", "0");
    return group;
}

Cgroup::~Cgroup() {
    for (const fs::path& folder : folders_) remove_group(folder);
}

long Cgroup::out_of_memory_kills() const {
    for (const fs::path& folder : folders_) {
        for (const char* file : {"memory.oom_control", "memory.events"}) {
            std::istringstream words(read_if_exists(folder / file).value_or(""));
            std::string word;
            for (long value = 0; words >> word >> value;) {
                if (word == "oom_kill") return value;
            }
        }
    }
    return 0;
}

std::vector<fs::path> find_grader_cgroups(pid_t of) {
    std::vector<fs::path> found;
    for (const char* controller : {"memory", "pids", ""}) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(find_own_folder(controller), error)) {
            const pid_t owner = owner_of(entry.path().filename());
            if (owner > 0 && (of == 0 || owner == of)) found.push_back(entry.path());
        }
    }
    return found;
}

int sweep_stale_cgroups() {
    int swept = 0;
    for (const fs::path& folder : find_grader_cgroups()) {
        const pid_t owner = owner_of(folder.filename());
        // EPERM means that the process exists but belongs to another user.
        if (kill(owner, 0) == 0 || errno == EPERM) continue;
        kill_all_in(folder);
        swept += remove_group(folder);
    }
    return swept;
}

}  // namespace coalesce::grader

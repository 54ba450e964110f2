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

constexpr const char* kGroupPrefix = "coalesce-grader-";

bool write_control_file(const fs::path& file, const std::string& text) {
    const Descriptor descriptor(open(file.c_str(), O_WRONLY | O_CLOEXEC));
    return descriptor && write_all(descriptor.get(), text);
}

/// Returns the mount point of each controller's hierarchy. In cgroups version 2, there is a single
/// hierarchy, which has the key "".
std::map<std::string, fs::path> find_cgroup_mounts() {
    std::map<std::string, fs::path> mounts;
    std::ifstream stream("/proc/self/mounts");
    for (std::string line; std::getline(stream, line);) {
        std::istringstream fields(line);
        std::string device, mount_point, type, options;
        fields >> device >> mount_point >> type >> options;
        if (type == "cgroup2") mounts.emplace("", mount_point);
        if (type != "cgroup") continue;
        std::istringstream option_stream(options);
        for (std::string option; std::getline(option_stream, option, ',');)
            mounts.emplace(option, mount_point);
    }
    return mounts;
}

/// Returns the cgroup of this process for each controller.
std::map<std::string, std::string> find_process_groups() {
    std::map<std::string, std::string> groups;
    std::ifstream stream("/proc/self/cgroup");
    for (std::string line; std::getline(stream, line);) {
        const std::size_t first_colon = line.find(':');
        const std::size_t second_colon = line.find(':', first_colon + 1);
        if (first_colon == line.npos || second_colon == line.npos) continue;
        // In cgroups version 2, the list of controllers is empty, so the key is "".
        std::istringstream controller_stream(
            line.substr(first_colon + 1, second_colon - first_colon - 1) + ",");
        for (std::string controller; std::getline(controller_stream, controller, ',');) {
            groups.emplace(controller, line.substr(second_colon + 1));
        }
    }
    return groups;
}

/// Returns the folder of this process's cgroup for a controller, or "" if there is none.
fs::path find_cgroup_folder(const std::string& controller) {
    const auto mounts = find_cgroup_mounts();
    const auto groups = find_process_groups();
    const auto mount_point = mounts.find(controller);
    const auto group = groups.find(controller);
    if (mount_point == mounts.end() || group == groups.end()) return {};
    fs::path folder = mount_point->second / fs::path(group->second).relative_path();
    std::error_code error;
    // In a container, only the container's part of the hierarchy is mounted. The path may therefore
    // be valid only on the host.
    if (!fs::is_directory(folder, error)) folder = mount_point->second;
    return folder;
}

std::string make_group_name() {
    static std::atomic<int> count{0};
    return kGroupPrefix + std::to_string(getpid()) + "-" + std::to_string(count++);
}

void kill_group_processes(const fs::path& folder) {
    if (write_control_file(folder / "cgroup.kill", "1")) return;
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
        kill_group_processes(folder);
        std::this_thread::sleep_for(5ms);
    }
    return false;
}

/// Returns the process ID of the grader that created the cgroup with this name, or 0 if no grader
/// created it.
pid_t owner_process(const std::string& name) {
    if (!name.starts_with(kGroupPrefix)) return 0;
    return static_cast<pid_t>(std::atol(name.c_str() + std::string(kGroupPrefix).size()));
}

}  // namespace

bool Cgroup::add_folder(const fs::path& parent, std::initializer_list<Limit> limits) {
    const fs::path folder = parent / make_group_name();
    if (mkdir(folder.c_str(), 0700) != 0) return false;
    folders_.push_back(folder);
    for (const auto& [file, max_value] : limits) {
        if (!write_control_file(folder / file, std::to_string(max_value))) return false;
    }
    entry_files_.push_back(folder / "cgroup.procs");
    return true;
}

std::unique_ptr<Cgroup> Cgroup::make(std::size_t memory_bytes, std::size_t processes) {
    std::unique_ptr<Cgroup> group(new Cgroup);
    const fs::path memory_folder = find_cgroup_folder("memory"),
                   pids_folder = find_cgroup_folder("pids"),
                   unified_folder = find_cgroup_folder("");
    if (!memory_folder.empty() &&
        group->add_folder(memory_folder, {{"memory.limit_in_bytes", memory_bytes}})) {
        if (!pids_folder.empty()) group->add_folder(pids_folder, {{"pids.max", processes}});
        return group;
    }
    if (unified_folder.empty()) return nullptr;
    const std::string controllers =
        read_if_exists(unified_folder / "cgroup.controllers").value_or("");
    if (controllers.find("memory") == controllers.npos ||
        !write_control_file(unified_folder / "cgroup.subtree_control", "+memory +pids") ||
        !group->add_folder(unified_folder,
                           {{"memory.max", memory_bytes}, {"pids.max", processes}})) {
        return nullptr;
    }
    write_control_file(group->folders_.back() / "memory.swap.max", "0");
    return group;
}

Cgroup::~Cgroup() {
    for (const fs::path& folder : folders_) remove_group(folder);
}

long Cgroup::out_of_memory_kills() const {
    for (const fs::path& folder : folders_) {
        for (const char* file : {"memory.oom_control", "memory.events"}) {
            std::istringstream event_counts(read_if_exists(folder / file).value_or(""));
            std::string event_name;
            for (long value = 0; event_counts >> event_name >> value;) {
                if (event_name == "oom_kill") return value;
            }
        }
    }
    return 0;
}

std::vector<fs::path> find_grader_cgroups(pid_t grader_process) {
    std::vector<fs::path> folders;
    for (const char* controller : {"memory", "pids", ""}) {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(find_cgroup_folder(controller), error)) {
            const pid_t owner = owner_process(entry.path().filename());
            if (owner > 0 && (grader_process == 0 || owner == grader_process))
                folders.push_back(entry.path());
        }
    }
    return folders;
}

int sweep_stale_cgroups() {
    int removed_count = 0;
    for (const fs::path& folder : find_grader_cgroups()) {
        const pid_t owner = owner_process(folder.filename());
        // EPERM means that the process exists but belongs to another user.
        if (kill(owner, 0) == 0 || errno == EPERM) continue;
        kill_group_processes(folder);
        removed_count += remove_group(folder);
    }
    return removed_count;
}

}  // namespace coalesce::grader

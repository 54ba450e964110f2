// The program that runs inside a jail. It forks a worker for each job from the grader, and
// only the grader starts it.
//
// Usage: jail compile|launch|probe, with a socket as descriptor 3.
//
// Under Landlock, the program first drops its access to the file system; bubblewrap has already
// removed this access. The program then warms up, forbids itself most system calls, sends "ready",
// and runs jobs until the socket is closed.

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>

#include "base/child.h"
#include "grader/sandbox/filters.h"
#include "grader/sandbox/landlock.h"
#include "grader/sandbox/packet.h"
#include "grader/sandbox/places.h"
#include "grader/sandbox/program/workers.h"
#include "grader/sandbox/protocol.h"

namespace coalesce::grader {
namespace {

std::string jail_tier_name() {
    return environment_variable_or("COALESCE_JAIL_TIER", "A");
}

bool is_restricted() {
    return jail_tier_name() != name_of(Tier::unsandboxed);
}

void restrict_files(Role role) {
    std::vector<std::string> paths = readable_paths();
    paths.push_back(std::filesystem::read_symlink("/proc/self/exe"));
    std::istringstream libraries(environment_variable_or("LD_LIBRARY_PATH", ""));
    for (std::string folder; std::getline(libraries, folder, ':');) paths.push_back(folder);
    allow_reading_only(paths, server_duty(role) == Duty::serve_clang);
}

void set_limit(int resource, rlim_t soft, rlim_t hard) {
    const rlimit limits{soft, hard};
    if (setrlimit(static_cast<__rlimit_resource>(resource), &limits) != 0) {
        throw std::runtime_error("a limit cannot be set");
    }
}

/// Sets a limit to `max_value`, or to the existing hard limit if that is lower.
void lower_limit(__rlimit_resource resource, rlim_t max_value) {
    rlimit current_limit{};
    if (getrlimit(resource, &current_limit) != 0)
        throw std::runtime_error("a limit cannot be read");
    set_limit(resource, std::min(max_value, current_limit.rlim_max),
              std::min(max_value, current_limit.rlim_max));
}

/// Returns the address space in use according to /proc. If `statm_descriptor` cannot be read,
/// returns an overestimate.
rlim_t address_space_bytes(int statm_descriptor) {
    char text[64] = {};
    if (statm_descriptor < 0 || pread(statm_descriptor, text, sizeof text - 1, 0) <= 0)
        return rlim_t{4} << 30;
    return static_cast<rlim_t>(std::atoll(text)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void limit_resources(const JobMessage& message, rlim_t memory_in_use) {
    const auto seconds = static_cast<rlim_t>(message.processor_seconds);
    const rlim_t memory = memory_in_use + static_cast<rlim_t>(message.memory_bytes);
    set_limit(RLIMIT_CPU, seconds, seconds + 1);
    set_limit(RLIMIT_AS, memory, memory);
    set_limit(RLIMIT_CORE, 0, 0);
    set_limit(RLIMIT_FSIZE, 0, 0);
    lower_limit(RLIMIT_NOFILE, 64);
    set_limit(RLIMIT_MSGQUEUE, 0, 0);
    set_limit(RLIMIT_MEMLOCK, 0, 0);
}

/// Runs one job in a worker process, and then ends the process.
[[noreturn]] void run_job_and_exit(Role role, const JobMessage& message, rlim_t memory_in_use,
                                   Packet& packet, pid_t server) {
    if (!end_with_parent(server)) _exit(kNotRestrictedStatus);
    close(kControlDescriptor);
    int code = 0;
    try {
        limit_resources(message, memory_in_use);
        start_helpers(role, is_restricted());
        if (is_restricted()) restrict_system_calls(worker_duty(role));
    } catch (const std::exception&) {
        _exit(kNotRestrictedStatus);
    }
    try {
        const MemoryMapping request(packet.descriptors[0].get(), false);
        const MemoryMapping answer(packet.descriptors[1].get(), true);
        code = do_job(role, request_text(request), {answer.data(), answer.size()},
                      packet.descriptors[2].get());
    } catch (const std::bad_alloc&) {
        code = kOutOfMemoryStatus;
    } catch (const std::exception&) {
        code = 1;
    }
    // Run no destructors, because the student's kernel may have corrupted the worker's memory.
    _exit(code);
}

EndMessage serve_job(Role role, int statm_descriptor, Packet& packet) {
    const auto message = parse_structure<JobMessage>(packet.bytes);
    if (!message || packet.descriptors.size() != 3) return {.end_kind = EndMessage::not_started};
    const rlim_t memory_in_use = address_space_bytes(statm_descriptor);
    const pid_t server = getpid(), worker = fork();
    if (worker == 0) run_job_and_exit(role, *message, memory_in_use, packet, server);
    if (worker < 0) return {.end_kind = EndMessage::not_started};
    packet.descriptors.clear();
    int status = 0;
    rusage usage{};
    // The first process of a namespace adopts orphans. Orphans should not exist, but reap them
    // until the worker ends.
    for (pid_t ended_process = 0; ended_process != worker;)
        ended_process = wait4(-1, &status, 0, &usage);
    const auto milliseconds = [](const timeval& time) {
        return std::int64_t{1000} * time.tv_sec + time.tv_usec / 1000;
    };
    return {.end_kind = WIFEXITED(status) ? EndMessage::exited : EndMessage::signalled,
            .code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status),
            .processor_milliseconds = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)};
}

int serve(Role role) {
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    // Forbid other processes from inspecting this one.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    signal(SIGPIPE, SIG_IGN);
    // Open this file before dropping the access to files. It describes this process, and the
    // workers are copies of this process.
    const Descriptor statm_descriptor(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    std::string ready_message;
    try {
        if (jail_tier_name() == name_of(Tier::landlock)) restrict_files(role);
        ready_message = prepare_jail(role, is_restricted());
        if (is_restricted()) restrict_system_calls(server_duty(role));
    } catch (const std::exception& error) {
        send_packet(kControlDescriptor, error.what());
        return 1;
    }
    if (!send_packet(kControlDescriptor, "ready " + ready_message)) return 1;
    Packet packet;
    while (receive_packet(kControlDescriptor, packet, Clock::time_point::max()) ==
           ReceiveStatus::packet) {
        const EndMessage end = serve_job(role, statm_descriptor.get(), packet);
        if (!send_packet(kControlDescriptor, structure_bytes(end))) return 1;
    }
    return 0;
}

}  // namespace
}  // namespace coalesce::grader

int main(int argc, char** argv) {
    using namespace coalesce;
    using namespace coalesce::grader;
    const std::string role_name = argc == 2 ? argv[1] : "";
    for (const Role role : {Role::compile, Role::launch, Role::probe}) {
        if (role_name == dashed_name(role)) return serve(role);
    }
    return 2;
}

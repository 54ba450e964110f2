#include "grader/sandbox/own_namespace.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace coalesce::grader {
namespace {

pid_t fork_in_namespaces(unsigned long namespaces) {
    return static_cast<pid_t>(syscall(SYS_clone, namespaces | SIGCHLD, 0, 0, 0, 0));
}

// Writes the text to the file, and returns false on failure. Runs between fork and exec, so it must
// not allocate memory.
bool write_text(const char* file, const char* text) {
    const int descriptor = open(file, O_WRONLY | O_CLOEXEC);
    const auto length = static_cast<ssize_t>(std::strlen(text));
    const bool is_written = descriptor >= 0 && write(descriptor, text, std::strlen(text)) == length;
    close(descriptor);
    return is_written;
}

/// Maps the user and the group into a new user namespace, which at first contains neither. Returns
/// false on failure.
bool map_user_and_group(uid_t user, gid_t group) {
    char uid_map[64], gid_map[64];
    std::snprintf(uid_map, sizeof uid_map, "%u %u 1", user, user);
    std::snprintf(gid_map, sizeof gid_map, "%u %u 1", group, group);
    return write_text("/proc/self/setgroups", "deny") &&
           write_text("/proc/self/uid_map", uid_map) && write_text("/proc/self/gid_map", gid_map);
}

/// Reports whether namespaces can be nested. fork_into_namespaces creates the outer
/// namespace, and bubblewrap the inner namespace.
bool can_nest(unsigned long namespaces, uid_t user, gid_t group) {
    const pid_t child = fork_in_namespaces(namespaces);
    if (child < 0) return false;
    if (child == 0) {
        if ((namespaces & CLONE_NEWUSER) != 0 && !map_user_and_group(user, group)) _exit(1);
        const pid_t nested_child = fork_in_namespaces(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS);
        if (nested_child == 0) _exit(0);
        _exit(nested_child > 0 && waitpid(nested_child, nullptr, 0) == nested_child ? 0 : 1);
    }
    int status = 1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status == 0;
}

/// Returns the namespaces to create, or 0 if none is permitted. Root needs no user namespace,
/// except in a container.
unsigned long usable_namespaces() {
    static const unsigned long namespaces = [] {
        const uid_t user = geteuid();
        const gid_t group = getegid();
        for (const unsigned long candidate :
             {0UL + CLONE_NEWPID, 0UL + CLONE_NEWPID + CLONE_NEWUSER}) {
            if (can_nest(candidate, user, group)) return candidate;
        }
        return 0UL;
    }();
    return namespaces;
}

}  // namespace

bool can_create_namespaces() {
    return usable_namespaces() != 0;
}

pid_t fork_into_namespaces() {
    const unsigned long namespaces = usable_namespaces();
    const uid_t user = geteuid();
    const gid_t group = getegid();
    const pid_t process = fork_in_namespaces(namespaces);
    if (process == 0 && (namespaces & CLONE_NEWUSER) != 0 && !map_user_and_group(user, group))
        _exit(126);
    return process;
}

}  // namespace coalesce::grader

// without_sandbox PROGRAM ... runs a program in an environment where no sandbox can work, such as a
// container that forbids namespaces, mounts and Landlock.
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

#ifndef SYS_landlock_create_ruleset
#    define SYS_landlock_create_ruleset 444
#endif

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    bool is_made = filter != nullptr;
    const auto refuse = [&](int call, int error) {
        is_made = is_made && seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)),
                                              call, 0) == 0;
    };
    refuse(SCMP_SYS(mount), EPERM);
    refuse(SCMP_SYS(unshare), EPERM);
    refuse(SCMP_SYS(pivot_root), EPERM);
    refuse(SYS_landlock_create_ruleset, ENOSYS);
    if (!is_made || seccomp_load(filter) != 0) {
        std::fprintf(stderr, "without_sandbox: the filter cannot be made\n");
        return 2;
    }
    execv(argv[1], argv + 1);
    std::perror(argv[1]);
    return 127;
}

#include "grader/sandbox/filters.h"

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>
#include <stdexcept>
#include <string>

namespace coalesce::grader {
namespace {

/// A seccomp filter. Rules are added first, and the filter is then loaded.
class SeccompFilter {
public:
    explicit SeccompFilter(std::uint32_t default_action) : context_(seccomp_init(default_action)) {
        if (!context_) throw std::runtime_error("seccomp cannot be used here");
    }
    ~SeccompFilter() { seccomp_release(context_); }
    SeccompFilter(const SeccompFilter&) = delete;
    SeccompFilter& operator=(const SeccompFilter&) = delete;

    /// Adds a rule for system calls. Skips names that libseccomp does not know, because the calls
    /// do not exist on this computer.
    void add_rule(std::uint32_t action, const std::string& names) {
        std::istringstream name_stream(names);
        for (std::string name; name_stream >> name;) {
            const int number = seccomp_syscall_resolve_name(name.c_str());
            if (number == __NR_SCMP_ERROR) continue;
            require_success(seccomp_rule_add(context_, action, number, 0), name.c_str());
        }
    }
    /// Adds a rule for calls whose argument meets the condition.
    void add_conditional_rule(std::uint32_t action, const char* name, scmp_arg_cmp condition) {
        const int number = seccomp_syscall_resolve_name(name);
        if (number == __NR_SCMP_ERROR) return;
        require_success(seccomp_rule_add_array(context_, action, number, 1, &condition), name);
    }
    void load() { require_success(seccomp_load(context_), "the filter"); }

private:
    static void require_success(int error, const char* description) {
        // EACCES means that the rule has the same action as the filter's default.
        if (error == 0 || error == -EACCES) return;
        throw std::runtime_error(std::string("seccomp rejects ") + description);
    }

    scmp_filter_ctx context_;
};

/// Denies the system calls with which a process could leave the jail. Nothing inside the jail needs
/// them.
void load_serve_filter(bool is_for_clang) {
    const std::uint32_t deny = SCMP_ACT_ERRNO(EPERM);
    SeccompFilter filter(SCMP_ACT_ALLOW);
    // Deny calls that access other processes or start programs.
    filter.add_rule(
        deny,
        "socket socketpair connect bind listen accept accept4 execveat ptrace process_vm_readv "
        "process_vm_writev process_madvise pidfd_open pidfd_getfd pidfd_send_signal kcmp setsid "
        "setpgid shmget msgget semget memfd_create memfd_secret");
    if (!is_for_clang) filter.add_rule(deny, "execve");
    // Deny calls that access other parts of the file system.
    filter.add_rule(deny,
                    "mount umount2 pivot_root chroot unshare setns open_tree move_mount fsopen "
                    "fsconfig fsmount fspick mount_setattr open_by_handle_at name_to_handle_at "
                    "lookup_dcookie nfsservctl quotactl swapon swapoff");
    // Deny calls that configure the kernel itself.
    filter.add_rule(
        deny,
        "bpf perf_event_open userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl "
        "add_key request_key init_module finit_module delete_module kexec_load kexec_file_load "
        "reboot personality acct syslog vhangup settimeofday clock_settime adjtimex clock_adjtime");
    // Deny calls that change files and folders.
    filter.add_rule(
        deny,
        "mknod mknodat link linkat symlink symlinkat chmod fchmod fchmodat chown fchown "
        "lchown fchownat mkdir mkdirat rename renameat renameat2 unlink unlinkat truncate");
    // A filter cannot inspect arguments in memory, such as those of clone3 and openat2. If these
    // calls fail with ENOSYS, the C library falls back to clone and openat.
    filter.add_rule(SCMP_ACT_ERRNO(ENOSYS), "clone3 openat2");
    for (const std::uint64_t flag : {CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET,
                                     CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP}) {
        filter.add_conditional_rule(deny, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
    }
    filter.load();
}

/// Allows the calls that every program needs for computations.
void allow_computation(SeccompFilter& filter) {
    // Allow calls on open files.
    filter.add_rule(
        SCMP_ACT_ALLOW,
        "read write readv writev pread64 lseek close fstat newfstatat statx fcntl dup dup2 "
        "dup3 pipe pipe2 poll ppoll sendmsg recvmsg");
    // Allow calls that manage memory.
    filter.add_rule(SCMP_ACT_ALLOW, "munmap mremap brk madvise mincore munlock membarrier");
    // Allow calls for threads and signals.
    filter.add_rule(
        SCMP_ACT_ALLOW,
        "futex rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack gettid getpid getppid "
        "set_robust_list rseq exit exit_group sched_yield sched_getaffinity restart_syscall");
    // Allow calls that query the time, the process's identity and its resources.
    filter.add_rule(
        SCMP_ACT_ALLOW,
        "clock_gettime clock_nanosleep clock_getres nanosleep gettimeofday time times "
        "getrandom sysinfo uname getrusage getrlimit getuid geteuid getgid getegid getcpu");
    filter.add_rule(SCMP_ACT_ERRNO(ENOSYS), "clone3 openat2");
    // Allow threads, not processes.
    filter.add_conditional_rule(SCMP_ACT_ALLOW, "clone",
                                SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    // abort() uses tgkill to send a signal to its own process.
    filter.add_conditional_rule(SCMP_ACT_ALLOW, "tgkill",
                                SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(getpid())));
    // Allow reading a limit, but not changing one.
    filter.add_conditional_rule(SCMP_ACT_ALLOW, "prlimit64", SCMP_A2(SCMP_CMP_EQ, 0));
    // Allow mapping memory only if it is not executable. No computation needs memory that it can
    // execute.
    for (const char* name : {"mmap", "mprotect"}) {
        filter.add_conditional_rule(SCMP_ACT_ALLOW, name,
                                    SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    }
}

/// Allows the calls that a program needs to start. Libraries may be mapped as executable, but not
/// as both writable and executable.
void allow_program_start(SeccompFilter& filter) {
    filter.add_rule(SCMP_ACT_ALLOW, "execve arch_prctl set_tid_address");
    filter.add_conditional_rule(SCMP_ACT_ALLOW, "mmap",
                                SCMP_A2(SCMP_CMP_EQ, PROT_READ | PROT_EXEC));
}

void load_compile_filter(bool is_clang) {
    SeccompFilter filter(SCMP_ACT_ERRNO(EPERM));
    allow_computation(filter);
    if (is_clang) allow_program_start(filter);
    filter.add_rule(
        SCMP_ACT_ALLOW,
        "wait4 stat lstat access faccessat faccessat2 readlink readlinkat getcwd getdents64");
    constexpr std::uint64_t write_flags = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
    filter.add_conditional_rule(SCMP_ACT_ALLOW, "open",
                                SCMP_A1(SCMP_CMP_MASKED_EQ, write_flags, 0));
    filter.add_conditional_rule(SCMP_ACT_ALLOW, "openat",
                                SCMP_A2(SCMP_CMP_MASKED_EQ, write_flags, 0));
    filter.load();
}

void load_launch_filter() {
    SeccompFilter filter(SCMP_ACT_ERRNO(EPERM));
    allow_computation(filter);
    filter.load();
}

}  // namespace

void restrict_system_calls(Duty duty) {
    switch (duty) {
        case Duty::serve: return load_serve_filter(false);
        case Duty::serve_clang: return load_serve_filter(true);
        case Duty::compile: return load_compile_filter(false);
        case Duty::clang: return load_compile_filter(true);
        case Duty::launch: return load_launch_filter();
    }
}

}  // namespace coalesce::grader

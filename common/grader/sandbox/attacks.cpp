#include "grader/sandbox/attacks.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace coalesce::grader {
namespace {

/// Returns `meaning`, a description of the escape, if a call that should fail has succeeded.
/// Otherwise returns "".
std::string escape_if_succeeded(long result, const char* meaning) {
    return result < 0 ? "" : meaning;
}

std::string read_secret(const AttackTarget& target) {
    for (const std::string& file : {target.secret_file, std::string("/etc/passwd"),
                                    std::string("/etc/shadow"), std::string("/root/.ssh")}) {
        if (open(file.c_str(), O_RDONLY) >= 0) return "could read " + file;
    }
    return "";
}

std::string write_outside_sandbox(const AttackTarget& target) {
    for (const std::string& folder : {target.folder, std::string("/tmp"), std::string("/"),
                                      std::string("/dev/shm"), std::string("/var/tmp")}) {
        const std::string file = folder + "/coalesce-canary";
        if (open(file.c_str(), O_WRONLY | O_CREAT, 0600) >= 0) {
            unlink(file.c_str());
            return "could write to " + folder;
        }
    }
    return "";
}

std::string open_socket(const AttackTarget&) {
    constexpr int vsock_family = 40;
    for (const int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, vsock_family}) {
        if (socket(family, family == AF_PACKET ? SOCK_RAW : SOCK_STREAM, 0) >= 0) {
            return "could open a socket of family " + std::to_string(family);
        }
    }
    return "";
}

std::string create_process(const AttackTarget&) {
    const pid_t child = fork();
    if (child < 0) return "";
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    return "could create a process";
}

std::string execute_program(const AttackTarget&) {
    for (const char* program :
         {"/bin/sh", "/usr/bin/true", "/lib64/ld-linux-x86-64.so.2", "/jail"}) {
        if (access(program, X_OK) != 0) continue;
        char* const arguments[] = {const_cast<char*>(program), nullptr};
        // If execve succeeds, another program replaces this process. The doctor recognizes the new
        // program by its exit code.
        execve(program, arguments, nullptr);
    }
    return "";
}

std::string send_signals(const AttackTarget& target) {
    for (const pid_t process : {getppid(), pid_t{1}, static_cast<pid_t>(target.grader_process)}) {
        // Signal 0 only tests whether this process may send a signal.
        if (process > 0 && kill(process, 0) == 0) {
            return "could send a signal to process " + std::to_string(process);
        }
    }
    return "";
}

std::string trace_others(const AttackTarget& target) {
    for (const pid_t process : {getppid(), static_cast<pid_t>(target.grader_process)}) {
        if (process > 0 && ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0) {
            return "could trace process " + std::to_string(process);
        }
    }
    return "";
}

std::string leave_session(const AttackTarget&) {
    if (setsid() >= 0) return "could leave its session";
    if (unshare(CLONE_NEWUSER) == 0) return "could create a user namespace";
    return escape_if_succeeded(mount("none", "/", "tmpfs", 0, nullptr),
                               "could mount a file system");
}

std::string raise_limits(const AttackTarget&) {
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = limit.rlim_max = RLIM_INFINITY;
    return escape_if_succeeded(setrlimit(RLIMIT_CPU, &limit), "could raise its own limits");
}

std::string create_executable_memory(const AttackTarget&) {
    void* page =
        mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? "" : "could create memory that is both writable and executable";
}

/// Tries to use 4 GB of memory, which is far more than the doctor allows.
std::string exhaust_memory(const AttackTarget&) {
    constexpr std::size_t block_bytes = std::size_t{64} << 20;
    for (int i = 0; i < 64; ++i) {
        void* memory =
            mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return "";
        std::memset(memory, 1, block_bytes);
    }
    return "could allocate 4 GB of memory";
}

/// Computes until the process is killed.
std::string compute_for_ever(const AttackTarget&) {
    signal(SIGXCPU, SIG_IGN);
    for (volatile unsigned long iterations = 0;;) iterations = iterations + 1;
}

std::string sleep_for_ever(const AttackTarget&) {
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
}

}  // namespace

const std::vector<Attack>& all_attacks() {
    static const std::vector<Attack> attacks = {
        {"read", read_secret},             // reads files of the grader or the system
        {"write", write_outside_sandbox},  // writes a file
        {"socket", open_socket},           // opens a socket, AF_VSOCK too
        {"fork", create_process},          // makes a process
        {"execute", execute_program},      // becomes another program
        {"signal", send_signals},          // sends a signal to the parent process or to the grader
        {"trace", trace_others},           // inspects the parent process or the grader
        {"get away", leave_session},  // leaves its session, creates a namespace, mounts a folder
        {"limits", raise_limits},     // raises its own limits
        {"code", create_executable_memory},  // maps memory that is writable and executable
        {"memory", exhaust_memory},          // takes 4 GB of memory
        {"compute", compute_for_ever},       // computes forever, and ignores SIGXCPU
        {"sleep", sleep_for_ever},           // sleeps forever, and ignores SIGTERM
    };
    return attacks;
}

}  // namespace coalesce::grader

// Implements child.h.
//
// Watch   When a key such as Ctrl-C is pressed, the terminal sends the signal to the whole
//         foreground process group, which includes the child. Therefore, `simulate` forwards a
//         signal only if another process sent it to `simulate` alone (with kill).
#include "simulator/simulate/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/child.h"

namespace coalesce::simulator {

namespace {

constexpr int kForwardedSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

volatile sig_atomic_t child_process = 0;

void forward_signal(int signal, siginfo_t* info, void*) {
    const bool is_from_terminal = info->si_code == SI_KERNEL;
    if (child_process > 0 && !is_from_terminal) kill(child_process, signal);
}

void handle_signals() {
    struct sigaction action {};
    action.sa_sigaction = forward_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (const int signal : kForwardedSignals) {
        struct sigaction previous_action {};
        sigaction(signal, nullptr, &previous_action);
        // Keep ignoring a signal that was ignored when `simulate` started, as some signals are
        // under nohup, or if a script runs `simulate` in the background.
        if (previous_action.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
    }
}

/// Runs in the child process: executes the program, or writes errno to `failure_descriptor` if that
/// fails.
[[noreturn]] void exec_program(const std::string& path, const std::vector<std::string>& arguments,
                               const Environment& environment, int failure_descriptor) {
    // If `simulate` is killed with SIGKILL, for example at a test's time limit, the program must
    // end too.
    end_with_parent();
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    setenv("COALESCE_SIM_PID", std::to_string(getpid()).c_str(), 1);
    execv(path.c_str(), to_c_string_array(arguments).data());
    const int failure = errno;
    if (write(failure_descriptor, &failure, sizeof failure) < 0) _exit(126);
    _exit(127);
}

}  // namespace

Ending run_child(const std::string& path, const std::vector<std::string>& arguments,
                 const Environment& environment) {
    int failure_pipe[2];
    if (pipe2(failure_pipe, O_CLOEXEC) != 0) return {.start_failure = errno};

    // Block signals until the handler knows the child's process ID.
    sigset_t all_signals, previous_signals;
    sigfillset(&all_signals);
    sigprocmask(SIG_BLOCK, &all_signals, &previous_signals);
    const pid_t process = fork();
    if (process < 0) {
        const int failure = errno;
        sigprocmask(SIG_SETMASK, &previous_signals, nullptr);
        return {.start_failure = failure};
    }
    if (process == 0) {
        sigprocmask(SIG_SETMASK, &previous_signals, nullptr);
        exec_program(path, arguments, environment, failure_pipe[1]);
    }
    child_process = process;
    handle_signals();
    sigprocmask(SIG_SETMASK, &previous_signals, nullptr);
    close(failure_pipe[1]);

    int start_failure = 0;
    std::string failure_bytes;
    read_all(failure_pipe[0], failure_bytes);
    close(failure_pipe[0]);
    if (failure_bytes.size() == sizeof start_failure)
        failure_bytes.copy(reinterpret_cast<char*>(&start_failure), 4);

    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    child_process = 0;
    if (start_failure != 0) return {.start_failure = start_failure};
    if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status), .process = process};
    return {.exit_code = WEXITSTATUS(status), .process = process};
}

}  // namespace coalesce::simulator

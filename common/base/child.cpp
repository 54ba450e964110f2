#include "base/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace coalesce {
namespace {

using Clock = std::chrono::steady_clock;

// The maximum number of bytes of a child's output to keep. Further output is read and discarded.
constexpr std::size_t kMaxOutputBytes = std::size_t{1} << 26;

std::vector<std::string> merge_environment(const std::vector<std::string>& changes) {
    std::vector<std::string> merged_variables = changes;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string line = *entry, name = line.substr(0, line.find('=') + 1);
        const auto has_same_name = [&](const std::string& change) {
            return change.starts_with(name);
        };
        if (std::ranges::none_of(changes, has_same_name)) merged_variables.push_back(line);
    }
    return merged_variables;
}

/// Runs in the child between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void exec_command(const Command& command, const std::vector<char*>& arguments,
                               const std::vector<char*>& environment, int input, int output,
                               int error_pipe, pid_t parent) {
    if (command.has_own_process_group) {
        setpgid(0, 0);
        if (!end_with_parent(parent)) _exit(126);
    }
    // Restore the default action of every signal that this program handles.
    for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP}) {
        std::signal(signal_number, SIG_DFL);
    }
    sigset_t empty_mask;
    sigemptyset(&empty_mask);
    sigprocmask(SIG_SETMASK, &empty_mask, nullptr);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    if (command.captures_stderr) dup2(output, STDERR_FILENO);
    if (command.folder.empty() || chdir(command.folder.c_str()) == 0) {
        execvpe(arguments[0], arguments.data(), environment.data());
    }
    const int error = errno;
    _exit(write(error_pipe, &error, sizeof error) > 0 ? 127 : 126);
}

/// Forks with all signals blocked, so that none of this program's handlers runs in the child before
/// exec.
template <class RunInChild>
pid_t fork_child(RunInChild run_in_child) {
    sigset_t all_signals, previous_mask;
    sigfillset(&all_signals);
    pthread_sigmask(SIG_SETMASK, &all_signals, &previous_mask);
    const pid_t process = fork();
    if (process == 0) run_in_child();
    pthread_sigmask(SIG_SETMASK, &previous_mask, nullptr);
    return process;
}

Clock::time_point deadline_after(double seconds) {
    return Clock::now() +
           std::chrono::round<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// Waits until `descriptor` is readable. Returns false if it is not readable before the time `end`.
bool wait_until_readable(Clock::time_point end, int descriptor) {
    for (;;) {
        const auto milliseconds_left =
            std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd poll_entry = {descriptor, POLLIN, 0};
        const int count =
            milliseconds_left < 0 ? 0 : poll(&poll_entry, 1, static_cast<int>(milliseconds_left));
        if (count >= 0 || errno != EINTR) return count > 0;
    }
}

}  // namespace

void end_with_parent() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

bool end_with_parent(pid_t parent) {
    end_with_parent();
    return getppid() == parent;
}

std::vector<char*> to_c_string_array(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

Child::Child(const Command& command) : has_own_process_group_(command.has_own_process_group) {
    std::vector<std::string> words = {command.program.string()};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    const std::vector<std::string> variables = merge_environment(command.environment);
    const std::vector<char*> arguments = to_c_string_array(words),
                             environment = to_c_string_array(variables);
    Pipe input, output, error_pipe;
    if (!command.has_stdin_pipe) input.read.reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const pid_t parent = getpid();
    process_ = fork_child([&] {
        exec_command(command, arguments, environment, input.read.get(), output.write.get(),
                     error_pipe.write.get(), parent);
    });
    int error = process_ < 0 ? errno : 0;
    // Ignore SIGPIPE, so that `send_line` returns false if the child has ended. By default, the
    // signal would kill this program.
    if (command.has_stdin_pipe) std::signal(SIGPIPE, SIG_IGN);
    input_ = std::move(input.write);
    output_ = std::move(output.read);
    fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    error_pipe.write.reset();
    // A successful exec closes the write end of the pipe, so the read returns 0.
    while (process_ > 0 && read(error_pipe.read.get(), &error, sizeof error) < 0 &&
           errno == EINTR) {
    }
    if (error == 0) return;
    if (process_ > 0) reap(true);
    throw std::runtime_error(command.program.string() + " cannot be started: " + strerror(error));
}

Child::~Child() {
    stop();
}

bool Child::take_output() {
    char buffer[65536];
    // Limit the number of reads. Otherwise a child that prints faster than this loop reads would
    // block the caller forever.
    for (int chunk = 0; chunk < 64; ++chunk) {
        const ssize_t count = read(output_.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN;
        if (count == 0) return false;
        const std::size_t bytes_left =
            kMaxOutputBytes - std::min(kMaxOutputBytes, result_.output.size());
        result_.output.append(buffer, std::min(bytes_left, static_cast<std::size_t>(count)));
    }
    return true;
}

bool Child::reap(bool may_wait) {
    if (process_ == 0) return true;
    int status = 0;
    pid_t ended_process = 0;
    while ((ended_process = waitpid(process_, &status, may_wait ? 0 : WNOHANG)) < 0 &&
           errno == EINTR) {
    }
    if (ended_process == 0) return false;
    result_.exit_code = ended_process < 0     ? 128
                        : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                              : WEXITSTATUS(status);
    process_ = 0;
    return true;
}

bool Child::wait(int milliseconds) {
    const Clock::time_point end = deadline_after(milliseconds / 1e3);
    while (wait_until_readable(end, output_.get())) {
        if (take_output()) continue;
        // A process that has closed its output may exit soon, or may continue to run.
        for (; !reap(false); usleep(500)) {
            if (Clock::now() > end) return false;
        }
        return true;
    }
    return false;
}

void Child::stop() {
    if (process_ == 0) return;
    kill(has_own_process_group_ ? -process_ : process_, SIGKILL);
    reap(true);
}

bool Child::send_line(const std::string& line) {
    return write_all(input_.get(), line + "\n");
}

std::optional<std::string> Child::receive_line(double seconds) {
    const Clock::time_point end = deadline_after(seconds);
    for (bool is_more = true;; is_more = wait_until_readable(end, output_.get()) && take_output()) {
        const std::size_t line_end = result_.output.find('\n');
        if (line_end != std::string::npos) {
            const std::string line = result_.output.substr(0, line_end);
            result_.output.erase(0, line_end + 1);
            return line;
        }
        if (!is_more) return std::nullopt;
    }
}

ProcessResult run_to_end(const Command& command, double seconds) {
    Child child(command);
    const bool has_ended = child.wait(static_cast<int>(seconds * 1e3));
    child.stop();
    ProcessResult ended = child.outcome();
    ended.timed_out = !has_ended;
    return ended;
}

ProcessResult run_child(const std::vector<std::string>& words, double seconds,
                        const std::vector<std::string>& environment,
                        const std::filesystem::path& folder) {
    try {
        return run_to_end({.program = words.at(0),
                           .arguments = {words.begin() + 1, words.end()},
                           .environment = environment,
                           .folder = folder,
                           .captures_stderr = true,
                           .has_own_process_group = true},
                          seconds);
    } catch (const std::runtime_error& error) {
        return {.exit_code = 127, .output = error.what() + std::string("\n")};
    }
}

std::string find_program(const std::string& name) {
    std::istringstream folders(name.find('/') == name.npos ? environment_variable_or("PATH", "")
                                                           : ".");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::filesystem::path file = std::filesystem::path(folder) / name;
        std::error_code error;
        if (access(file.c_str(), X_OK) == 0 && is_regular_file(file, error)) return file;
    }
    return "";
}

std::string environment_variable_or(const char* name, const std::string& default_value) {
    const char* value = std::getenv(name);
    return value && *value ? value : default_value;
}

std::string prepend_to_library_path(const std::string& folder) {
    const std::string present_path = environment_variable_or("LD_LIBRARY_PATH", "");
    // An empty entry would be interpreted as the working directory.
    return present_path.empty() ? folder : folder + ":" + present_path;
}

}  // namespace coalesce

// Linux only: pipe2.
#include "kernel/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace coalesce {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;

using Clock = std::chrono::steady_clock;

/// The child's side; does not return.
[[noreturn]] void become(std::vector<char*>& arguments, const char* folder, int output) {
    // A group of its own, so that what the program starts in turn can be ended with it.
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    if (chdir(folder) == 0) execvp(arguments[0], arguments.data());
    _exit(127);
}

/// Reads until the other end is closed or the time is over.
bool read_until(int pipe, Clock::time_point end, std::string& output) {
    std::array<char, 16384> buffer;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0) return false;
        pollfd waiting{pipe, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left));
        if (ready < 0 && errno != EINTR) return true;
        if (ready <= 0) continue;
        const ssize_t count = read(pipe, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return true;
        const std::size_t room = kMostOutput - output.size();
        output.append(buffer.data(), std::min(room, static_cast<std::size_t>(count)));
    }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& command, const std::string& folder,
                      int seconds) {
    ChildResult result;
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return result;
    const pid_t child = fork();
    if (child == 0) become(arguments, folder.c_str(), ends[1]);
    // On both sides, because either may come first.
    if (child > 0) setpgid(child, child);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return result;
    }
    const bool ended =
        read_until(ends[0], Clock::now() + std::chrono::seconds(seconds), result.output);
    close(ends[0]);
    result.is_out_of_time = !ended;
    if (!ended) kill(-child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
}

}  // namespace coalesce

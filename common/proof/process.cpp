// Linux only: prctl, pipe2.
#include "proof/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>

extern char** environ;

namespace coalesce::proof {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_until(Clock::time_point end) {
    return std::chrono::duration<double>(end - Clock::now()).count();
}

Clock::time_point after(double seconds) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// The environment of a child, made before it is: afterwards little is allowed.
std::vector<std::string> merged(const Environment& additions) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry; ++entry) {
        const std::string text = *entry;
        if (!additions.contains(text.substr(0, text.find('=')))) all.push_back(text);
    }
    for (const auto& [name, value] : additions) all.push_back(name + "=" + value);
    return all;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

/// Starts a program in a group of its own, so that all that it starts can be ended with it.
pid_t start(const std::vector<std::string>& command, int in, int out, int err,
            const Environment& environment) {
    const std::vector<std::string> variables = merged(environment);
    const std::vector<char*> argv = pointers_to(command), envp = pointers_to(variables);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process can be started");
    if (child > 0) return child;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    if (in < 0) in = open("/dev/null", O_RDONLY);
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    if (err >= 0) dup2(err, STDERR_FILENO);
    execvpe(argv[0], argv.data(), envp.data());
    const std::string why = command[0] + ": " + std::strerror(errno) + "\n";
    if (write(STDERR_FILENO, why.data(), why.size()) < 0) _exit(126);
    _exit(127);
}

int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void end_group(pid_t leader) {
    if (kill(-leader, SIGKILL) != 0) kill(leader, SIGKILL);
}

/// Appends what is there to read. False at the end, or when the time is over.
bool read_more(int file, std::string& text, Clock::time_point end) {
    pollfd ready{file, POLLIN, 0};
    const double left = seconds_until(end);
    if (left <= 0) return false;
    const int count = poll(&ready, 1, static_cast<int>(left * 1e3) + 1);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    char buffer[1 << 14];
    const ssize_t bytes = read(file, buffer, sizeof buffer);
    if (bytes <= 0) return false;
    text.append(buffer, static_cast<std::size_t>(bytes));
    return true;
}

struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() {
        if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
    }
};

}  // namespace

Ended run(const std::vector<std::string>& command, double seconds, const Environment& environment) {
    const Clock::time_point end = after(seconds);
    const Pipe pipe;
    const pid_t child = start(command, -1, pipe.ends[1], pipe.ends[1], environment);
    close(pipe.ends[1]);
    Ended ended;
    while (read_more(pipe.ends[0], ended.output, end)) {
    }
    ended.timed_out = seconds_until(end) <= 0;
    close(pipe.ends[0]);
    if (ended.timed_out) end_group(child);
    ended.exit_code = wait_for(child);
    return ended;
}

std::string find_program(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string file = (folder.empty() ? "." : folder) + "/" + name;
        if (access(file.c_str(), X_OK) == 0 && !std::filesystem::is_directory(file)) return file;
    }
    return "";
}

Conversation::Conversation(const std::vector<std::string>& command) {
    const Pipe to, from;
    child_ = start(command, to.ends[0], from.ends[1], -1, {});
    close(to.ends[0]);
    close(from.ends[1]);
    to_ = to.ends[1];
    from_ = from.ends[0];
    // A program that ended is told by what `say` returns.
    signal(SIGPIPE, SIG_IGN);
}

Conversation::~Conversation() {
    close(to_);
    close(from_);
    end_group(child_);
    wait_for(child_);
}

bool Conversation::say(const std::string& line) {
    const std::string text = line + "\n";
    std::size_t written = 0;
    while (written < text.size()) {
        const ssize_t bytes = write(to_, text.data() + written, text.size() - written);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) return false;
        written += static_cast<std::size_t>(bytes);
    }
    return true;
}

std::optional<std::string> Conversation::hear(double seconds) {
    const Clock::time_point end = after(seconds);
    for (;;) {
        const std::size_t line_end = heard_.find('\n');
        if (line_end != std::string::npos) {
            const std::string line = heard_.substr(0, line_end);
            heard_.erase(0, line_end + 1);
            return line;
        }
        if (!read_more(from_, heard_, end)) return std::nullopt;
    }
}

}  // namespace coalesce::proof

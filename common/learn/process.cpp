// Linux only: pipe2.
#include "learn/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <stdexcept>

extern char** environ;

namespace coalesce::learn {
namespace {

// More output than this is nobody's to read.
constexpr size_t MOST_OUTPUT = size_t{1} << 22;

int exit_code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// The pointers that exec wants. `words` must outlive them.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
    std::vector<std::string> all = changes;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string line = *entry, name = line.substr(0, line.find('=') + 1);
        auto same_name = [&](const std::string& change) { return change.starts_with(name); };
        if (std::ranges::none_of(changes, same_name)) all.push_back(line);
    }
    return all;
}

// What happens in the child between fork and exec.
class Actions {
public:
    Actions() { posix_spawn_file_actions_init(&actions); }
    ~Actions() { posix_spawn_file_actions_destroy(&actions); }
    Actions(const Actions&) = delete;
    Actions& operator=(const Actions&) = delete;
    posix_spawn_file_actions_t* get() { return &actions; }

private:
    posix_spawn_file_actions_t actions;
};

// Signals that this program has its own ways with are as usual again in the child.
class Attributes {
public:
    Attributes() {
        posix_spawnattr_init(&attributes);
        sigset_t all;
        sigemptyset(&all);
        posix_spawnattr_setsigmask(&attributes, &all);
        for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP}) {
            sigaddset(&all, signal);
        }
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    ~Attributes() { posix_spawnattr_destroy(&attributes); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;
    posix_spawnattr_t* get() { return &attributes; }

private:
    posix_spawnattr_t attributes;
};

}  // namespace

Child::Child(const Command& command) {
    std::vector<std::string> words = {command.program.string()};
    words.insert(words.end(), command.arguments.begin(), command.arguments.end());
    std::vector<std::string> environment = environment_with(command.environment);

    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
    Actions actions;
    Attributes attributes;
    posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(actions.get(), ends[1], STDOUT_FILENO);
    if (command.with_errors) {
        posix_spawn_file_actions_adddup2(actions.get(), ends[1], STDERR_FILENO);
    }
    if (!command.folder.empty()) {
        posix_spawn_file_actions_addchdir_np(actions.get(), command.folder.c_str());
    }
    int error = posix_spawn(&process, command.program.c_str(), actions.get(), attributes.get(),
                            pointers_to(words).data(), pointers_to(environment).data());
    close(ends[1]);
    pipe = ends[0];
    if (error != 0) {
        close(pipe);
        throw std::runtime_error(command.program.string() +
                                 " cannot be started: " + strerror(error));
    }
    fcntl(pipe, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
    stop();
    close(pipe);
}

bool Child::take_output() {
    char buffer[65536];
    for (;;) {
        ssize_t count = read(pipe, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno == EAGAIN;
        if (count == 0) return false;
        size_t room = MOST_OUTPUT - std::min(MOST_OUTPUT, result.output.size());
        result.output.append(buffer, std::min(room, static_cast<size_t>(count)));
    }
}

bool Child::reap(bool may_wait) {
    if (process == 0) return true;
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(process, &status, may_wait ? 0 : WNOHANG)) < 0 && errno == EINTR) {
    }
    if (ended == 0) return false;
    result.exit_code = ended < 0 ? 128 : exit_code_of(status);
    process = 0;
    return true;
}

bool Child::wait(int milliseconds) {
    using Clock = std::chrono::steady_clock;
    auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
    for (bool more = true;;) {
        auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left < 0) return false;
        if (!more) {
            // It may end a moment after its output did, or live on without any.
            if (reap(false)) return true;
            usleep(500);
            continue;
        }
        pollfd ready = {pipe, POLLIN, 0};
        poll(&ready, 1, static_cast<int>(left));
        more = take_output();
    }
}

void Child::stop() {
    if (process == 0) return;
    kill(process, SIGKILL);
    reap(true);
}

Outcome run_program(const std::filesystem::path& program,
                    const std::vector<std::string>& arguments) {
    Child child({.program = program, .arguments = arguments});
    constexpr int AN_HOUR = 3'600'000;
    while (!child.wait(AN_HOUR)) {
    }
    return child.outcome();
}

}  // namespace coalesce::learn

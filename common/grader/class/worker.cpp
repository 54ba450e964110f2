#include "grader/class/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/descriptor.h"
#include "grader/class/names.h"
#include "grader/class/own_limits.h"
#include "grader/store/errors.h"
#include "grader/store/sha256.h"

namespace coalesce::grader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLargestFrame = 64u << 20;
// The judge has clocks of its own, which are much shorter; this one is for a judge that hangs.
constexpr std::chrono::seconds kPatience{300};

std::string frame(std::string_view bytes) {
    std::string text(8, '\0');
    std::uint64_t size = bytes.size();
    std::memcpy(text.data(), &size, sizeof size);
    return text.append(bytes);
}

// Takes one frame from the front of what was read; false when it is not there whole.
bool take_frame(std::string& read, std::string& bytes) {
    std::uint64_t size = 0;
    if (read.size() < sizeof size) return false;
    std::memcpy(&size, read.data(), sizeof size);
    if (size > kLargestFrame) throw Infrastructure("a worker's answer makes no sense");
    if (read.size() < sizeof size + size) return false;
    bytes = read.substr(sizeof size, size);
    read.erase(0, sizeof size + size);
    return true;
}

// False when the other end is closed, or nothing can be read.
bool read_more(int descriptor, std::string& bytes) {
    char buffer[65536];
    ssize_t count;
    do {
        count = read(descriptor, buffer, sizeof buffer);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    bytes.append(buffer, static_cast<std::size_t>(count));
    return true;
}

bool read_frame(int descriptor, std::string& read, std::string& bytes) {
    while (!take_frame(read, bytes)) {
        if (!read_more(descriptor, read)) return false;
    }
    return true;
}

// What goes back: R and the result, or S and what went wrong with us.
std::string judged(Judge& judge, const Assignment& assignment, const std::string& name,
                   const std::string& source) {
    const Assigned* exercise = assignment.find(name);
    if (exercise == nullptr) return "Sthere is no exercise " + name;
    try {
        // The same name for all: a result must not depend on who handed it in.
        Submission submission{.name = name + "/kernel.cu", .source = source};
        Result result = judge.judge(submission, *exercise, assignment.secret(*exercise));
        if (result.mark == Mark::system) {
            return "S" + result.problem;
        }
        return "R" + to_json(result);
    } catch (const std::exception& error) {
        return std::string("S") + error.what();
    }
}

std::string how_it_ended(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) return "signal " + std::to_string(WTERMSIG(status));
    return "exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

std::string identity_of(const Assignment& assignment) {
    std::string all;
    for (const Assigned& exercise : assignment.exercises) {
        Secret secret = assignment.secret(exercise);
        all += digest_of(exercise) +
               hex(sha256({reinterpret_cast<char*>(secret.data()), secret.size()}));
    }
    return sha256_hex(all);
}

Result result_of_fault(const std::string& sandbox) {
    Result result;
    result.mark = Mark::fault;
    result.verdict.outcome = Verdict::Outcome::failed;
    result.verdict.failures = {
        {.kind = FailureKind::grader_fault,
         .headline = "the grader breaks down over this file, and over no other.",
         .next = "Your teacher looks at it, and decides. Is there anything unusual in the file?"}};
    result.sandbox = sandbox;
    return result;
}

int work(const Assignment& assignment, const JudgeOptions& options) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == 1) return exit_infrastructure;  // it ended before that line
    // What anything in here prints must not get between the frames.
    int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    Judge judge(options);
    if (!write_all(answers, frame(identity_of(assignment)))) return exit_infrastructure;
    std::string read, exercise, source;
    while (read_frame(STDIN_FILENO, read, exercise) && read_frame(STDIN_FILENO, read, source)) {
        limit_to_one_submission();
        if (!write_all(answers, frame(judged(judge, assignment, exercise, source)))) break;
    }
    return exit_done;
}

struct Workers::Worker {
    pid_t process = 0;  // 0: there is none
    int to = -1, from = -1;
    std::string read;
    bool has_named_itself = false, is_busy = false;
    std::size_t task = 0;
    Clock::time_point patience_ends{};
};

Workers::Workers(std::vector<std::string> command, std::string identity, int count)
    : command_(std::move(command)),
      expected_identity_(std::move(identity)),
      workers_(static_cast<std::size_t>(std::max(1, count))) {}

Workers::~Workers() {
    for (Worker& worker : workers_) stop(worker);
}

void Workers::start(Worker& worker) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) {
        throw Infrastructure(std::string("no worker could be started: ") + strerror(errno));
    }
    std::vector<char*> arguments;
    for (std::string& word : command_) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t parent = getpid();
    pid_t process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    worker = Worker{.process = process, .to = to[1], .from = from[0], .read = {}};
    if (process < 0) {
        stop(worker);
        throw Infrastructure(std::string("no worker could be started: ") + strerror(errno));
    }
}

void Workers::stop(Worker& worker) {
    if (worker.to >= 0) close(worker.to);
    if (worker.from >= 0) close(worker.from);
    if (worker.process > 0) {
        // Without input it ends by itself and clears up behind it; one that is busy does not listen.
        for (int i = 0; i < 100 && !worker.is_busy; ++i) {
            if (waitpid(worker.process, nullptr, WNOHANG) != 0) {
                worker = Worker{};
                return;
            }
            usleep(20000);
        }
        kill(worker.process, SIGKILL);
        how_it_ended(worker.process);
    }
    worker = Worker{};
}

void Workers::give(Worker& worker, const Task& task, std::size_t number) {
    if (worker.process == 0) start(worker);
    worker.is_busy = true;
    worker.task = number;
    worker.patience_ends = Clock::now() + kPatience;
    // A worker that is gone is noticed when it is listened to.
    (void)write_all(worker.to, frame(task.exercise) + frame(task.source));
}

// True when the worker's task has come to an end.
bool Workers::take(Worker& worker, WorkerAnswer& outcome) {
    std::string bytes;
    if (!worker.has_named_itself) {
        if (!take_frame(worker.read, bytes)) return false;
        if (bytes != expected_identity_) {
            throw Infrastructure(
                "the assignment was changed while it was graded; run the same command again");
        }
        worker.has_named_itself = true;
    }
    if (!take_frame(worker.read, bytes) || bytes.empty()) return false;
    outcome = {bytes[0] == 'R', bytes.substr(1)};
    worker.is_busy = false;
    return true;
}

void Workers::listen(int milliseconds) {
    std::vector<pollfd> ends;
    for (const Worker& worker : workers_) ends.push_back({worker.from, POLLIN, 0});
    poll(ends.data(), ends.size(), milliseconds);
}

void Workers::judge(const std::vector<Task>& tasks,
                    const std::function<bool(std::size_t, const WorkerAnswer&)>& done,
                    const std::function<void()>& waiting) {
    std::size_t next = 0, ended = 0;
    while (ended < tasks.size()) {
        for (Worker& worker : workers_) {
            if (!worker.is_busy && next < tasks.size()) {
                give(worker, tasks[next], next);
                ++next;
            }
        }
        listen(100);
        waiting();
        for (Worker& worker : workers_) {
            if (!worker.is_busy) continue;
            pollfd end{worker.from, POLLIN, 0};
            bool is_readable = poll(&end, 1, 0) > 0;
            bool is_gone = is_readable && !read_more(worker.from, worker.read);
            WorkerAnswer outcome;
            if (!take(worker, outcome)) {
                bool is_late = Clock::now() > worker.patience_ends;
                if (!is_gone && !is_late) continue;
                outcome.text =
                    is_late ? "the judging process hung" : "the judging process ended early";
                if (is_late) kill(worker.process, SIGKILL);
                outcome.text += " (" + how_it_ended(worker.process) + ")";
                worker.process = 0;
            }
            std::size_t task = worker.task;
            if (worker.process == 0) stop(worker);
            ++ended;
            if (!done(task, outcome)) return;
        }
    }
}

}  // namespace coalesce::grader

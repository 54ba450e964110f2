#include "grader/class/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <memory>

#include "base/child.h"
#include "base/codec.h"
#include "grader/class/own_limits.h"
#include "grader/store/errors.h"
#include "grader/store/sha256.h"
#include "kernel/safe_text.h"

namespace coalesce::grader {

template <class Codec>
void describe(Codec& codec, Task& task) {
    codec::AnyBytes source{task.source};
    fields(codec, "exercise", task.exercise, "source", source);
}

template <class Codec>
void describe(Codec& codec, WorkerAnswer& answer) {
    fields(codec, "is_judged", answer.is_judged, "text", answer.text);
}

namespace {

using Clock = std::chrono::steady_clock;

// The judge has clocks of its own, which are much shorter; this one is for a judge that hangs.
constexpr std::chrono::seconds kPatience{300};

WorkerAnswer judged(Judge& judge, const Assignment& assignment, const Task& task) {
    const Assigned* exercise = assignment.find(task.exercise);
    if (exercise == nullptr) return {false, "there is no exercise " + task.exercise};
    try {
        // The same name for all: a result must not depend on who handed it in.
        Submission submission{.name = task.exercise + "/kernel.cu", .source = task.source};
        Result result = judge.judge(submission, *exercise, assignment.secret(*exercise));
        const bool is_judged = result.mark != Mark::system;
        return {is_judged, is_judged ? to_json(result) : result.problem};
    } catch (const std::exception& error) {
        return {false, error.what()};
    }
}

std::string how_it_ended(Child& child) {
    child.stop();
    const int code = child.outcome().exit_code;
    return code > 128 ? "signal " + std::to_string(code - 128)
                      : "exit code " + std::to_string(code);
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
    // What anything in here prints must not get between the answers.
    int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    Judge judge(options);
    if (!write_all(answers, identity_of(assignment) + "\n")) return exit_infrastructure;
    for (std::string line; std::getline(std::cin, line);) {
        limit_to_one_submission();
        const WorkerAnswer answer = judged(judge, assignment, codec::read<Task>(line));
        if (!write_all(answers, codec::write(answer) + "\n")) break;
    }
    return exit_done;
}

struct Workers::Worker {
    std::unique_ptr<Child> child = {};
    bool has_named_itself = false, is_busy = false;
    std::size_t task = 0;
    Clock::time_point patience_ends = {};
};

Workers::Workers(std::vector<std::string> command, std::string identity, int count)
    : command_(std::move(command)),
      expected_identity_(std::move(identity)),
      workers_(static_cast<std::size_t>(std::max(1, count))) {}

Workers::~Workers() {
    for (Worker& worker : workers_) stop(worker);
}

void Workers::start(Worker& worker) {
    try {
        worker = {.child = std::make_unique<Child>(
                      Command{.program = command_.front(),
                              .arguments = {command_.begin() + 1, command_.end()},
                              .is_asked = true})};
    } catch (const std::runtime_error& error) {
        throw Infrastructure(std::string("no worker could be started: ") + error.what());
    }
}

void Workers::stop(Worker& worker) {
    // Without input it ends by itself and clears up behind it; one that is busy does not listen.
    if (worker.child) worker.child->end_input();
    if (worker.child && !worker.is_busy) worker.child->wait(2000);
    worker = {};
}

void Workers::give(Worker& worker, const Task& task, std::size_t number) {
    if (!worker.child) start(worker);
    worker.is_busy = true;
    worker.task = number;
    worker.patience_ends = Clock::now() + kPatience;
    // A worker that is gone is noticed when it is listened to.
    (void)worker.child->say(codec::write(task));
}

// True when the worker's task has come to an end.
bool Workers::take(Worker& worker, WorkerAnswer& outcome) {
    std::optional<std::string> line = worker.child->hear(0);
    if (line && !worker.has_named_itself) {
        if (*line != expected_identity_) {
            throw Infrastructure(
                "the assignment was changed while it was graded; run the same command again");
        }
        worker.has_named_itself = true;
        line = worker.child->hear(0);
    }
    if (!line) return false;
    try {
        outcome = codec::read<WorkerAnswer>(*line);
    } catch (const codec::Error&) {
        throw Infrastructure("a worker's answer makes no sense");
    }
    worker.is_busy = false;
    return true;
}

void Workers::listen(int milliseconds) {
    std::vector<pollfd> ends;
    for (const Worker& worker : workers_) {
        ends.push_back({worker.child ? worker.child->descriptor() : -1, POLLIN, 0});
    }
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
            bool is_gone = !worker.child->take_output();
            WorkerAnswer outcome;
            if (!take(worker, outcome)) {
                bool is_late = Clock::now() > worker.patience_ends;
                if (!is_gone && !is_late) continue;
                outcome.text =
                    is_late ? "the judging process hung" : "the judging process ended early";
                if (is_gone) worker.child->wait(2000);
                outcome.text += " (" + how_it_ended(*worker.child) + ")";
                worker.child = nullptr;
                worker.is_busy = false;
            }
            ++ended;
            if (!done(worker.task, outcome)) return;
        }
    }
}

}  // namespace coalesce::grader

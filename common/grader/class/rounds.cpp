#include "grader/class/rounds.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "base/child.h"
#include "grader/class/progress.h"
#include "grader/store/errors.h"

namespace coalesce::grader {
namespace {

// The maximum number of attempts to judge a submission. A failure of the grader may be temporary.
constexpr int kMostTries = 3;
// How many times a submission must fail, alternating with solutions that succeed, before the
// submission itself is considered the cause.
constexpr int kConfirmations = 3;
// The number of consecutive failures after which the computer itself is suspected to be the cause.
constexpr int kMostFaultsAtOnce = 6;

// Replaces line breaks with spaces, so that they are not printed as control characters.
std::string in_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

using Clock = std::chrono::steady_clock;

// The time after which a judging process counts as hung. The judge's own limits are much shorter.
constexpr std::chrono::seconds kPatience{300};

std::string how_it_ended(Child& child) {
    child.stop();
    const int code = child.outcome().exit_code;
    return code > 128 ? "signal " + std::to_string(code - 128)
                      : "exit code " + std::to_string(code);
}

// A pool of judging processes, which are started as needed.
class Workers {
public:
    Workers(const Rounds& rounds, int count, Progress& progress)
        : rounds_(rounds),
          progress_(progress),
          workers_(static_cast<std::size_t>(std::max(1, count))) {}
    ~Workers() {
        for (Worker& worker : workers_) stop(worker);
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // Judges the tasks with these numbers, in any order. Calls `done` with each number and its
    // outcome, and stops when `done` returns false.
    void judge(const std::vector<Task>& tasks, const std::vector<std::size_t>& numbers,
               const std::function<bool(std::size_t, const WorkerAnswer&)>& done) {
        std::size_t next = 0, ended = 0;
        while (ended < numbers.size()) {
            for (Worker& worker : workers_) {
                if (worker.is_busy || next == numbers.size()) continue;
                give(worker, tasks[numbers[next]], numbers[next]);
                ++next;
            }
            listen(100);
            progress_.show();
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

private:
    struct Worker {
        std::unique_ptr<Child> child = {};
        bool has_named_itself = false, is_busy = false;
        std::size_t task = 0;
        Clock::time_point patience_ends = {};
    };

    void start(Worker& worker) {
        try {
            worker = {.child = std::make_unique<Child>(
                          Command{.program = rounds_.worker.front(),
                                  .arguments = {rounds_.worker.begin() + 1, rounds_.worker.end()},
                                  .is_asked = true})};
        } catch (const std::runtime_error& error) {
            throw Infrastructure(std::string("no worker could be started: ") + error.what());
        }
    }

    void stop(Worker& worker) {
        // At the end of its input a worker cleans up and ends, unless it is busy.
        if (worker.child) worker.child->end_input();
        if (worker.child && !worker.is_busy) worker.child->wait(2000);
        worker = {};
    }

    void give(Worker& worker, const Task& task, std::size_t number) {
        if (!worker.child) start(worker);
        worker.is_busy = true;
        worker.task = number;
        worker.patience_ends = Clock::now() + kPatience;
        // If the worker has failed, reading its answer will show it.
        (void)worker.child->say(codec::write(task));
    }

    // Reports whether the worker has finished its task.
    bool take(Worker& worker, WorkerAnswer& outcome) {
        std::optional<std::string> line = worker.child->hear(0);
        if (line && !worker.has_named_itself) {
            if (*line != rounds_.identity) {
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
            throw Infrastructure("a worker's answer is malformed");
        }
        worker.is_busy = false;
        return true;
    }

    void listen(int milliseconds) {
        std::vector<pollfd> ends;
        for (const Worker& worker : workers_) {
            ends.push_back({worker.child ? worker.child->descriptor() : -1, POLLIN, 0});
        }
        poll(ends.data(), ends.size(), milliseconds);
    }

    const Rounds& rounds_;
    Progress& progress_;
    std::vector<Worker> workers_;
};

class Judging {
public:
    Judging(const std::vector<Task>& tasks, const Rounds& rounds, const RoundsTold& told)
        : tasks_(tasks),
          rounds_(rounds),
          told_(told),
          progress_(tasks.size(), rounds.is_quiet),
          ends_(tasks.size()) {}

    RoundsOutcome judge() {
        for (int round = 0; round < kMostTries && !is_broken_; ++round) {
            for (End& end : ends_) end.is_tried = end.is_judged;
            try_all();
        }
        if (!is_broken_) give_up();
        outcome_.seconds = progress_.seconds();
        return outcome_;
    }

private:
    // The state of a task.
    struct End {
        bool is_judged = false, is_tried = false;
        std::string fault = "";  // the last problem
    };

    std::vector<std::size_t> untried() const {
        std::vector<std::size_t> left;
        for (std::size_t task = 0; task < ends_.size(); ++task) {
            if (!ends_[task].is_tried) left.push_back(task);
        }
        return left;
    }

    // Judges each task once. After many failures in a row, judges a solution, and gives up if even
    // that fails.
    void try_all() {
        for (std::vector<std::size_t> now = untried(); !now.empty(); now = untried()) {
            faults_at_once_ = 0;
            try_these(now);
            if (faults_at_once_ < kMostFaultsAtOnce) continue;
            is_broken_ = !can_judge(tasks_[last_failed_].exercise);
            if (is_broken_) return;
        }
    }

    void try_these(const std::vector<std::size_t>& numbers) {
        Workers workers(rounds_, rounds_.jobs, progress_);
        workers.judge(tasks_, numbers, [&](std::size_t task, const WorkerAnswer& answer) {
            take(task, answer);
            return faults_at_once_ < kMostFaultsAtOnce;
        });
    }

    void take(std::size_t task, const WorkerAnswer& answer) {
        End& end = ends_[task];
        end.is_tried = true;
        end.is_judged = answer.is_judged;
        if (answer.is_judged) {
            told_(task, TaskEnd::judged, answer.text);
            faults_at_once_ = 0;
            ++outcome_.judged;
            progress_.advance();
        } else {
            told_(task, TaskEnd::failed, answer.text);
            end.fault = outcome_.last_fault = in_one_line(answer.text);
            last_failed_ = task;
            ++faults_at_once_;
        }
    }

    WorkerAnswer judged_alone(const Task& task) {
        WorkerAnswer answer;
        Workers workers(rounds_, 1, progress_);
        workers.judge({task}, {0}, [&](std::size_t, const WorkerAnswer& one) {
            answer = one;
            return true;
        });
        return answer;
    }

    bool can_judge(const std::string& exercise) {
        return judged_alone({exercise, rounds_.solution(exercise)}).is_judged;
    }

    void give_up() {
        std::map<std::string, bool> known;
        for (std::size_t task = 0; task < ends_.size(); ++task) {
            if (ends_[task].is_judged) continue;
            const std::string& exercise = tasks_[task].exercise;
            if (!known.contains(exercise)) known[exercise] = can_judge(exercise);
            if (known[exercise] && is_its_own(task)) {
                told_(task, TaskEnd::given_up, ends_[task].fault);
            }
        }
    }

    // Reports whether the submission itself causes the failures. Other programs may have killed the
    // worker by chance each time, so a solution is judged after each attempt.
    bool is_its_own(std::size_t task) {
        for (int i = 0; i < kConfirmations; ++i) {
            take(task, judged_alone(tasks_[task]));
            if (ends_[task].is_judged || !can_judge(tasks_[task].exercise)) return false;
        }
        return true;
    }

    const std::vector<Task>& tasks_;
    const Rounds& rounds_;
    const RoundsTold& told_;
    Progress progress_;
    std::vector<End> ends_;
    RoundsOutcome outcome_;
    int faults_at_once_ = 0;
    std::size_t last_failed_ = 0;
    bool is_broken_ = false;
};

}  // namespace

RoundsOutcome judge_in_rounds(const std::vector<Task>& tasks, const Rounds& rounds,
                              const RoundsTold& told) {
    if (tasks.empty()) return {};
    return Judging(tasks, rounds, told).judge();
}

}  // namespace coalesce::grader

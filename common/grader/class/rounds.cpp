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
constexpr int kMaxAttempts = 3;
// The number of failures after which a submission is considered their cause. After each failure,
// the grader must judge a solution successfully.
constexpr int kConfirmingFailures = 3;
// The number of consecutive failures after which the computer is suspected to be the cause.
constexpr int kMaxConsecutiveFaults = 6;

// Replaces line breaks with spaces, so that they are not printed as control characters.
std::string replace_line_breaks(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

using Clock = std::chrono::steady_clock;

// The time after which a judging process counts as hung. The judge's own limits are much shorter.
constexpr std::chrono::seconds kHangTimeout{300};

std::string describe_exit(Child& child) {
    child.stop();
    const int code = child.outcome().exit_code;
    return code > 128 ? "signal " + std::to_string(code - 128)
                      : "exit code " + std::to_string(code);
}

// A pool of judging processes. Processes are started as needed.
class WorkerPool {
public:
    WorkerPool(const RetryOptions& options, int count, Progress& progress)
        : retry_options_(options),
          progress_(progress),
          workers_(static_cast<std::size_t>(std::max(1, count))) {}
    ~WorkerPool() {
        for (Worker& worker : workers_) stop(worker);
    }
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // Judges the tasks whose indices are in `numbers`, in any order. Calls `done` with the index
    // and the outcome of each task, and stops if `done` returns false.
    void judge(const std::vector<Task>& tasks, const std::vector<std::size_t>& numbers,
               const std::function<bool(std::size_t, const WorkerAnswer&)>& done) {
        std::size_t next = 0, ended = 0;
        while (ended < numbers.size()) {
            for (Worker& worker : workers_) {
                if (worker.is_busy || next == numbers.size()) continue;
                assign_task(worker, tasks[numbers[next]], numbers[next]);
                ++next;
            }
            wait_for_answers(100);
            progress_.show();
            for (Worker& worker : workers_) {
                if (!worker.is_busy) continue;
                bool is_gone = !worker.child->take_output();
                WorkerAnswer outcome;
                if (!record_answer(worker, outcome)) {
                    bool is_late = Clock::now() > worker.hung_at;
                    if (!is_gone && !is_late) continue;
                    outcome.text =
                        is_late ? "the judging process hung" : "the judging process ended early";
                    if (is_gone) worker.child->wait(2000);
                    outcome.text += " (" + describe_exit(*worker.child) + ")";
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
        bool has_reported_identity = false, is_busy = false;
        std::size_t task = 0;
        Clock::time_point hung_at = {};
    };

    void start(Worker& worker) {
        try {
            worker = {
                .child = std::make_unique<Child>(Command{
                    .program = retry_options_.worker.front(),
                    .arguments = {retry_options_.worker.begin() + 1, retry_options_.worker.end()},
                    .has_stdin_pipe = true})};
        } catch (const std::runtime_error& error) {
            throw InfrastructureError(std::string("a worker process could not be started: ") +
                                      error.what());
        }
    }

    void stop(Worker& worker) {
        // When its input ends, an idle worker cleans up and exits.
        if (worker.child) worker.child->end_input();
        if (worker.child && !worker.is_busy) worker.child->wait(2000);
        worker = {};
    }

    void assign_task(Worker& worker, const Task& task, std::size_t number) {
        if (!worker.child) start(worker);
        worker.is_busy = true;
        worker.task = number;
        worker.hung_at = Clock::now() + kHangTimeout;
        // If the worker has failed, the failure is detected when its answer is read.
        (void)worker.child->send_line(codec::write(task));
    }

    // If the worker has answered, stores its answer in `outcome` and returns true.
    bool record_answer(Worker& worker, WorkerAnswer& outcome) {
        std::optional<std::string> line = worker.child->receive_line(0);
        if (line && !worker.has_reported_identity) {
            if (*line != retry_options_.identity) {
                throw InfrastructureError(
                    "the assignment was changed during grading; run the same command again");
            }
            worker.has_reported_identity = true;
            line = worker.child->receive_line(0);
        }
        if (!line) return false;
        try {
            outcome = codec::read<WorkerAnswer>(*line);
        } catch (const codec::Error&) {
            throw InfrastructureError("a worker's answer is malformed");
        }
        worker.is_busy = false;
        return true;
    }

    void wait_for_answers(int milliseconds) {
        std::vector<pollfd> ends;
        for (const Worker& worker : workers_) {
            ends.push_back({worker.child ? worker.child->descriptor() : -1, POLLIN, 0});
        }
        poll(ends.data(), ends.size(), milliseconds);
    }

    const RetryOptions& retry_options_;
    Progress& progress_;
    std::vector<Worker> workers_;
};

class RetryingJudge {
public:
    RetryingJudge(const std::vector<Task>& tasks, const RetryOptions& options,
                  const TaskEndCallback& told)
        : tasks_(tasks),
          retry_options_(options),
          on_task_end_(told),
          progress_(tasks.size(), options.is_quiet),
          task_states_(tasks.size()) {}

    JudgingOutcome judge() {
        for (int round = 0; round < kMaxAttempts && !is_broken_; ++round) {
            for (TaskState& end : task_states_) end.was_attempted = end.is_judged;
            attempt_all();
        }
        if (!is_broken_) give_up();
        outcome_.seconds = progress_.seconds();
        return outcome_;
    }

private:
    // The state of a task.
    struct TaskState {
        bool is_judged = false, was_attempted = false;
        std::string fault = "";  // the last problem
    };

    std::vector<std::size_t> unattempted_tasks() const {
        std::vector<std::size_t> left;
        for (std::size_t task = 0; task < task_states_.size(); ++task) {
            if (!task_states_[task].was_attempted) left.push_back(task);
        }
        return left;
    }

    // Judges each task once. After many consecutive failures, judges a solution, and gives up if
    // the solution fails too.
    void attempt_all() {
        for (std::vector<std::size_t> now = unattempted_tasks(); !now.empty();
             now = unattempted_tasks()) {
            consecutive_faults_ = 0;
            attempt_tasks(now);
            if (consecutive_faults_ < kMaxConsecutiveFaults) continue;
            is_broken_ = !can_judge_solution(tasks_[last_failed_].exercise);
            if (is_broken_) return;
        }
    }

    void attempt_tasks(const std::vector<std::size_t>& numbers) {
        WorkerPool workers(retry_options_, retry_options_.jobs, progress_);
        workers.judge(tasks_, numbers, [&](std::size_t task, const WorkerAnswer& answer) {
            record_answer(task, answer);
            return consecutive_faults_ < kMaxConsecutiveFaults;
        });
    }

    void record_answer(std::size_t task, const WorkerAnswer& answer) {
        TaskState& end = task_states_[task];
        end.was_attempted = true;
        end.is_judged = answer.is_judged;
        if (answer.is_judged) {
            on_task_end_(task, TaskEnd::judged, answer.text);
            consecutive_faults_ = 0;
            ++outcome_.judged;
            progress_.advance();
        } else {
            on_task_end_(task, TaskEnd::failed, answer.text);
            end.fault = outcome_.last_fault = replace_line_breaks(answer.text);
            last_failed_ = task;
            ++consecutive_faults_;
        }
    }

    WorkerAnswer judge_alone(const Task& task) {
        WorkerAnswer answer;
        WorkerPool workers(retry_options_, 1, progress_);
        workers.judge({task}, {0}, [&](std::size_t, const WorkerAnswer& one) {
            answer = one;
            return true;
        });
        return answer;
    }

    bool can_judge_solution(const std::string& exercise) {
        return judge_alone({exercise, retry_options_.solution(exercise)}).is_judged;
    }

    void give_up() {
        std::map<std::string, bool> known;
        for (std::size_t task = 0; task < task_states_.size(); ++task) {
            if (task_states_[task].is_judged) continue;
            const std::string& exercise = tasks_[task].exercise;
            if (!known.contains(exercise)) known[exercise] = can_judge_solution(exercise);
            if (known[exercise] && fails_by_itself(task)) {
                on_task_end_(task, TaskEnd::given_up, task_states_[task].fault);
            }
        }
    }

    // Reports whether the submission itself causes the failures. To rule out that other programs
    // have killed the worker each time, a solution is judged after each attempt.
    bool fails_by_itself(std::size_t task) {
        for (int i = 0; i < kConfirmingFailures; ++i) {
            record_answer(task, judge_alone(tasks_[task]));
            if (task_states_[task].is_judged || !can_judge_solution(tasks_[task].exercise))
                return false;
        }
        return true;
    }

    const std::vector<Task>& tasks_;
    const RetryOptions& retry_options_;
    const TaskEndCallback& on_task_end_;
    Progress progress_;
    std::vector<TaskState> task_states_;
    JudgingOutcome outcome_;
    int consecutive_faults_ = 0;
    std::size_t last_failed_ = 0;
    bool is_broken_ = false;
};

}  // namespace

JudgingOutcome judge_with_retries(const std::vector<Task>& tasks, const RetryOptions& options,
                                  const TaskEndCallback& told) {
    if (tasks.empty()) return {};
    return RetryingJudge(tasks, options, told).judge();
}

}  // namespace coalesce::grader

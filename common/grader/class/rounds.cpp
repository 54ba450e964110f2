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
        for (Worker& worker : workers_) stop_worker(worker);
    }
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    // Judges the tasks whose indices are in `numbers`, in any order. Calls `on_answer` with the
    // index and the outcome of each task, and stops if `on_answer` returns false.
    void judge(const std::vector<Task>& tasks, const std::vector<std::size_t>& numbers,
               const std::function<bool(std::size_t, const WorkerAnswer&)>& on_answer) {
        std::size_t next_index = 0, ended_count = 0;
        while (ended_count < numbers.size()) {
            for (Worker& worker : workers_) {
                if (worker.is_busy || next_index == numbers.size()) continue;
                assign_task(worker, tasks[numbers[next_index]], numbers[next_index]);
                ++next_index;
            }
            wait_for_answers(100);
            progress_.print_if_due();
            for (Worker& worker : workers_) {
                if (!worker.is_busy) continue;
                bool has_exited = !worker.child->take_output();
                WorkerAnswer answer;
                if (!record_answer(worker, answer)) {
                    bool has_hung = Clock::now() > worker.hang_deadline;
                    if (!has_exited && !has_hung) continue;
                    answer.text =
                        has_hung ? "the judging process hung" : "the judging process ended early";
                    if (has_exited) worker.child->wait(2000);
                    answer.text += " (" + describe_exit(*worker.child) + ")";
                    worker.child = nullptr;
                    worker.is_busy = false;
                }
                ++ended_count;
                if (!on_answer(worker.task, answer)) return;
            }
        }
    }

private:
    struct Worker {
        std::unique_ptr<Child> child = {};
        bool has_reported_identity = false, is_busy = false;
        std::size_t task = 0;
        Clock::time_point hang_deadline = {};
    };

    void start_worker(Worker& worker) {
        try {
            worker = {.child = std::make_unique<Child>(
                          Command{.program = retry_options_.worker_command.front(),
                                  .arguments = {retry_options_.worker_command.begin() + 1,
                                                retry_options_.worker_command.end()},
                                  .has_stdin_pipe = true})};
        } catch (const std::runtime_error& error) {
            throw InfrastructureError(std::string("a worker process could not be started: ") +
                                      error.what());
        }
    }

    void stop_worker(Worker& worker) {
        // When its input ends, an idle worker cleans up and exits.
        if (worker.child) worker.child->end_input();
        if (worker.child && !worker.is_busy) worker.child->wait(2000);
        worker = {};
    }

    void assign_task(Worker& worker, const Task& task, std::size_t number) {
        if (!worker.child) start_worker(worker);
        worker.is_busy = true;
        worker.task = number;
        worker.hang_deadline = Clock::now() + kHangTimeout;
        // If the worker has failed, the failure is detected when its answer is read.
        (void)worker.child->send_line(codec::write(task));
    }

    // If the worker has answered, stores its answer in `answer` and returns true.
    bool record_answer(Worker& worker, WorkerAnswer& answer) {
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
            answer = codec::read<WorkerAnswer>(*line);
        } catch (const codec::Error&) {
            throw InfrastructureError("a worker's answer is malformed");
        }
        worker.is_busy = false;
        return true;
    }

    void wait_for_answers(int milliseconds) {
        std::vector<pollfd> poll_entries;
        for (const Worker& worker : workers_) {
            poll_entries.push_back({worker.child ? worker.child->descriptor() : -1, POLLIN, 0});
        }
        poll(poll_entries.data(), poll_entries.size(), milliseconds);
    }

    const RetryOptions& retry_options_;
    Progress& progress_;
    std::vector<Worker> workers_;
};

class RetryingJudge {
public:
    RetryingJudge(const std::vector<Task>& tasks, const RetryOptions& options,
                  const TaskEndCallback& on_task_end)
        : tasks_(tasks),
          retry_options_(options),
          on_task_end_(on_task_end),
          progress_(tasks.size(), options.is_quiet),
          task_states_(tasks.size()) {}

    JudgingOutcome judge() {
        for (int round = 0; round < kMaxAttempts && !is_grader_broken_; ++round) {
            for (TaskState& state : task_states_) state.was_attempted = state.is_judged;
            attempt_all();
        }
        if (!is_grader_broken_) give_up();
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
        std::vector<std::size_t> unattempted;
        for (std::size_t task = 0; task < task_states_.size(); ++task) {
            if (!task_states_[task].was_attempted) unattempted.push_back(task);
        }
        return unattempted;
    }

    // Judges each task once. After many consecutive failures, judges a solution, and gives up if
    // the solution fails too.
    void attempt_all() {
        for (std::vector<std::size_t> remaining_tasks = unattempted_tasks();
             !remaining_tasks.empty(); remaining_tasks = unattempted_tasks()) {
            consecutive_faults_ = 0;
            attempt_tasks(remaining_tasks);
            if (consecutive_faults_ < kMaxConsecutiveFaults) continue;
            is_grader_broken_ = !can_judge_solution(tasks_[last_failed_task_].exercise);
            if (is_grader_broken_) return;
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
        TaskState& state = task_states_[task];
        state.was_attempted = true;
        state.is_judged = answer.is_judged;
        if (answer.is_judged) {
            on_task_end_(task, TaskEnd::judged, answer.text);
            consecutive_faults_ = 0;
            ++outcome_.judged_count;
            progress_.advance();
        } else {
            on_task_end_(task, TaskEnd::failed, answer.text);
            state.fault = outcome_.last_fault = replace_line_breaks(answer.text);
            last_failed_task_ = task;
            ++consecutive_faults_;
        }
    }

    WorkerAnswer judge_alone(const Task& task) {
        WorkerAnswer answer;
        WorkerPool workers(retry_options_, 1, progress_);
        workers.judge({task}, {0}, [&](std::size_t, const WorkerAnswer& worker_answer) {
            answer = worker_answer;
            return true;
        });
        return answer;
    }

    bool can_judge_solution(const std::string& exercise) {
        return judge_alone({exercise, retry_options_.solution(exercise)}).is_judged;
    }

    void give_up() {
        std::map<std::string, bool> judgeable_exercises;
        for (std::size_t task = 0; task < task_states_.size(); ++task) {
            if (task_states_[task].is_judged) continue;
            const std::string& exercise = tasks_[task].exercise;
            if (!judgeable_exercises.contains(exercise))
                judgeable_exercises[exercise] = can_judge_solution(exercise);
            if (judgeable_exercises[exercise] && fails_by_itself(task)) {
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
    std::size_t last_failed_task_ = 0;
    bool is_grader_broken_ = false;
};

}  // namespace

JudgingOutcome judge_with_retries(const std::vector<Task>& tasks, const RetryOptions& options,
                                  const TaskEndCallback& on_task_end) {
    if (tasks.empty()) return {};
    return RetryingJudge(tasks, options, on_task_end).judge();
}

}  // namespace coalesce::grader

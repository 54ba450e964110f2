#include "grader/class/rounds.h"

#include <algorithm>
#include <map>

#include "grader/class/progress.h"

namespace coalesce::grader {
namespace {

// A fault of ours may pass: each submission gets so many tries.
constexpr int kMostTries = 3;
// So often a submission must fail between solutions that are judged, for its faults to be its own.
constexpr int kConfirmations = 3;
// So many faults with nothing judged between them: is this computer broken?
constexpr int kMostFaultsAtOnce = 6;

// Several sentences in several lines are no list of control characters.
std::string in_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

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
    // How far a task is.
    struct End {
        bool is_judged = false, is_tried = false;
        std::string fault = "";  // the last
    };

    std::vector<std::size_t> untried() const {
        std::vector<std::size_t> left;
        for (std::size_t task = 0; task < ends_.size(); ++task) {
            if (!ends_[task].is_tried) left.push_back(task);
        }
        return left;
    }

    // Each once. After many faults in a row somebody has to say whose they are.
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
        std::vector<Task> now;
        for (std::size_t task : numbers) now.push_back(tasks_[task]);
        Workers workers(rounds_.worker, rounds_.identity, rounds_.jobs);
        const auto done = [&](std::size_t place, const WorkerAnswer& answer) {
            take(numbers[place], answer);
            return faults_at_once_ < kMostFaultsAtOnce;
        };
        workers.judge(now, done, [&] { progress_.show(); });
    }

    void take(std::size_t task, const WorkerAnswer& answer) {
        End& end = ends_[task];
        end.is_tried = true;
        end.is_judged = answer.is_judged;
        if (answer.is_judged) {
            told_.judged(task, answer.text);
            faults_at_once_ = 0;
            ++outcome_.judged;
            progress_.advance();
        } else {
            told_.failed(task, answer.text);
            end.fault = outcome_.last_fault = in_one_line(answer.text);
            last_failed_ = task;
            ++faults_at_once_;
        }
    }

    WorkerAnswer judged_alone(const Task& task) {
        WorkerAnswer answer;
        Workers workers(rounds_.worker, rounds_.identity, 1);
        const auto done = [&](std::size_t, const WorkerAnswer& one) {
            answer = one;
            return true;
        };
        workers.judge({task}, done, [&] { progress_.show(); });
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
            if (known[exercise] && is_its_own(task)) told_.given_up(task, ends_[task].fault);
        }
    }

    // Whoever kills processes on this computer may have hit the same submission in each round.
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

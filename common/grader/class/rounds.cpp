#include "grader/class/rounds.h"

#include <algorithm>
#include <numeric>

#include "grader/class/progress.h"

namespace coalesce::grader {
namespace {

// A fault of ours may pass: each submission gets so many tries.
constexpr int MOST_TRIES = 3;
// So many faults with nothing judged between them: this computer is broken.
constexpr int MOST_FAULTS_AT_ONCE = 6;

// Several sentences in several lines are no list of control characters.
std::string in_one_line(std::string text) {
    std::ranges::replace(text, '\n', ' ');
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

}  // namespace

RoundsOutcome judge_in_rounds(const std::vector<Task>& tasks, const Rounds& rounds,
                              const std::function<void(std::size_t, const std::string&)>& judged,
                              const std::function<void(std::size_t, const std::string&)>& failed) {
    RoundsOutcome outcome;
    if (tasks.empty()) return outcome;
    std::vector<std::size_t> waiting(tasks.size());
    std::iota(waiting.begin(), waiting.end(), std::size_t{0});
    Progress progress(tasks.size(), rounds.is_quiet);
    int faults_at_once = 0;
    const auto is_broken = [&] { return faults_at_once >= MOST_FAULTS_AT_ONCE; };
    for (int round = 0; round < MOST_TRIES && !waiting.empty() && !is_broken(); ++round) {
        std::vector<Task> now;
        for (std::size_t task : waiting) now.push_back(tasks[task]);
        std::vector<bool> is_done(now.size(), false);
        const auto done = [&](std::size_t place, const WorkerAnswer& ended) {
            is_done[place] = ended.is_judged;
            if (ended.is_judged) {
                judged(waiting[place], ended.text);
                faults_at_once = 0;
                progress.advance();
            } else {
                failed(waiting[place], ended.text);
                outcome.last_fault = in_one_line(ended.text);
                ++faults_at_once;
            }
            return !is_broken();
        };
        Workers workers(rounds.worker, rounds.identity, rounds.jobs);
        workers.judge(now, done, [&] { progress.show(); });
        std::vector<std::size_t> left;
        for (std::size_t place = 0; place < now.size(); ++place) {
            if (!is_done[place]) left.push_back(waiting[place]);
        }
        waiting = left;
    }
    outcome.judged = tasks.size() - waiting.size();
    outcome.seconds = progress.seconds();
    return outcome;
}

}  // namespace coalesce::grader

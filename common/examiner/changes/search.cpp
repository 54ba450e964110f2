#include "examiner/changes/search.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>
#include <unordered_set>

#include "examiner/changes/batch.h"
#include "examiner/changes/processes.h"
#include "examiner/changes/ranking.h"
#include "examiner/elements/element_trials.h"
#include "examiner/runner.h"

namespace coalesce::changes {
namespace {

/// A change whose cost is larger by more than this is clearly less likely than another.
constexpr double kClearDifference = 0.2;

/// How many times longer a search may take if other programs use the processors.
constexpr int kBusyFactor = 3;

/// How many times longer a search may take while it examines a change that passes on the shape. The
/// examination of exercise 18 alone takes longer than the usual search.
constexpr int kPromisingFactor = 6;

/// The changes that are compiled at once.
constexpr std::size_t kBatch = 16;

/// Compiles changed texts and launches them, first on the shape on which the kernel failed.
class ChangeAttempter : public Attempter {
public:
    ChangeAttempter(const std::vector<Change>& changes, const Source& source,
                    const Exercise& exercise, const Verdict& verdict, const SearchOptions& options)
        : changes_(changes),
          source_(source),
          exercise_(exercise),
          options_(options),
          runner_({.compiler = Compiler::nvrtc}),
          shape_(verdict.failures.front().shape) {
        if (exercise.elements) {
            elements_ = std::make_unique<ElementTrials>(exercise, runner_, runner_);
        }
        const CompiledCopy unchanged = compile_batch({source.text}, Signature(exercise)).front();
        failed_.insert(unchanged.hash);
        constexpr std::uint64_t usual = 200'000;
        max_instructions_ = usual;
        if (!unchanged.compiled.ptx.empty()) {
            max_instructions_ += 4 * run(unchanged.compiled, usual).instructions;
        }
    }

    void attempt(std::size_t first, std::size_t end,
                 const std::function<bool(std::size_t, Attempt)>& report) override {
        std::vector<std::string> texts;
        for (std::size_t i = first; i < end; ++i)
            texts.push_back(make_change(changes_[i], source_.text));
        const std::vector<CompiledCopy> copies = compile_batch(texts, Signature(exercise_));
        for (std::size_t i = first; i < end; ++i) {
            const auto announce = [&] { report(i, {Outcome::promising, copies[i - first].hash}); };
            if (!report(i, attempt_copy(texts[i - first], copies[i - first], announce))) return;
        }
    }

private:
    /// Tries a copy. Calls `announce` before the examination of a copy that passes on the shape.
    Attempt attempt_copy(const std::string& text, const CompiledCopy& copy,
                         const std::function<void()>& announce) {
        Attempt attempt{Outcome::failed, copy.hash};
        if (copy.compiled.ptx.empty() || failed_.contains(copy.hash)) return attempt;
        const auto passes_examination = [&] {
            announce();
            return options_.passes(make_source(text, source_.name));
        };
        const bool passes =
            passed_.contains(copy.hash) || (is_good(copy.compiled) && passes_examination());
        (passes ? passed_ : failed_).insert(copy.hash);
        if (passes) attempt.outcome = Outcome::passed;
        return attempt;
    }

    /// Reports whether a copy passes on the shape. A launch without checks takes less time, and most
    /// copies have wrong results.
    bool is_good(const Compiled& compiled) {
        return run(compiled, max_instructions_, Watch::result_alone).is_good() &&
               run(compiled, max_instructions_).is_good();
    }

    Trial run(const Compiled& compiled, std::uint64_t max_instructions,
              Watch watch = Watch::everything) {
        const TrialRequest order{
            .shape = shape_, .watch = watch, .max_instructions = max_instructions};
        return elements_ ? elements_->run_on(runner_, compiled, order)
                         : runner_.run(compiled, exercise_.task(), order);
    }

    const std::vector<Change>& changes_;
    const Source& source_;
    const Exercise& exercise_;
    const SearchOptions& options_;
    LocalRunner runner_;
    std::unique_ptr<ElementTrials> elements_;
    Shape shape_;
    std::uint64_t max_instructions_ = 0;
    std::unordered_set<std::uint64_t> failed_, passed_;  ///< hashes of copies that were tried
};

/// Returns the number of changes to try if this one has passed: those that are not clearly less
/// likely, and of these only the next ones, because each takes time.
std::size_t count_of_rivals(const std::vector<Change>& changes, std::size_t passed) {
    constexpr std::size_t most = 64;
    const auto clearly_worse = std::ranges::find_if(changes, [&](const Change& one) {
        return one.cost > changes[passed].cost + kClearDifference;
    });
    const auto count = static_cast<std::size_t>(clearly_worse - changes.begin());
    return std::min(count, passed + 1 + most);
}

/// Reports whether two changes tell the learner the same: they are the same kind of change, or their
/// sentences show the same place.
bool are_alike(const Change& one, const Change& other) {
    if (!one.topic.empty() && one.topic == other.topic) return true;
    return one.shown_begin < other.shown_end && other.shown_begin < one.shown_end;
}

/// Returns the most likely change that passed. Returns null if there is none, or if a change with
/// another meaning is nearly as likely.
const Change* choose(const std::vector<Change>& changes, const std::vector<Attempt>& attempts) {
    const auto best = std::ranges::find(attempts, Outcome::passed, &Attempt::outcome);
    if (best == attempts.end()) return nullptr;
    const auto index = static_cast<std::size_t>(best - attempts.begin());
    const Change& chosen = changes[index];
    for (std::size_t i = index + 1; i < count_of_rivals(changes, index); ++i) {
        const bool is_same = attempts[i].hash == best->hash || are_alike(chosen, changes[i]);
        if (attempts[i].outcome == Outcome::passed && !is_same) return nullptr;
    }
    return &chosen;
}

/// Returns the column of a change in its line, counted from 1, or 0 if the change is in another
/// line.
int column_of(const Change& change, const std::string& text) {
    const std::size_t begin = change.edits.front().begin;
    const std::size_t line_begin = begin == 0 ? 0 : text.rfind('\n', begin - 1) + 1;
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(begin), '\n');
    return line == change.line ? static_cast<int>(begin - line_begin) + 1 : 0;
}

std::size_t count_processes() {
    constexpr unsigned most = 4;
    return std::clamp(std::thread::hardware_concurrency(), 1U, most);
}

}  // namespace

bool is_worth_searching(const Verdict& verdict) {
    return can_compile_batches() && verdict.outcome == Verdict::Outcome::failed &&
           verdict.is_simulated && !verdict.failures.empty() &&
           verdict.failures.front().is_cause_open;
}

std::optional<PassingChange> find_passing_change(const Source& source, const Exercise& exercise,
                                                 const Verdict& verdict,
                                                 const SearchOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    const Program program(source.text);
    std::vector<Change> changes = list_changes(program, verdict.failures.front(),
                                               find_given_lines(source.text, options.given_lines));
    changes.resize(std::min(changes.size(), options.most_changes));
    const std::vector<Attempt> attempts = make_attempts(
        {.count = changes.size(),
         .batch = kBatch,
         .processes = count_processes(),
         .deadline = start + options.time,
         .cpu_time = options.time,
         .last_deadline = start + kBusyFactor * options.time,
         .promising_deadline = start + kPromisingFactor * options.time,
         .count_after_pass = [&](std::size_t passed) { return count_of_rivals(changes, passed); }},
        [&] {
            return std::make_unique<ChangeAttempter>(changes, source, exercise, verdict, options);
        });
    const Change* found = choose(changes, attempts);
    if (!found) return std::nullopt;
    return PassingChange{.place = {source.name, found->line, column_of(*found, source.text)},
                         .sentence = describe(*found),
                         .before = found->before,
                         .after = found->after};
}

}  // namespace coalesce::changes

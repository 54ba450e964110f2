// Makes attempts, such as launching a changed kernel, in child processes, because an attempt may
// crash or take long.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace coalesce::changes {

/// The outcome of an attempt.
enum class Outcome : std::uint8_t {
    untried,    ///< there was no time for the attempt, or its process crashed
    promising,  ///< the attempt helped so far, and its last part, which takes long, is being made
    failed,     ///< the attempt did not help
    passed,     ///< the attempt helped
};

/// The result of an attempt.
struct Attempt {
    Outcome outcome = Outcome::untried;
    std::uint64_t hash = 0;  ///< hash of what was tried; equal for attempts that try the same thing
};

/// An interface that makes attempts, and reports the result of each.
class Attempter {
public:
    virtual ~Attempter() = default;
    /// Makes the attempts with the numbers from `first` up to, but not including, `end`. After each
    /// attempt, calls `report` with its number and its result. May stop as soon as `report` returns
    /// false. May also report that an attempt is promising, before the part of it that takes long.
    virtual void attempt(std::size_t first, std::size_t end,
                         const std::function<bool(std::size_t, Attempt)>& report) = 0;
};

/// The options of `make_attempts`.
struct AttemptOptions {
    std::size_t count = 0;      ///< number of attempts to make; the first one is attempt 0
    std::size_t batch = 1;      ///< number of attempts that a child process takes at once
    std::size_t processes = 1;  ///< number of child processes that work at the same time
    std::chrono::steady_clock::time_point deadline = {};
    /// On a busy machine, the child processes go on after the deadline until they have used this
    /// much CPU time together, but not beyond `last_deadline`.
    std::chrono::milliseconds cpu_time{0};
    std::chrono::steady_clock::time_point last_deadline = {};
    /// The deadline while an attempt is promising, if it is later than the others.
    std::chrono::steady_clock::time_point promising_deadline = {};
    /// Called with the number of each attempt that passed. Returns a new, possibly lower `count`,
    /// because later attempts may no longer be worthwhile.
    std::function<std::size_t(std::size_t passed)> count_after_pass = {};
};

/// Makes the attempts in order, until all are made or the deadline is reached, and returns their
/// results. Each child process calls `prepare` once, and makes its attempts with the Attempter that
/// `prepare` returns.
std::vector<Attempt> make_attempts(const AttemptOptions& options,
                                   const std::function<std::unique_ptr<Attempter>()>& prepare);

}  // namespace coalesce::changes

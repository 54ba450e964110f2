/// \file
/// Has one kernel examined, by the program of the checks: in a process of its own, so that a kernel
/// that crashes or hangs takes nothing with it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/child.h"
#include "examiner/verdict.h"
#include "learn/work.h"

namespace coalesce::learn {

/// What is to be examined.
struct CheckRequest {
    Work exercise;
    std::string file = "";       ///< another file than the exercise's, as it was typed
    std::string device = "sim";  ///< sim, gpu, auto
    int seconds = 60;            ///< then it is ended
    bool through_ir = false;     ///< compiled by clang and our translator
};

/// What came of it.
struct CheckResult {
    /// The command's exit code says the same: 0, 1, 2.
    enum Outcome { passed = 0, not_yet = 1, not_examined = 2 };
    Outcome outcome = not_examined;
    std::optional<Verdict> verdict;  ///< nothing when there is none
    std::string problem = "";        ///< why there is none, and what to do
    std::string file = "";           ///< as messages name it
    bool through_ir = false;         ///< as was asked
    double milliseconds = 0;         ///< from starting the program to its verdict

    /// The identifier of what is wrong: "missing-barrier"; "" when it passed.
    std::string failure() const;
    /// What identifies the text that was examined; "" when none was.
    std::string hash() const;
};
constexpr CheckResult::Outcome last_of(CheckResult::Outcome) {
    return CheckResult::not_examined;
}

/// An examination that is under way.
class Check {
public:
    /// Starts it. Throws UsageError when the program is not built.
    explicit Check(const CheckRequest& request);
    ~Check();

    /// Readable when `is_ready` may have become true.
    int descriptor() const { return child_->descriptor(); }
    /// Whether it has ended, or is to be ended: without waiting.
    bool is_ready();
    /// Milliseconds until it has had its time.
    int milliseconds_left() const;
    /// Waits for it.
    CheckResult finish();

private:
    std::string why_no_verdict(const Ended& outcome) const;

    using Clock = std::chrono::steady_clock;
    CheckRequest request_;
    std::string file_;
    std::filesystem::path verdict_file_;
    std::unique_ptr<Child> child_;
    Clock::time_point began_ = Clock::now();
};

/// Examines, and waits.
CheckResult check(const CheckRequest& request);

/// The verdict of the last check of an exercise; nothing when there is none, or for another text.
std::optional<Verdict> last_verdict(const Work& exercise, const std::string& hash);

}  // namespace coalesce::learn

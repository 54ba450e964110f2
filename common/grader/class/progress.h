/// \file
/// How far a run is, on stderr: one line that is drawn again on a terminal, a line now and then in a
/// log.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace coalesce::grader {

/// "3 min 20 s", "45 s".
std::string duration(double seconds);

/// The progress of a run.
class Progress {
public:
    /// Of so many submissions.
    Progress(std::size_t total, bool is_quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// One more has come to its end.
    void advance();
    /// Shows where it is, when that is due.
    void show();
    /// Seconds since it began.
    double seconds() const;
    /// The line that is shown.
    std::string line() const;

private:
    using Clock = std::chrono::steady_clock;  // the wall clock may jump

    std::size_t total_, done_ = 0;
    bool is_quiet_, is_terminal_;
    Clock::time_point begin_ = Clock::now(), shown_ = begin_;
};

}  // namespace coalesce::grader

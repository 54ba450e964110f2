/// \file
/// Shows the progress of a run on stderr. A terminal shows a single line that is updated in place.
/// A log gets a new line every ten seconds.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace coalesce::grader {

/// Formats a duration: "3 min 20 s" or "45 s".
std::string format_duration(double seconds);

/// The progress of a run.
class Progress {
public:
    /// Starts showing the progress of a run of `total` submissions.
    Progress(std::size_t total, bool is_quiet);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Counts one more finished submission.
    void advance();
    /// Prints the progress if enough time has passed since it was last printed.
    void print_if_due();
    /// Returns the seconds since the run started.
    double seconds() const;
    /// Returns the line to print.
    std::string format_line() const;

private:
    using Clock = std::chrono::steady_clock;  // monotonic, unlike the wall clock

    std::size_t total_count_, done_count_ = 0;
    bool is_quiet_, is_terminal_;
    Clock::time_point begin_time_ = Clock::now(), last_print_time_ = begin_time_;
};

}  // namespace coalesce::grader

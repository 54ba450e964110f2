#include "grader/class/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace coalesce::grader {

std::string format_duration(double seconds) {
    auto whole_seconds = static_cast<long>(std::ceil(seconds));
    if (whole_seconds < 60) return std::to_string(whole_seconds) + " s";
    if (whole_seconds < 3600) {
        return std::to_string(whole_seconds / 60) + " min " + std::to_string(whole_seconds % 60) +
               " s";
    }
    return std::to_string(whole_seconds / 3600) + " h " +
           std::to_string(whole_seconds % 3600 / 60) + " min";
}

Progress::Progress(std::size_t total, bool is_quiet)
    : total_count_(total), is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    // Erase the last progress line.
    if (!is_quiet_ && is_terminal_ && total_count_ > 0) std::fprintf(stderr, "\r%79s\r", "");
}

void Progress::advance() {
    ++done_count_;
    print_if_due();
}

double Progress::seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_time_).count();
}

std::string Progress::format_line() const {
    constexpr std::size_t width = 30;
    std::size_t filled_width = total_count_ == 0 ? width : width * done_count_ / total_count_;
    std::string bar(filled_width, '#');
    bar.resize(width, '.');
    std::string text =
        "[" + bar + "] " + std::to_string(done_count_) + " of " + std::to_string(total_count_);
    // Do not estimate the remaining time from the first tasks, because the compiler is still
    // starting during these tasks.
    if (done_count_ >= 3 && done_count_ < total_count_) {
        double seconds_left = seconds() / static_cast<double>(done_count_) *
                              static_cast<double>(total_count_ - done_count_);
        text += ", about " + format_duration(seconds_left) + " left";
    }
    return text;
}

void Progress::print_if_due() {
    if (is_quiet_ || total_count_ == 0) return;
    auto now = Clock::now();
    auto print_interval =
        is_terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10000);
    if (now - last_print_time_ < print_interval && done_count_ < total_count_) return;
    last_print_time_ = now;
    std::fprintf(stderr, is_terminal_ ? "\r%-79s" : "%s\n", format_line().c_str());
    std::fflush(stderr);
}

}  // namespace coalesce::grader

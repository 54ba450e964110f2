#include "grader/class/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace coalesce::grader {

std::string format_duration(double seconds) {
    auto whole = static_cast<long>(std::ceil(seconds));
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) {
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    }
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

Progress::Progress(std::size_t total, bool is_quiet)
    : total_(total), is_quiet_(is_quiet), is_terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    // Erase the last progress line.
    if (!is_quiet_ && is_terminal_ && total_ > 0) std::fprintf(stderr, "\r%79s\r", "");
}

void Progress::advance() {
    ++done_;
    show();
}

double Progress::seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
}

std::string Progress::line() const {
    constexpr std::size_t width = 30;
    std::size_t filled = total_ == 0 ? width : width * done_ / total_;
    std::string bar(filled, '#');
    bar.resize(width, '.');
    std::string text = "[" + bar + "] " + std::to_string(done_) + " of " + std::to_string(total_);
    // Do not estimate the remaining time from the first tasks, because the compiler is still
    // starting during these tasks.
    if (done_ >= 3 && done_ < total_) {
        double left = seconds() / static_cast<double>(done_) * static_cast<double>(total_ - done_);
        text += ", about " + format_duration(left) + " left";
    }
    return text;
}

void Progress::show() {
    if (is_quiet_ || total_ == 0) return;
    auto now = Clock::now();
    auto due = is_terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10000);
    if (now - shown_ < due && done_ < total_) return;
    shown_ = now;
    std::fprintf(stderr, is_terminal_ ? "\r%-79s" : "%s\n", line().c_str());
    std::fflush(stderr);
}

}  // namespace coalesce::grader

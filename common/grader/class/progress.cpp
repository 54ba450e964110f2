#include "grader/class/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace coalesce::grader {

std::string duration(double seconds) {
    auto whole = static_cast<long>(std::ceil(seconds));
    if (whole < 60) return std::to_string(whole) + " s";
    if (whole < 3600) {
        return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
    }
    return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

Progress::Progress(std::size_t total, bool is_quiet)
    : total(total), is_quiet(is_quiet), is_terminal(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    // The rest of the last line is wiped out.
    if (!is_quiet && is_terminal && total > 0) std::fprintf(stderr, "\r%79s\r", "");
}

void Progress::advance() {
    ++done;
    show();
}

double Progress::seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string Progress::line() const {
    constexpr std::size_t width = 30;
    std::size_t filled = total == 0 ? width : width * done / total;
    std::string bar(filled, '#');
    bar.resize(width, '.');
    std::string text = "[" + bar + "] " + std::to_string(done) + " of " + std::to_string(total);
    // What the first few take says nothing: a compiler is being started.
    if (done >= 3 && done < total) {
        double left = seconds() / static_cast<double>(done) * static_cast<double>(total - done);
        text += ", about " + duration(left) + " left";
    }
    return text;
}

void Progress::show() {
    if (is_quiet || total == 0) return;
    auto now = Clock::now();
    auto due = is_terminal ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10000);
    if (now - shown < due && done < total) return;
    shown = now;
    std::fprintf(stderr, is_terminal ? "\r%-79s" : "%s\n", line().c_str());
    std::fflush(stderr);
}

}  // namespace coalesce::grader

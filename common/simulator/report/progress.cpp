// See progress.h.
#include "simulator/report/progress.h"

#include <cstdio>
#include <mutex>

#include "simulator/base/options.h"
#include "simulator/report/text.h"

#ifndef __EMSCRIPTEN__
#    include <unistd.h>
#endif

namespace coalesce::simulator {
namespace {

constexpr i64 kUpdateIntervalMs = 500;

bool is_terminal() {
#ifdef __EMSCRIPTEN__
    return false;
#else
    return isatty(2) != 0;
#endif
}

/// The progress line on the terminal. One line is sufficient for the process, because it executes
/// one launch at a time.
struct ProgressLine {
    std::mutex mutex;
    bool shown = false;
};
ProgressLine& line() {
    // The object is never destroyed, because reports are printed at exit.
    static ProgressLine* const instance = new ProgressLine;
    return *instance;
}

void show(const std::string& text) {
    const std::lock_guard lock(line().mutex);
    std::fprintf(stderr, "\r%s\033[K", text.c_str());
    std::fflush(stderr);
    line().shown = true;
}

std::string format_duration(double seconds) {
    if (seconds < 100) return std::to_string(static_cast<u64>(seconds + 0.5)) + " s";
    if (seconds < 100 * 60) return std::to_string(static_cast<u64>(seconds / 60 + 0.5)) + " min";
    return with_commas(static_cast<u64>(seconds / 3600 + 0.5)) + " h";
}

}  // namespace

std::string progress_line(const std::string& kernel, u64 done, u64 blocks, double seconds_so_far,
                          std::size_t columns) {
    std::string rest =
        ": " + std::to_string(100 * done / blocks) + " % of " + with_commas(blocks) + " blocks";
    if (done > 0) {
        const double left = static_cast<double>(blocks - done) / static_cast<double>(done);
        rest += ", about " + format_duration(seconds_so_far * left) + " to go";
    }
    const std::size_t room = columns - rest.size();
    return (kernel.size() <= room ? kernel : kernel.substr(0, room - 3) + "...") + rest;
}

Progress::Progress(std::string kernel, u64 blocks)
    : kernel_(std::move(kernel)),
      blocks_(blocks),
      wanted_(options().progress_after_ms != 0 && !options().quiet && is_terminal()),
      next_ms_(static_cast<i64>(options().progress_after_ms)) {}

Progress::~Progress() {
    clear_progress_line();
}

void Progress::block_done() {
    const u64 done = done_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!wanted_) return;
    const auto so_far = Clock::now() - start_;
    const i64 ms = std::chrono::duration_cast<std::chrono::milliseconds>(so_far).count();
    i64 next = next_ms_.load(std::memory_order_relaxed);
    if (ms < next || !next_ms_.compare_exchange_strong(next, ms + kUpdateIntervalMs)) return;
    // Keep the last column empty, because some terminals wrap a line that fills all columns.
    show(progress_line(kernel_, done, blocks_, static_cast<double>(ms) / 1000, kColumns - 1));
}

void clear_progress_line() {
    const std::lock_guard lock(line().mutex);
    if (!line().shown) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    line().shown = false;
}

}  // namespace coalesce::simulator

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
    bool is_shown = false;
};
ProgressLine& progress_line() {
    // The object is never destroyed, because reports are printed at exit.
    static ProgressLine* const instance = new ProgressLine;
    return *instance;
}

void show_line(const std::string& text) {
    const std::lock_guard lock(progress_line().mutex);
    std::fprintf(stderr, "\r%s\033[K", text.c_str());
    std::fflush(stderr);
    progress_line().is_shown = true;
}

std::string format_duration(double seconds) {
    if (seconds < 100) return std::to_string(static_cast<u64>(seconds + 0.5)) + " s";
    if (seconds < 100 * 60) return std::to_string(static_cast<u64>(seconds / 60 + 0.5)) + " min";
    return format_with_commas(static_cast<u64>(seconds / 3600 + 0.5)) + " h";
}

}  // namespace

std::string format_progress_line(const std::string& kernel, u64 done_blocks, u64 block_count,
                                 double seconds_so_far, std::size_t columns) {
    std::string progress_text = ": " + std::to_string(100 * done_blocks / block_count) + " % of " +
                                format_with_commas(block_count) + " blocks";
    if (done_blocks > 0) {
        const double remaining_ratio =
            static_cast<double>(block_count - done_blocks) / static_cast<double>(done_blocks);
        progress_text += ", about " + format_duration(seconds_so_far * remaining_ratio) + " to go";
    }
    const std::size_t name_columns = columns - progress_text.size();
    return (kernel.size() <= name_columns ? kernel : kernel.substr(0, name_columns - 3) + "...") +
           progress_text;
}

Progress::Progress(std::string kernel, u64 block_count)
    : kernel_(std::move(kernel)),
      block_count_(block_count),
      shows_progress_(options().progress_after_ms != 0 && !options().is_quiet && is_terminal()),
      next_ms_(static_cast<i64>(options().progress_after_ms)) {}

Progress::~Progress() {
    clear_progress_line();
}

void Progress::note_block_done() {
    const u64 done_blocks = done_blocks_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!shows_progress_) return;
    const auto elapsed = Clock::now() - start_;
    const i64 ms = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
    i64 next_ms = next_ms_.load(std::memory_order_relaxed);
    if (ms < next_ms || !next_ms_.compare_exchange_strong(next_ms, ms + kUpdateIntervalMs)) return;
    // Keep the last column empty, because some terminals wrap a line that fills all columns.
    show_line(format_progress_line(kernel_, done_blocks, block_count_,
                                   static_cast<double>(ms) / 1000, kColumns - 1));
}

void clear_progress_line() {
    const std::lock_guard lock(progress_line().mutex);
    if (!progress_line().is_shown) return;
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
    progress_line().is_shown = false;
}

}  // namespace coalesce::simulator

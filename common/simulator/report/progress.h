// Shows the progress of a long launch on the last line of the terminal. Nothing is shown if
// standard error is not a terminal.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// Returns a line such as "matrix_product: 34 % of 4,096 blocks, about 25 s to go", at most
/// `columns` wide.
std::string format_progress_line(const std::string& kernel, u64 done_blocks, u64 block_count,
                                 double seconds_so_far, std::size_t columns);

/// The progress line of one launch. The line is removed from the terminal when the object is
/// destroyed.
class Progress {
public:
    Progress(std::string kernel, u64 block_count);
    ~Progress();
    Progress(const Progress&) = delete;
    /// Records that a block has ended. Updates the line on the terminal, but not at every call. Any
    /// worker may call this function.
    void note_block_done();

private:
    using Clock = std::chrono::steady_clock;

    const std::string kernel_;
    const u64 block_count_;
    const bool shows_progress_;
    const Clock::time_point start_ = Clock::now();
    std::atomic<u64> done_blocks_{0};
    std::atomic<i64> next_ms_;  ///< the time of the next update, in ms since the start
};

/// Removes the progress line, if there is one, so that other text can be written to the terminal.
void clear_progress_line();

}  // namespace coalesce::simulator

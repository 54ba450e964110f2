// How far a long launch is, on the last line of the terminal: nothing where standard error is none.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

#include "simulator/base/types.h"

namespace coalesce::simulator {

/// "matrix_product: 34 % of 4,096 blocks, about 25 s to go": no wider than `columns`.
std::string progress_line(const std::string& kernel, u64 done, u64 blocks, double seconds_so_far,
                          std::size_t columns);

/// Of one launch. Its line goes when the object does.
class Progress {
public:
    Progress(std::string kernel, u64 blocks);
    ~Progress();
    Progress(const Progress&) = delete;
    /// Any worker may call this.
    void block_done();

private:
    using Clock = std::chrono::steady_clock;

    const std::string kernel_;
    const u64 blocks_;
    const bool wanted_;
    const Clock::time_point start_ = Clock::now();
    std::atomic<u64> done_{0};
    std::atomic<i64> next_ms_;  ///< since the start: when to show something
};

/// Takes the line away, if there is one, for something else to be written.
void clear_progress_line();

}  // namespace coalesce::simulator

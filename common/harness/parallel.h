// One loop over many elements on all of the host's processors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace coalesce {

/// Threads for `count` elements: no more than are worth their start.
inline int thread_count(std::int64_t count) {
    constexpr std::int64_t worth_a_thread = 1 << 16;
    const std::int64_t processors = std::max(1u, std::thread::hardware_concurrency());
    return static_cast<int>(std::clamp<std::int64_t>(count / worth_a_thread, 1, processors));
}

/// Calls `work(share, begin, end)` with equal shares of 0 ... count - 1, one a thread. `work` must
/// not throw.
template <class Work>
void in_parallel(int threads, std::int64_t count, Work work) {
    std::vector<std::jthread> running;
    for (int share = 1; share < threads; ++share) {
        running.emplace_back(work, share, count * share / threads, count * (share + 1) / threads);
    }
    work(0, std::int64_t{0}, count / threads);
}

}  // namespace coalesce

// The capacity of the L1 cache for loads in flight.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace coalesce::timing {

/// A model of how many loads in flight the L1 cache can hold. A byte takes up room from its request
/// until its arrival. If shared memory leaves little room, loads must wait until earlier loads have
/// arrived.
class CacheCapacity {
public:
    explicit CacheCapacity(double bytes) : bytes_(bytes) {}

    /// Returns the earliest time, not before `t`, at which `bytes` bytes can be requested.
    double wait(double t, double bytes) {
        last_ = std::max(t, last_);
        while (!in_flight_.empty() &&
               (in_flight_.top().first <= last_ || used_bytes_ + bytes > bytes_)) {
            last_ = std::max(last_, in_flight_.top().first);
            used_bytes_ -= in_flight_.top().second;
            in_flight_.pop();
        }
        return last_;
    }
    void take(double bytes, double until) {
        in_flight_.push({until, bytes});
        used_bytes_ += bytes;
    }

private:
    using Load = std::pair<double, double>;  ///< the time of arrival, and the number of bytes
    double bytes_, used_bytes_ = 0, last_ = 0;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> in_flight_;
};

}  // namespace coalesce::timing

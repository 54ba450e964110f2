// The capacity of the L1 cache for loads in flight.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace coalesce::timing {

/// A model of how many loads in flight the L1 cache can hold. A byte takes up room from the time of
/// its request until it arrives. If shared memory leaves little room for the cache, loads must wait
/// until earlier loads have arrived.
class CacheCapacity {
public:
    explicit CacheCapacity(double bytes) : capacity_bytes_(bytes) {}

    /// Returns the earliest time, not before `t`, at which `bytes` bytes can be requested.
    double earliest_request_time(double t, double bytes) {
        last_request_time_ = std::max(t, last_request_time_);
        while (!in_flight_.empty() && (in_flight_.top().first <= last_request_time_ ||
                                       used_bytes_ + bytes > capacity_bytes_)) {
            last_request_time_ = std::max(last_request_time_, in_flight_.top().first);
            used_bytes_ -= in_flight_.top().second;
            in_flight_.pop();
        }
        return last_request_time_;
    }
    void occupy(double bytes, double arrival_time) {
        in_flight_.push({arrival_time, bytes});
        used_bytes_ += bytes;
    }

private:
    using Load = std::pair<double, double>;  ///< the time of arrival, and the number of bytes
    double capacity_bytes_, used_bytes_ = 0, last_request_time_ = 0;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> in_flight_;
};

}  // namespace coalesce::timing

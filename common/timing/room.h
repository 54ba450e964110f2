// The room in the first-level cache for loads in flight.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace coalesce::timing {

/// A model of the cache's room. Each requested byte occupies room from the request until it
/// arrives. If shared memory leaves little of the first-level cache, loads must wait until earlier
/// loads have arrived.
class Room {
public:
    explicit Room(double bytes) : bytes_(bytes) {}

    /// Returns when `bytes` bytes can be requested, at `t` or later.
    double wait(double t, double bytes) {
        last_ = std::max(t, last_);
        while (!under_way_.empty() &&
               (under_way_.top().first <= last_ || taken_ + bytes > bytes_)) {
            last_ = std::max(last_, under_way_.top().first);
            taken_ -= under_way_.top().second;
            under_way_.pop();
        }
        return last_;
    }
    void take(double bytes, double until) {
        under_way_.push({until, bytes});
        taken_ += bytes;
    }

private:
    using Load = std::pair<double, double>;  ///< the time of arrival, and the bytes
    double bytes_, taken_ = 0, last_ = 0;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> under_way_;
};

}  // namespace coalesce::timing

// Room in the first-level cache for what loads have under way.
#pragma once

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace coalesce::timing {

/// What a load asks for has a place there from when it is asked for until it comes. Where shared memory leaves little of
/// that store, loads wait for others to come, one after the other.
class Room {
public:
    explicit Room(double bytes) : bytes_(bytes) {}

    /// When so many bytes can be asked for, which is at `t` or later.
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
    using Load = std::pair<double, double>;  ///< when it comes, bytes
    double bytes_, taken_ = 0, last_ = 0;
    std::priority_queue<Load, std::vector<Load>, std::greater<>> under_way_;
};

}  // namespace coalesce::timing

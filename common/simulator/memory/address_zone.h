// Allocates and frees intervals of a range of addresses, without accessing memory at these
// addresses.
//
// Idea   An allocation takes the free interval with the lowest address that is large enough, so
//        that used memory stays close together. A freed interval waits in a queue before it is
//        reused. Until then, no allocation contains the interval's addresses, so an access by a
//        kernel that still uses these addresses is reported.
#pragma once

#include <deque>
#include <map>

#include "simulator/base/types.h"

namespace coalesce::simulator {

struct Interval {
    u64 begin = 0, end = 0;
    u64 size() const { return end - begin; }
};

class AddressZone {
public:
    /// The maximum length of the queue of freed intervals. When an interval is added to a full
    /// queue, the oldest interval leaves it and can be reused.
    static constexpr std::size_t kQuarantinedIntervals = 512;
    /// A value for `max_quarantined`: with it, all freed intervals stay in the queue until
    /// empty_quarantine() is called.
    static constexpr std::size_t kIntervalsUntilEndReuse = ~std::size_t{0};

    explicit AddressZone(Interval zone, std::size_t max_quarantined = kQuarantinedIntervals);

    Interval zone() const { return zone_; }
    bool contains(u64 address) const { return address >= zone_.begin && address < zone_.end; }

    /// Allocates an interval of `bytes` bytes that begins at a multiple of `align`, and returns it.
    /// The interval is in use until it is passed to return_interval(). Returns an empty interval if
    /// there is no space.
    Interval take_interval(u64 bytes, u64 align);
    void return_interval(Interval interval);
    /// Removes all freed intervals from the queue, so that they can be reused.
    void empty_quarantine();

private:
    Interval take_free_interval(u64 bytes, u64 align);
    void add_free_interval(Interval interval);

    Interval zone_;
    /// maps the begin of each free interval to its end; no two free intervals are adjacent
    std::map<u64, u64> free_intervals_;
    std::deque<Interval> quarantine_;
    std::size_t max_quarantined_;
};

}  // namespace coalesce::simulator

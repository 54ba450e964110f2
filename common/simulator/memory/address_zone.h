// Hands out intervals of a range of addresses and takes them back. Knows nothing of what is there.
//
// Idea   First fit, from the lowest address, so that what is in use stays close together. A freed
//        interval waits in a queue before it is handed out again: a program that uses memory after
//        freeing it then hits addresses that belong to nobody, and is caught.
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
    /// How many freed intervals wait before the oldest is used again.
    static constexpr std::size_t kResting = 512;
    /// ... none, before end_rest().
    static constexpr std::size_t kUntilEndRest = ~std::size_t{0};

    explicit AddressZone(Interval whole, std::size_t most_resting = kResting);

    Interval whole() const { return whole_; }
    bool contains(u64 address) const { return address >= whole_.begin && address < whole_.end; }

    /// An interval of `bytes` at a multiple of `align`; an empty one when there is none.
    Interval take(u64 bytes, u64 align);
    void give_back(Interval interval);
    /// What was given back may be taken again.
    void end_rest();

private:
    Interval take_from_gaps(u64 bytes, u64 align);
    void add_gap(Interval interval);

    Interval whole_;
    std::map<u64, u64> gaps_;  ///< begin -> end; never adjacent to each other
    std::deque<Interval> resting_;
    std::size_t most_resting_;
};

}  // namespace coalesce::simulator

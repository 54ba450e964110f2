// See address_zone.h.
#include "simulator/memory/address_zone.h"

namespace coalesce::simulator {

AddressZone::AddressZone(Interval whole, std::size_t max_quarantined)
    : whole_(whole), max_quarantined_(max_quarantined) {
    if (whole.size() > 0) gaps_.emplace(whole.begin, whole.end);
}

Interval AddressZone::take(u64 bytes, u64 align) {
    if (bytes == 0 || bytes > whole_.size()) return {};
    Interval found = take_from_gaps(bytes, align);
    // If no free range is large enough, reuse recently freed addresses instead of failing.
    if (found.size() == 0 && !quarantine_.empty()) {
        empty_quarantine();
        found = take_from_gaps(bytes, align);
    }
    return found;
}

Interval AddressZone::take_from_gaps(u64 bytes, u64 align) {
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
        const Interval free{gap->first, gap->second};
        const u64 begin = round_up(free.begin, align);
        if (begin >= free.end || free.end - begin < bytes) continue;
        const Interval taken{begin, begin + bytes};
        gaps_.erase(gap);
        if (free.begin < taken.begin) gaps_.emplace(free.begin, taken.begin);
        if (taken.end < free.end) gaps_.emplace(taken.end, free.end);
        return taken;
    }
    return {};
}

void AddressZone::give_back(Interval interval) {
    quarantine_.push_back(interval);
    if (quarantine_.size() <= max_quarantined_) return;
    add_gap(quarantine_.front());
    quarantine_.pop_front();
}

void AddressZone::empty_quarantine() {
    for (const Interval& interval : quarantine_) add_gap(interval);
    quarantine_.clear();
}

void AddressZone::add_gap(Interval interval) {
    const auto after = gaps_.lower_bound(interval.begin);
    if (after != gaps_.end() && after->first == interval.end) {
        interval.end = after->second;
        gaps_.erase(after);
    }
    const auto next = gaps_.lower_bound(interval.begin);
    if (next != gaps_.begin()) {
        const auto before = std::prev(next);
        if (before->second == interval.begin) {
            before->second = interval.end;
            return;
        }
    }
    gaps_.emplace(interval.begin, interval.end);
}

}  // namespace coalesce::simulator

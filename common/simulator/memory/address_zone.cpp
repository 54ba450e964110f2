// See address_zone.h.
#include "simulator/memory/address_zone.h"

namespace coalesce::simulator {

AddressZone::AddressZone(Interval zone, std::size_t max_quarantined)
    : zone_(zone), max_quarantined_(max_quarantined) {
    if (zone.size() > 0) free_intervals_.emplace(zone.begin, zone.end);
}

Interval AddressZone::take_interval(u64 bytes, u64 align) {
    if (bytes == 0 || bytes > zone_.size()) return {};
    Interval interval = take_free_interval(bytes, align);
    // If no free range is large enough, reuse recently freed addresses instead of failing.
    if (interval.size() == 0 && !quarantine_.empty()) {
        empty_quarantine();
        interval = take_free_interval(bytes, align);
    }
    return interval;
}

Interval AddressZone::take_free_interval(u64 bytes, u64 align) {
    for (auto gap = free_intervals_.begin(); gap != free_intervals_.end(); ++gap) {
        const Interval gap_interval{gap->first, gap->second};
        const u64 begin = round_up(gap_interval.begin, align);
        if (begin >= gap_interval.end || gap_interval.end - begin < bytes) continue;
        const Interval taken_interval{begin, begin + bytes};
        free_intervals_.erase(gap);
        if (gap_interval.begin < taken_interval.begin)
            free_intervals_.emplace(gap_interval.begin, taken_interval.begin);
        if (taken_interval.end < gap_interval.end)
            free_intervals_.emplace(taken_interval.end, gap_interval.end);
        return taken_interval;
    }
    return {};
}

void AddressZone::return_interval(Interval interval) {
    quarantine_.push_back(interval);
    if (quarantine_.size() <= max_quarantined_) return;
    add_free_interval(quarantine_.front());
    quarantine_.pop_front();
}

void AddressZone::empty_quarantine() {
    for (const Interval& interval : quarantine_) add_free_interval(interval);
    quarantine_.clear();
}

void AddressZone::add_free_interval(Interval interval) {
    const auto next_gap = free_intervals_.lower_bound(interval.begin);
    if (next_gap != free_intervals_.end() && next_gap->first == interval.end) {
        interval.end = next_gap->second;
        free_intervals_.erase(next_gap);
    }
    const auto following_gap = free_intervals_.lower_bound(interval.begin);
    if (following_gap != free_intervals_.begin()) {
        const auto previous_gap = std::prev(following_gap);
        if (previous_gap->second == interval.begin) {
            previous_gap->second = interval.end;
            return;
        }
    }
    free_intervals_.emplace(interval.begin, interval.end);
}

}  // namespace coalesce::simulator

#include "simulator/checks/accessed_ranges.h"

#include <algorithm>

namespace coalesce::simulator {

namespace {

using AddressRange = AccessedRanges::Range;

/// Returns the first pair of overlapping ranges, one from `earlier_ranges` and one from
/// `later_ranges`, or nothing if no ranges overlap.
std::optional<std::pair<AddressRange, AddressRange>> find_overlap(
    const std::vector<AddressRange>& earlier_ranges,
    const std::vector<AddressRange>& later_ranges) {
    auto earlier_range = earlier_ranges.begin(), later_range = later_ranges.begin();
    while (earlier_range != earlier_ranges.end() && later_range != later_ranges.end()) {
        if (earlier_range->end <= later_range->begin) {
            ++earlier_range;
        } else if (later_range->end <= earlier_range->begin) {
            ++later_range;
        } else {
            return std::pair(*earlier_range, *later_range);
        }
    }
    return std::nullopt;
}

}  // namespace

void AccessedRanges::add(Kind kind, u64 begin, u64 end, u32 place_index) {
    std::vector<Range>& ranges = ranges_[kind];
    if (!ranges.empty() && ranges.back().end == begin)
        ranges.back().end = end;
    else
        ranges.push_back({begin, end, place_index});
}

void AccessedRanges::sort_and_join() {
    for (std::vector<Range>& ranges : ranges_) {
        const auto is_before = [](const Range& a, const Range& b) { return a.begin < b.begin; };
        if (!std::is_sorted(ranges.begin(), ranges.end(), is_before))
            std::sort(ranges.begin(), ranges.end(), is_before);
        std::size_t kept_count = 0;
        for (const Range& range : ranges) {
            if (kept_count > 0 && range.begin <= ranges[kept_count - 1].end)
                ranges[kept_count - 1].end = std::max(ranges[kept_count - 1].end, range.end);
            else
                ranges[kept_count++] = range;
        }
        ranges.resize(kept_count);
    }
}

u32 AccessedRanges::add_place(const Place& place) {
    places_.push_back(place);
    return static_cast<u32>(places_.size() - 1);
}

bool AccessedRanges::is_empty() const {
    return std::all_of(ranges_.begin(), ranges_.end(), [](const auto& r) { return r.empty(); });
}

std::optional<AccessedRanges::Conflict> AccessedRanges::find_conflict(
    const AccessedRanges& earlier_ranges, const AccessedRanges& later_ranges) {
    for (const Kind a : {kWrites, kAtomics, kReads}) {
        for (const Kind b : {kWrites, kAtomics, kReads}) {
            if (a == b && a != kWrites) continue;
            const auto found = find_overlap(earlier_ranges.ranges_[a], later_ranges.ranges_[b]);
            if (!found) continue;
            const auto& [earlier_range, later_range] = *found;
            return Conflict{.begin = std::max(earlier_range.begin, later_range.begin),
                            .end = std::min(earlier_range.end, later_range.end),
                            .earlier_kind = a,
                            .later_kind = b,
                            .earlier_place = earlier_ranges.places_[earlier_range.place_index],
                            .later_place = later_ranges.places_[later_range.place_index]};
        }
    }
    return std::nullopt;
}

}  // namespace coalesce::simulator

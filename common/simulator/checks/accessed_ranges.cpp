#include "simulator/checks/accessed_ranges.h"

#include <algorithm>

namespace coalesce::simulator {

namespace {

using AddressRange = AccessedRanges::Range;

/// Returns the first pair of overlapping ranges, one from `earlier` and one from `later`, or
/// nothing if no ranges overlap.
std::optional<std::pair<AddressRange, AddressRange>> find_overlap(
    const std::vector<AddressRange>& earlier, const std::vector<AddressRange>& later) {
    auto a = earlier.begin(), b = later.begin();
    while (a != earlier.end() && b != later.end()) {
        if (a->end <= b->begin) {
            ++a;
        } else if (b->end <= a->begin) {
            ++b;
        } else {
            return std::pair(*a, *b);
        }
    }
    return std::nullopt;
}

}  // namespace

void AccessedRanges::add(Kind kind, u64 begin, u64 end, u32 place) {
    std::vector<Range>& ranges = ranges_[kind];
    if (!ranges.empty() && ranges.back().end == begin)
        ranges.back().end = end;
    else
        ranges.push_back({begin, end, place});
}

void AccessedRanges::sort() {
    for (std::vector<Range>& ranges : ranges_) {
        const auto is_before = [](const Range& a, const Range& b) { return a.begin < b.begin; };
        if (!std::is_sorted(ranges.begin(), ranges.end(), is_before))
            std::sort(ranges.begin(), ranges.end(), is_before);
        std::size_t kept = 0;
        for (const Range& range : ranges) {
            if (kept > 0 && range.begin <= ranges[kept - 1].end)
                ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
            else
                ranges[kept++] = range;
        }
        ranges.resize(kept);
    }
}

u32 AccessedRanges::add_place(const Place& place) {
    places_.push_back(place);
    return static_cast<u32>(places_.size() - 1);
}

bool AccessedRanges::is_empty() const {
    return std::all_of(ranges_.begin(), ranges_.end(), [](const auto& r) { return r.empty(); });
}

std::optional<AccessedRanges::Conflict> AccessedRanges::find_conflict(const AccessedRanges& earlier,
                                                                      const AccessedRanges& later) {
    for (const Kind a : {kWrites, kAtomics, kReads}) {
        for (const Kind b : {kWrites, kAtomics, kReads}) {
            if (a == b && a != kWrites) continue;
            const auto found = find_overlap(earlier.ranges_[a], later.ranges_[b]);
            if (!found) continue;
            const auto& [of_earlier, of_later] = *found;
            return Conflict{.begin = std::max(of_earlier.begin, of_later.begin),
                            .end = std::min(of_earlier.end, of_later.end),
                            .earlier = a,
                            .later = b,
                            .earlier_place = earlier.places_[of_earlier.place],
                            .later_place = later.places_[of_later.place]};
        }
    }
    return std::nullopt;
}

}  // namespace coalesce::simulator

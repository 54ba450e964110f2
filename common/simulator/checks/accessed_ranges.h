// The bytes of device memory that a stream operation, such as a launch or a copy, has accessed.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator {

/// The ranges of addresses that a stream operation has accessed, by kind of access. Each range
/// stores the source location of its first access.
class AccessedRanges {
public:
    /// The kind of an access. Volatile and relaxed stores count as kAtomics too.
    enum Kind : u8 { kReads, kWrites, kAtomics, kKindCount };
    struct Range {
        u64 begin = 0, end = 0;  ///< the device addresses [begin, end)
        /// The place of the first access in the range, as an index into `places_`.
        u32 place_index = 0;
    };
    /// A range of bytes that two stream operations access, where at least one of the operations
    /// changes the bytes.
    struct Conflict {
        u64 begin = 0, end = 0;
        Kind earlier_kind = kReads, later_kind = kReads;
        Place earlier_place, later_place;
    };

    /// Adds the range [begin, end). If the last range of the same kind ends at `begin`, extends
    /// that range instead.
    void add(Kind kind, u64 begin, u64 end, u32 place_index = 0);
    /// Sorts the ranges by address and joins adjacent ones. Must be called if the ranges were not
    /// added in ascending order.
    void sort_and_join();
    u32 add_place(const Place& place);
    bool is_empty() const;
    const std::vector<Range>& ranges_of_kind(Kind kind) const { return ranges_[kind]; }
    const Place& first_place(const Range& range) const { return places_[range.place_index]; }

    /// Returns the first conflict between two stream operations, or nothing if there is none. Two
    /// reads do not conflict, and neither do two atomics.
    static std::optional<Conflict> find_conflict(const AccessedRanges& earlier_ranges,
                                                 const AccessedRanges& later_ranges);

private:
    /// The ranges of each kind, disjoint and sorted by address.
    std::array<std::vector<Range>, kKindCount> ranges_;
    std::vector<Place> places_{1};  ///< element 0 stands for an unknown place
};

}  // namespace coalesce::simulator

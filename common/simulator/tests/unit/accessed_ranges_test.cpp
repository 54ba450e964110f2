#include "simulator/checks/accessed_ranges.h"

#include <doctest/doctest.h>

using coalesce::simulator::AccessedRanges;

namespace {

AccessedRanges one_range(AccessedRanges::Kind kind, coalesce::simulator::u64 begin,
                         coalesce::simulator::u64 end) {
    AccessedRanges ranges;
    ranges.add(kind, begin, end);
    return ranges;
}

bool conflict(const AccessedRanges& a, const AccessedRanges& b) {
    return AccessedRanges::find_conflict(a, b).has_value();
}

}  // namespace

TEST_CASE("two ranges conflict if they overlap and at least one of them is written") {
    const auto reads = one_range(AccessedRanges::kReads, 0, 64),
               writes = one_range(AccessedRanges::kWrites, 60, 128),
               atomics = one_range(AccessedRanges::kAtomics, 32, 64),
               beyond = one_range(AccessedRanges::kWrites, 128, 256);
    CHECK(conflict(reads, writes));
    CHECK(conflict(writes, reads));
    CHECK(conflict(writes, writes));
    CHECK(conflict(atomics, reads));
    CHECK(conflict(atomics, writes));
    CHECK_FALSE(conflict(reads, reads));
    CHECK_FALSE(conflict(atomics, atomics));
    CHECK_FALSE(conflict(writes, beyond));
    CHECK_FALSE(conflict(reads, AccessedRanges{}));

    const auto found = AccessedRanges::find_conflict(reads, writes);
    CHECK(found->begin == 60);
    CHECK(found->end == 64);
    CHECK(found->earlier_kind == AccessedRanges::kReads);
    CHECK(found->later_kind == AccessedRanges::kWrites);
}

TEST_CASE("a conflict is detected at any position in the list") {
    AccessedRanges rows, columns;
    for (coalesce::simulator::u64 row = 0; row < 10; ++row) {
        rows.add(AccessedRanges::kWrites, row * 100, row * 100 + 10);
        columns.add(AccessedRanges::kWrites, row * 100 + 10, row * 100 + 20);
    }
    CHECK_FALSE(conflict(rows, columns));
    columns.add(AccessedRanges::kWrites, 905, 906);
    columns.sort_and_join();
    CHECK(AccessedRanges::find_conflict(rows, columns)->begin == 905);
}

TEST_CASE("sorting also merges ranges that overlap") {
    AccessedRanges ranges;
    ranges.add(AccessedRanges::kReads, 50, 60);
    ranges.add(AccessedRanges::kReads, 0, 10);
    ranges.add(AccessedRanges::kReads, 5, 20);
    ranges.add(AccessedRanges::kReads, 20, 30);
    ranges.sort_and_join();
    REQUIRE(ranges.ranges_of_kind(AccessedRanges::kReads).size() == 2);
    CHECK(ranges.ranges_of_kind(AccessedRanges::kReads)[0].end == 30);
}

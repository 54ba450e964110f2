// What this library declares of the simulator's interface is what the simulator has.
#include <doctest/doctest.h>

#include <cstddef>

#include "kernel/simulator_lines_abi.h"
#include "simulator/cudart/coalesce_simulator.h"

namespace abi = coalesce::abi;

TEST_CASE("lines") {
    CHECK(sizeof(abi::Line) == sizeof(CoalesceLine));
    CHECK(offsetof(abi::Line, line) == offsetof(CoalesceLine, line));
    CHECK(offsetof(abi::Line, counters) == offsetof(CoalesceLine, counters));
}

TEST_CASE("accesses") {
    CHECK(sizeof(abi::Access) == sizeof(CoalesceAccess));
    CHECK(offsetof(abi::Access, shared) == offsetof(CoalesceAccess, shared));
    CHECK(offsetof(abi::Access, store) == offsetof(CoalesceAccess, store));
    CHECK(offsetof(abi::Access, bytes_per_lane) == offsetof(CoalesceAccess, bytes_per_lane));
    CHECK(offsetof(abi::Access, active) == offsetof(CoalesceAccess, active));
    CHECK(offsetof(abi::Access, addresses) == offsetof(CoalesceAccess, addresses));
    CHECK(offsetof(abi::Access, cost) == offsetof(CoalesceAccess, cost));
    CHECK(offsetof(abi::Access, ideal) == offsetof(CoalesceAccess, ideal));
}

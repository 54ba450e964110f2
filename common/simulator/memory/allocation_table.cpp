// Finds the allocation that contains an address, or the freed allocation that used to contain it.
#include <algorithm>

#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {
namespace {

/// Returns the last allocation that begins at or below `address`. `sorted` must be sorted by
/// `begin`.
const Allocation* find_last_at_or_below(const std::vector<Allocation>& sorted, u64 address) {
    const auto first_above =
        std::upper_bound(sorted.begin(), sorted.end(), address,
                         [](u64 a, const Allocation& b) { return a < b.begin; });
    return first_above == sorted.begin() ? nullptr : &*std::prev(first_above);
}

u64 distance_to(const Allocation& allocation, u64 address) {
    if (address < allocation.begin) return allocation.begin - address;
    return address < allocation.end ? 0 : address - allocation.end + 1;
}

}  // namespace

const Allocation* AllocationTable::find(u64 address) const {
    const Allocation* candidate = find_last_at_or_below(live_allocations, address);
    return candidate && candidate->contains(address, 1) ? candidate : nullptr;
}

const Allocation* AllocationTable::find_nearest(u64 address) const {
    if (live_allocations.empty()) return nullptr;
    const Allocation* allocation_below = find_last_at_or_below(live_allocations, address);
    if (!allocation_below) return &live_allocations.front();
    const Allocation* first_above = allocation_below + 1;
    if (first_above == live_allocations.data() + live_allocations.size()) return allocation_below;
    return distance_to(*first_above, address) < distance_to(*allocation_below, address)
               ? first_above
               : allocation_below;
}

const Allocation* AllocationTable::find_freed(u64 address) const {
    // Several freed allocations may have contained the address. Choose the one freed last, because
    // it is the most likely one.
    for (auto a = freed_allocations.rbegin(); a != freed_allocations.rend(); ++a) {
        if (a->contains(address, 1)) return &*a;
    }
    return nullptr;
}

}  // namespace coalesce::simulator

// See atomic_counters.h.
#include "counters/atomic_counters.h"

#include <algorithm>
#include <bit>

namespace coalesce::sim {
namespace {

/// Of the active lanes, the first at each address.
Mask first_at_each_address(const u64* addresses, Mask active) {
    Mask first = 0;
    for (Mask rest = active; rest; rest &= rest - 1) {
        const u64 address = addresses[std::countr_zero(rest)];
        bool is_new = true;
        for (Mask known = first; known && is_new; known &= known - 1)
            is_new = addresses[std::countr_zero(known)] != address;
        if (is_new) first |= rest & -rest;
    }
    return first;
}

bool all_the_same(const u64* addresses, Mask active) {
    const u64 first = addresses[std::countr_zero(active)];
    for (Mask rest = active; rest; rest &= rest - 1)
        if (addresses[std::countr_zero(rest)] != first) return false;
    return true;
}

/// How many lanes want the bank that most of them want.
u32 busiest_bank(const u32* addresses, u32 bytes, Mask active) {
    u32 lanes[kBanks] = {};
    u32 most = 0;
    for (Mask rest = active; rest; rest &= rest - 1) {
        const u32 address = addresses[std::countr_zero(rest)];
        const u32 last = (address + bytes - 1) / kWordBytes;
        for (u32 word = address / kWordBytes; word <= last; ++word)
            most = std::max(most, ++lanes[word % kBanks]);
    }
    return most;
}

}  // namespace

u32 count_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active) {
    if (active == 0) return 0;
    // A counter for all: as many passes as lanes.
    if (all_the_same(addresses, active))
        return static_cast<u32>(std::popcount(active)) *
               count_sectors(addresses, bytes_per_lane, active & -active);
    u32 sectors = 0;
    while (active) {
        const Mask pass = first_at_each_address(addresses, active);
        sectors += count_sectors(addresses, bytes_per_lane, pass);
        active &= ~pass;
    }
    return sectors;
}

Wavefronts count_atomic_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                                   bool compares) {
    const u32 width = std::max(bytes_per_lane, kWordBytes);
    const u32 lanes = std::max(1u, kBanks * kWordBytes / width);
    const Mask whole = kAllLanes >> (kLanes - lanes);
    const u32 each = compares ? 2 : 1;
    Wavefronts result;
    for (u32 first = 0; first < kLanes; first += lanes) {
        const Mask pass = active & (whole << first);
        if (pass == 0) continue;
        result.ideal += each;
        result.taken += each * busiest_bank(addresses, bytes_per_lane, pass);
    }
    return result;
}

}  // namespace coalesce::sim

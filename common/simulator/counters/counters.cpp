// The counting rules of counters.h, and fast paths for them.
//
// Idea   Nearly every request of a real kernel is regular: its addresses are consecutive, have a
//        constant stride, are all the same, or use each bank once. A few vector instructions handle
//        such a request. All other requests go through a small hash set, lane by lane.
#include "simulator/counters/counters.h"

#include <algorithm>
#include <bit>

namespace coalesce::simulator {
namespace {

constexpr u32 kSectorShift = 5;
constexpr u32 kWordShift = 2;

/// A set of numbers that uses open addressing. The table has more slots than any set in this file
/// needs, so it never fills up.
class SmallSet {
public:
    /// Adds `value`. Returns true if the set did not contain it before.
    bool insert(u64 value) {
        u32 place = static_cast<u32>(value * 0x9e3779b97f4a7c15ull >> (64 - kBits));
        while (used_[place]) {
            if (values_[place] == value) return false;
            place = (place + 1) & (kSize - 1);
        }
        used_[place] = true;
        values_[place] = value;
        return true;
    }

private:
    static constexpr u32 kBits = 8;  // 256 slots for at most 32 lanes x 5 words
    static constexpr u32 kSize = 1u << kBits;
    bool used_[kSize] = {};
    u64 values_[kSize];
};

/// The sectors (or words) that one lane accesses: `first` to `last`.
struct Range {
    u64 first, last;
};
Range to_range(u64 address, u32 bytes, u32 shift) {
    return {address >> shift, (address + bytes - 1) >> shift};
}

u32 count_sectors_in_any_case(const u64* addresses, u32 bytes, Mask active) {
    SmallSet seen;
    u32 sectors = 0;
    for (Mask rest = active; rest; rest &= rest - 1) {
        const Range lane = to_range(addresses[std::countr_zero(rest)], bytes, kSectorShift);
        for (u64 sector = lane.first; sector <= lane.last; ++sector) sectors += seen.insert(sector);
    }
    return sectors;
}

/// Counts the sectors if no lane straddles two sectors and all sectors lie within 128 GB. Each
/// sector is counted at the first lane that accesses it. Comparing all pairs of lanes is faster
/// than using a set, because each step handles 32 lanes.
u32 count_sectors_without_straddling(const u64* addresses) {
    u32 sectors[kLanes], seen[kLanes] = {};
    for (int l = 0; l < kLanes; ++l)
        sectors[l] =
            static_cast<u32>((addresses[l] >> kSectorShift) - (addresses[0] >> kSectorShift));
    for (u32 before = 0; before < kLanes - 1; ++before) {
        const u32 sector = sectors[before];
        for (u32 l = 0; l < kLanes; ++l)
            seen[l] |= static_cast<u32>(sectors[l] == sector) & static_cast<u32>(l > before);
    }
    u32 count = kLanes;
    for (const u32 again : seen) count -= again;
    return count;
}

/// Copies the addresses to `closed`. An inactive lane gets the address of the nearest active lane
/// below it, or above it if no lane below it is active. This changes neither the set of addresses
/// nor their order.
template <class T>
void fill_inactive_lanes(const T* addresses, Mask active, int count, T* closed) {
    T last = addresses[std::countr_zero(active)];
    for (int l = 0; l < count; ++l) {
        last = (active >> l & 1) ? addresses[l] : last;
        closed[l] = last;
    }
}

/// Returns the largest number of distinct words in any bank, by counting word by word.
u32 count_words_in_busiest_bank(const u32* addresses, u32 bytes, int count) {
    SmallSet seen;
    u8 load[kBanks] = {};
    u8 most = 0;
    for (int l = 0; l < count; ++l) {
        const Range lane = to_range(addresses[l], bytes, kWordShift);
        for (u64 word = lane.first; word <= lane.last; ++word) {
            if (seen.insert(word)) most = std::max(most, ++load[word % kBanks]);
        }
    }
    return most;
}

/// Returns the number of wavefronts in a pass of `kCount` lanes, or 0 if the pass is not regular. A
/// unit is the size of one lane's access: 4, 8 or 16 bytes, for a `shift` of 2, 3 or 4. Measured in
/// units, shared memory has `kCount` banks that are one unit wide, and the same rule for conflicts
/// applies.
template <u32 kCount>
u32 count_regular_pass(const u32* addresses, u32 bytes, u32 shift) {
    u32 lowest = ~0u, highest = 0, banks = 0, off_stride = 0, low_bits = 0;
    const u32 stride = addresses[1] - addresses[0];
    for (u32 l = 0; l < kCount; ++l) {
        const u32 unit = addresses[l] >> shift;
        lowest = std::min(lowest, unit);
        highest = std::max(highest, unit);
        banks |= 1u << (unit % kCount);
        off_stride |= addresses[l] ^ (addresses[0] + l * stride);
        low_bits |= addresses[l];
    }
    if (low_bits % bytes != 0) return 0;                             // misaligned
    if (highest - lowest < kCount) return 1;                         // within one row of banks
    if (std::popcount(banks) == static_cast<int>(kCount)) return 1;  // each bank exactly once
    if (off_stride == 0 && stride % (1u << shift) == 0) {
        // The lanes access kCount different units, which lie in every 2^k-th bank.
        return std::min(kCount, 1u << std::countr_zero(stride >> shift));
    }
    return 0;
}

/// Returns the number of wavefronts in a pass. All lanes must have an address (see
/// fill_inactive_lanes).
u32 pass_wavefronts(const u32* addresses, u32 bytes, u32 shift, int count) {
    u32 taken = 0;
    switch (count) {
        case 32: taken = count_regular_pass<32>(addresses, bytes, shift); break;
        case 16: taken = count_regular_pass<16>(addresses, bytes, shift); break;
        case 8: taken = count_regular_pass<8>(addresses, bytes, shift); break;
        default: break;
    }
    return taken ? taken : count_words_in_busiest_bank(addresses, bytes, count);
}

/// Reports whether lanes `l` and `l ^ distance` have the same address, for every such pair of
/// active lanes.
bool have_pairs_same_address(const u32* addresses, Mask active, int distance) {
    u32 differs = 0;
    for (int l = 0; l < kLanes; ++l) {
        const int other = l ^ distance;
        const u32 both = (active >> l & active >> other & 1) ? kAllLanes : 0;
        differs |= (addresses[l] ^ addresses[other]) & both;
    }
    return differs == 0;
}

// ---- atomics ----

/// Returns the first active lane at each address.
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

constexpr u32 kAtomicUnits = 4, kLineBytes = 128;

/// Returns the index of the L1 cache unit that serves the line of this address. Each of the two
/// bits of the index is the parity of some address bits. (Found by measuring 750 random reductions
/// on an H200. Of 256 candidate hashes, only this one fits.)
u32 atomic_unit_of(u64 address) {
    constexpr u64 low_bit = 0x15a80, high_bit = 0xed00;
    const int low = std::popcount(address & low_bit) & 1,
              high = std::popcount(address & high_bit) & 1;
    return static_cast<u32>(2 * high + low);
}

/// Simulates one pass of a cache unit over a line. Removes from `lanes` the lanes that the pass
/// serves, and returns the number of sectors that they access.
u32 serve_cache_line(const u64* addresses, u32 bytes, Mask& lanes) {
    const u64 line = addresses[std::countr_zero(lanes)] / kLineBytes;
    u64 taken = 0;  // occupied positions in the line, in units of 2 bytes (the smallest atomic)
    u32 sectors = 0;
    for (const int lane : LanesIn{lanes}) {
        const u64 offset = addresses[lane] % kLineBytes, place = u64{1} << offset / 2;
        const bool is_free = (taken & place) == 0;
        taken |= place;
        if (!is_free || addresses[lane] / kLineBytes != line) continue;
        const u64 last = (offset + bytes - 1) / (1u << kSectorShift);
        sectors |= 1u << (offset >> kSectorShift) | 1u << last;
        lanes &= ~(1u << lane);
    }
    return static_cast<u32>(std::popcount(sectors));
}

bool are_all_equal(const u64* addresses, Mask active) {
    const u64 first = addresses[std::countr_zero(active)];
    for (Mask rest = active; rest; rest &= rest - 1)
        if (addresses[std::countr_zero(rest)] != first) return false;
    return true;
}

/// Returns the number of lanes that access the busiest bank.
u32 count_lanes_in_busiest_bank(const u32* addresses, u32 bytes, Mask active) {
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

u32 count_sectors(const u64* addresses, u32 bytes_per_lane, Mask active) {
    if (active == 0) return 0;
    alignas(64) u64 closed[kLanes];
    if (active != kAllLanes) {
        fill_inactive_lanes(addresses, active, kLanes, closed);
        addresses = closed;
    }
    // If no lane straddles two sectors and the sector numbers never decrease from lane to lane,
    // each increase is a new sector.
    u64 straddles = 0, falls = 0;
    u64 rises = 0;
    for (int l = 0; l < kLanes; ++l) {
        straddles |= (addresses[l] ^ (addresses[l] + bytes_per_lane - 1)) >> kSectorShift;
    }
    for (int l = 1; l < kLanes; ++l) {
        const u64 before = addresses[l - 1] >> kSectorShift, here = addresses[l] >> kSectorShift;
        falls |= here < before;
        rises += here != before;
    }
    if ((straddles | falls) == 0) return static_cast<u32>(rises) + 1;
    u64 far = 0;
    for (int l = 0; l < kLanes; ++l)
        far |= ((addresses[l] >> kSectorShift) - (addresses[0] >> kSectorShift) + (u64{1} << 31)) >>
               32;
    return (straddles | far) == 0 ? count_sectors_without_straddling(addresses)
                                  : count_sectors_in_any_case(addresses, bytes_per_lane, kAllLanes);
}

Wavefronts count_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                            SharedAccessKind kind) {
    const u32 width = std::max(bytes_per_lane, kWordBytes);
    const u32 shift = static_cast<u32>(std::countr_zero(width));
    int count = static_cast<int>(std::max(1u, kBanks * kWordBytes / width));
    const bool twice = kind == SharedAccessKind::load && width > kWordBytes &&
                       (have_pairs_same_address(addresses, active, 1) ||
                        have_pairs_same_address(addresses, active, 2));
    if (twice) count *= 2;
    const Mask whole = kAllLanes >> (kLanes - count);

    Wavefronts result;
    alignas(64) u32 closed[kLanes];
    for (int first = 0; first < kLanes; first += count) {
        const Mask lanes = active >> first & whole;
        if (lanes == 0) continue;
        const u32* pass = addresses + first;
        if (lanes != whole) {
            fill_inactive_lanes(pass, lanes, count, closed);
            pass = closed;
        }
        ++result.ideal;
        result.taken += twice ? count_words_in_busiest_bank(pass, bytes_per_lane, count)
                              : pass_wavefronts(pass, bytes_per_lane, shift, count);
    }
    return result;
}

u32 count_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active) {
    if (active == 0) return 0;
    // If all lanes have the same address, each lane needs its own pass.
    if (are_all_equal(addresses, active))
        return static_cast<u32>(std::popcount(active)) *
               count_sectors(addresses, bytes_per_lane, active & -active);
    Mask of_unit[kAtomicUnits] = {};
    for (const int lane : LanesIn{active}) of_unit[atomic_unit_of(addresses[lane])] |= 1u << lane;
    u32 sectors = 0;
    for (Mask lanes : of_unit)
        while (lanes) sectors += serve_cache_line(addresses, bytes_per_lane, lanes);
    return sectors;
}

u32 count_remote_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active) {
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
        result.taken += each * count_lanes_in_busiest_bank(addresses, bytes_per_lane, pass);
    }
    return result;
}

Mask first_lanes_of_banks(const u32* addresses, u32 bytes_per_lane, Mask active) {
    const u32 width = std::max(bytes_per_lane, kWordBytes), lanes = kBanks * kWordBytes / width;
    const Mask whole = kAllLanes >> (kLanes - lanes);
    Mask first = 0;
    for (u32 begin = 0; begin < kLanes; begin += lanes) {
        u32 banks = 0;
        for (const int lane : LanesIn{active & (whole << begin)}) {
            const u32 bank = 1u << addresses[lane] / width % lanes;
            if (!(banks & bank)) first |= 1u << lane;
            banks |= bank;
        }
    }
    return first;
}

SiteCounters& SiteCounters::operator+=(const SiteCounters& other) {
    requests += other.requests;
    sectors += other.sectors;
    useful_bytes += other.useful_bytes;
    shared_requests += other.shared_requests;
    wavefronts += other.wavefronts;
    wavefronts_ideal += other.wavefronts_ideal;
    remote_requests += other.remote_requests;
    remote_sectors += other.remote_sectors;
    remote_useful_bytes += other.remote_useful_bytes;
    waits += other.waits;
    bytes_in_flight += other.bytes_in_flight;
    loop_load_requests += other.loop_load_requests;
    loop_load_wavefronts += other.loop_load_wavefronts;
    loop_load_ideal += other.loop_load_ideal;
    return *this;
}

}  // namespace coalesce::simulator

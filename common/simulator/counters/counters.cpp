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
class NumberSet {
public:
    /// Adds `value`. Returns true if the set did not contain it before.
    bool insert(u64 value) {
        u32 slot_index = static_cast<u32>(value * 0x9e3779b97f4a7c15ull >> (64 - kSizeBits));
        while (is_used_[slot_index]) {
            if (values_[slot_index] == value) return false;
            slot_index = (slot_index + 1) & (kSize - 1);
        }
        is_used_[slot_index] = true;
        values_[slot_index] = value;
        return true;
    }

private:
    static constexpr u32 kSizeBits = 8;  // 256 slots for at most 32 lanes x 5 words
    static constexpr u32 kSize = 1u << kSizeBits;
    bool is_used_[kSize] = {};
    u64 values_[kSize];
};

/// The sectors (or words) that one lane accesses: `first` to `last`.
struct UnitRange {
    u64 first, last;
};
UnitRange make_unit_range(u64 address, u32 bytes, u32 shift) {
    return {address >> shift, (address + bytes - 1) >> shift};
}

u32 count_sectors_with_set(const u64* addresses, u32 bytes, Mask active) {
    NumberSet seen_sectors;
    u32 sectors = 0;
    for (Mask remaining_lanes = active; remaining_lanes; remaining_lanes &= remaining_lanes - 1) {
        const UnitRange lane_range =
            make_unit_range(addresses[std::countr_zero(remaining_lanes)], bytes, kSectorShift);
        for (u64 sector = lane_range.first; sector <= lane_range.last; ++sector)
            sectors += seen_sectors.insert(sector);
    }
    return sectors;
}

/// Counts the sectors. Must be called only if no lane straddles two sectors and all sectors lie
/// within 128 GB. Each sector is counted at the first lane that accesses it. Comparing all pairs of
/// lanes is faster than using a set, because each step handles 32 lanes.
u32 count_sectors_without_straddling(const u64* addresses) {
    u32 sectors[kLanes], is_repeated[kLanes] = {};
    for (int l = 0; l < kLanes; ++l)
        sectors[l] =
            static_cast<u32>((addresses[l] >> kSectorShift) - (addresses[0] >> kSectorShift));
    for (u32 earlier_lane = 0; earlier_lane < kLanes - 1; ++earlier_lane) {
        const u32 sector = sectors[earlier_lane];
        for (u32 l = 0; l < kLanes; ++l)
            is_repeated[l] |=
                static_cast<u32>(sectors[l] == sector) & static_cast<u32>(l > earlier_lane);
    }
    u32 distinct_count = kLanes;
    for (const u32 repeated : is_repeated) distinct_count -= repeated;
    return distinct_count;
}

/// Copies the addresses to `filled_addresses`. An inactive lane gets the address of the nearest
/// active lane below it, or above it if no lane below it is active. This changes neither the set of
/// addresses nor their order.
template <class T>
void fill_inactive_lanes(const T* addresses, Mask active, int lane_count, T* filled_addresses) {
    T last_address = addresses[std::countr_zero(active)];
    for (int l = 0; l < lane_count; ++l) {
        last_address = (active >> l & 1) ? addresses[l] : last_address;
        filled_addresses[l] = last_address;
    }
}

/// Returns the largest number of distinct words in any bank, by counting word by word.
u32 count_words_in_busiest_bank(const u32* addresses, u32 bytes, int lane_count) {
    NumberSet seen_sectors;
    u8 words_per_bank[kBanks] = {};
    u8 max_words = 0;
    for (int l = 0; l < lane_count; ++l) {
        const UnitRange lane_range = make_unit_range(addresses[l], bytes, kWordShift);
        for (u64 word = lane_range.first; word <= lane_range.last; ++word) {
            if (seen_sectors.insert(word))
                max_words = std::max(max_words, ++words_per_bank[word % kBanks]);
        }
    }
    return max_words;
}

/// Returns the number of wavefronts in a pass of `kLaneCount` lanes, or 0 if the pass is not
/// regular. A unit is the size of one lane's access: 4, 8 or 16 bytes, for a `shift` of 2, 3 or 4.
/// Measured in units, shared memory has `kLaneCount` banks that are one unit wide, and the same
/// rule for conflicts applies.
template <u32 kLaneCount>
u32 count_regular_pass(const u32* addresses, u32 bytes, u32 shift) {
    u32 lowest_unit = ~0u, highest_unit = 0, used_banks = 0, stride_deviation = 0,
        combined_addresses = 0;
    const u32 stride = addresses[1] - addresses[0];
    for (u32 l = 0; l < kLaneCount; ++l) {
        const u32 unit = addresses[l] >> shift;
        lowest_unit = std::min(lowest_unit, unit);
        highest_unit = std::max(highest_unit, unit);
        used_banks |= 1u << (unit % kLaneCount);
        stride_deviation |= addresses[l] ^ (addresses[0] + l * stride);
        combined_addresses |= addresses[l];
    }
    if (combined_addresses % bytes != 0) return 0;          // misaligned
    if (highest_unit - lowest_unit < kLaneCount) return 1;  // within one row of banks
    if (std::popcount(used_banks) == static_cast<int>(kLaneCount))
        return 1;  // each bank exactly once
    if (stride_deviation == 0 && stride % (1u << shift) == 0) {
        // The lanes access kLaneCount different units, which lie in every 2^k-th bank.
        return std::min(kLaneCount, 1u << std::countr_zero(stride >> shift));
    }
    return 0;
}

/// Returns the number of wavefronts in a pass. All lanes must have an address (see
/// fill_inactive_lanes).
u32 count_pass_wavefronts(const u32* addresses, u32 bytes, u32 shift, int lane_count) {
    u32 wavefront_count = 0;
    switch (lane_count) {
        case 32: wavefront_count = count_regular_pass<32>(addresses, bytes, shift); break;
        case 16: wavefront_count = count_regular_pass<16>(addresses, bytes, shift); break;
        case 8: wavefront_count = count_regular_pass<8>(addresses, bytes, shift); break;
        default: break;
    }
    return wavefront_count ? wavefront_count
                           : count_words_in_busiest_bank(addresses, bytes, lane_count);
}

/// Reports whether lanes `l` and `l ^ distance` have the same address, for every such pair of
/// active lanes.
bool do_pairs_share_address(const u32* addresses, Mask active, int distance) {
    u32 address_difference = 0;
    for (int l = 0; l < kLanes; ++l) {
        const int partner_lane = l ^ distance;
        const u32 both_active = (active >> l & active >> partner_lane & 1) ? kAllLanes : 0;
        address_difference |= (addresses[l] ^ addresses[partner_lane]) & both_active;
    }
    return address_difference == 0;
}

// ---- atomics ----

/// Returns the first active lane at each address.
Mask find_first_at_each_address(const u64* addresses, Mask active) {
    Mask first_lanes = 0;
    for (Mask remaining_lanes = active; remaining_lanes; remaining_lanes &= remaining_lanes - 1) {
        const u64 address = addresses[std::countr_zero(remaining_lanes)];
        bool is_new = true;
        for (Mask earlier_lanes = first_lanes; earlier_lanes && is_new;
             earlier_lanes &= earlier_lanes - 1)
            is_new = addresses[std::countr_zero(earlier_lanes)] != address;
        if (is_new) first_lanes |= remaining_lanes & -remaining_lanes;
    }
    return first_lanes;
}

constexpr u32 kAtomicUnits = 4, kLineBytes = 128;

/// Returns the index of the L1 cache unit that serves the line of this address. Each of the two
/// bits of the index is the parity of some address bits. (Found by measuring 750 random reductions
/// on an H200. Of 256 candidate hashes, only this one fits.)
u32 find_atomic_unit(u64 address) {
    constexpr u64 low_bit_mask = 0x15a80, high_bit_mask = 0xed00;
    const int low_parity = std::popcount(address & low_bit_mask) & 1,
              high_parity = std::popcount(address & high_bit_mask) & 1;
    return static_cast<u32>(2 * high_parity + low_parity);
}

/// Simulates one pass of a cache unit over a line. Removes from `lanes` the lanes that the pass
/// serves, and returns the number of sectors that they access.
u32 serve_cache_line(const u64* addresses, u32 bytes, Mask& lanes) {
    const u64 line = addresses[std::countr_zero(lanes)] / kLineBytes;
    u64 occupied_positions =
        0;  // occupied positions in the line, in units of 2 bytes (the smallest atomic)
    u32 sectors = 0;
    for (const int lane : LaneRange{lanes}) {
        const u64 offset = addresses[lane] % kLineBytes, position_bit = u64{1} << offset / 2;
        const bool is_free = (occupied_positions & position_bit) == 0;
        occupied_positions |= position_bit;
        if (!is_free || addresses[lane] / kLineBytes != line) continue;
        const u64 last_sector = (offset + bytes - 1) / (1u << kSectorShift);
        sectors |= 1u << (offset >> kSectorShift) | 1u << last_sector;
        lanes &= ~(1u << lane);
    }
    return static_cast<u32>(std::popcount(sectors));
}

bool are_all_equal(const u64* addresses, Mask active) {
    const u64 first_address = addresses[std::countr_zero(active)];
    for (Mask remaining_lanes = active; remaining_lanes; remaining_lanes &= remaining_lanes - 1)
        if (addresses[std::countr_zero(remaining_lanes)] != first_address) return false;
    return true;
}

/// Returns the number of lanes that access the busiest bank.
u32 count_lanes_in_busiest_bank(const u32* addresses, u32 bytes, Mask active) {
    u32 lanes_per_bank[kBanks] = {};
    u32 max_lanes = 0;
    for (Mask remaining_lanes = active; remaining_lanes; remaining_lanes &= remaining_lanes - 1) {
        const u32 address = addresses[std::countr_zero(remaining_lanes)];
        const u32 last_word = (address + bytes - 1) / kWordBytes;
        for (u32 word = address / kWordBytes; word <= last_word; ++word)
            max_lanes = std::max(max_lanes, ++lanes_per_bank[word % kBanks]);
    }
    return max_lanes;
}

}  // namespace

u32 count_sectors(const u64* addresses, u32 bytes_per_lane, Mask active) {
    if (active == 0) return 0;
    alignas(64) u64 filled_addresses[kLanes];
    if (active != kAllLanes) {
        fill_inactive_lanes(addresses, active, kLanes, filled_addresses);
        addresses = filled_addresses;
    }
    // If no lane straddles two sectors and the sector numbers never decrease from lane to lane,
    // each increase is a new sector.
    u64 any_straddles = 0, any_decreases = 0;
    u64 change_count = 0;
    for (int l = 0; l < kLanes; ++l) {
        any_straddles |= (addresses[l] ^ (addresses[l] + bytes_per_lane - 1)) >> kSectorShift;
    }
    for (int l = 1; l < kLanes; ++l) {
        const u64 previous_sector = addresses[l - 1] >> kSectorShift,
                  current_sector = addresses[l] >> kSectorShift;
        any_decreases |= current_sector < previous_sector;
        change_count += current_sector != previous_sector;
    }
    if ((any_straddles | any_decreases) == 0) return static_cast<u32>(change_count) + 1;
    u64 any_distant = 0;
    for (int l = 0; l < kLanes; ++l)
        any_distant |=
            ((addresses[l] >> kSectorShift) - (addresses[0] >> kSectorShift) + (u64{1} << 31)) >>
            32;
    return (any_straddles | any_distant) == 0
               ? count_sectors_without_straddling(addresses)
               : count_sectors_with_set(addresses, bytes_per_lane, kAllLanes);
}

Wavefronts count_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                            SharedAccessKind kind) {
    const u32 width = std::max(bytes_per_lane, kWordBytes);
    const u32 shift = static_cast<u32>(std::countr_zero(width));
    int lane_count = static_cast<int>(std::max(1u, kBanks * kWordBytes / width));
    const bool has_double_passes = kind == SharedAccessKind::load && width > kWordBytes &&
                                   (do_pairs_share_address(addresses, active, 1) ||
                                    do_pairs_share_address(addresses, active, 2));
    if (has_double_passes) lane_count *= 2;
    const Mask full_pass = kAllLanes >> (kLanes - lane_count);

    Wavefronts result;
    alignas(64) u32 filled_addresses[kLanes];
    for (int first_lane = 0; first_lane < kLanes; first_lane += lane_count) {
        const Mask lanes = active >> first_lane & full_pass;
        if (lanes == 0) continue;
        const u32* pass_addresses = addresses + first_lane;
        if (lanes != full_pass) {
            fill_inactive_lanes(pass_addresses, lanes, lane_count, filled_addresses);
            pass_addresses = filled_addresses;
        }
        ++result.ideal_count;
        result.wavefront_count +=
            has_double_passes
                ? count_words_in_busiest_bank(pass_addresses, bytes_per_lane, lane_count)
                : count_pass_wavefronts(pass_addresses, bytes_per_lane, shift, lane_count);
    }
    return result;
}

u32 count_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active) {
    if (active == 0) return 0;
    // If all lanes have the same address, each lane needs its own pass.
    if (are_all_equal(addresses, active))
        return static_cast<u32>(std::popcount(active)) *
               count_sectors(addresses, bytes_per_lane, active & -active);
    Mask lanes_of_unit[kAtomicUnits] = {};
    for (const int lane : LaneRange{active})
        lanes_of_unit[find_atomic_unit(addresses[lane])] |= 1u << lane;
    u32 sectors = 0;
    for (Mask lanes : lanes_of_unit)
        while (lanes) sectors += serve_cache_line(addresses, bytes_per_lane, lanes);
    return sectors;
}

u32 count_remote_atomic_sectors(const u64* addresses, u32 bytes_per_lane, Mask active) {
    u32 sectors = 0;
    while (active) {
        const Mask pass_lanes = find_first_at_each_address(addresses, active);
        sectors += count_sectors(addresses, bytes_per_lane, pass_lanes);
        active &= ~pass_lanes;
    }
    return sectors;
}

Wavefronts count_atomic_wavefronts(const u32* addresses, u32 bytes_per_lane, Mask active,
                                   bool is_compare_and_swap) {
    const u32 width = std::max(bytes_per_lane, kWordBytes);
    const u32 lanes_per_pass = std::max(1u, kBanks * kWordBytes / width);
    const Mask full_pass = kAllLanes >> (kLanes - lanes_per_pass);
    const u32 wavefronts_per_pass = is_compare_and_swap ? 2 : 1;
    Wavefronts result;
    for (u32 first_lane = 0; first_lane < kLanes; first_lane += lanes_per_pass) {
        const Mask pass_lanes = active & (full_pass << first_lane);
        if (pass_lanes == 0) continue;
        result.ideal_count += wavefronts_per_pass;
        result.wavefront_count += wavefronts_per_pass * count_lanes_in_busiest_bank(
                                                            addresses, bytes_per_lane, pass_lanes);
    }
    return result;
}

Mask find_first_lanes_of_banks(const u32* addresses, u32 bytes_per_lane, Mask active) {
    const u32 width = std::max(bytes_per_lane, kWordBytes),
              lanes_per_pass = kBanks * kWordBytes / width;
    const Mask full_pass = kAllLanes >> (kLanes - lanes_per_pass);
    Mask first_lanes = 0;
    for (u32 begin = 0; begin < kLanes; begin += lanes_per_pass) {
        u32 used_banks = 0;
        for (const int lane : LaneRange{active & (full_pass << begin)}) {
            const u32 bank_bit = 1u << addresses[lane] / width % lanes_per_pass;
            if (!(used_banks & bank_bit)) first_lanes |= 1u << lane;
            used_banks |= bank_bit;
        }
    }
    return first_lanes;
}

SiteCounters& SiteCounters::operator+=(const SiteCounters& other) {
    requests += other.requests;
    sectors += other.sectors;
    useful_bytes += other.useful_bytes;
    shared_requests += other.shared_requests;
    wavefronts += other.wavefronts;
    ideal_wavefronts += other.ideal_wavefronts;
    remote_requests += other.remote_requests;
    remote_sectors += other.remote_sectors;
    remote_useful_bytes += other.remote_useful_bytes;
    wait_count += other.wait_count;
    bytes_in_flight += other.bytes_in_flight;
    loop_load_requests += other.loop_load_requests;
    loop_load_wavefronts += other.loop_load_wavefronts;
    ideal_loop_load_wavefronts += other.ideal_loop_load_wavefronts;
    variable_requests += other.variable_requests;
    variable_sectors += other.variable_sectors;
    polls += other.polls;
    repeated_polls += other.repeated_polls;
    return *this;
}

}  // namespace coalesce::simulator

// Chooses the addresses of device memory (see device_memory.h).
#include "simulator/memory/device_memory.h"

#include <iterator>

namespace coalesce::simulator {
namespace {

/// Mixes the bits of a number, so that changing one bit changes about half of the result's bits.
u64 scramble(u64 number) {
    number = (number ^ number >> 30) * 0xbf58'476d'1ce4'e5b9;
    number = (number ^ number >> 27) * 0x94d0'49bb'1331'11eb;
    return number ^ number >> 31;
}

/// The address ranges in which drivers place device memory on different systems. Linux drivers use
/// the ranges in which the system places mappings (with 28 or 32 random bits). Drivers for Windows
/// and WSL use low addresses.
struct ReservedRegion {
    u64 begin, end;
};
constexpr ReservedRegion kRegions[] = {
    {0x7f00'0000'0000, 0x7f90'0000'0000},
    {0x7000'0000'0000, 0x7f00'0000'0000},
    {0x0008'0000'0000, 0x0040'0000'0000},
};
/// The alignment of the start of device memory in bytes. It must be a multiple of every slot size,
/// and of the memory that one page of shadow covers.
constexpr u64 kMemoryAlignment = 8 << 20;
/// The minimum distance in bytes between the address windows and device memory.
constexpr u64 kMinWindowDistance = 64 << 20;
/// The total size of all address windows in bytes.
constexpr u64 kAllWindowsBytes = 4 * kWindowStride;

}  // namespace

AddressMap draw_address_map(u64 seed, u64 range) {
    const ReservedRegion& region = kRegions[scramble(seed) % std::size(kRegions)];
    const u64 place_count = (region.end - region.begin) / kMemoryAlignment;
    AddressMap map;
    map.device_begin = region.begin + scramble(seed + 1) % place_count * kMemoryAlignment;
    const u64 distance =
        kMinWindowDistance + scramble(seed + 2) % kWindowStride / kWindowBytes * kWindowBytes;
    const bool is_before = scramble(seed + 4) % 2 == 0;
    map.first_window = is_before ? map.device_begin - kAllWindowsBytes - distance
                                 : map.device_begin + range + distance;
    map.first_window -= map.first_window % kWindowBytes;
    map.scatter_seed = scramble(seed + 3) | 1;
    return map;
}

u64 scatter_offset(u64 serial) {
    constexpr u64 kAlign = 512;
    if (current_address_map.scatter_seed == 0) return 0;
    return scramble(current_address_map.scatter_seed + serial) % (kMaxScatterBytes / kAlign) *
           kAlign;
}

}  // namespace coalesce::simulator

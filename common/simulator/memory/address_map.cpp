// Where kernels see memory, when that is drawn: see device_memory.h.
#include "simulator/memory/device_memory.h"

#include <iterator>

namespace coalesce::simulator {
namespace {

/// Every bit of the number changes half of the bits.
u64 mixed(u64 number) {
    number = (number ^ number >> 30) * 0xbf58'476d'1ce4'e5b9;
    number = (number ^ number >> 27) * 0x94d0'49bb'1331'11eb;
    return number ^ number >> 31;
}

/// Device pointers are in one of these, by the system: a driver takes addresses where the system puts mappings
/// (Linux with 28 random bits, with 32 of them), or low ones (Windows, WSL).
struct Region {
    u64 begin, end;
};
constexpr Region kRegions[] = {
    {0x7f00'0000'0000, 0x7f90'0000'0000},
    {0x7000'0000'0000, 0x7f00'0000'0000},
    {0x0008'0000'0000, 0x0040'0000'0000},
};
/// Where memory begins: slots of pages, and pages of shadow, must fit.
constexpr u64 kMemoryAlign = 8 << 20;
/// How far the windows are from the memory at least.
constexpr u64 kBetween = 64 << 20;
/// All windows together.
constexpr u64 kWindows = 4 * kWindowStride;

}  // namespace

AddressMap drawn_map(u64 seed, u64 range) {
    const Region& region = kRegions[mixed(seed) % std::size(kRegions)];
    const u64 places = (region.end - region.begin) / kMemoryAlign;
    AddressMap map;
    map.device = region.begin + mixed(seed + 1) % places * kMemoryAlign;
    const u64 distance = kBetween + mixed(seed + 2) % kWindowStride / kWindowBytes * kWindowBytes;
    const bool is_before = mixed(seed + 4) % 2 == 0;
    map.windows = is_before ? map.device - kWindows - distance : map.device + range + distance;
    map.windows -= map.windows % kWindowBytes;
    map.scatter = mixed(seed + 3) | 1;
    return map;
}

u64 scattered(u64 serial) {
    constexpr u64 kAlign = 512;
    if (address_map.scatter == 0) return 0;
    return mixed(address_map.scatter + serial) % (kMostScatter / kAlign) * kAlign;
}

}  // namespace coalesce::simulator

// The simulated device's memory: allocations, their bytes, and what has been written.
//
// Addresses   A device pointer lies in [device_base(), device_base() + range). The host cannot
//             dereference it: those pages are reserved and fault. The bytes live elsewhere in this
//             process ("storage"), at a fixed distance. Managed and pinned memory lies in a second
//             part of the same range whose storage is at the address itself, so both sides see it.
//             The range is several times the capacity: addresses of freed memory rest a while
//             before they are used again, so that a late access is seen to be one.
// Shadow      One byte for every 4-byte word says which of its 4 bytes have been written (bits
//             0-3), and which by the host, whose copies have no gaps (bits 4-7; what a kernel writes
//             there later may leave them). A word's own byte, so that two workers that
//             write neighbouring words never disturb each other.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "simulator/base/types.h"

namespace coalesce::simulator {

#ifdef __EMSCRIPTEN__
/// Pointers have 32 bits, and WebAssembly's memory ends here.
inline constexpr u64 kDeviceBase = 0x8000'0000ull;
#else
/// Not where AddressSanitizer keeps its heap, so that host code may be built with it.
inline constexpr u64 kDeviceBase = 0x0000'5000'0000'0000ull;
#endif

/// Where kernels see memory.
struct AddressMap {
    u64 device = kDeviceBase;  ///< its first address
    /// Generic addresses of shared memory; those of local memory, parameters and functions are a stride further
    /// each. As on a GPU the low 24 bits are the address within the space, and those above are not 0.
    u64 windows = 0x0000'7a00'5100'0000ull;
    u64 scatter =
        0;  ///< decides where in its slot a small allocation begins; 0: where the slot does
};
/// Of this process. DeviceMemory::draw_addresses changes it.
inline AddressMap address_map;
/// One of the places where GPUs show `range` bytes of memory, by a number.
AddressMap drawn_map(u64 seed, u64 range);
/// How far behind its slot's beginning a small allocation begins: less than kMostScatter.
inline constexpr u64 kMostScatter = 16 << 10;
u64 scattered(u64 serial);

inline u64 device_base() {
    return address_map.device;
}

/// No allocation reaches these windows.
inline constexpr u64 kWindowBytes = u64{1} << 24, kWindowStride = u64{1} << 32;
/// Of shared memory: a window for each block that a cluster may have, and for wrong ranks.
inline constexpr u64 kSharedWindowBytes = 256 * kWindowBytes;
inline u64 shared_window() {
    return address_map.windows;
}
inline u64 local_window() {
    return address_map.windows + kWindowStride;
}
inline u64 param_window() {
    return address_map.windows + 2 * kWindowStride;
}
/// Function pointers: an index of the module's functions, times 16.
inline u64 function_window() {
    return address_map.windows + 3 * kWindowStride;
}

/// Behind an allocation lie addresses that belong to nobody. Many, so that an index that is off by whole
/// rows is seen, and does not read what lies in the next allocation.
inline constexpr u64 kWideGap = 2 << 20, kNarrowGap = 16 << 10;
/// Few where there are so many allocations that wide gaps would take a quarter of all addresses.
inline u64 gap_behind(std::size_t allocations, u64 addresses) {
    return allocations < addresses / (4 * kWideGap) ? kWideGap : kNarrowGap;
}

enum class AllocationKind : u8 { device, managed, pinned, registered, variable, constant, array };

struct Allocation {
    u64 begin = 1, end = 0;      ///< device addresses, end exclusive
    std::ptrdiff_t to_host = 0;  ///< device address + to_host = address of the byte in this process
    bool has_shadow = true;      ///< false: memory the host writes as well, which counts as written
    AllocationKind kind = AllocationKind::device;
    u64 serial = 0;    ///< 1, 2, ... in order of allocation
    std::string name;  ///< of a variable

    bool contains(u64 address, u64 bytes) const {
        return address >= begin && address + bytes <= end && address + bytes >= address;
    }
};

/// The live allocations, sorted by address: what a launch works with.
struct AllocationTable {
    std::vector<Allocation> live;
    std::vector<Allocation> freed;                 ///< the most recent ones, for "use after free"
    u64 range_end = 0;                             ///< device addresses end here
    const Allocation* find(u64 address) const;     ///< the one that contains `address`, or nullptr
    const Allocation* nearest(u64 address) const;  ///< the closest one, for messages
    const Allocation* find_freed(u64 address) const;
};

class DeviceMemory {
public:
    explicit DeviceMemory(u64 capacity_bytes);
    ~DeviceMemory();

    /// 0 when the device's memory is exhausted. Alignment 512, as on hardware.
    u64 allocate(u64 bytes, AllocationKind kind = AllocationKind::device, std::string name = {});
    /// Memory of the host that kernels may use at its own address (cudaHostRegister).
    bool register_host(void* pointer, u64 bytes);
    bool unregister_host(void* pointer);
    bool free(u64 begin);

    /// Snapshot for a launch; cheap when nothing changed since the last one.
    std::shared_ptr<const AllocationTable> table() const;

    /// The live allocation that contains `address`.
    std::optional<Allocation> find(u64 address) const;

    /// The host's view of [address, address + bytes) if that lies inside one allocation.
    u8* host_view(u64 address, u64 bytes) const;
    bool is_device_range(u64 address) const { return address - device_base() < range_; }

    /// Shadow byte of the word at `address` (which must lie in the device range).
    u8* shadow(u64 address) const { return shadow_ + ((address - device_base()) >> 2); }
    void mark_written(u64 address, u64 bytes) { set_shadow(address, bytes, 0x0f); }
    void mark_written_by_host(u64 address, u64 bytes) { set_shadow(address, bytes, 0xff); }
    void copy_written(u64 to, u64 from, u64 bytes);  ///< cudaMemcpy device to device
    void mark_unwritten(u64 address, u64 bytes);
    /// ... the bytes whose bits are set, by a kernel, while others may mark others.
    void mark_bytes_unwritten(u64 address, u32 bytes);
    bool is_written(u64 address) const { return *shadow(address) >> (address & 3) & 1; }
    bool is_written_by_host(u64 address) const { return *shadow(address) >> (address & 3) & 0x10; }
    /// Bit k: byte k of these (32 at most) was not written.
    u32 unwritten_bytes(u64 address, u32 bytes) const;

    /// "1536 bytes into an allocation of 4096 bytes", for the handler of a fault: takes no lock
    /// that is held. False when it cannot tell.
    bool try_describe_address(u64 address, char* text, std::size_t size) const;

    u64 capacity() const { return capacity_; }
    u64 range() const { return range_; }  ///< bytes of device addresses, from device_base()
    u64 bytes_in_use() const;

    /// Draws another address_map: who runs a kernel is not to be known by its pointers. False, and nothing is
    /// changed, when there are allocations. Managed and pinned memory cannot be had afterwards, since the host
    /// sees it at the same address.
    bool draw_addresses(u64 seed);

    DeviceMemory(const DeviceMemory&) = delete;

private:
    std::optional<AddressMap> moved_to(u64 seed) const;
    /// Managed, pinned and registered memory has no shadow to keep.
    bool has_shadow(u64 address) const;
    /// `whole`: the bits that a word gets of which all bytes are meant.
    void set_shadow(u64 address, u64 bytes, u8 whole);
    static void clear_shadow(u8* begin, u64 words);

    u64 capacity_;
    u64 range_ = 0;  ///< bytes of addresses, managed and pinned part included
    u8* storage_ = nullptr;
    u8* shadow_ = nullptr;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace coalesce::simulator

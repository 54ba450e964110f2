// The simulated device's memory: allocations, their bytes, and what has been written.
//
// Addresses   A device pointer lies in [kDeviceBase, kDeviceBase + range). The host cannot
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

#include "base/types.h"

namespace coalesce::sim {

#ifdef __EMSCRIPTEN__
/// Pointers have 32 bits, and WebAssembly's memory ends here.
inline constexpr u64 kDeviceBase = 0x8000'0000ull;
#else
/// Not where AddressSanitizer keeps its heap, so that host code may be built with it.
inline constexpr u64 kDeviceBase = 0x0000'5000'0000'0000ull;
#endif

/// Generic addresses of shared, local and parameter memory: each has a window of its own, that no
/// allocation reaches. The low 32 bits are the address within the space.
inline constexpr u64 kSharedWindow = 0x0000'7a00'0000'0000ull;
inline constexpr u64 kLocalWindow = 0x0000'7b00'0000'0000ull;
inline constexpr u64 kParamWindow = 0x0000'7c00'0000'0000ull;

enum class AllocationKind : u8 { device, managed, pinned, registered, variable, constant };

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
    u64 range_end = kSharedWindow;                 ///< device addresses end here
    const Allocation* find(u64 address) const;     ///< the one that contains `address`, or nullptr
    const Allocation* nearest(u64 address) const;  ///< the closest one, for messages
    const Allocation* find_freed(u64 address) const;
};

class DeviceMemory {
public:
    explicit DeviceMemory(u64 capacity_bytes);
    ~DeviceMemory();

    /// 0 when the device's memory is exhausted. Alignment 512, as on hardware; a guard gap lies
    /// between allocations, so that an overrun never lands in the next one.
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
    bool is_device_range(u64 address) const { return address - kDeviceBase < range_; }

    /// Shadow byte of the word at `address` (which must lie in the device range).
    u8* shadow(u64 address) const { return shadow_ + ((address - kDeviceBase) >> 2); }
    void mark_written(u64 address, u64 bytes);
    void mark_written_by_host(u64 address, u64 bytes);
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
    u64 range() const { return range_; }  ///< bytes of device addresses, from kDeviceBase
    u64 bytes_in_use() const;

    DeviceMemory(const DeviceMemory&) = delete;

private:
    /// Managed, pinned and registered memory has no shadow to keep.
    bool has_shadow(u64 address) const;
    static void clear_shadow(u8* begin, u64 words);

    u64 capacity_;
    u64 range_ = 0;  ///< bytes of addresses, managed and pinned part included
    u8* storage_ = nullptr;
    u8* shadow_ = nullptr;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace coalesce::sim

// The memory of the simulated device: allocations, their contents, and a record of the initialized
// bytes.
//
// Addresses   A device pointer is in [device_base(), device_base() + range). The host cannot
//             dereference a device pointer, because every access by the host to these addresses
//             causes a fault. The bytes are elsewhere in the process ("storage"), at a fixed
//             distance. Managed and pinned memory is in a second part of the range. In this part,
//             the storage has the same address as the device pointer, so that the host can access
//             this memory too. The range is several times as large as the device's memory, because
//             addresses of freed memory are not reused for a while, so that late accesses are
//             detected.
// Shadow      Each 4-byte word has one byte of shadow. Bits 0-3 mark the bytes of the word that are
//             initialized. Bits 4-7 mark the bytes that the host has initialized. They may stay set
//             when a kernel writes the bytes later. Since each word has its own byte of shadow, two
//             workers that write adjacent words never interfere.
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
/// The default start of device memory. On WebAssembly, pointers have 32 bits, and host memory ends
/// below this address.
inline constexpr u64 kDeviceBase = 0x8000'0000ull;
#else
/// The default start of device memory. AddressSanitizer does not use these addresses for its heap,
/// so host code may be built with AddressSanitizer.
inline constexpr u64 kDeviceBase = 0x0000'5000'0000'0000ull;
#endif

/// The start addresses of device memory and of the generic windows, as kernels see them.
struct AddressMap {
    u64 device_begin = kDeviceBase;  ///< the first device address
    /// The first generic address of shared memory. The windows of local memory, parameters and
    /// functions follow at intervals of kWindowStride. As on a GPU, the low 24 bits of a generic
    /// address are the address within the state space, and the higher bits are not 0.
    u64 first_window = 0x0000'7a00'5100'0000ull;
    /// The seed for the offsets of small allocations. An allocation begins at its offset within the
    /// interval that is reserved for it. If the seed is 0, all offsets are 0.
    u64 scatter_seed = 0;
};
/// The address map of this process. DeviceMemory::draw_addresses changes it.
inline AddressMap current_address_map;
/// Returns an address map that is possible on a GPU and that has room for `range` device addresses.
/// `seed` selects the map.
AddressMap draw_address_map(u64 seed, u64 range);
/// The exclusive upper bound, in bytes, of the offsets that scatter_offset() returns for small
/// allocations.
inline constexpr u64 kMaxScatterBytes = 16 << 10;
u64 scatter_offset(u64 serial);

inline u64 device_base() {
    return current_address_map.device_begin;
}

/// The size of an address window (see AddressMap::first_window), and the distance between the
/// starts of two windows, in bytes. No allocation overlaps a window.
inline constexpr u64 kWindowBytes = u64{1} << 24, kWindowStride = u64{1} << 32;
/// The total size in bytes of the 256 windows of shared memory, one for each rank in a cluster. A
/// cluster has fewer than 256 blocks, so an address with an invalid rank is still in one of these
/// windows.
inline constexpr u64 kSharedWindowBytes = 256 * kWindowBytes;
inline u64 shared_window() {
    return current_address_map.first_window;
}
inline u64 local_window() {
    return current_address_map.first_window + kWindowStride;
}
/// The size in bytes of each thread's part of the local window. It is larger than any thread's
/// local memory.
inline constexpr u64 kLocalBytesPerThread = u64{1} << 20;
inline u64 param_window() {
    return current_address_map.first_window + 2 * kWindowStride;
}
/// Returns the start of the window of addresses for function pointers. The offset of a function's
/// pointer in the window is 16 times the index of the function in its module.
inline u64 function_window() {
    return current_address_map.first_window + 3 * kWindowStride;
}

/// The size in bytes of the gap of unused addresses after an allocation. The gap is normally wide,
/// so that an index that is off by a few rows hits the gap instead of the next allocation, and the
/// access is detected.
inline constexpr u64 kWideGapBytes = 2 << 20, kNarrowGapBytes = 16 << 10;
/// Returns the size of the gap after an allocation. Gaps are narrow if there are so many
/// allocations that wide gaps would use a quarter of all addresses.
inline u64 choose_gap(std::size_t allocations, u64 addresses) {
    return allocations < addresses / (4 * kWideGapBytes) ? kWideGapBytes : kNarrowGapBytes;
}

enum class AllocationKind : u8 { device, managed, pinned, registered, variable, constant, array };

struct Allocation {
    u64 begin = 1, end = 0;  ///< the device addresses [begin, end) of the allocation
    /// The difference between the address of a byte in this process and the device address of the
    /// byte.
    std::ptrdiff_t host_offset = 0;
    /// False for memory to which the host can write directly. All bytes of such memory count as
    /// initialized.
    bool has_shadow = true;
    AllocationKind kind = AllocationKind::device;
    u64 serial = 0;    ///< the allocation's number in the order of allocation, starting at 1
    std::string name;  ///< the variable's name, or empty for other allocations
    /// The device that the memory belongs to, or kAllDevices if every device can access it.
    int device = kAllDevices;
    static constexpr int kAllDevices = -1;

    bool contains(u64 address, u64 bytes) const {
        return address >= begin && address + bytes <= end && address + bytes >= address;
    }
};

/// The allocations at the time of a launch, sorted by address.
struct AllocationTable {
    std::vector<Allocation> live_allocations;
    /// The most recently freed allocations, which are needed to report a "use after free".
    std::vector<Allocation> freed_allocations;
    /// The allocations on devices whose memory the launch cannot access. `live_allocations` does
    /// not contain these allocations.
    std::vector<Allocation> allocations_of_other_devices;
    u64 range_end = 0;  ///< the end of the device addresses, exclusive
    /// Returns the allocation that contains `address`, or nullptr if there is none.
    const Allocation* find(u64 address) const;
    const Allocation* find_nearest(
        u64 address) const;  ///< returns the allocation closest to `address`
    const Allocation* find_freed(u64 address) const;
};

class DeviceMemory {
public:
    explicit DeviceMemory(u64 capacity_bytes);
    ~DeviceMemory();

    /// Allocates memory, aligned to 512 bytes as on hardware. Returns 0 if the device's memory is
    /// exhausted.
    u64 allocate(u64 bytes, AllocationKind kind = AllocationKind::device, std::string name = {});
    /// Registers host memory that kernels may use at its own address (cudaHostRegister). Returns
    /// false if the range is invalid or overlaps an existing allocation.
    bool register_host(void* pointer, u64 bytes);
    bool unregister_host(void* pointer);
    bool free(u64 begin);
    /// Assigns the allocation to `device`. Other devices can access the allocation only if they
    /// have enabled access to `device`.
    void set_device(u64 begin, int device);

    /// Returns a snapshot of the allocations for a launch. The call is fast if nothing has changed
    /// since the last snapshot.
    std::shared_ptr<const AllocationTable> allocation_table() const;
    /// Like allocation_table(), but the live allocations of the snapshot are only those on the
    /// devices in the mask `accessible_devices`.
    std::shared_ptr<const AllocationTable> allocation_table_for(u64 accessible_devices) const;

    /// Returns the allocation that contains `address`, or nothing if there is none.
    std::optional<Allocation> find(u64 address) const;

    /// Returns the host pointer to [address, address + bytes), or nullptr if the range is not
    /// within a single allocation.
    u8* host_view(u64 address, u64 bytes) const;
    bool is_device_range(u64 address) const { return address - device_base() < range_bytes_; }

    /// Returns the shadow byte of the word at `address`, which must be in the device's range.
    u8* shadow(u64 address) const { return shadow_ + ((address - device_base()) >> 2); }
    void mark_written(u64 address, u64 bytes) { set_shadow(address, bytes, 0x0f); }
    void mark_written_by_host(u64 address, u64 bytes) { set_shadow(address, bytes, 0xff); }
    /// Copies the shadow of `bytes` bytes at `source` to `destination`, for a copy within the
    /// device.
    void copy_shadow(u64 destination, u64 source, u64 bytes);
    void mark_unwritten(u64 address, u64 bytes);
    /// Marks bytes as uninitialized, on behalf of a kernel: bit k of `bytes` selects the byte at
    /// `address` + k. Other threads may mark other bytes at the same time.
    void mark_bytes_unwritten(u64 address, u32 bytes);
    bool is_written(u64 address) const { return *shadow(address) >> (address & 3) & 1; }
    bool is_written_by_host(u64 address) const { return *shadow(address) >> (address & 3) & 0x10; }
    /// Returns a mask of the uninitialized bytes in [address, address + bytes). `bytes` is at most
    /// 32.
    u32 unwritten_bytes(u64 address, u32 bytes) const;

    /// Describes an address in `text`, for example as "1536 bytes into an allocation of 4096
    /// bytes". Never waits for a lock, because a fault handler calls this function. Returns false
    /// if the address cannot be described.
    bool try_describe_address(u64 address, char* text, std::size_t size) const;

    u64 capacity() const { return capacity_; }
    /// The size in bytes of the range of device addresses, including managed and pinned memory.
    u64 range_bytes() const { return range_bytes_; }
    u64 bytes_in_use() const;

    /// Chooses a different current_address_map, so that a kernel cannot tell from its pointers that
    /// it is simulated. Afterwards, managed and pinned memory cannot be allocated. Returns false,
    /// and changes nothing, if there are allocations.
    bool draw_addresses(u64 seed);

    DeviceMemory(const DeviceMemory&) = delete;

private:
    std::optional<AddressMap> reserve_elsewhere(u64 seed) const;
    /// Reports whether the memory at an address has a shadow. Managed, pinned and registered memory
    /// has none.
    bool has_shadow(u64 address) const;
    /// Sets the shadow bits for a range of bytes. `fill_byte` is the new shadow byte of a word that
    /// is entirely in the range.
    void set_shadow(u64 address, u64 bytes, u8 fill_byte);
    static void clear_shadow(u8* begin, u64 words);

    u64 capacity_;
    /// The size in bytes of the range of device addresses, including managed and pinned memory.
    u64 range_bytes_ = 0;
    u8* storage_ = nullptr;
    u8* shadow_ = nullptr;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace coalesce::simulator

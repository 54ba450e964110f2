// The functions that every kernel may call without defining them: vprintf, __assertfail, malloc,
// free, cudaGraphSetConditional.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "simulator/code/width.h"
#include "simulator/execute/warp.h"
#include "simulator/memory/address_zone.h"

namespace coalesce::simulator {

struct Launch;
class DeviceMemory;

struct DeviceCall {
    const char* name;
    Handler run = nullptr;
    /// Op::d; Op::has_destination is false if the call ignores the result.
    Width result = Width::none;
    /// The arguments in order: Op::a, b, c, v[0], v[1].
    Width argument[5] = {Width::none, Width::none, Width::none, Width::none, Width::none};
    bool order_sensitive = true;
    /// Whether DeviceHeap::prepare must be called before the launch's AllocationTable is taken.
    bool needs_heap = false;
};

/// Finds "vprintf", "malloc" and so on. Returns nullptr for any other name.
const DeviceCall* find_device_call(const std::string& name);

/// malloc and free in kernels: one allocation of device memory that is divided into pieces. It
/// exists as long as the process, as on hardware.
class DeviceHeap {
public:
    static DeviceHeap& instance();

    /// Call this before every launch that uses the heap. Allocates the heap the first time. Returns
    /// false if there is not enough device memory.
    bool prepare(DeviceMemory& memory);
    /// cudaLimitMallocHeapSize. Returns false and changes nothing if the heap is in use.
    bool set_size(u64 bytes);
    u64 size() const { return size_; }

    u64 allocate(u64 bytes);  ///< returns the device address, or 0
    /// Returns the number of bytes; 0: not the start of an allocated piece.
    u64 free(u64 address);

private:
    bool is_reserved() const { return zone_.whole().size() != 0; }

    std::mutex mutex_;
    /// Memory that was freed since the start of the launch is reused only if nothing else is left.
    /// So one thread's old memory and another's new memory are not the same bytes for the race
    /// checks, and a use after free finds uninitialized bytes.
    AddressZone zone_{Interval{}};
    std::map<u64, u64> live_;  ///< by start address: the number of bytes
    u64 size_ = 8u << 20;
};

}  // namespace coalesce::simulator

// The functions that every kernel may call without anybody having written them: vprintf,
// __assertfail, malloc, free, cudaGraphSetConditional.
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
    Width result = Width::none;  ///< Op::d; Op::has_destination = false when the call drops it
    /// Arguments in order: Op::a, b, c, v[0], v[1].
    Width argument[5] = {Width::none, Width::none, Width::none, Width::none, Width::none};
    bool order_sensitive = true;
    bool needs_heap =
        false;  ///< call DeviceHeap::prepare before the launch's AllocationTable is taken
};

/// "vprintf", "malloc" ...; nullptr for any other name.
const DeviceCall* find_device_call(const std::string& name);

/// malloc and free in kernels: one allocation of device memory, handed out in pieces. Lives as long
/// as the process, as on hardware.
class DeviceHeap {
public:
    static DeviceHeap& instance();

    /// Before every launch that uses it: reserves the heap the first time. False when device memory
    /// is exhausted.
    bool prepare(DeviceMemory& memory);
    /// cudaLimitMallocHeapSize; false: the heap is in use, and remains as it is.
    bool set_size(u64 bytes);
    u64 size() const { return size_; }

    u64 allocate(u64 bytes);  ///< device address, or 0
    u64 free(u64 address);    ///< bytes that it had; 0: not the start of a live piece

private:
    bool is_reserved() const { return zone_.whole().size() != 0; }

    std::mutex mutex_;
    /// What was freed since the launch began is given out again only when nothing else is left, so that one
    /// thread's old memory and another's new memory are not the same bytes for the race checks, and
    /// a use after free meets bytes that nobody has written.
    AddressZone zone_{Interval{}};
    std::map<u64, u64> live_;  ///< begin -> bytes
    u64 size_ = 8u << 20;
};

}  // namespace coalesce::simulator

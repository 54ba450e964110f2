// The functions that every kernel may call without anybody having written them: vprintf,
// __assertfail, malloc, free, cudaGraphSetConditional.
#pragma once

#include <string>

#include "code/width.h"
#include "execute/warp.h"

namespace coalesce::sim {

struct Launch;
class DeviceMemory;

struct DeviceCall {
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
    /// cudaLimitMallocHeapSize; only before the first prepare.
    bool set_size(u64 bytes);
    u64 size() const { return size_; }

    /// Forgets the heap: device memory has been given back (cudaDeviceReset).
    void reset();

    u64 allocate(u64 bytes);  ///< device address, or 0
    u64 free(u64 address);    ///< bytes that it had; 0: not the start of a live piece
    bool owns(u64 address) const { return base_ && address - base_ < size_; }

private:
    struct State;
    State& state();
    u64 base_ = 0;
    u64 size_ = 8u << 20;
};

}  // namespace coalesce::sim

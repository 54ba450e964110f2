// CUDA's own device functions, which any kernel may call although the program does not define them:
// vprintf, __assertfail, malloc, free and cudaGraphSetConditional.
#pragma once

#include <atomic>
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
    /// The width of the result in Op::d, or Width::none if the function has no result.
    /// Op::has_destination is false if a call ignores the result.
    Width result_width = Width::none;
    /// The widths of the arguments, which are passed in Op::a, b, c, v[0] and v[1].
    Width argument_widths[5] = {Width::none, Width::none, Width::none, Width::none, Width::none};
    bool is_order_sensitive = true;
    /// True if the function uses the heap. DeviceHeap::prepare_for_launch must then be called
    /// before the launch's AllocationTable is created.
    bool needs_heap = false;
};

/// Finds a function by name, such as "vprintf" or "malloc". Returns nullptr for any other name.
const DeviceCall* find_device_call(const std::string& name);

/// Returns the counter of printf calls. A call by several lanes of a warp counts once.
std::atomic<u64>& printf_call_count();

/// The heap from which kernels allocate with malloc: a single allocation of device memory, divided
/// into pieces. As on hardware, the heap exists until the process ends.
class DeviceHeap {
public:
    static DeviceHeap& instance();

    /// Allocates the heap on the first call. Must be called before every launch that uses the heap.
    /// Returns false if there is not enough device memory.
    bool prepare_for_launch(DeviceMemory& memory);
    /// Sets the size of the heap (cudaLimitMallocHeapSize). Returns false and changes nothing if
    /// the heap is in use.
    bool set_size(u64 bytes);
    u64 size() const { return heap_bytes_; }

    /// The thread that called free(), and the line of the call.
    struct FreeCall {
        Dim3 block, thread;
        Place free_place;
        /// The number of the launch in which free() was called. Only launches that use the heap are
        /// numbered.
        u64 launch = 0;
    };

    u64 allocate(u64 bytes);  ///< returns the device address, or 0 if the heap is full
    /// Frees the allocated piece that starts at the address, and returns its size. Returns 0 if
    /// there is no such piece.
    u64 free_block(u64 address, FreeCall free_call);

    bool contains(u64 address) const { return is_reserved() && zone_.contains(address); }
    /// Returns the allocated piece that contains the address, or an empty interval. Takes no lock,
    /// because a launch whose kernel allocates or frees memory runs on only one worker.
    Interval find_allocation(u64 address) const;
    /// Returns the freed piece that contains the address, or an empty interval.
    Interval find_freed_piece(u64 address) const;
    /// Returns the call of free() that freed a piece. `begin` must come from find_freed_piece().
    const FreeCall& find_free_call(u64 begin) const { return free_calls_.at(begin); }
    /// Reports whether free() was called in the current launch.
    bool is_freed_by_this_launch(const FreeCall& free_call) const {
        return free_call.launch == launches_;
    }
    /// Returns the last allocated piece that starts at or below the address, or an empty interval
    /// if there is none.
    Interval find_piece_below(u64 address) const;

private:
    /// The requested size of each piece in bytes, keyed by address.
    using Pieces = std::map<u64, u64>;
    static Interval find_piece_below(const Pieces& pieces, u64 address);
    static Interval find_piece_in(const Pieces& pieces, u64 address);
    bool is_reserved() const { return zone_.zone().size() != 0; }

    std::mutex mutex_;
    /// The free memory of the heap. Memory that was freed in the current launch is reused only if
    /// no other memory is left, because reuse could confuse the race checks, and could hide a use
    /// after free.
    AddressZone zone_{Interval{}};
    /// The size of the gap between pieces, in bytes. An access just past the end of a piece hits
    /// the gap and is detected.
    static constexpr u64 kGapBytes = 16;
    static u64 rounded_bytes(u64 bytes) { return round_up(bytes, 16) + kGapBytes; }
    /// The allocated pieces, and the freed pieces whose memory has not been reused yet.
    Pieces live_pieces_, freed_pieces_;
    std::map<u64, FreeCall> free_calls_;  ///< has the same keys as `freed_pieces_`
    u64 launches_ = 0;
    u64 heap_bytes_ = 8u << 20;
};

}  // namespace coalesce::simulator

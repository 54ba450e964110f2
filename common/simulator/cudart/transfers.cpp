// See transfers.h.
#include "simulator/cudart/transfers.h"

#include <cstdio>
#include <cstring>

#include "simulator/cudart/api.h"
#include "simulator/cudart/stream_order.h"
#include "simulator/device/device.h"
#include "simulator/execute/device_calls.h"
#include "simulator/memory/host_heap.h"

namespace coalesce::simulator::cudart {

DeviceMemory& memory() {
    return Device::instance().memory();
}

namespace {

/// The source or the destination of a transfer, after its allocation has been looked up.
struct TransferSide {
    u8* host = nullptr;  ///< the address of the first byte in this process
    u64 address = 0;     ///< the address of the first byte as the program sees it
    bool is_device_accessible = false;
};

/// Computes the number of bytes from the first to the last byte of the box. Returns false on
/// overflow.
bool compute_span(const cudaPitchedPtr& place, const cudaExtent& box, u64& span) {
    u64 rows = 0, all = 0;
    if (__builtin_mul_overflow(box.depth - 1, place.ysize, &rows)) return false;
    if (__builtin_add_overflow(rows, box.height - 1, &rows)) return false;
    if (__builtin_mul_overflow(rows, place.pitch, &all)) return false;
    return !__builtin_add_overflow(all, box.width, &span);
}

std::string hexadecimal(u64 address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

[[noreturn]] void refuse_out_of_bounds(const char* role, u64 address, u64 span,
                                       const Allocation& allocation) {
    const u64 past = address + span - allocation.end;
    refuse(std::string(role) + ": " + "the " + std::to_string(span) + " bytes from " +
           hexadecimal(address) + " extend " + std::to_string(past) +
           " bytes past the allocation of " + std::to_string(allocation.end - allocation.begin) +
           " bytes at " + hexadecimal(allocation.begin) + ".");
}

[[noreturn]] void refuse_unallocated(const char* role, u64 address) {
    const auto table = memory().table();
    const Allocation* freed = table->find_freed(address);
    refuse(std::string(role) + ": " + hexadecimal(address) +
           (freed ? " lies in memory that was freed (" + std::to_string(freed->end - freed->begin) +
                        " bytes at " + hexadecimal(freed->begin) + ")."
                  : " is a device address that belongs to no allocation."));
}

/// Fails if the range extends beyond the end of a block allocated by malloc or new. `role` names
/// the range in the message.
void check_host_memory(const char* role, u64 address, u64 span) {
    const Interval block = find_overrun_host_block(address, span);
    if (block.size() == 0) return;
    refuse(std::string("the ") + role + " (" + std::to_string(span) + " bytes at " +
           hexadecimal(address) + ") ends " + std::to_string(address + span - block.end) +
           " bytes past the end of the host memory at " + hexadecimal(block.begin) +
           ", which has only " + std::to_string(block.size()) +
           " bytes. On hardware, such a copy may read or overwrite other data of the program.");
}

/// Looks up one side of a transfer. `role` is "source" or "destination", for messages.
TransferSide find_side(const char* role, const cudaPitchedPtr& place, const cudaExtent& box) {
    u64 span = 0;
    if (!place.ptr) refuse(std::string("the ") + role + " is a null pointer.");
    require(compute_span(place, box, span));
    const u64 address = reinterpret_cast<u64>(place.ptr);
    TransferSide side{.host = reinterpret_cast<u8*>(address), .address = address};
    const auto allocation = memory().find(address);
    if (!allocation) {
        if (memory().is_device_range(address)) refuse_unallocated(role, address);
        check_host_memory(role, address, span);
        return side;
    }
    if (DeviceHeap::instance().contains(address))
        refuse("the " + std::string(role) +
               " is memory from malloc() or new in a kernel, which "
               "only kernels can access: in a kernel, copy the data to memory from cudaMalloc.");
    if (!allocation->contains(address, span)) {
        // The memory after a registered range may still belong to the program, so treat it as host
        // memory.
        if (allocation->kind == AllocationKind::registered) return side;
        refuse_out_of_bounds(role, address, span, *allocation);
    }
    side.host += allocation->to_host;
    side.is_device_accessible = true;
    return side;
}

void check_is_on_device(const char* role, const TransferSide& side) {
    if (side.is_device_accessible) return;
    refuse(std::string("the direction says that the ") + role + " is on the device, but " +
           hexadecimal(side.address) + " is ordinary host memory.");
}

void copy_row(const TransferSide& to, const TransferSide& from, u64 to_offset, u64 from_offset,
              u64 bytes) {
    std::memmove(to.host + to_offset, from.host + from_offset, bytes);
    if (!to.is_device_accessible) return;
    if (from.is_device_accessible) {
        memory().copy_written(to.address + to_offset, from.address + from_offset, bytes);
    } else {
        memory().mark_written_by_host(to.address + to_offset, bytes);
    }
}

void check_kind(cudaMemcpyKind kind) {
    require(kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault,
            cudaErrorInvalidMemcpyDirection);
}

struct TransferSides {
    TransferSide to, from;
};
TransferSides find_sides(const cudaPitchedPtr& to, const cudaPitchedPtr& from,
                         const cudaExtent& box, cudaMemcpyKind kind) {
    const TransferSides sides{find_side("destination", to, box), find_side("source", from, box)};
    const bool in_device = kind == cudaMemcpyDeviceToDevice;
    if (in_device || kind == cudaMemcpyHostToDevice) check_is_on_device("destination", sides.to);
    if (in_device || kind == cudaMemcpyDeviceToHost) check_is_on_device("source", sides.from);
    return sides;
}

TransferSide find_fill_target(const cudaPitchedPtr& to, const cudaExtent& box) {
    const TransferSide side = find_side("destination", to, box);
    check_is_on_device("destination", side);
    return side;
}

void fill_row(u8* row, u64 bytes, unsigned value, unsigned element) {
    if (element == 1) {
        std::memset(row, static_cast<int>(value), bytes);
        return;
    }
    for (u64 at = 0; at + element <= bytes; at += element) std::memcpy(row + at, &value, element);
}

u64 row_offset(const cudaPitchedPtr& place, u64 slice, u64 row) {
    return (slice * place.ysize + row) * place.pitch;
}

/// Adds the bytes that a transfer accesses on one side to the accessed ranges of the current work.
void note_accessed(const TransferSide& side, const cudaPitchedPtr& place, const cudaExtent& box,
                   AccessedRanges::Kind kind) {
    AccessedRanges* const ranges = StreamWork::ranges();
    if (ranges == nullptr || !side.is_device_accessible) return;
    for (u64 slice = 0; slice < box.depth; ++slice) {
        for (u64 row = 0; row < box.height; ++row) {
            const u64 begin = side.address + row_offset(place, slice, row);
            ranges->add(kind, begin, begin + box.width);
        }
    }
}

}  // namespace

void check_copy(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
                cudaMemcpyKind kind) {
    check_kind(kind);
    if (!is_empty(box)) find_sides(to, from, box, kind);
}

void copy(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
          cudaMemcpyKind kind) {
    check_kind(kind);
    if (is_empty(box)) return;
    const TransferSides sides = find_sides(to, from, box, kind);
    note_accessed(sides.to, to, box, AccessedRanges::kWrites);
    note_accessed(sides.from, from, box, AccessedRanges::kReads);
    // A copy to pageable host memory is complete when its call returns.
    if (!sides.to.is_device_accessible) StreamWork::let_host_wait();
    for (u64 slice = 0; slice < box.depth; ++slice) {
        for (u64 row = 0; row < box.height; ++row) {
            copy_row(sides.to, sides.from, row_offset(to, slice, row), row_offset(from, slice, row),
                     box.width);
        }
    }
}

void check_fill(const cudaPitchedPtr& to, const cudaExtent& box) {
    if (!is_empty(box)) find_fill_target(to, box);
}

void fill(const cudaPitchedPtr& to, const cudaExtent& box, unsigned value, unsigned element) {
    if (is_empty(box)) return;
    const TransferSide side = find_fill_target(to, box);
    note_accessed(side, to, box, AccessedRanges::kWrites);
    for (u64 slice = 0; slice < box.depth; ++slice) {
        for (u64 row = 0; row < box.height; ++row) {
            const u64 offset = row_offset(to, slice, row);
            fill_row(side.host + offset, box.width, value, element);
            memory().mark_written_by_host(side.address + offset, box.width);
        }
    }
}

}  // namespace coalesce::simulator::cudart

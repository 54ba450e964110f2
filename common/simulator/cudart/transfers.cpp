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
    u8* host_pointer = nullptr;  ///< the address of the first byte in this process
    u64 address = 0;             ///< the address of the first byte as the program sees it
    bool is_device_accessible = false;
};

/// Computes the number of bytes from the first to the last byte of the box. Returns false on
/// overflow.
bool compute_span(const cudaPitchedPtr& pitched, const cudaExtent& box, u64& byte_span) {
    u64 rows = 0, row_distance = 0;
    if (__builtin_mul_overflow(box.depth - 1, pitched.ysize, &rows)) return false;
    if (__builtin_add_overflow(rows, box.height - 1, &rows)) return false;
    if (__builtin_mul_overflow(rows, pitched.pitch, &row_distance)) return false;
    return !__builtin_add_overflow(row_distance, box.width, &byte_span);
}

std::string format_hexadecimal(u64 address) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

[[noreturn]] void refuse_out_of_bounds(const char* side_name, u64 address, u64 byte_span,
                                       const Allocation& allocation) {
    const u64 excess_bytes = address + byte_span - allocation.end;
    refuse(std::string(side_name) + ": " + "the " + std::to_string(byte_span) + " bytes from " +
           format_hexadecimal(address) + " extend " + std::to_string(excess_bytes) +
           " bytes past the allocation of " + std::to_string(allocation.end - allocation.begin) +
           " bytes at " + format_hexadecimal(allocation.begin) + ".");
}

[[noreturn]] void refuse_unallocated(const char* side_name, u64 address) {
    const auto table = memory().allocation_table();
    const Allocation* freed_allocation = table->find_freed(address);
    refuse(std::string(side_name) + ": " + format_hexadecimal(address) +
           (freed_allocation ? " lies in memory that was freed (" +
                                   std::to_string(freed_allocation->end - freed_allocation->begin) +
                                   " bytes at " + format_hexadecimal(freed_allocation->begin) + ")."
                             : " is a device address that belongs to no allocation."));
}

/// Fails if the range extends beyond the end of a block allocated by malloc or new. `side_name`
/// names the range in the message.
void check_host_memory(const char* side_name, u64 address, u64 byte_span) {
    const Interval host_block = find_overrun_host_block(address, byte_span);
    if (host_block.size() == 0) return;
    refuse(std::string("the ") + side_name + " (" + std::to_string(byte_span) + " bytes at " +
           format_hexadecimal(address) + ") ends " +
           std::to_string(address + byte_span - host_block.end) +
           " bytes past the end of the host memory at " + format_hexadecimal(host_block.begin) +
           ", which has only " + std::to_string(host_block.size()) +
           " bytes. On hardware, such a copy may read or overwrite other data of the program.");
}

/// Looks up one side of a transfer. `side_name` is "source" or "destination", for messages.
TransferSide find_side(const char* side_name, const cudaPitchedPtr& pitched,
                       const cudaExtent& box) {
    u64 byte_span = 0;
    if (!pitched.ptr) refuse(std::string("the ") + side_name + " is a null pointer.");
    require(compute_span(pitched, box, byte_span));
    const u64 address = reinterpret_cast<u64>(pitched.ptr);
    TransferSide transfer_side{.host_pointer = reinterpret_cast<u8*>(address), .address = address};
    const auto allocation = memory().find(address);
    if (!allocation) {
        if (memory().is_device_range(address)) refuse_unallocated(side_name, address);
        check_host_memory(side_name, address, byte_span);
        return transfer_side;
    }
    if (DeviceHeap::instance().contains(address))
        refuse("the " + std::string(side_name) +
               " is memory from malloc() or new in a kernel, which "
               "only kernels can access: in a kernel, copy the data to memory from cudaMalloc.");
    if (!allocation->contains(address, byte_span)) {
        // The memory after a registered range may still belong to the program, so treat it as host
        // memory.
        if (allocation->kind == AllocationKind::registered) return transfer_side;
        refuse_out_of_bounds(side_name, address, byte_span, *allocation);
    }
    transfer_side.host_pointer += allocation->host_offset;
    transfer_side.is_device_accessible = true;
    return transfer_side;
}

void check_is_on_device(const char* side_name, const TransferSide& transfer_side) {
    if (transfer_side.is_device_accessible) return;
    refuse(std::string("the direction says that the ") + side_name + " is on the device, but " +
           format_hexadecimal(transfer_side.address) + " is ordinary host memory.");
}

void copy_row(const TransferSide& to, const TransferSide& from, u64 to_offset, u64 from_offset,
              u64 bytes) {
    std::memmove(to.host_pointer + to_offset, from.host_pointer + from_offset, bytes);
    if (!to.is_device_accessible) return;
    if (from.is_device_accessible) {
        memory().copy_shadow(to.address + to_offset, from.address + from_offset, bytes);
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
    const TransferSides transfer_sides{find_side("destination", to, box),
                                       find_side("source", from, box)};
    const bool is_within_device = kind == cudaMemcpyDeviceToDevice;
    if (is_within_device || kind == cudaMemcpyHostToDevice)
        check_is_on_device("destination", transfer_sides.to);
    if (is_within_device || kind == cudaMemcpyDeviceToHost)
        check_is_on_device("source", transfer_sides.from);
    return transfer_sides;
}

TransferSide find_fill_target(const cudaPitchedPtr& to, const cudaExtent& box) {
    const TransferSide transfer_side = find_side("destination", to, box);
    check_is_on_device("destination", transfer_side);
    return transfer_side;
}

void fill_row(u8* row, u64 bytes, unsigned value, unsigned element_bytes) {
    if (element_bytes == 1) {
        std::memset(row, static_cast<int>(value), bytes);
        return;
    }
    for (u64 at = 0; at + element_bytes <= bytes; at += element_bytes)
        std::memcpy(row + at, &value, element_bytes);
}

u64 row_offset(const cudaPitchedPtr& pitched, u64 slice, u64 row) {
    return (slice * pitched.ysize + row) * pitched.pitch;
}

/// Adds the bytes that a transfer accesses on one side to the accessed ranges of the current work.
void record_accessed_ranges(const TransferSide& transfer_side, const cudaPitchedPtr& pitched,
                            const cudaExtent& box, AccessedRanges::Kind kind) {
    AccessedRanges* const ranges = StreamWork::ranges();
    if (ranges == nullptr || !transfer_side.is_device_accessible) return;
    for (u64 slice = 0; slice < box.depth; ++slice) {
        for (u64 row = 0; row < box.height; ++row) {
            const u64 begin = transfer_side.address + row_offset(pitched, slice, row);
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
    const TransferSides transfer_sides = find_sides(to, from, box, kind);
    record_accessed_ranges(transfer_sides.to, to, box, AccessedRanges::kWrites);
    record_accessed_ranges(transfer_sides.from, from, box, AccessedRanges::kReads);
    // A copy to pageable host memory is complete when its call returns.
    if (!transfer_sides.to.is_device_accessible) StreamWork::record_host_wait();
    for (u64 slice = 0; slice < box.depth; ++slice) {
        for (u64 row = 0; row < box.height; ++row) {
            copy_row(transfer_sides.to, transfer_sides.from, row_offset(to, slice, row),
                     row_offset(from, slice, row), box.width);
        }
    }
}

void check_fill(const cudaPitchedPtr& to, const cudaExtent& box) {
    if (!is_empty(box)) find_fill_target(to, box);
}

void fill(const cudaPitchedPtr& to, const cudaExtent& box, unsigned value, unsigned element_bytes) {
    if (is_empty(box)) return;
    const TransferSide transfer_side = find_fill_target(to, box);
    record_accessed_ranges(transfer_side, to, box, AccessedRanges::kWrites);
    for (u64 slice = 0; slice < box.depth; ++slice) {
        for (u64 row = 0; row < box.height; ++row) {
            const u64 offset = row_offset(to, slice, row);
            fill_row(transfer_side.host_pointer + offset, box.width, value, element_bytes);
            memory().mark_written_by_host(transfer_side.address + offset, box.width);
        }
    }
}

}  // namespace coalesce::simulator::cudart

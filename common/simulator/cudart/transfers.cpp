// See transfers.h.
#include "cudart/transfers.h"

#include <cstdio>
#include <cstring>

#include "cudart/api.h"
#include "device/device.h"

namespace coalesce::sim::cudart {

DeviceMemory& memory() {
    return Device::instance().memory();
}

namespace {

/// One side of a transfer, found.
struct Side {
    u8* host = nullptr;  ///< the first byte, in this process
    u64 address = 0;     ///< the same, as the program names it
    bool reached_by_kernels = false;
};

/// Bytes from the first to the one after the last.
bool span_of(const cudaPitchedPtr& place, const cudaExtent& box, u64& span) {
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

cudaError_t out_of_bounds(const char* role, u64 address, u64 span, const Allocation& allocation) {
    const u64 past = address + span - allocation.end;
    return refuse(std::string(role) + ": " + std::to_string(span) + " bytes from " +
                  hexadecimal(address) + " end " + std::to_string(past) +
                  " bytes past the allocation of " +
                  std::to_string(allocation.end - allocation.begin) + " bytes at " +
                  hexadecimal(allocation.begin) + ".");
}

cudaError_t nobodys(const char* role, u64 address) {
    const auto table = memory().table();
    const Allocation* freed = table->find_freed(address);
    return refuse(std::string(role) + ": " + hexadecimal(address) +
                  (freed ? " lies in memory that was freed (" +
                               std::to_string(freed->end - freed->begin) + " bytes at " +
                               hexadecimal(freed->begin) + ")."
                         : " is a device address that belongs to no allocation."));
}

/// `role` is "source" or "destination", for messages.
cudaError_t find_side(const char* role, const cudaPitchedPtr& place, const cudaExtent& box,
                      Side& side) {
    u64 span = 0;
    if (!place.ptr) return refuse(std::string("the ") + role + " is a null pointer.");
    if (!span_of(place, box, span)) return cudaErrorInvalidValue;
    side.address = reinterpret_cast<u64>(place.ptr);
    side.host = reinterpret_cast<u8*>(side.address);
    const auto allocation = memory().find(side.address);
    if (!allocation) {
        return memory().is_device_range(side.address) ? nobodys(role, side.address) : cudaSuccess;
    }
    if (!allocation->contains(side.address, span)) {
        // The host may well own what follows a range that it registered.
        if (allocation->kind == AllocationKind::registered) return cudaSuccess;
        return out_of_bounds(role, side.address, span, *allocation);
    }
    side.host += allocation->to_host;
    side.reached_by_kernels = true;
    return cudaSuccess;
}

cudaError_t wrong_direction(const char* role, u64 address) {
    return refuse(std::string("the direction says that the ") + role + " is on the device, but " +
                  hexadecimal(address) + " is ordinary host memory.");
}

cudaError_t check_direction(cudaMemcpyKind kind, const Side& to, const Side& from) {
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (to_device && !to.reached_by_kernels) return wrong_direction("destination", to.address);
    if (from_device && !from.reached_by_kernels) return wrong_direction("source", from.address);
    return cudaSuccess;
}

void copy_row(const Side& to, const Side& from, u64 to_offset, u64 from_offset, u64 bytes) {
    std::memmove(to.host + to_offset, from.host + from_offset, bytes);
    if (!to.reached_by_kernels) return;
    if (from.reached_by_kernels) {
        memory().copy_written(to.address + to_offset, from.address + from_offset, bytes);
    } else {
        memory().mark_written_by_host(to.address + to_offset, bytes);
    }
}

cudaError_t check_kind(cudaMemcpyKind kind) {
    const bool known = kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
    return known ? cudaSuccess : cudaErrorInvalidMemcpyDirection;
}

cudaError_t find_sides(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
                       cudaMemcpyKind kind, Side& to_side, Side& from_side) {
    cudaError_t error = check_kind(kind);
    if (error == cudaSuccess) error = find_side("destination", to, box, to_side);
    if (error == cudaSuccess) error = find_side("source", from, box, from_side);
    return error != cudaSuccess ? error : check_direction(kind, to_side, from_side);
}

cudaError_t find_filled(const cudaPitchedPtr& to, const cudaExtent& box, Side& side) {
    if (const cudaError_t error = find_side("destination", to, box, side)) return error;
    return side.reached_by_kernels ? cudaSuccess : wrong_direction("destination", side.address);
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

}  // namespace

cudaError_t check_copy(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
                       cudaMemcpyKind kind) {
    Side to_side, from_side;
    return is_empty(box) ? check_kind(kind) : find_sides(to, from, box, kind, to_side, from_side);
}

cudaError_t copy(const cudaPitchedPtr& to, const cudaPitchedPtr& from, const cudaExtent& box,
                 cudaMemcpyKind kind) {
    if (is_empty(box)) return check_kind(kind);
    Side to_side, from_side;
    if (const cudaError_t error = find_sides(to, from, box, kind, to_side, from_side)) return error;
    for (u64 slice = 0; slice < box.depth; ++slice) {
        for (u64 row = 0; row < box.height; ++row) {
            copy_row(to_side, from_side, row_offset(to, slice, row), row_offset(from, slice, row),
                     box.width);
        }
    }
    return cudaSuccess;
}

cudaError_t check_fill(const cudaPitchedPtr& to, const cudaExtent& box) {
    Side side;
    return is_empty(box) ? cudaSuccess : find_filled(to, box, side);
}

cudaError_t fill(const cudaPitchedPtr& to, const cudaExtent& box, unsigned value,
                 unsigned element) {
    if (is_empty(box)) return cudaSuccess;
    Side side;
    if (const cudaError_t error = find_filled(to, box, side)) return error;
    for (u64 slice = 0; slice < box.depth; ++slice) {
        for (u64 row = 0; row < box.height; ++row) {
            const u64 offset = row_offset(to, slice, row);
            fill_row(side.host + offset, box.width, value, element);
            memory().mark_written_by_host(side.address + offset, box.width);
        }
    }
    return cudaSuccess;
}

}  // namespace coalesce::sim::cudart

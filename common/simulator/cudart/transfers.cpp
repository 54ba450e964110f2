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
bool span_of(const Pitched& place, const Shape& shape, u64& span) {
    u64 rows = 0, all = 0;
    if (__builtin_mul_overflow(shape.depth - 1, place.height, &rows)) return false;
    if (__builtin_add_overflow(rows, shape.height - 1, &rows)) return false;
    if (__builtin_mul_overflow(rows, place.pitch, &all)) return false;
    return !__builtin_add_overflow(all, shape.width, &span);
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
cudaError_t find_side(const char* role, const Pitched& place, const Shape& shape, Side& side) {
    u64 span = 0;
    if (!place.begin) return refuse(std::string("the ") + role + " is a null pointer.");
    if (!span_of(place, shape, span)) return cudaErrorInvalidValue;
    side.address = reinterpret_cast<u64>(place.begin);
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

cudaError_t find_sides(const Pitched& to, const Pitched& from, const Shape& shape,
                       cudaMemcpyKind kind, Side& to_side, Side& from_side) {
    cudaError_t error = check_kind(kind);
    if (error == cudaSuccess) error = find_side("destination", to, shape, to_side);
    if (error == cudaSuccess) error = find_side("source", from, shape, from_side);
    return error != cudaSuccess ? error : check_direction(kind, to_side, from_side);
}

cudaError_t find_filled(const Pitched& to, const Shape& shape, Side& side) {
    if (const cudaError_t error = find_side("destination", to, shape, side)) return error;
    return side.reached_by_kernels ? cudaSuccess : wrong_direction("destination", side.address);
}

void fill_row(u8* row, u64 bytes, unsigned value, unsigned element) {
    if (element == 1) {
        std::memset(row, static_cast<int>(value), bytes);
        return;
    }
    for (u64 at = 0; at + element <= bytes; at += element) std::memcpy(row + at, &value, element);
}

u64 row_offset(const Pitched& place, u64 slice, u64 row) {
    return (slice * place.height + row) * place.pitch;
}

}  // namespace

cudaError_t check_copy(Pitched to, Pitched from, Shape shape, cudaMemcpyKind kind) {
    Side to_side, from_side;
    return shape.empty() ? check_kind(kind) : find_sides(to, from, shape, kind, to_side, from_side);
}

cudaError_t copy(Pitched to, Pitched from, Shape shape, cudaMemcpyKind kind) {
    if (shape.empty()) return check_kind(kind);
    Side to_side, from_side;
    if (const cudaError_t error = find_sides(to, from, shape, kind, to_side, from_side))
        return error;
    for (u64 slice = 0; slice < shape.depth; ++slice) {
        for (u64 row = 0; row < shape.height; ++row) {
            copy_row(to_side, from_side, row_offset(to, slice, row), row_offset(from, slice, row),
                     shape.width);
        }
    }
    return cudaSuccess;
}

cudaError_t copy(void* to, const void* from, u64 bytes, cudaMemcpyKind kind) {
    return copy(Pitched{.begin = to}, Pitched{.begin = from}, Shape{.width = bytes}, kind);
}

cudaError_t check_fill(Pitched to, Shape shape) {
    Side side;
    return shape.empty() ? cudaSuccess : find_filled(to, shape, side);
}

cudaError_t fill(Pitched to, Shape shape, unsigned value, unsigned element) {
    if (shape.empty()) return cudaSuccess;
    Side side;
    if (const cudaError_t error = find_filled(to, shape, side)) return error;
    for (u64 slice = 0; slice < shape.depth; ++slice) {
        for (u64 row = 0; row < shape.height; ++row) {
            const u64 offset = row_offset(to, slice, row);
            fill_row(side.host + offset, shape.width, value, element);
            memory().mark_written_by_host(side.address + offset, shape.width);
        }
    }
    return cudaSuccess;
}

}  // namespace coalesce::sim::cudart

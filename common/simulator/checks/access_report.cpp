// Writes the messages about invalid accesses. See access_report.h.
#include "simulator/checks/access_report.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "base/kernel_name.h"
#include "simulator/memory/host_region.h"
#include "simulator/report/text.h"

namespace coalesce::simulator {

namespace {

/// Addresses below this limit can only come from indexing a null pointer.
constexpr u64 kNullPageBytes = 1 << 16;
/// An access at least this many bytes past the end of an allocation probably comes from an index
/// that has overflowed.
constexpr u64 kOverflowDistancePastEnd = u64{1} << 31;
/// An access at least this many bytes before the beginning of an allocation probably comes from an
/// index that has overflowed. The limit is lower than kOverflowDistancePastEnd, because an int that
/// overflows becomes -2^31 and then increases, whereas an index that is negative by a small mistake
/// stays close to 0.
constexpr u64 kOverflowDistanceBefore = u64{1} << 28;

/// An access within this many bytes of registered memory is assumed to come from an index that ran
/// past the end. Registered memory is surrounded by other host memory, so the cause of an access
/// further away is unknown.
constexpr u64 kMaxDistanceFromRegistered = 4096;

/// Returns the number of bytes between an address and an allocation that does not contain the
/// address.
u64 distance_to_allocation(u64 address, const Allocation& allocation) {
    return address < allocation.begin ? allocation.begin - address : address - allocation.end;
}

const char* format_verb(LaneAccess::Kind kind) {
    switch (kind) {
        case LaneAccess::Kind::read: return "Reads ";
        case LaneAccess::Kind::write: return "Writes ";
        case LaneAccess::Kind::atomic: return "Changes atomically ";
    }
    return "Touches ";
}

std::string format_byte_count(u64 count) {
    return format_with_commas(count) + (count == 1 ? " byte" : " bytes");
}

std::string format_hexadecimal(u64 address) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

std::string quote(const std::string& name) {
    return std::string(1, '\'').append(name).append("'");
}

std::string describe_allocation(const Allocation& allocation) {
    const u64 size = allocation.end - allocation.begin;
    if (!allocation.name.empty())
        return quote(source_variable_name(allocation.name)) + " (" + format_byte_count(size) + ")";
    const char* kind = allocation.kind == AllocationKind::managed      ? "managed "
                       : allocation.kind == AllocationKind::pinned     ? "pinned "
                       : allocation.kind == AllocationKind::registered ? "registered "
                                                                       : "";
    const char* allocation_noun =
        allocation.kind == AllocationKind::array ? "CUDA array of " : "allocation of ";
    return std::string("the ") + kind + allocation_noun + format_byte_count(size) + " (no. " +
           std::to_string(allocation.serial) + ")";
}

Report fill_report(Report report, const char* check, const char* kind, u64 address,
                   std::string message, std::string cure) {
    report.check = check;
    report.kind = kind;
    report.address = address;
    report.message = std::move(message);
    report.cure = std::move(cure);
    return report;
}

/// Returns text such as "12 bytes past its end, 3 elements of 4 bytes".
std::string format_distance(u64 distance, u32 bytes, const char* direction_text) {
    std::string text = format_byte_count(distance) + direction_text;
    if (bytes > 1 && distance >= bytes && distance % bytes == 0) {
        const u64 elements = distance / bytes;
        text += ", " + format_with_commas(elements) +
                (elements == 1 ? " element of " : " elements of ") + format_byte_count(bytes);
    }
    return text;
}

/// Two parts of a message: the location of a bad address, and the remedy for its likely cause.
struct OutsideLocation {
    std::string location_text, cure;
};

/// Describes where [offset, offset + bytes) lies relative to the end of an object of `size` bytes.
OutsideLocation describe_past_end(u64 offset, u32 bytes, u64 size) {
    if (offset < size) {
        const u64 excess_bytes = offset + bytes - size;
        return {"partly inside, but its last " + format_byte_count(excess_bytes) +
                    (excess_bytes == 1 ? " lies" : " lie") + " past the end",
                "The size is not a multiple of " + std::to_string(bytes) +
                    " bytes: handle the last elements one by one, or round the allocation up."};
    }
    if (offset == size) {
        return {"just past the end",
                "Compare the index with < instead of <=, or skip the access in threads that have "
                "no element."};
    }
    const u64 distance = offset - size;
    if (distance >= kOverflowDistancePastEnd) {
        return {format_distance(distance, bytes, " past the end"),
                "The index has probably overflowed: compute it as size_t, and check unsigned "
                "subtractions."};
    }
    return {format_distance(distance, bytes, " past the end"),
            "Compare the index with the number of elements before the access: a grid usually has "
            "more threads than there are elements, and rows may be shorter than the pitch."};
}

OutsideLocation describe_before_begin(u64 distance, u32 bytes) {
    return {format_distance(distance, bytes, " before the beginning"),
            distance >= kOverflowDistanceBefore
                ? "The index has probably overflowed: compute it as size_t, by converting one "
                  "factor before the multiplication, then compare it with the number of elements."
                : "The index is negative for this thread: handle the first elements separately."};
}

/// Reports whether `address` is in or near device memory, and therefore probably comes from an
/// index that ran past the bounds of `nearest`.
bool is_near_device_memory(u64 address, const Allocation* nearest,
                           const AllocationTable& allocations) {
    if (address >= device_base() && address < allocations.range_end) return true;
    if (nearest == nullptr) return false;
    const u64 max_distance = nearest->kind == AllocationKind::registered
                                 ? kMaxDistanceFromRegistered
                                 : kOverflowDistancePastEnd;
    return distance_to_allocation(address, *nearest) < max_distance;
}

/// Describes an address that cannot be in device memory, such as a pointer to host memory.
OutsideLocation describe_outside_device(HostRegion region) {
    const auto describe_host_memory = [](const std::string& owner_text,
                                         const std::string& further_advice) {
        return OutsideLocation{
            ", which is in host memory: " + owner_text +
                ". A kernel cannot access ordinary host memory.",
            "Allocate it with cudaMalloc and copy the data there with cudaMemcpy, or allocate it "
            "with cudaMallocManaged for use by both sides." +
                further_advice};
    };
    switch (region) {
        case HostRegion::heap:
            return describe_host_memory("the heap (malloc, new, std::vector)", "");
        case HostRegion::stack: return describe_host_memory("the stack (a local variable)", "");
        case HostRegion::anonymous:
            return describe_host_memory(
                "the heap (malloc, new, std::vector) or the stack of a thread", "");
        case HostRegion::variable:
            return describe_host_memory(
                "a global variable of the program",
                " For a __device__ variable, use its name in the kernel, or get its "
                "address with cudaGetSymbolAddress.");
        case HostRegion::functions:
            return {
                ", which is in the host's table of virtual functions for this class. An object "
                "points to the table of the side (host or device) that constructed it.",
                "Construct objects with virtual functions in a kernel, with new or placement "
                "new, instead of copying them from the host."};
        case HostRegion::none: break;
    }
    return {", which is in neither device nor host memory.",
            "Either the pointer was never set, or the index has overflowed: print the pointer and "
            "the index."};
}

}  // namespace

std::string source_variable_name(const std::string& ptx_name) {
    const std::string name = demangled(ptx_name);
    // Keep only the last component of the name: "tile" for a variable whose demangled name is
    // "kernel(float*, int)::tile".
    const std::size_t last_colon = name.rfind("::");
    return last_colon == std::string::npos ? name : name.substr(last_colon + 2);
}

std::string describe_address(u64 address, const AllocationTable& allocations) {
    const Allocation* allocation = allocations.find(address);
    if (allocation == nullptr) return "address " + format_hexadecimal(address);
    return "byte " + format_with_commas(address - allocation->begin) + " of " +
           describe_allocation(*allocation);
}

Report describe_global_violation(Report report, const LaneAccess& access,
                                 const AllocationTable& allocations, bool calls_malloc,
                                 const Allocation* intended_allocation) {
    const u64 address = access.address;
    const std::string access_text = format_verb(access.kind) + format_byte_count(access.bytes) +
                                    " at " + format_hexadecimal(address);
    const auto report_out_of_bounds = [&](const std::string& location_text,
                                          const std::string& cure) {
        return fill_report(std::move(report), "memcheck", "out of bounds", address,
                           access_text + location_text, cure);
    };

    if (address < kNullPageBytes) {
        return report_out_of_bounds(
            address == 0 ? ": a null pointer."
                         : ": a null pointer, plus " + format_byte_count(address) + ".",
            calls_malloc
                ? "Check that malloc() in the kernel did not return null. To enlarge the heap, "
                  "call cudaDeviceSetLimit with cudaLimitMallocHeapSize."
                : "Check that cudaMalloc succeeded, and that this pointer was passed to the "
                  "kernel.");
    }
    if (const Allocation* freed_allocation = allocations.find_freed(address)) {
        return fill_report(
            std::move(report), "memcheck", "use after free", address,
            access_text + ": byte " + format_with_commas(address - freed_allocation->begin) +
                " of " + describe_allocation(*freed_allocation) + ", which has been freed.",
            std::string(freed_allocation->kind == AllocationKind::array ? "Call cudaFreeArray"
                                                                        : "Call cudaFree") +
                " after the last kernel that uses the memory.");
    }
    if (address >= shared_window() && address < param_window() + kWindowBytes) {
        return report_out_of_bounds(
            ", which is an address in the shared, local or parameter memory of a block or thread.",
            "Blocks and threads can exchange only pointers to global memory.");
    }
    for (const Allocation& other : allocations.allocations_of_other_devices) {
        if (!other.contains(address, 1)) continue;
        const std::string device = std::to_string(other.device);
        return fill_report(
            std::move(report), "memcheck", "no peer access", address,
            access_text + ", in " + describe_allocation(other) + " of device " + device +
                ", to which the device of this kernel has no access.",
            "Before the launch, call cudaDeviceEnablePeerAccess(" + device +
                ", 0) on the kernel's device, or allocate the memory on that device.");
    }
    const Allocation* nearest =
        intended_allocation ? intended_allocation : allocations.find_nearest(address);
    if (!intended_allocation && !is_near_device_memory(address, nearest, allocations)) {
        const OutsideLocation host_location = describe_outside_device(find_host_region(address));
        return report_out_of_bounds(host_location.location_text, host_location.cure);
    }
    if (nearest == nullptr) {
        return report_out_of_bounds(", but no device memory is allocated.",
                                    "Allocate it with cudaMalloc before the launch.");
    }
    const OutsideLocation location =
        address < nearest->begin ? describe_before_begin(nearest->begin - address, access.bytes)
                                 : describe_past_end(address - nearest->begin, access.bytes,
                                                     nearest->end - nearest->begin);
    return report_out_of_bounds(
        ", which is " + location.location_text + " of " + describe_allocation(*nearest) + ".",
        location.cure);
}

Report describe_shared_violation(Report report, const LaneAccess& access, u32 static_bytes,
                                 u32 dynamic_bytes,
                                 const std::vector<VariablePlacement>& variables) {
    const u32 size = static_bytes + dynamic_bytes;
    const u64 end = access.address + access.bytes;
    std::string text = format_verb(access.kind) + format_byte_count(access.bytes) + " at byte " +
                       format_with_commas(access.address) + " of shared memory; the block has " +
                       format_byte_count(size);
    if (dynamic_bytes > 0 && static_bytes > 0) {
        text += " (" + format_with_commas(static_bytes) + " static and " +
                format_with_commas(dynamic_bytes) + " dynamic)";
    }
    text += ".";
    const auto last_variable =
        std::max_element(variables.begin(), variables.end(),
                         [](const auto& a, const auto& b) { return a.offset < b.offset; });
    if (last_variable != variables.end() && dynamic_bytes == 0 && last_variable->bytes > 0 &&
        access.address >= last_variable->offset) {
        const u64 offset = access.address - last_variable->offset;
        text += " That is " +
                describe_past_end(offset, access.bytes, last_variable->bytes).location_text +
                " of " + quote(source_variable_name(last_variable->name)) + " (" +
                format_byte_count(last_variable->bytes) + ").";
    }
    std::string cure;
    if (access.address >= kOverflowDistancePastEnd) {
        cure = "The index is negative, or has overflowed: check how it is computed.";
    } else if (access.address >= kWindowBytes) {
        cure = "This address is not in shared memory: is the variable declared __shared__?";
    } else if (size == 0) {
        cure =
            "Pass the size of the dynamic shared memory as the third launch parameter: at least " +
            format_with_commas(end) + " bytes.";
    } else if (dynamic_bytes > 0) {
        cure = "Raise the launch's third parameter to at least " +
               format_with_commas(end - static_bytes) + " bytes, or check the index.";
    } else {
        cure = "Check the index against every dimension of the array, padding included.";
    }
    return fill_report(std::move(report), "memcheck", "out of bounds", access.address, text, cure);
}

Report describe_other_allocation(Report report, const LaneAccess& access,
                                 const Allocation& intended_allocation,
                                 const Allocation& found_allocation) {
    const bool is_before = access.address < intended_allocation.begin;
    const u64 distance = distance_to_allocation(access.address, intended_allocation);
    const OutsideLocation location =
        is_before ? describe_before_begin(distance, access.bytes)
                  : describe_past_end(access.address - intended_allocation.begin, access.bytes,
                                      intended_allocation.end - intended_allocation.begin);
    return fill_report(std::move(report), "memcheck", "out of bounds", access.address,
                       format_verb(access.kind) + format_byte_count(access.bytes) + " of " +
                           describe_allocation(found_allocation) + " through a pointer to " +
                           describe_allocation(intended_allocation) + ": " +
                           location.location_text + ".",
                       location.cure);
}

Report describe_heap_violation(Report report, const LaneAccess& access, u64 freed_bytes,
                               Interval preceding_allocation, bool was_freed_by_other) {
    const std::string access_text = format_verb(access.kind) + format_byte_count(access.bytes) +
                                    " at " + format_hexadecimal(access.address);
    if (freed_bytes > 0)
        return fill_report(std::move(report), "memcheck", "use after free", access.address,
                           access_text + ", in a block of " + format_byte_count(freed_bytes) +
                               " that malloc() allocated in a kernel, and that has been freed.",
                           was_freed_by_other
                               ? "Make all threads that access this memory reach a barrier "
                                 "(__syncthreads()) before one thread calls free()."
                               : "Call free() only after the last access.");
    if (preceding_allocation.size() == 0)
        return fill_report(
            std::move(report), "memcheck", "out of bounds", access.address,
            access_text +
                ", in the device heap (malloc() in kernels), but outside of all allocations.",
            "Use only pointers that malloc() or new has returned.");
    const OutsideLocation location = describe_past_end(access.address - preceding_allocation.begin,
                                                       access.bytes, preceding_allocation.size());
    return fill_report(std::move(report), "memcheck", "out of bounds", access.address,
                       access_text + ", which is " + location.location_text + " of the block of " +
                           format_byte_count(preceding_allocation.size()) +
                           " that malloc() allocated in a kernel.",
                       "Request count * sizeof(element) bytes from malloc(), and compare the index "
                       "with the count.");
}

Report describe_local_violation(Report report, const LaneAccess& access, u64 local_bytes) {
    return fill_report(
        std::move(report), "memcheck", "out of bounds", access.address,
        format_verb(access.kind) + format_byte_count(access.bytes) + " at byte " +
            format_with_commas(access.address & 0xffff'ffffull) +
            " of the thread's local memory, which has " + format_byte_count(local_bytes) + ".",
        "Check the index into the local array; very deep recursion also causes this report.");
}

Report describe_foreign_local(Report report, bool is_store, Dim3 owner) {
    return fill_report(std::move(report), "memcheck", "another thread's variable", 0,
                       std::string(is_store ? "Writes" : "Reads") +
                           " through a pointer to a local variable of thread " +
                           format_index(owner) +
                           ". Local memory belongs to one thread: on hardware, the same address "
                           "refers to one of the accessing thread's own variables.",
                       "Pass the values to other threads through shared memory or with a shuffle.");
}

Report describe_misaligned(Report report, const LaneAccess& access, ptx::StateSpace space,
                           const AllocationTable* allocations) {
    std::string location_text;
    if (space == ptx::StateSpace::shared) {
        location_text = "byte " + format_with_commas(access.address) + " of shared memory";
    } else if (space == ptx::StateSpace::local) {
        location_text = "byte " + format_with_commas(access.address) + " of local memory";
    } else {
        location_text = allocations != nullptr ? describe_address(access.address, *allocations)
                                               : "address " + format_hexadecimal(access.address);
    }
    const std::string size = std::to_string(access.bytes);
    return fill_report(
        std::move(report), "memcheck", "misaligned", access.address,
        format_verb(access.kind) + size + " bytes at " + location_text + ", " +
            format_byte_count(access.address % access.bytes) + " past a multiple of " + size + ".",
        access.bytes > 8 ? "A 16-byte access to floats needs an index divisible by 4 in every row: "
                           "pad the pitch, "
                           "or handle the first elements one by one."
                         : "An access of " + size + " bytes needs an address divisible by " + size +
                               ": check the offset and the pitch before casting the pointer.");
}

namespace {

/// Returns text such as "of which the last 3 were never written".
std::string format_unwritten_bytes(const LaneAccess& access) {
    const u32 accessed_bytes = access.bytes < 32 ? (1u << access.bytes) - 1 : ~0u;
    const u32 unwritten_mask = access.unwritten_mask & accessed_bytes;
    if (unwritten_mask == accessed_bytes) return "none of which was ever written";
    const int first_byte = std::countr_zero(unwritten_mask);
    const int byte_count = std::countr_one(unwritten_mask >> (first_byte & 31));
    if (unwritten_mask == 0 || byte_count != std::popcount(unwritten_mask))
        return "of which some were never written";
    if (byte_count == 1)
        return "of which byte " + std::to_string(first_byte) + " was never written";
    if (first_byte == 0)
        return "of which the first " + std::to_string(byte_count) + " were never written";
    if (static_cast<u32>(first_byte + byte_count) == access.bytes)
        return "of which the last " + std::to_string(byte_count) + " were never written";
    return "of which bytes " + std::to_string(first_byte) + " to " +
           std::to_string(first_byte + byte_count - 1) + " were never written";
}

/// Returns a hint about padding if only some of the bytes are uninitialized, and "" otherwise.
std::string format_padding_hint(const LaneAccess& access) {
    const u32 accessed_bytes = access.bytes < 32 ? (1u << access.bytes) - 1 : ~0u;
    if (access.unwritten_mask == 0 || (access.unwritten_mask & accessed_bytes) == accessed_bytes)
        return "";
    return " Bytes between the members of a struct may be copied, but no result may depend on "
           "them: compare and hash structs member by member.";
}

}  // namespace

Report describe_uninitialised_global(Report report, const LaneAccess& access,
                                     const AllocationTable& allocations) {
    return fill_report(
        std::move(report), "initcheck", "uninitialised global read", access.address,
        format_verb(access.kind) + format_byte_count(access.bytes) + " at " +
            describe_address(access.address, allocations) + ", " + format_unwritten_bytes(access) +
            ".",
        "Fill the memory first, with cudaMemcpy, cudaMemset, or a kernel that writes all of it." +
            format_padding_hint(access));
}

Report describe_uninitialised_local(Report report, const LaneAccess& access) {
    return fill_report(
        std::move(report), "initcheck", "uninitialised local read", access.address,
        format_verb(access.kind) + format_byte_count(access.bytes) + " at byte " +
            format_with_commas(access.address) +
            " of the thread's local memory (its arrays and structs), " +
            format_unwritten_bytes(access) + " by this thread.",
        "Initialize the array or struct where it is declared, for example int a[16] = {}, or write "
        "every element before it is read." +
            format_padding_hint(access));
}

Report describe_uninitialised_shared(Report report, const LaneAccess& access) {
    return fill_report(std::move(report), "initcheck", "uninitialised shared read", access.address,
                       format_verb(access.kind) + format_byte_count(access.bytes) + " at byte " +
                           format_with_commas(access.address) + " of shared memory, " +
                           format_unwritten_bytes(access) + " by this block.",
                       "Write every element before it is read, including at ragged edges: shared "
                       "memory initially contains data from an earlier block." +
                           format_padding_hint(access));
}

}  // namespace coalesce::simulator

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
constexpr u64 kNullPage = 1 << 16;
/// An access at least this many bytes past the end of an allocation probably comes from an index
/// that has overflowed.
constexpr u64 kFarOutside = u64{1} << 31;
/// An access at least this many bytes before the beginning of an allocation probably comes from an
/// index that has overflowed. The limit is lower than kFarOutside, because an int that overflows
/// begins at -2^31 and goes up from there, whereas an index that is negative on purpose stays close
/// to 0.
constexpr u64 kFarBefore = u64{1} << 28;

/// An access within this many bytes of registered memory is assumed to come from an index that ran
/// past the end. Registered memory is surrounded by other host memory, so the cause of an access
/// further away is unknown.
constexpr u64 kNearRegistered = 4096;

/// Returns the number of bytes between an address and an allocation that does not contain the
/// address.
u64 distance_to(u64 address, const Allocation& allocation) {
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
    return with_commas(count) + (count == 1 ? " byte" : " bytes");
}

std::string format_hexadecimal(u64 address) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

std::string quote(const std::string& name) {
    return std::string(1, '\'').append(name).append("'");
}

std::string name_of(const Allocation& allocation) {
    const u64 size = allocation.end - allocation.begin;
    if (!allocation.name.empty())
        return quote(variable_name(allocation.name)) + " (" + format_byte_count(size) + ")";
    const char* kind = allocation.kind == AllocationKind::managed      ? "managed "
                       : allocation.kind == AllocationKind::pinned     ? "pinned "
                       : allocation.kind == AllocationKind::registered ? "registered "
                                                                       : "";
    const char* what =
        allocation.kind == AllocationKind::array ? "CUDA array of " : "allocation of ";
    return std::string("the ") + kind + what + format_byte_count(size) + " (no. " +
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
std::string format_distance(u64 distance_to, u32 bytes, const char* beyond) {
    std::string text = format_byte_count(distance_to) + beyond;
    if (bytes > 1 && distance_to >= bytes && distance_to % bytes == 0) {
        const u64 elements = distance_to / bytes;
        text += ", " + with_commas(elements) + (elements == 1 ? " element of " : " elements of ") +
                format_byte_count(bytes);
    }
    return text;
}

/// Two parts of a message: the location of a bad address, and the remedy for its likely cause.
struct OutsideLocation {
    std::string where, cure;
};

/// Describes where [offset, offset + bytes) lies relative to the end of an object of `size` bytes.
OutsideLocation describe_past_end(u64 offset, u32 bytes, u64 size) {
    if (offset < size) {
        const u64 over = offset + bytes - size;
        return {"partly inside, but its last " + format_byte_count(over) +
                    (over == 1 ? " lies" : " lie") + " past the end",
                "The size is not a multiple of " + std::to_string(bytes) +
                    " bytes: handle the last elements one by one, or round the allocation up."};
    }
    if (offset == size) {
        return {"just past the end",
                "Compare the index with < instead of <=, or skip the access in threads that have "
                "no element."};
    }
    const u64 distance_to = offset - size;
    if (distance_to >= kFarOutside) {
        return {format_distance(distance_to, bytes, " past the end"),
                "The index has probably overflowed: compute it as size_t, and check unsigned "
                "subtractions."};
    }
    return {format_distance(distance_to, bytes, " past the end"),
            "Compare the index with the number of elements before the access: a grid usually has "
            "more threads than there are elements, and rows may be shorter than the pitch."};
}

OutsideLocation describe_before_begin(u64 distance_to, u32 bytes) {
    return {format_distance(distance_to, bytes, " before the beginning"),
            distance_to >= kFarBefore
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
    const u64 near = nearest->kind == AllocationKind::registered ? kNearRegistered : kFarOutside;
    return distance_to(address, *nearest) < near;
}

/// Describes an address that cannot be in device memory, such as a pointer to host memory.
OutsideLocation describe_outside_device(HostRegion region) {
    const auto host = [](const std::string& whose, const std::string& more) {
        return OutsideLocation{
            ", which is in host memory: " + whose +
                ". A kernel cannot access ordinary host memory.",
            "Allocate it with cudaMalloc and copy the data there with cudaMemcpy, or allocate it "
            "with cudaMallocManaged for use by both sides." +
                more};
    };
    switch (region) {
        case HostRegion::heap: return host("the heap (malloc, new, std::vector)", "");
        case HostRegion::stack: return host("the stack (a local variable)", "");
        case HostRegion::anonymous:
            return host("the heap (malloc, new, std::vector) or the stack of a thread", "");
        case HostRegion::variable:
            return host("a global variable of the program",
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

std::string variable_name(const std::string& ptx_name) {
    const std::string name = demangled(ptx_name);
    // Keep only the last component of the name: "tile" for a variable whose demangled name is
    // "kernel(float*, int)::tile".
    const std::size_t colon = name.rfind("::");
    return colon == std::string::npos ? name : name.substr(colon + 2);
}

std::string describe_address(u64 address, const AllocationTable& allocations) {
    const Allocation* allocation = allocations.find(address);
    if (allocation == nullptr) return "address " + format_hexadecimal(address);
    return "byte " + with_commas(address - allocation->begin) + " of " + name_of(*allocation);
}

Report describe_bad_global(Report report, const LaneAccess& access,
                           const AllocationTable& allocations, bool calls_malloc,
                           const Allocation* intended) {
    const u64 address = access.address;
    const std::string what = format_verb(access.kind) + format_byte_count(access.bytes) + " at " +
                             format_hexadecimal(address);
    const auto out_of_bounds = [&](const std::string& where, const std::string& cure) {
        return fill_report(std::move(report), "memcheck", "out of bounds", address, what + where,
                           cure);
    };

    if (address < kNullPage) {
        return out_of_bounds(
            address == 0 ? ": a null pointer."
                         : ": a null pointer, plus " + format_byte_count(address) + ".",
            calls_malloc
                ? "Check that malloc() in the kernel did not return null. To enlarge the heap, "
                  "call cudaDeviceSetLimit with cudaLimitMallocHeapSize."
                : "Check that cudaMalloc succeeded, and that this pointer was passed to the "
                  "kernel.");
    }
    if (const Allocation* freed = allocations.find_freed(address)) {
        return fill_report(std::move(report), "memcheck", "use after free", address,
                           what + ": byte " + with_commas(address - freed->begin) + " of " +
                               name_of(*freed) + ", which has been freed.",
                           std::string(freed->kind == AllocationKind::array ? "Call cudaFreeArray"
                                                                            : "Call cudaFree") +
                               " after the last kernel that uses the memory.");
    }
    if (address >= shared_window() && address < param_window() + kWindowBytes) {
        return out_of_bounds(
            ", which is an address in the shared, local or parameter memory of a block or thread.",
            "Blocks and threads can exchange only pointers to global memory.");
    }
    for (const Allocation& other : allocations.of_other_devices) {
        if (!other.contains(address, 1)) continue;
        const std::string device = std::to_string(other.device);
        return fill_report(
            std::move(report), "memcheck", "no peer access", address,
            what + ", in " + name_of(other) + " of device " + device +
                ", to which the device of this kernel has no access.",
            "Before the launch, call cudaDeviceEnablePeerAccess(" + device +
                ", 0) on the kernel's device, or allocate the memory on that device.");
    }
    const Allocation* nearest = intended ? intended : allocations.nearest(address);
    if (!intended && !is_near_device_memory(address, nearest, allocations)) {
        const OutsideLocation elsewhere = describe_outside_device(host_region(address));
        return out_of_bounds(elsewhere.where, elsewhere.cure);
    }
    if (nearest == nullptr) {
        return out_of_bounds(", but no device memory is allocated.",
                             "Allocate it with cudaMalloc before the launch.");
    }
    const OutsideLocation outside =
        address < nearest->begin ? describe_before_begin(nearest->begin - address, access.bytes)
                                 : describe_past_end(address - nearest->begin, access.bytes,
                                                     nearest->end - nearest->begin);
    return out_of_bounds(", which is " + outside.where + " of " + name_of(*nearest) + ".",
                         outside.cure);
}

Report describe_bad_shared(Report report, const LaneAccess& access, u32 static_bytes,
                           u32 dynamic_bytes, const std::vector<PlacedVariable>& variables) {
    const u32 size = static_bytes + dynamic_bytes;
    const u64 end = access.address + access.bytes;
    std::string text = format_verb(access.kind) + format_byte_count(access.bytes) + " at byte " +
                       with_commas(access.address) + " of shared memory; the block has " +
                       format_byte_count(size);
    if (dynamic_bytes > 0 && static_bytes > 0) {
        text += " (" + with_commas(static_bytes) + " static and " + with_commas(dynamic_bytes) +
                " dynamic)";
    }
    text += ".";
    const auto last =
        std::max_element(variables.begin(), variables.end(),
                         [](const auto& a, const auto& b) { return a.offset < b.offset; });
    if (last != variables.end() && dynamic_bytes == 0 && last->bytes > 0 &&
        access.address >= last->offset) {
        const u64 offset = access.address - last->offset;
        text += " That is " + describe_past_end(offset, access.bytes, last->bytes).where + " of " +
                quote(variable_name(last->name)) + " (" + format_byte_count(last->bytes) + ").";
    }
    std::string cure;
    if (access.address >= kFarOutside) {
        cure = "The index is negative, or has overflowed: check how it is computed.";
    } else if (access.address >= kWindowBytes) {
        cure = "This address is not in shared memory: is the variable declared __shared__?";
    } else if (size == 0) {
        cure =
            "Pass the size of the dynamic shared memory as the third launch parameter: at least " +
            with_commas(end) + " bytes.";
    } else if (dynamic_bytes > 0) {
        cure = "Raise the launch's third parameter to at least " + with_commas(end - static_bytes) +
               " bytes, or check the index.";
    } else {
        cure = "Check the index against every dimension of the array, padding included.";
    }
    return fill_report(std::move(report), "memcheck", "out of bounds", access.address, text, cure);
}

Report describe_other_allocation(Report report, const LaneAccess& access,
                                 const Allocation& intended, const Allocation& found) {
    const bool is_before = access.address < intended.begin;
    const u64 distance = distance_to(access.address, intended);
    const OutsideLocation place =
        is_before ? describe_before_begin(distance, access.bytes)
                  : describe_past_end(access.address - intended.begin, access.bytes,
                                      intended.end - intended.begin);
    return fill_report(std::move(report), "memcheck", "out of bounds", access.address,
                       format_verb(access.kind) + format_byte_count(access.bytes) + " of " +
                           name_of(found) + " through a pointer to " + name_of(intended) + ": " +
                           place.where + ".",
                       place.cure);
}

Report describe_bad_heap(Report report, const LaneAccess& access, u64 freed_bytes, Interval below,
                         bool was_freed_by_other) {
    const std::string what = format_verb(access.kind) + format_byte_count(access.bytes) + " at " +
                             format_hexadecimal(access.address);
    if (freed_bytes > 0)
        return fill_report(std::move(report), "memcheck", "use after free", access.address,
                           what + ", in a block of " + format_byte_count(freed_bytes) +
                               " that malloc() allocated in a kernel, and that has been freed.",
                           was_freed_by_other
                               ? "Make all threads that access this memory reach a barrier "
                                 "(__syncthreads()) before one thread calls free()."
                               : "Call free() only after the last access.");
    if (below.size() == 0)
        return fill_report(
            std::move(report), "memcheck", "out of bounds", access.address,
            what + ", in the device heap (malloc() in kernels), but outside of all allocations.",
            "Use only pointers that malloc() or new has returned.");
    const OutsideLocation location =
        describe_past_end(access.address - below.begin, access.bytes, below.size());
    return fill_report(std::move(report), "memcheck", "out of bounds", access.address,
                       what + ", which is " + location.where + " of the block of " +
                           format_byte_count(below.size()) +
                           " that malloc() allocated in a kernel.",
                       "Request count * sizeof(element) bytes from malloc(), and compare the index "
                       "with the count.");
}

Report describe_bad_local(Report report, const LaneAccess& access, u64 local_bytes) {
    return fill_report(
        std::move(report), "memcheck", "out of bounds", access.address,
        format_verb(access.kind) + format_byte_count(access.bytes) + " at byte " +
            with_commas(access.address & 0xffff'ffffull) +
            " of the thread's local memory, which has " + format_byte_count(local_bytes) + ".",
        "Check the index into the local array; very deep recursion also causes this report.");
}

Report describe_local_of_other(Report report, bool is_store, Dim3 owner) {
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
    std::string where;
    if (space == ptx::StateSpace::shared) {
        where = "byte " + with_commas(access.address) + " of shared memory";
    } else if (space == ptx::StateSpace::local) {
        where = "byte " + with_commas(access.address) + " of local memory";
    } else {
        where = allocations != nullptr ? describe_address(access.address, *allocations)
                                       : "address " + format_hexadecimal(access.address);
    }
    const std::string size = std::to_string(access.bytes);
    return fill_report(
        std::move(report), "memcheck", "misaligned", access.address,
        format_verb(access.kind) + size + " bytes at " + where + ", " +
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
    const u32 all = access.bytes < 32 ? (1u << access.bytes) - 1 : ~0u;
    const u32 unwritten = access.unwritten & all;
    if (unwritten == all) return "none of which was ever written";
    const int first = std::countr_zero(unwritten);
    const int count = std::countr_one(unwritten >> (first & 31));
    if (unwritten == 0 || count != std::popcount(unwritten))
        return "of which some were never written";
    if (count == 1) return "of which byte " + std::to_string(first) + " was never written";
    if (first == 0) return "of which the first " + std::to_string(count) + " were never written";
    if (static_cast<u32>(first + count) == access.bytes)
        return "of which the last " + std::to_string(count) + " were never written";
    return "of which bytes " + std::to_string(first) + " to " + std::to_string(first + count - 1) +
           " were never written";
}

/// Returns a hint about padding if only some of the bytes are uninitialized, and "" otherwise.
std::string format_padding_hint(const LaneAccess& access) {
    const u32 all = access.bytes < 32 ? (1u << access.bytes) - 1 : ~0u;
    if (access.unwritten == 0 || (access.unwritten & all) == all) return "";
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
            with_commas(access.address) +
            " of the thread's local memory (its arrays and structs), " +
            format_unwritten_bytes(access) + " by this thread.",
        "Initialize the array or struct where it is declared, for example int a[16] = {}, or write "
        "every element before it is read." +
            format_padding_hint(access));
}

Report describe_uninitialised_shared(Report report, const LaneAccess& access) {
    return fill_report(std::move(report), "initcheck", "uninitialised shared read", access.address,
                       format_verb(access.kind) + format_byte_count(access.bytes) + " at byte " +
                           with_commas(access.address) + " of shared memory, " +
                           format_unwritten_bytes(access) + " by this block.",
                       "Write every element before it is read, including at ragged edges: shared "
                       "memory initially contains data from an earlier block." +
                           format_padding_hint(access));
}

}  // namespace coalesce::simulator

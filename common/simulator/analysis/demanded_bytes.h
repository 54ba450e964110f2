// Determines which loaded bytes affect the program, and which are only copied.
//
// Idea   struct {char c; int i;} contains three bytes of padding, which are uninitialized.
//        Compilers copy the struct in wide words that include the padding, and this is no error. A
//        load of uninitialized bytes is therefore an error only if the program uses the bytes in a
//        computation, a comparison or a branch. If a store copies the bytes, its destination
//        becomes uninitialized. valgrind tracks every value at run time. We analyse the program's
//        text in advance instead, and track nothing at run time as long as all loaded memory is
//        initialized.
// Rule   The analysis follows the bits in registers from each load to their uses, and from each
//        store back to the loads of its bytes. Only a use that certainly follows a load counts,
//        because compilers load parts of unions and optional values that only some branches use.
// Watch  The simulator does not record which bytes of function parameters are initialized, so bytes
//        that are passed as parameters count as initialized afterwards. Values that are merged with
//        other values (by selp, or by two definitions) count as initialized too. These
//        simplifications may hide errors, but never cause a false report.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// How the program uses the bytes of one load. Bit k of a mask stands for byte k.
struct LoadUse {
    /// Mask of the loaded bytes that belong to members of a struct. The other bytes are padding.
    u32 member_bytes = ~0u;
    /// Mask of the bytes that the program certainly uses in a computation, an address or a branch.
    /// Copying a byte does not count as a use.
    u32 certainly_used_bytes = ~0u;
    bool is_certainly_used = true;  ///< true if some loaded byte is certainly used or copied
    /// True if the bytes are stored back to the same address with some bits changed, as when a
    /// bit-field is written.
    bool is_stored_back = false;
    /// True if the program may discard the loaded value, for example as the unused operand of a
    /// `selp`. Compilers may load an array element before they know whether the program needs it.
    bool is_only_selected = false;
    /// True if the load may read more bytes than the program needs, as ldmatrix does at the edge of
    /// a matrix.
    bool may_overread = false;
    /// The part of a struct that this load and the neighbouring loads read, as byte offsets from
    /// this load's address. Both offsets are 0 if that part is unknown.
    i32 struct_begin = 0, struct_end = 0;

    bool is_part_of_struct() const { return struct_begin != struct_end; }
};

/// A run of consecutive stored bytes, all of which come from the same load.
struct CopiedBytes {
    u32 load = 0;  ///< the load's index in the function's body or, in ByteUses, its site
    u32 from_byte = 0, to_byte = 0, byte_count = 0;
};

/// The results of the analysis for the loads and stores of a function. Each result is keyed by the
/// instruction's index in the function's body.
struct DemandedBytes {
    std::map<u32, LoadUse> loads;
    std::map<u32, std::vector<CopiedBytes>> stores;
};
DemandedBytes find_demanded_bytes(const ptx::Function& function);

/// Reports whether a load of `bytes` bytes at `address` is an error because it reads uninitialized
/// memory. `unwritten_mask` is a mask of the loaded bytes that are uninitialized.
/// `is_any_written(begin, end)` must return whether any byte at the addresses [begin, end) is
/// initialized.
template <class IsAnyWritten>
bool is_uninitialised_read_error(const LoadUse& use, u32 unwritten_mask, u64 address, u32 bytes,
                                 IsAnyWritten is_any_written) {
    const u32 accessed_bytes = bytes < 32 ? (1u << bytes) - 1 : ~0u;
    unwritten_mask &= use.member_bytes & accessed_bytes;
    if (unwritten_mask & use.certainly_used_bytes) return true;
    // Copying a struct is correct if some of its bytes are initialized, and an error if none are.
    if (unwritten_mask != (use.member_bytes & accessed_bytes) || unwritten_mask == 0 ||
        use.is_stored_back || use.may_overread || use.is_only_selected)
        return false;
    if (!use.is_part_of_struct()) return true;
    // The tested range is extended to multiples of this number of bytes. A shorter range might
    // contain only padding, which is never initialized.
    constexpr u64 kWordBytes64 = 8;
    return !is_any_written(
        (address + static_cast<u64>(i64{use.struct_begin})) / kWordBytes64 * kWordBytes64,
        round_up(address + static_cast<u64>(i64{use.struct_end}), kWordBytes64));
}

}  // namespace coalesce::simulator

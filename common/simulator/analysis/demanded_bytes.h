// Finds out which loaded bytes affect the program, and which are only copied.
//
// Idea   Compilers copy a struct as a few wide words, including the padding between its members,
//        which is uninitialized. That is not an error: nothing depends on these bytes until they
//        are compared, used in a computation or branched on. So if a load reads uninitialized
//        bytes, the judgement depends on how these bytes are used, and if a store copies them, the
//        destination becomes uninitialized. valgrind does the same by tracking every value at run
//        time. Here the program's text is analysed in advance, and nothing is tracked as long as
//        all loaded memory is initialized.
// Found  The analysis goes from each load to the uses of its bits, and from each store back to the
//        loads of its bytes, through registers. Only a use that certainly follows a load counts,
//        because compilers load parts of unions and optional values that only some branches use.
// Watch  Local memory and parameters of functions have no shadow, so bytes that pass through them
//        count as initialized afterwards. So do values that are merged with others (selp, two
//        definitions). Each of these may hide an error, but never reports a false one.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// How the bytes that a lane loads are used. Bit k of a mask stands for byte k.
struct LoadUse {
    u32 members = ~0u;    ///< the other bytes are padding, according to the compiler
    u32 decides = ~0u;    ///< bytes that are certainly used, and not only copied
    bool certain = true;  ///< whether something is certainly done with them
    /// Stored back to the same place with some bits changed, which is how bit-fields are written.
    bool rewritten = false;
    /// Whether the load may read more than it needs, as ldmatrix does at the edge of a matrix.
    bool takes_more = false;
    /// The range of the struct to which the loaded piece belongs, relative to the load's address;
    /// empty if unknown.
    i32 piece_from = 0, piece_to = 0;

    bool is_piece() const { return piece_from != piece_to; }
};

/// Bytes of a store that come from a load.
struct CopiedBytes {
    u32 load = 0;  ///< the load: an index into the body, or a site
    u32 from = 0, to = 0, count = 0;
};

/// The results for one function, by index into its body.
struct DemandedBytes {
    std::map<u32, LoadUse> loads;
    std::map<u32, std::vector<CopiedBytes>> stores;
};
DemandedBytes demanded_bytes(const ptx::Function& function);

/// Reports whether it is an error to load `bytes` bytes at `address`, of which those in `unwritten`
/// are uninitialized. `is_any_written(begin, end)` tells whether any byte in a range is
/// initialized.
template <class IsAnyWritten>
bool reads_unwritten(const LoadUse& use, u32 unwritten, u64 address, u32 bytes,
                     IsAnyWritten is_any_written) {
    const u32 all = bytes < 32 ? (1u << bytes) - 1 : ~0u;
    unwritten &= use.members & all;
    if (unwritten & use.decides) return true;
    // A copy of a struct with some initialized bytes is right. A copy without any is a mistake.
    if (unwritten != (use.members & all) || unwritten == 0 || use.rewritten || use.takes_more)
        return false;
    if (!use.is_piece()) return true;
    // A small piece of a word may consist only of padding.
    constexpr u64 kWord = 8;
    return !is_any_written((address + static_cast<u64>(i64{use.piece_from})) / kWord * kWord,
                           round_up(address + static_cast<u64>(i64{use.piece_to}), kWord));
}

}  // namespace coalesce::simulator

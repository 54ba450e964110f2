// Which bytes of what a load brings decide something, and which are only copied on?
//
// Idea   Compilers copy a struct as a few wide words, and with them the bytes between its members, which
//        nobody ever wrote. That is no error: nothing depends on those bytes until something compares
//        them, computes with them or branches on them. So a load that finds unwritten bytes is judged by
//        what becomes of them, and what a store passes on is unwritten where it arrives.
//        valgrind judges in the same way, by following every value while it runs; here the program's
//        text says it beforehand, and nothing needs to be followed as long as all that is read was written.
// Found  From each load to the uses of its bits, and from each store back to the loads of its bytes, by
//        registers. Only what is certain to follow a load counts as deciding: of a union, or of a value
//        that may not be there, compilers load what only some branches look at.
// Watch  Local memory and parameters of functions have no shadow: what passes through them counts as
//        written behind them. So do values that meet others on the way (selp, two definitions). Each of
//        these may hide an error, and none invents one.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// What becomes of the bytes that a lane loads; bit k of a mask is byte k.
struct LoadUse {
    u32 members = ~0u;    ///< the others are padding: the compiler says so
    u32 decides = ~0u;    ///< these are certain to be more than copied
    bool certain = true;  ///< something is certain to be done with them
    /// Stored where it came from, with some bits changed: that is how bit-fields are written.
    bool rewritten = false;
    /// May load more than is wanted, as ldmatrix does at the edge of a matrix.
    bool takes_more = false;
    /// The struct that it is a piece of reaches from here to there, relative to the load's address;
    /// nothing: unknown.
    i32 piece_from = 0, piece_to = 0;

    bool is_piece() const { return piece_from != piece_to; }
};

/// Bytes of a store that a load brought.
struct CopiedBytes {
    u32 load = 0;  ///< which: index into the body, or a site
    u32 from = 0, to = 0, count = 0;
};

/// Of one function, by index into its body.
struct DemandedBytes {
    std::map<u32, LoadUse> loads;
    std::map<u32, std::vector<CopiedBytes>> stores;
};
DemandedBytes demanded_bytes(const ptx::Function& function);

/// Is it an error to load `bytes` bytes at `address` of which those in `unwritten` were never written?
/// `is_any_written(begin, end)` tells of the bytes around.
template <class IsAnyWritten>
bool reads_unwritten(const LoadUse& use, u32 unwritten, u64 address, u32 bytes,
                     IsAnyWritten is_any_written) {
    const u32 all = bytes < 32 ? (1u << bytes) - 1 : ~0u;
    unwritten &= use.members & all;
    if (unwritten & use.decides) return true;
    // A struct of which some bytes were written is copied; one of which none was is a mistake.
    if (unwritten != (use.members & all) || unwritten == 0 || use.rewritten || use.takes_more)
        return false;
    if (!use.is_piece()) return true;
    // Pieces of a word may be the padding in it alone.
    constexpr u64 kWord = 8;
    return !is_any_written((address + static_cast<u64>(i64{use.piece_from})) / kWord * kWord,
                           round_up(address + static_cast<u64>(i64{use.piece_to}), kWord));
}

}  // namespace coalesce::simulator

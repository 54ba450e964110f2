// Computes the ranges in which the values of machine code are live. This happens before the values
// are assigned to registers.
//
// Idea   The code consists of straight-line pieces (MachinePiece). At the boundary of two pieces, a
//        value is live if it has been written on some path from the start, and if some later piece
//        reads it before writing it. Within a piece, a value is live from the instruction that
//        writes it to the last one that reads it, in the order of execution. If lanes may skip the
//        write, the value is live from the start of the piece.
#pragma once

#include <vector>

#include "simulator/analysis/alive_values.h"
#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// The values live at the beginning and at the end of each piece.
class LiveBetweenPieces {
public:
    using Bits = LiveValues::Bits;

    explicit LiveBetweenPieces(const MachineCode& code);

    Bits live_at_begin(std::size_t piece) const {
        return intersect(live_.live_at_begin(piece), maybe_written_before_[piece]);
    }
    Bits live_at_end(std::size_t piece) const {
        return intersect(live_.live_at_end(piece), maybe_written_after_[piece]);
    }
    bool has(const Bits& bits, u32 value) const { return live_.has(bits, value); }
    std::vector<u32> list_values(const Bits& bits) const { return live_.list_values(bits); }

private:
    static Bits intersect(Bits a, const Bits& b);
    void find_written_values(const std::vector<MachinePiece>& pieces);

    /// The values that are live if every value has been written before it is read.
    const LiveValues live_;
    /// For each piece, the values that may have been written before it begins, and before it ends.
    std::vector<Bits> maybe_written_before_, maybe_written_after_;
};

/// A range in which a value is live. Instruction i reads its sources at position 2 * i, and writes
/// its results at position 2 * i + 1.
struct Span {
    u32 begin = 0, end = 0;
    /// The position until which an already issued load or store may still read the value.
    u32 read_until = 0;
    /// Like `read_until`, but ignores the last instruction that reads the value.
    u32 read_by_others_until = 0;
};

struct Lifetimes {
    /// The spans of each value, in ascending order.
    std::vector<std::vector<Span>> spans_of_values;
    /// The instructions in execution order.
    std::vector<const MachineInstruction*> instructions_in_order;
};

/// Computes the lifetimes of all values. `orders` contains the execution order of the instructions
/// in each piece. `keeps_written_order` is true if ptxas keeps the instructions in program order to
/// save registers.
Lifetimes find_lifetimes(const MachineCode& code, const LiveBetweenPieces& live_between_pieces,
                         const std::vector<std::vector<u32>>& orders, bool keeps_written_order);

}  // namespace coalesce::simulator

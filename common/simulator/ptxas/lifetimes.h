// Where the values of machine code are alive, before they have registers.
//
// Idea   Between pieces: a value is alive that some piece reads before it writes it, on all ways back to where
//        it was written. Where no way from the beginning has written it, it is not. Within a piece: from its
//        instruction to the last that reads it, in the order in which they are carried out; from the piece's
//        beginning, if lanes may skip the instruction.
#pragma once

#include <vector>

#include "simulator/analysis/alive_values.h"
#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// Which values each piece gets from before and leaves for later.
class AliveBetweenPieces {
public:
    using Bits = AliveValues::Bits;

    explicit AliveBetweenPieces(const MachineCode& code);

    Bits at_begin(std::size_t piece) const { return both(alive_.at_begin(piece), before_[piece]); }
    Bits at_end(std::size_t piece) const { return both(alive_.at_end(piece), behind_[piece]); }
    bool has(const Bits& bits, u32 value) const { return alive_.has(bits, value); }
    std::vector<u32> values_in(const Bits& bits) const { return alive_.values_in(bits); }

private:
    static Bits both(Bits a, const Bits& b);
    void find_written(const std::vector<MachinePiece>& pieces);

    const AliveValues alive_;            ///< where all that is read was written
    std::vector<Bits> before_, behind_;  ///< by piece: what some way to its beginning or end writes
};

/// Where a value is alive. A place is twice the number of an instruction, and one more where it writes.
struct Span {
    u32 begin = 0, end = 0;
    u32 read_until = 0;            ///< a load or a store may still read it
    u32 read_by_others_until = 0;  ///< than the instruction at its end
};

struct Lifetimes {
    std::vector<std::vector<Span>> of;                ///< by value, in rising order
    std::vector<const MachineInstruction*> in_order;  ///< the code, as it is carried out
};

/// `orders`: of each piece's instructions.
Lifetimes find_lifetimes(const MachineCode& code, const AliveBetweenPieces& alive,
                         const std::vector<std::vector<u32>>& orders, bool is_as_written);

}  // namespace coalesce::simulator

// Computes where the values of machine code are live, before they have registers.
//
// Idea   Between pieces: a value is live if some piece reads it before it writes it, on all paths
//        back to where it was written. If no path from the beginning has written it, it is not
//        live. Within a piece, a value is live from its instruction to the last one that reads it,
//        in the order of execution, or from the piece's beginning, if lanes may skip the
//        instruction.
#pragma once

#include <vector>

#include "simulator/analysis/alive_values.h"
#include "simulator/ptxas/machine_code.h"

namespace coalesce::simulator {

/// Which values each piece receives from earlier ones and leaves for later ones.
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

    /// The live values, if everything that is read was written.
    const AliveValues alive_;
    /// For each piece, the values that some path to its beginning or end writes.
    std::vector<Bits> before_, behind_;
};

/// A range in which a value is live. A position is twice the number of an instruction, plus one
/// where it writes.
struct Span {
    u32 begin = 0, end = 0;
    u32 read_until = 0;  ///< until here, a load or a store may still read it
    /// Until here, instructions other than the one at its end read it.
    u32 read_by_others_until = 0;
};

struct Lifetimes {
    std::vector<std::vector<Span>> of;                ///< by value, in ascending order
    std::vector<const MachineInstruction*> in_order;  ///< the code in the order of execution
};

/// `orders` has the order of each piece's instructions.
Lifetimes find_lifetimes(const MachineCode& code, const AliveBetweenPieces& alive,
                         const std::vector<std::vector<u32>>& orders, bool is_as_written);

}  // namespace coalesce::simulator

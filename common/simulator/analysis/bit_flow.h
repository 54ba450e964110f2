// Which bits of an instruction's result are bits of its sources, unchanged.
//
// Idea   Compilers move values about in more ways than `mov`: they pack and unpack words, shift and mask
//        them, choose one of two. None of that asks what the bits are. Whatever is not listed here
//        (arithmetic, comparisons, addresses, shuffles) does: its result depends on all that it reads.
#pragma once

#include <optional>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Ones in the lowest places.
constexpr u64 low_bits(u32 count) {
    return count >= 64 ? ~u64{0} : (u64{1} << count) - 1;
}

/// Where registers get their values.
class Definitions {
public:
    explicit Definitions(const ptx::Function& function);

    /// The instruction (an index into the body) that alone writes the register, in every lane that
    /// comes by; kNone when there are several, or it has a guard.
    u32 only(u32 reg) const { return only_[reg]; }
    /// What the operand always is: an immediate, or a register that is set to one.
    std::optional<u64> constant(const ptx::Operand& operand) const;
    /// By how much the register grows with each turn of a loop, if that is a constant; else 0.
    i64 growth(u32 reg) const { return growth_of(reg, 0); }

    const ptx::Function& function() const { return function_; }

private:
    u32 original(u32 reg) const;
    void note_growth(const ptx::Instruction& i);
    i64 growth_of(u32 reg, int depth) const;

    const ptx::Function& function_;
    std::vector<u32> only_;
    std::vector<i64> growth_;  ///< of `add r, r, constant`
};

/// Bits of one register that are bits of another.
struct BitFlow {
    u32 from_register = 0, to_register = 0;
    u32 from = 0, to = 0;  ///< the first bits
    u32 count = 0;
    bool repeats = false;  ///< each of them is the one bit `from`: an extended sign
};

struct PassedOn {
    bool known = false;           ///< false: the instruction looks at all that it reads
    bool merges = false;          ///< how much of each source a bit has shows at run time
    bool chooses = false;         ///< ... it is all of the one, or all of the other
    bool zero_elsewhere = false;  ///< bits of the result that are in no flow are zeros
    std::vector<BitFlow> flows;
};

PassedOn passed_on(const ptx::Instruction& instruction, const Definitions& definitions);

}  // namespace coalesce::simulator

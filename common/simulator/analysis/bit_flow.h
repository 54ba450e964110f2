// Finds the bits of an instruction's result that are unchanged bits of its sources.
//
// Idea   Compilers move values not only with `mov`: they also pack and unpack words, shift and mask
//        them, and select one of two. None of this depends on the values of the bits. The result of
//        any other instruction (arithmetic, comparisons, addresses, shuffles) depends on everything
//        that it reads.
#pragma once

#include <optional>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Returns a mask with the lowest `count` bits set.
constexpr u64 low_bits(u32 count) {
    return count >= 64 ? ~u64{0} : (u64{1} << count) - 1;
}

/// The definitions of registers.
class Definitions {
public:
    explicit Definitions(const ptx::Function& function);

    /// Returns the only instruction that writes the register (as an index into the body), in all
    /// lanes that execute it. Returns kNone if there are several, or if it has a guard.
    u32 only(u32 reg) const { return only_[reg]; }
    /// Returns the operand's constant value: that of an immediate, or of a register that is set to
    /// one.
    std::optional<u64> constant(const ptx::Operand& operand) const;
    /// Returns by how much the register grows in each iteration of a loop, if that is a constant,
    /// or else 0.
    i64 growth(u32 reg) const { return growth_of(reg, 0); }

    const ptx::Function& function() const { return function_; }

private:
    u32 original(u32 reg) const;
    void note_growth(const ptx::Instruction& i);
    i64 growth_of(u32 reg, int depth) const;

    const ptx::Function& function_;
    std::vector<u32> only_;
    std::vector<i64> growth_;  ///< for `add r, r, constant`
};

/// Bits of one register that are copied to another.
struct BitFlow {
    u32 from_register = 0, to_register = 0;
    u32 from = 0, to = 0;  ///< the positions of the first bits
    u32 count = 0;
    /// Whether each of them is a copy of the bit `from`, as in a sign extension.
    bool repeats = false;
};

struct PassedOn {
    bool known = false;           ///< false if the instruction depends on the values that it reads
    bool merges = false;          ///< whether run-time values decide which source a bit comes from
    bool chooses = false;         ///< whether all bits come from the same source in this case
    bool zero_elsewhere = false;  ///< whether bits of the result that are in no flow are zero
    std::vector<BitFlow> flows;
};

PassedOn passed_on(const ptx::Instruction& instruction, const Definitions& definitions);

}  // namespace coalesce::simulator

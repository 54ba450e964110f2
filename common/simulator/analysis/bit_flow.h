// Finds the bits of an instruction's result that are copies of bits in its sources.
//
// Idea   A shift copies bits to other positions, just as `mov` does. So do instructions that pack,
//        unpack or mask words, or that select one of two values. The result of any other
//        instruction (arithmetic, comparisons, addresses, shuffles) depends on all of its sources.
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

/// The definitions of a function's registers: the instruction that writes a register, and the
/// constants that are assigned or added to it.
class RegisterDefinitions {
public:
    explicit RegisterDefinitions(const ptx::Function& function);

    /// Returns the index of the instruction that writes the register, if there is only one. Returns
    /// kNone if several instructions write the register, or if the writer has a guard.
    u32 only_writer(u32 reg) const { return only_writers_[reg]; }
    /// Returns the value of an operand that is an immediate, or a register whose only assignment is
    /// a constant. Returns nothing for any other operand.
    std::optional<u64> find_constant(const ptx::Operand& operand) const;
    /// Returns the constant that each iteration of a loop adds to the register, or 0 if there is no
    /// such constant.
    i64 loop_increment(u32 reg) const { return find_loop_increment(reg, 0); }

    const ptx::Function& analyzed_function() const { return function_; }

private:
    u32 follow_copies_back(u32 reg) const;
    void record_growth(const ptx::Instruction& i);
    i64 find_loop_increment(u32 reg, int depth) const;

    const ptx::Function& function_;
    std::vector<u32> only_writers_;
    /// For each register, the constant that an `add` adds to the register itself, as in
    /// `add r, r, 4`. The constant is 0 if the function has no such `add`.
    std::vector<i64> loop_increments_;
};

/// A run of bits that an instruction copies from one register to another.
struct BitFlow {
    u32 from_register = 0, to_register = 0;
    /// The lowest bit of the run in the source and destination register.
    u32 from_bit = 0, to_bit = 0;
    u32 bit_count = 0;
    /// True if every bit of the run is a copy of the single bit `from_bit`, as in a sign extension.
    bool repeats_one_bit = false;
};

struct BitTransfer {
    bool is_known = false;  ///< false if each bit of the result may depend on all sources
    /// true if a value computed at run time decides from which source a bit comes
    bool selects_at_run_time = false;
    /// true if a value computed at run time selects one source for all bits
    bool selects_one_source = false;
    bool is_zero_elsewhere = false;  ///< true if all bits outside the flows are zero
    std::vector<BitFlow> flows;
};

BitTransfer describe_bit_transfer(const ptx::Instruction& instruction,
                                  const RegisterDefinitions& definitions);

}  // namespace coalesce::simulator

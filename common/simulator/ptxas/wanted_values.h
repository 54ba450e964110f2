// Which registers a function needs, and which half of those of 64 bits.
//
// ptxas loads nothing that is not needed: it leaves out elements of vectors, and loads a word of 64 bits of which only
// one half is needed as a word of 32 bits.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Reports for each instruction of the body whether it has a lasting effect, or a result that such an instruction needs.
std::vector<bool> wanted_instructions(const ptx::Function& function);

/// Halves of a register of 64 bits, as bits of a set.
enum WordHalf : u8 { kNoHalf = 0, kLowHalf = 1, kHighHalf = 2, kBothHalves = 3 };

class WantedValues {
public:
    explicit WantedValues(const ptx::Function& function);

    /// Reports whether an instruction with a lasting effect reads the register, or a value computed from it.
    bool is_wanted(u32 reg) const { return wanted_[reg]; }
    /// The halves of a register that are needed. Registers of 32 bits or less have a low half only.
    WordHalf wanted_half(u32 reg) const { return static_cast<WordHalf>(halves_[reg]); }
    /// Reports whether a register of 16 bits is extended with zeros to 32 bits. ptxas then loads it as 32 bits and does
    /// not merge the load.
    bool is_extended(u32 reg) const { return extended_[reg]; }

private:
    void find_wanted(const ptx::Function& function, const std::vector<bool>& instructions);
    void find_halves(const ptx::Function& function, const std::vector<bool>& instructions);
    bool want_halves_of_sources(const ptx::Instruction& instruction);
    void find_extended(const ptx::Function& function);

    std::vector<bool> wanted_, extended_;  ///< by register
    std::vector<u8> halves_;               ///< by register
};

}  // namespace coalesce::simulator

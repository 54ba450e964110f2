// Determines which registers of a function are needed, and which halves of its 64-bit registers.
//
// ptxas loads only data that is needed. It omits unused elements of vectors, and loads only 32 bits
// of a 64-bit word if only one half is needed.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Returns, for each instruction of the body, whether it is needed. An instruction is needed if it
/// has a lasting effect, or if a needed instruction uses its result.
std::vector<bool> find_needed_instructions(const ptx::Function& function);

/// The halves of a 64-bit register, as bit flags.
enum WordHalf : u8 { kNoHalf = 0, kLowHalf = 1, kHighHalf = 2, kBothHalves = 3 };

class NeededValues {
public:
    explicit NeededValues(const ptx::Function& function);

    /// Reports whether an instruction with a lasting effect uses the register, either directly or
    /// through values computed from it.
    bool is_needed(u32 reg) const { return is_needed_[reg]; }
    /// Returns which halves of a register are needed. Registers of 32 bits or less have only a low
    /// half.
    WordHalf needed_half(u32 reg) const { return static_cast<WordHalf>(needed_halves_[reg]); }
    /// Reports whether the value of a 16-bit register is zero-extended to 32 bits. In that case,
    /// the load of the value also extends it, and ptxas does not merge this load with other loads.
    bool is_extended(u32 reg) const { return is_extended_[reg]; }

private:
    void find_needed_registers(const ptx::Function& function,
                               const std::vector<bool>& needed_instructions);
    void find_needed_halves(const ptx::Function& function,
                            const std::vector<bool>& needed_instructions);
    bool add_needed_halves_of_sources(const ptx::Instruction& instruction);
    void find_extended_registers(const ptx::Function& function);

    /// The results of is_needed() and is_extended(), indexed by register.
    std::vector<bool> is_needed_, is_extended_;
    std::vector<u8> needed_halves_;  ///< for each register, the needed halves, as a WordHalf
};

}  // namespace coalesce::simulator

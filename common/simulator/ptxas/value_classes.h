// Determines how often each register must be computed: once per launch, once per block, once per
// warp position, or by every warp of every block.
//
// Idea    If only one instruction writes a register, and this instruction always computes the same
//         result from the same sources, the register gets the class of the instruction's most
//         variable source. `mul.lo %r, %ctaid.x, 32` is the same for all threads of a block, and
//         `mad %tid.y, 132, tile` is the same in every block.
// Rule    The class `launch` is less variable than the classes `block` and `warp_position`, and
//         `thread` is the most variable class. If one source has the class `block` and another
//         source the class `warp_position`, the result has the class `thread`.
// Sound   Even in a branch or in a loop, the instruction always computes the same value, and a
//         program that reads the register has executed the instruction before. The value may
//         therefore be computed in advance, in a prologue. The instructions of a prologue stay in
//         the order of the text, so the sources of a value must be written earlier in the text.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "simulator/analysis/liveness.h"
#include "simulator/code/function_code.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

struct Registers {
    std::vector<ValueClass> value_class;
    /// For each register, its root: the register that stands for its value. The result of a `mov`
    /// or `cvta` has the same root as the source, so that the instruction needs no code. This does
    /// not apply if the source changes while the result is still used. Any other register is its
    /// own root.
    std::vector<u32> root;
    /// For each instruction of the body, true if the instruction may be moved to a prologue.
    std::vector<bool> is_pure;
    /// For each instruction, true if its source and its result have the same root. Such a copy
    /// needs no code.
    std::vector<bool> is_copy;
};

/// Classifies the registers of a function. If `is_kernel` is false, all registers get the class
/// `thread`. `block_offsets` contains the variables whose addresses differ from block to block (in
/// a cluster, the shared variables).
Registers classify_registers(const ptx::Function& function, bool is_kernel,
                             const Liveness& liveness,
                             const std::map<std::string, u32>* block_offsets = nullptr);
/// Returns the register classes for plain mode. In this mode no instruction moves to a prologue,
/// and every register is its own root.
Registers make_separate_registers(const ptx::Function& function);
/// Returns a copy of the function in which all instructions use root registers, so that each value
/// has only one name.
ptx::Function replace_registers_by_roots(const ptx::Function& function, const Registers& registers);

}  // namespace coalesce::simulator

// Determines how often each register must be computed: once per launch, per block, per warp
// position, or by every warp of every block.
//
// Idea    If a single instruction writes a register, and always computes the same result from the
//         same sources, the register is as constant as the least constant of its sources. `mul.lo
//         %r, %ctaid.x, 32` is the same for all threads of a block, and `mad %tid.y, 132, tile` is
//         the same in every block.
// Rule    A value of the class `launch` is more constant than one of the class `block` or `position`.
//         If one source has the class `block` and another `position`, the result has the class
//         `thread`.
// Sound   Wherever that instruction is, in a branch or in a loop, it always gives this value, and a
//         program that reads the register has executed it before. So the value may be computed at
//         the start. Sources must be written earlier in the text, so that the prologues, which
//         follow the order of the text, compute them first.
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
    /// The register that this register is another name for, or this register itself. The result of
    /// a `mov` or `cvta` becomes another name for its source if it is never needed together with a
    /// newer value of the source. Such a move needs no instruction.
    std::vector<u32> root;
    /// For each instruction of the body, whether a prologue may compute it.
    std::vector<bool> pure;
    std::vector<bool> is_copy;  ///< for each instruction, whether `root` makes it unnecessary
};

/// Classifies the registers of a function. `in_kernel` is false for device functions, whose
/// registers all have the class `thread`. `of_block` lists the variables whose addresses differ
/// from block to block (shared variables in a cluster).
Registers classify(const ptx::Function& function, bool in_kernel, const Liveness& liveness,
                   const std::map<std::string, u32>* of_block = nullptr);
/// Returns the classes for plain mode, in which nothing is moved and every register is its own
/// root.
Registers make_separate_registers(const ptx::Function& function);
/// Returns the function with one name for each value, so that all instructions use root registers.
ptx::Function replace_registers_by_roots(const ptx::Function& function, const Registers& registers);

}  // namespace coalesce::simulator

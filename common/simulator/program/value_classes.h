// How often must each register be computed: once per launch, per block, per warp position, or by
// every warp of every block?
//
// Idea    A register that is written once, by an instruction that always gives the same result for
//         the same sources, is as constant as the least constant of its sources. `mul.lo %r,
//         %ctaid.x, 32` is the same for all threads of a block; `mad %tid.y, 132, tile` is the same
//         in every block.
// Rule    launch < block, launch < position; block and position together make thread.
#pragma once

#include <string>
#include <vector>

#include "program/lower.h"
#include "ptx/ast.h"

namespace coalesce::sim {

/// The registers that an instruction writes (an index into its operands, then an element).
std::vector<u32> registers_written(const ptx::Instruction& instruction);
/// The registers that it reads, guard and addresses included.
std::vector<u32> registers_read(const ptx::Instruction& instruction);

struct Registers {
    std::vector<ValueClass> value_class;
    /// `mov` and `cvta` of a value that never changes are no work: the register of which this one
    /// is another name, or itself.
    std::vector<u32> root;
    std::vector<u32> writes;    ///< instructions that write it
    std::vector<bool> pure;     ///< per instruction of the body: may be computed in a prologue
    std::vector<bool> is_copy;  ///< per instruction: made superfluous by `root`
};

/// `in_kernel`: false for device functions, whose registers are all of class `thread`.
Registers classify(const ptx::Module& module, const ptx::Function& function, bool in_kernel);

}  // namespace coalesce::sim

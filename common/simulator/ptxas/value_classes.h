// How often must each register be computed: once per launch, per block, per warp position, or by
// every warp of every block?
//
// Idea    A register that is written by one instruction, which always gives the same result for the
//         same sources, is as constant as the least constant of its sources. `mul.lo %r, %ctaid.x, 32`
//         is the same for all threads of a block; `mad %tid.y, 132, tile` is the same in every block.
// Rule    launch < block, launch < position; block and position together make thread.
// Right   Wherever that one instruction stands, in a branch or in a loop, it gives that value and no
//         other; and a program that reads the register has passed it before. So the value may be
//         there from the beginning. Sources have to be written above in the text: then the
//         prologues, which follow the text, have them in time.
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
    /// `mov` and `cvta` whose result is never wanted beside another value of its source are no work: the
    /// register of which this one is another name, or itself.
    std::vector<u32> root;
    std::vector<bool> pure;     ///< per instruction of the body: may be computed in a prologue
    std::vector<bool> is_copy;  ///< per instruction: made superfluous by `root`
};

/// `in_kernel`: false for device functions, whose registers are all of class `thread`. `of_block`:
/// variables whose addresses differ from block to block (shared ones in a cluster).
Registers classify(const ptx::Function& function, bool in_kernel, const Liveness& liveness,
                   const std::map<std::string, u32>* of_block = nullptr);
/// Plain mode: nothing moves, nothing is another name.
Registers every_register_by_itself(const ptx::Function& function);
/// The function with one name for each value: instructions name root registers alone.
ptx::Function named_by_root(const ptx::Function& function, const Registers& registers);

}  // namespace coalesce::simulator

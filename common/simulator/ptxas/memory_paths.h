// Finds the effects on memory of the instructions between two basic blocks.
#pragma once

#include <array>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The kinds of memory: shared memory, global memory, and global memory that never changes
/// (`ld.global.nc`).
enum Memory : std::size_t { kShared, kGlobal, kReadOnly, kMemories };

/// The effect of an instruction on a kind of memory, as ptxas sees it, from weakest to strongest.
enum class Touch : u8 {
    none,
    loads,
    orders,  ///< prevents merging of loads, but words loaded earlier stay known
    changes  ///< may change the memory, or lets other threads change it
};

Touch find_touch(const ptx::Instruction& instruction, Memory memory);

class MemoryPaths {
public:
    MemoryPaths(const ptx::Function& function, const ControlFlow& flow);

    /// Returns, for each kind of memory, the strongest effect on any path from the end of block
    /// `from` to the start of block `to` that does not pass `from` again. Block `from` must
    /// dominate block `to`. A loop of several blocks on the path counts as a change, since ptxas
    /// loads a word again after it (observed for loops with every kind of access, and without any).
    std::array<Touch, kMemories> strongest_touch_between(u32 from, u32 to) const;

private:
    const ControlFlow& flow_;
    /// For each block, its strongest effects.
    std::vector<std::array<Touch, kMemories>> strongest_;
};

}  // namespace coalesce::simulator

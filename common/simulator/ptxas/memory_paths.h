// What the instructions on the way from one basic block to another do to memory.
#pragma once

#include <array>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Shared memory, global memory, and global memory that never changes (`ld.global.nc`).
enum Memory : std::size_t { kShared, kGlobal, kUnchanging, kMemories };

/// What an instruction does to a memory, as far as ptxas minds it: from the weakest to the strongest.
enum class Touch : u8 {
    none,
    loads,
    orders,  ///< loads before and after it do not merge, though a word loaded before it is not loaded again
    changes  ///< it may change the memory, or lets others do so
};

Touch touch_of(const ptx::Instruction& instruction, Memory memory);

class MemoryPaths {
public:
    MemoryPaths(const ptx::Function& function, const ControlFlow& flow);

    /// The strongest touch on any way from the end of the block `from` to the beginning of the block `to` that does not
    /// pass `from` again, by memory. The block `from` dominates the block `to`. A loop of several blocks on the way counts
    /// as a change, since ptxas loads a word again behind it (seen with loops of every kind of access, and with none).
    std::array<Touch, kMemories> between(u32 from, u32 to) const;

private:
    const ControlFlow& flow_;
    std::vector<std::array<Touch, kMemories>> strongest_;  ///< by block
};

}  // namespace coalesce::simulator

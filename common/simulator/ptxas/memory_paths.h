// Determines how the instructions between two basic blocks affect memory.
#pragma once

#include <array>
#include <vector>

#include "simulator/analysis/control_flow.h"
#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The kinds of memory: shared memory, global memory, and global memory that never changes
/// (`ld.global.nc`).
enum MemoryKind : std::size_t { kShared, kGlobal, kReadOnly, kMemoryKinds };

/// The effect that ptxas expects an instruction to have on a kind of memory. The effects are listed
/// from the weakest to the strongest.
enum class MemoryTouch : u8 {
    none,
    loads,
    /// Loads before and after the instruction are not merged, but words that were loaded before it
    /// can be reused.
    orders,
    changes  ///< may change the memory, or may allow other threads to change it
};

MemoryTouch find_touch(const ptx::Instruction& instruction, MemoryKind memory);

class MemoryPaths {
public:
    MemoryPaths(const ptx::Function& function, const ControlFlow& flow);

    /// Returns, for each kind of memory, the strongest effect on any path from the end of block
    /// `from` to the start of block `to`. Block `from` must dominate block `to`. Paths that run
    /// through `from` again are ignored. A loop of several blocks counts as a change, because ptxas
    /// reloads words after such a loop. (Observed for any kind of access in the loop, and also for
    /// loops without accesses.)
    std::array<MemoryTouch, kMemoryKinds> strongest_touch_between(u32 from, u32 to) const;

private:
    const ControlFlow& flow_;
    /// For each block, its strongest effect on each kind of memory.
    std::vector<std::array<MemoryTouch, kMemoryKinds>> strongest_touches_;
};

}  // namespace coalesce::simulator

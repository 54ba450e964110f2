#include "simulator/ptxas/memory_paths.h"

#include <algorithm>
#include <utility>

#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/machine_instruction.h"

namespace coalesce::simulator {

MemoryTouch find_touch(const ptx::Instruction& i, MemoryKind memory) {
    const MemoryEffect effect = find_memory_effect(i);
    const bool is_unchanging = i.opcode == "ld" && effect == MemoryEffect::none && !i.has("param");
    if (memory == kReadOnly) return is_unchanging ? MemoryTouch::loads : MemoryTouch::none;
    if (has_branches_inside(i)) return MemoryTouch::changes;
    if (effect == MemoryEffect::fence)
        return i.opcode == "mbarrier" && memory == kGlobal ? MemoryTouch::orders
                                                           : MemoryTouch::changes;
    // In this analysis, a `mov` from a clock does not order memory accesses.
    if (effect == MemoryEffect::none || i.opcode == "mov") return MemoryTouch::none;
    const ptx::StateSpace space = find_space(i);
    const ptx::StateSpace accessed_space =
        memory == kShared ? ptx::StateSpace::shared : ptx::StateSpace::global;
    if (i.opcode != "cp" && !may_overlap(space, accessed_space)) return MemoryTouch::none;
    return effect == MemoryEffect::load ? MemoryTouch::loads : MemoryTouch::changes;
}

MemoryPaths::MemoryPaths(const ptx::Function& function, const ControlFlow& flow) : flow_(flow) {
    for (const BasicBlock& block : flow.blocks()) {
        std::array<MemoryTouch, kMemoryKinds>& strongest = strongest_touches_.emplace_back();
        for (u32 at = block.begin; at < block.end; ++at)
            for (MemoryKind memory : {kShared, kGlobal, kReadOnly})
                strongest[memory] =
                    std::max(strongest[memory], find_touch(function.body[at], memory));
    }
}

std::array<MemoryTouch, kMemoryKinds> MemoryPaths::strongest_touch_between(u32 from, u32 to) const {
    std::array<MemoryTouch, kMemoryKinds> strongest{};
    enum VisitState : u8 { unknown, open, done };
    std::vector<VisitState> states(strongest_touches_.size(), unknown);
    // The current path, backwards from `to`, as a list of blocks, each with the index of the
    // predecessor to visit next.
    std::vector<std::pair<u32, std::size_t>> path = {{to, 0}};
    states[to] = open;
    while (!path.empty()) {
        const u32 block = path.back().first;
        const std::vector<u32>& predecessors = flow_.predecessors(block);
        if (path.back().second == predecessors.size()) {
            states[block] = done;
            path.pop_back();
            continue;
        }
        const u32 predecessor = predecessors[path.back().second++];
        if (predecessor == from) continue;
        for (std::size_t memory = 0; memory < kMemoryKinds; ++memory)
            strongest[memory] =
                std::max(strongest[memory], strongest_touches_[predecessor][memory]);
        if (states[predecessor] == open && predecessor != block) {
            strongest.fill(MemoryTouch::changes);
            break;
        }
        if (states[predecessor] != unknown) continue;
        states[predecessor] = open;
        path.emplace_back(predecessor, 0);
    }
    return strongest;
}

}  // namespace coalesce::simulator

#include "simulator/program/memory_paths.h"

#include <algorithm>

#include "simulator/program/machine_instruction.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::sim {

Touch touch_of(const ptx::Instruction& i, Memory memory) {
    const MemoryEffect effect = memory_effect(i);
    const bool is_unchanging = i.opcode == "ld" && effect == MemoryEffect::none && !i.has("param");
    if (memory == kUnchanging) return is_unchanging ? Touch::loads : Touch::none;
    if (has_branches_inside(i)) return Touch::changes;
    if (effect == MemoryEffect::fence)
        return i.opcode == "mbarrier" && memory == kGlobal ? Touch::orders : Touch::changes;
    // `mov` from a clock orders nothing here.
    if (effect == MemoryEffect::none || i.opcode == "mov") return Touch::none;
    const ptx::StateSpace space = space_of(i);
    const ptx::StateSpace own =
        memory == kShared ? ptx::StateSpace::shared : ptx::StateSpace::global;
    if (i.opcode != "cp" && !may_overlap(space, own)) return Touch::none;
    return effect == MemoryEffect::load ? Touch::loads : Touch::changes;
}

MemoryPaths::MemoryPaths(const ptx::Function& function, const ControlFlow& flow) : flow_(flow) {
    for (const BasicBlock& block : flow.blocks()) {
        std::array<Touch, kMemories>& strongest = strongest_.emplace_back();
        for (u32 at = block.begin; at < block.end; ++at)
            for (Memory memory : {kShared, kGlobal, kUnchanging})
                strongest[memory] =
                    std::max(strongest[memory], touch_of(function.body[at], memory));
    }
}

std::array<Touch, kMemories> MemoryPaths::between(u32 from, u32 to) const {
    std::array<Touch, kMemories> strongest{};
    std::vector<bool> is_met(strongest_.size(), false);
    std::vector<u32> open = flow_.ways_in(to);
    while (!open.empty()) {
        const u32 block = open.back();
        open.pop_back();
        if (block == from || is_met[block]) continue;
        is_met[block] = true;
        for (std::size_t memory = 0; memory < kMemories; ++memory)
            strongest[memory] = std::max(strongest[memory], strongest_[block][memory]);
        if (strongest[kShared] == Touch::changes && strongest[kGlobal] == Touch::changes) break;
        const std::vector<u32>& ways = flow_.ways_in(block);
        open.insert(open.end(), ways.begin(), ways.end());
    }
    return strongest;
}

}  // namespace coalesce::sim

#include "program/joined_blocks.h"

#include "program/machine_instruction.h"
#include "program/work_meanwhile.h"
#include "ptx/instruction_parts.h"

namespace coalesce::sim {

namespace {

/// Instructions of the machine in a block that becomes guarded ones: without a load from global memory, and with
/// one, whose wait is then shared with other loads. Seen by adding instructions to such blocks until ptxas branched.
constexpr u32 kGuardedMost = 8, kGuardedMostWithLoad = 20;

}  // namespace

JoinedBlocks::JoinedBlocks(const ptx::Function& function, const ControlFlow& flow,
                           const MachineValues& values)
    : function_(function),
      flow_(flow),
      blocks_(flow.blocks()),
      values_(values),
      may_go_on_to_(blocks_.size()),
      may_come_from_(blocks_.size(), kNone) {
    for (u32 b = 0; b < blocks_.size(); ++b) {
        may_go_on_to_[b] = may_go_on_to(b);
        if (may_go_on_to_[b] != b) may_come_from_[may_go_on_to_[b]] = b;
    }
}

u32 JoinedBlocks::goes_on_to(u32 b) const {
    const u32 to = may_go_on_to_[b];
    return to == b + 2 && !has_work_meanwhile(b + 1) ? b : to;
}

/// If there is enough to do while what is loaded is on its way.
u32 JoinedBlocks::may_go_on_to(u32 b) const {
    const std::vector<u32>& next = blocks_[b].next;
    if (next.size() == 1 && next[0] == b + 1 && flow_.ways_in(b + 1).size() == 1) return b + 1;
    // A table of targets may have two as well, but no guard.
    const bool skips_one = next.size() == 2 && next[0] == b + 2 && next[1] == b + 1 &&
                           function_.body[blocks_[b].end - 1].guard.has_value();
    if (!skips_one || flow_.ways_in(b + 1).size() != 1 || flow_.ways_in(b + 2).size() != 2)
        return b;
    const std::vector<u32>& then = blocks_[b + 1].next;
    if (then.size() != 1 || then[0] != b + 2) return b;
    // Lanes that skip what is left of a kernel just end.
    return is_end(blocks_[b + 2]) || !is_short(blocks_[b + 1]) ? b : b + 2;
}

bool JoinedBlocks::is_end(const BasicBlock& block) const {
    for (u32 at = block.begin; at < block.end; ++at) {
        const Instruction& i = function_.body[at];
        if (i.label.empty()) return i.opcode == "ret" || i.opcode == "exit";
    }
    return false;
}

bool JoinedBlocks::is_short(const BasicBlock& block) const {
    u32 steps = 0;
    bool loads = false;
    for (u32 at = block.begin; at < block.end; ++at) {
        if (values_.leaves_nothing(at)) continue;
        const Instruction& i = function_.body[at];
        if (memory_effect(i) == MemoryEffect::fence) return false;
        if (ends_straight_code(i) && at + 1 != block.end) return false;
        loads |= i.opcode == "ld" && space_of(i) != ptx::StateSpace::shared;
        steps += steps_of(i, values_);
    }
    return steps <= (loads ? kGuardedMostWithLoad : kGuardedMost);
}

/// Around a block that lanes may skip, in all that may become one piece with it.
bool JoinedBlocks::has_work_meanwhile(u32 b) const {
    const BasicBlock& block = blocks_[b];
    bool loads = false;
    for (u32 at = block.begin; at < block.end; ++at)
        loads |= !values_.leaves_nothing(at) && is_far_load(function_.body[at]);
    if (!loads) return true;
    u32 first = b - 1, last = b + 1;
    while (may_come_from_[first] != kNone) first = may_come_from_[first];
    while (may_go_on_to_[last] != last) last = may_go_on_to_[last];
    // ptxas unrolls a loop with branches in it; here a loop is unrolled if it is one piece.
    if (is_among(first, blocks_[last].next)) return true;
    return WorkMeanwhile(function_, values_)
        .is_enough(block, blocks_[first].begin, blocks_[last].end);
}

}  // namespace coalesce::sim

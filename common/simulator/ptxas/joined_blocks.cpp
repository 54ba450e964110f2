#include "simulator/ptxas/joined_blocks.h"

#include <set>

#include "base/ranges.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/machine_instruction.h"

namespace coalesce::simulator {

using ptx::Instruction;

namespace {

/// The maximum size, in machine instructions, of a block that ptxas predicates instead of branching
/// around it. The second limit applies to blocks with a load from global memory, because the
/// latency of this load overlaps with that of other loads. (Measured by adding instructions to such
/// blocks until ptxas branched.)
constexpr u32 kMaxGuardedInstructions = 8, kMaxGuardedInstructionsWithLoad = 20;
/// The minimum number of machine instructions for which overlapping them with a load is worthwhile.
constexpr u32 kMinOverlappingInstructions = 3;

bool contains_any_of(const std::vector<u32>& values, const std::set<u32>& searched_values) {
    return any_of(values, [&](u32 v) { return searched_values.contains(v); });
}

/// Returns the number of machine instructions that a PTX instruction becomes. 64-bit sums are
/// computed in two halves, and 64-bit products in four parts.
u32 count_machine_instructions(const Instruction& i, const MachineValues& values) {
    constexpr u32 kProductInstructions = 4, kInstructionsInHalves = 2;
    if (!is_64_bit(i) || is_one_of(i.opcode, {"cvt", "cvta"})) return 1;
    if (is_one_of(i.opcode, {"mul", "mad"})) return kProductInstructions;
    return values.is_in_halves(i) ? kInstructionsInHalves : 1;
}

/// Reports whether other work can overlap with the loads in a short block of predicated
/// instructions.
///
/// Idea   A load from global memory takes a long time. A branch around the block avoids the load if
///        all lanes skip it. If the block is predicated instead, the instructions around the block
///        can run while the load is in flight. ptxas predicates the block if these instructions
///        become at least three machine instructions, or include another load from global memory.
///        (Observed with one to five instructions before the branch, after the branch, and after a
///        barrier.)
/// Around Instructions that compute the inputs or the guard of the loads must run before the loads.
///        Instructions that wait for the loads, and memory accesses that must follow those
///        instructions, run too late. Accesses that a barrier separates from the loads, and stores
///        before the loads, do not count either.
class OverlappingWork {
public:
    OverlappingWork(const ptx::Function& function, const MachineValues& values)
        : function_(function), values_(values) {}

    /// Reports whether the instructions between `first_instruction` and `end` contain enough work
    /// to overlap with the loads of a block.
    bool has_enough_work(const BasicBlock& block, u32 first_instruction, u32 end) {
        examine_block(block);
        count_work_before(first_instruction, block);
        count_work_after(block, end);
        return has_found_enough();
    }

private:
    void examine_block(const BasicBlock& block) {
        for (u32 instruction_index = block.begin; instruction_index < block.end;
             ++instruction_index) {
            if (values_.produces_no_code(instruction_index)) continue;
            const Instruction& i = function_.body[instruction_index];
            const std::vector<u32> read_values = values_.find_read_values(i),
                                   written_values = values_.find_written_values(i);
            needed_values_.insert(read_values.begin(), read_values.end());
            const bool is_load = loads_global_memory(i);
            if (!is_load && !contains_any_of(read_values, values_after_loads_)) continue;
            values_after_loads_.insert(written_values.begin(), written_values.end());
            if (!is_load && find_memory_effect(i) != MemoryEffect::none) accesses_.push_back(&i);
        }
    }

    void count_work_before(u32 first_instruction, const BasicBlock& block) {
        bool is_before_fence = false;
        for (u32 instruction_index = block.begin;
             instruction_index-- > first_instruction && !has_found_enough();) {
            if (values_.produces_no_code(instruction_index)) continue;
            const Instruction& i = function_.body[instruction_index];
            const MemoryEffect effect = find_memory_effect(i);
            is_before_fence |= effect == MemoryEffect::fence;
            const bool is_done_before =
                effect != MemoryEffect::none && (effect != MemoryEffect::load || is_before_fence);
            if (is_done_before || ends_straight_code(i) ||
                contains_any_of(values_.find_written_values(i), needed_values_)) {
                const std::vector<u32> read_values = values_.find_read_values(i);
                needed_values_.insert(read_values.begin(), read_values.end());
            } else {
                count_instruction(i);
            }
        }
    }

    void count_work_after(const BasicBlock& block, u32 end) {
        bool is_behind_fence = false;
        for (u32 instruction_index = block.end; instruction_index < end && !has_found_enough();
             ++instruction_index) {
            const Instruction& i = function_.body[instruction_index];
            if (values_.produces_no_code(instruction_index) || ends_straight_code(i)) continue;
            const MemoryEffect effect = find_memory_effect(i);
            if (effect == MemoryEffect::fence) {
                is_behind_fence |= !accesses_.empty();
            } else if (waits_for_access(i) || (is_behind_fence && effect != MemoryEffect::none)) {
                const std::vector<u32> written_values = values_.find_written_values(i);
                values_after_loads_.insert(written_values.begin(), written_values.end());
                if (effect != MemoryEffect::none) accesses_.push_back(&i);
            } else {
                count_instruction(i);
            }
        }
    }

    void count_instruction(const Instruction& i) {
        has_found_load_ |= loads_global_memory(i);
        counted_steps_ += count_machine_instructions(i, values_) +
                          static_cast<u32>(values_.find_constants_to_load(i).size());
    }

    /// Reports whether the instruction waits for a load, or must follow an access that waits for a
    /// load.
    bool waits_for_access(const Instruction& i) const {
        if (contains_any_of(values_.find_read_values(i), values_after_loads_)) return true;
        const MemoryEffect effect = find_memory_effect(i);
        return effect != MemoryEffect::none && any_of(accesses_, [&](const Instruction* other) {
                   const bool are_both_loads = effect == MemoryEffect::load &&
                                               find_memory_effect(*other) == MemoryEffect::load;
                   return !are_both_loads && may_overlap(find_space(i), find_space(*other));
               });
    }

    bool has_found_enough() const {
        return has_found_load_ || counted_steps_ >= kMinOverlappingInstructions;
    }

    const ptx::Function& function_;
    const MachineValues& values_;
    std::set<u32> needed_values_;               ///< values that the block's instructions read
    std::set<u32> values_after_loads_;          ///< values that depend on the loads
    std::vector<const Instruction*> accesses_;  ///< accesses that wait for the loads
    u32 counted_steps_ = 0;
    bool has_found_load_ = false;  ///< true if another load has been found
};

class BlockJoiner {
public:
    BlockJoiner(const ptx::Function& function, const ControlFlow& flow, const MachineValues& values)
        : function_(function),
          flow_(flow),
          blocks_(flow.blocks()),
          values_(values),
          continuations_(blocks_.size()),
          piece_predecessor_(blocks_.size(), kNone) {
        for (u32 b = 0; b < blocks_.size(); ++b) {
            continuations_[b] = find_continuation(b);
            if (continuations_[b] != b) piece_predecessor_[continuations_[b]] = b;
        }
    }

    std::vector<u32> join_all_blocks() const {
        std::vector<u32> continuation = continuations_;
        for (u32 b = 0; b < blocks_.size(); ++b)
            if (continuation[b] == b + 2 && !has_overlapping_work(b + 1)) continuation[b] = b;
        return continuation;
    }

private:
    bool ends_piece(const BasicBlock& block) const {
        for (u32 instruction_index = block.begin; instruction_index < block.end;
             ++instruction_index) {
            const Instruction& i = function_.body[instruction_index];
            if (i.label.empty()) return i.opcode == "ret" || i.opcode == "exit";
        }
        return false;
    }

    bool is_short(const BasicBlock& block) const {
        u32 instruction_count = 0;
        bool has_load = false;
        for (u32 instruction_index = block.begin; instruction_index < block.end;
             ++instruction_index) {
            if (values_.produces_no_code(instruction_index)) continue;
            const Instruction& i = function_.body[instruction_index];
            if (find_memory_effect(i) == MemoryEffect::fence) return false;
            if (ends_straight_code(i) && instruction_index + 1 != block.end) return false;
            has_load |= i.opcode == "ld" && find_space(i) != ptx::StateSpace::shared;
            instruction_count += count_machine_instructions(i, values_);
        }
        return instruction_count <=
               (has_load ? kMaxGuardedInstructionsWithLoad : kMaxGuardedInstructions);
    }

    /// Returns the block that continues the straight-line piece of block `b`, or `b` itself if the
    /// piece ends there. Does not check whether enough work overlaps with the loads.
    /// join_all_blocks() checks this.
    u32 find_continuation(u32 b) const {
        const std::vector<u32>& next = blocks_[b].successors;
        if (next.size() == 1 && next[0] == b + 1 && flow_.predecessors(b + 1).size() == 1)
            return b + 1;
        // A branch that uses a table of targets may also have two successors, but it has no guard.
        const bool skips_one_block = next.size() == 2 && next[0] == b + 2 && next[1] == b + 1 &&
                                     function_.body[blocks_[b].end - 1].guard.has_value();
        if (!skips_one_block || flow_.predecessors(b + 1).size() != 1 ||
            flow_.predecessors(b + 2).size() != 2)
            return b;
        const std::vector<u32>& next_successors = blocks_[b + 1].successors;
        if (next_successors.size() != 1 || next_successors[0] != b + 2) return b;
        // If the next block but one ends the kernel, lanes that skip the next block exit directly,
        // so the piece ends here.
        return ends_piece(blocks_[b + 2]) || !is_short(blocks_[b + 1]) ? b : b + 2;
    }

    /// Reports whether there is enough work to overlap with the loads of the skipped block `b`:
    /// work in any block that can join its straight-line piece.
    bool has_overlapping_work(u32 b) const {
        const BasicBlock& block = blocks_[b];
        bool is_load = false;
        for (u32 instruction_index = block.begin; instruction_index < block.end;
             ++instruction_index)
            is_load |= !values_.produces_no_code(instruction_index) &&
                       loads_global_memory(function_.body[instruction_index]);
        if (!is_load) return true;
        u32 first_block = b - 1, last_block = b + 1;
        while (piece_predecessor_[first_block] != kNone)
            first_block = piece_predecessor_[first_block];
        while (continuations_[last_block] != last_block) last_block = continuations_[last_block];
        // ptxas also unrolls loops that contain branches, but this model unrolls a loop only if all
        // of its blocks are joined into one piece.
        if (is_among(first_block, blocks_[last_block].successors)) return true;
        return OverlappingWork(function_, values_)
            .has_enough_work(block, blocks_[first_block].begin, blocks_[last_block].end);
    }

    const ptx::Function& function_;
    const ControlFlow& flow_;
    const std::vector<BasicBlock>& blocks_;
    const MachineValues& values_;
    /// For each block, the next block and the previous block in the same piece. In program order,
    /// another block may lie between the two if it is short enough to be predicated.
    std::vector<u32> continuations_, piece_predecessor_;
};

}  // namespace

std::vector<u32> join_blocks(const ptx::Function& function, const ControlFlow& flow,
                             const MachineValues& values) {
    return BlockJoiner(function, flow, values).join_all_blocks();
}

}  // namespace coalesce::simulator

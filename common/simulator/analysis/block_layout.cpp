#include "simulator/analysis/block_layout.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "simulator/analysis/control_flow.h"

namespace coalesce::simulator {
namespace {

/// The maximum supported depth of nested loops.
constexpr u32 kMaxLoopDepth = 64;

/// Computes an order of a function's blocks: removes the back edges of loops, outermost loops
/// first, and gives each block a sort key.
class BlockOrdering {
public:
    explicit BlockOrdering(std::vector<BasicBlock> blocks)
        : blocks_(std::move(blocks)), sort_keys_(blocks_.size()) {
        for (u32 depth = 0; depth < kMaxLoopDepth && !is_complete_; ++depth) {
            assign_loop_ids(blocks_);
            for (u32 b = 0; b < blocks_.size(); ++b) {
                // Unreachable blocks, such as a block with a debug label after the last
                // instruction, stay at the end.
                if (depth == 0) sort_keys_[b].push_back(blocks_[b].loop_id > blocks_[0].loop_id);
                sort_keys_[b].push_back(~blocks_[b].loop_id);
            }
            if (!remove_back_edges()) return;
        }
    }

    /// Reports whether any block comes before one of its predecessors.
    bool has_block_before_predecessor() const {
        for (u32 b = 0; b < blocks_.size(); ++b)
            for (u32 next : blocks_[b].successors)
                if (next < b) return is_complete_;
        return false;
    }
    /// Returns all blocks in an order that puts each block after its predecessors and keeps the
    /// blocks of a loop together.
    std::vector<u32> compute_order() const {
        std::vector<u32> order(blocks_.size());
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(), [&](u32 left_block, u32 right_block) {
            return sort_keys_[left_block] < sort_keys_[right_block];
        });
        return order;
    }

private:
    /// Removes the back edges of the outermost remaining loops, so that only the loops nested in
    /// them remain. Returns false if a loop has several entries.
    bool remove_back_edges() {
        std::vector<u32> loop_entries(blocks_.size(), kNone);
        const auto record_loop_entry = [&](u32 b) {
            u32& entry = loop_entries[blocks_[b].loop_id];
            const bool is_only_entry = entry == kNone || entry == b;
            entry = b;
            return is_only_entry;
        };
        if (!blocks_.empty() && !record_loop_entry(0)) return false;
        for (const BasicBlock& block : blocks_)
            for (u32 next : block.successors)
                if (blocks_[next].loop_id != block.loop_id && !record_loop_entry(next))
                    return false;
        is_complete_ = true;
        for (BasicBlock& block : blocks_) {
            const auto is_back_edge = [&](u32 successor) {
                return blocks_[successor].loop_id == block.loop_id &&
                       loop_entries[block.loop_id] == successor;
            };
            if (std::erase_if(block.successors, is_back_edge) > 0) is_complete_ = false;
        }
        return true;
    }

    std::vector<BasicBlock> blocks_;
    std::vector<std::vector<u32>> sort_keys_;  ///< loops around each block, outermost first
    bool is_complete_ = false;                 ///< true once no loop is left
};

ptx::Instruction make_label(const std::string& name) {
    ptx::Instruction label;
    label.label = name;
    return label;
}

/// Returns a branch to `label`. A block needs such a branch if it fell through to a block that has
/// been moved.
ptx::Instruction make_branch(const std::string& label,
                             const ptx::Instruction& preceding_instruction) {
    ptx::Instruction branch = preceding_instruction;
    branch.opcode = "bra";
    branch.modifiers = {"uni"};
    branch.guard.reset();
    branch.label.clear();
    ptx::Operand target;
    target.kind = ptx::Operand::Kind::symbol;
    target.name = label;
    branch.operands = {target};
    return branch;
}

/// Reorders the function's blocks.
void reorder_blocks(ptx::Function& function, const std::vector<BasicBlock>& blocks,
                    const std::vector<u32>& order) {
    if (falls_through(function, blocks.back()) && order.back() + 1 != blocks.size()) return;
    const auto format_label = [&](u32 b) {
        const std::string& existing_label = function.body[blocks[b].begin].label;
        return existing_label.empty() ? "behind@" + std::to_string(b) : existing_label;
    };
    const auto loses_fall_through = [&](std::size_t k) {
        const u32 next_block = order[k] + 1;
        return falls_through(function, blocks[order[k]]) && next_block < blocks.size() &&
               (k + 1 == order.size() || order[k + 1] != next_block);
    };
    std::vector<bool> needs_label(blocks.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (loses_fall_through(k))
            needs_label[order[k] + 1] = function.body[blocks[order[k] + 1].begin].label.empty();
    }
    std::vector<ptx::Instruction> body;
    function.labels.clear();
    for (std::size_t k = 0; k < order.size(); ++k) {
        const BasicBlock& block = blocks[order[k]];
        if (needs_label[order[k]]) body.push_back(make_label(format_label(order[k])));
        for (u32 at = block.begin; at < block.end; ++at) body.push_back(function.body[at]);
        if (loses_fall_through(k))
            body.push_back(make_branch(format_label(order[k] + 1), function.body[block.end - 1]));
    }
    for (u32 at = 0; at < body.size(); ++at)
        if (!body[at].label.empty()) function.labels[body[at].label] = at;
    function.body = std::move(body);
}

}  // namespace

void order_blocks_for_reconvergence(ptx::Function& function) {
    const ControlFlow flow(function);
    const BlockOrdering loop_order(flow.blocks());
    if (loop_order.has_block_before_predecessor())
        reorder_blocks(function, flow.blocks(), loop_order.compute_order());
}

}  // namespace coalesce::simulator

#include "simulator/analysis/control_flow.h"

#include <set>

namespace coalesce::simulator {
namespace {

bool is_branch(const ptx::Instruction& i) {
    return i.opcode == "bra" || i.opcode == "brx";
}
bool ends_thread_or_call(const ptx::Instruction& i) {
    return i.opcode == "ret" || i.opcode == "exit";
}

/// Returns the blocks in the postorder of a depth-first search. The search has its own stack,
/// because recursion over a long body could overflow the host's stack.
std::vector<u32> find_postorder(const std::vector<BasicBlock>& blocks) {
    struct BlockVisit {
        u32 block;
        std::size_t next = 0;
    };
    std::vector<u32> postorder;
    std::vector<bool> is_visited(blocks.size(), false);
    for (u32 root = 0; root < blocks.size(); ++root) {
        std::vector<BlockVisit> path;
        const auto visit_block = [&](u32 b) {
            if (!is_visited[b]) path.push_back({b});
            is_visited[b] = true;
        };
        for (visit_block(root); !path.empty();) {
            BlockVisit& visit = path.back();
            if (visit.next < blocks[visit.block].successors.size()) {
                visit_block(blocks[visit.block].successors[visit.next++]);
                continue;
            }
            postorder.push_back(visit.block);
            path.pop_back();
        }
    }
    return postorder;
}

std::vector<std::vector<u32>> find_predecessors(const std::vector<BasicBlock>& blocks) {
    std::vector<std::vector<u32>> predecessors(blocks.size());
    for (u32 b = 0; b < blocks.size(); ++b)
        for (u32 next : blocks[b].successors) predecessors[next].push_back(b);
    return predecessors;
}

}  // namespace

bool falls_through(const ptx::Function& function, const BasicBlock& block) {
    const ptx::Instruction& last_instruction = function.body[block.end - 1];
    return last_instruction.guard ||
           !(is_branch(last_instruction) || ends_thread_or_call(last_instruction));
}

/// Numbers the strongly connected components (Kosaraju's algorithm). Among the blocks not yet
/// numbered, the last one in postorder forms a component with all of its unnumbered ancestors.
void assign_loop_ids(std::vector<BasicBlock>& blocks) {
    const std::vector<u32> postorder = find_postorder(blocks);
    const std::vector<std::vector<u32>> predecessors = find_predecessors(blocks);
    std::vector<bool> is_unnumbered(blocks.size(), true);
    u32 loop = static_cast<u32>(blocks.size());
    for (auto root_block = postorder.rbegin(); root_block != postorder.rend(); ++root_block) {
        loop -= is_unnumbered[*root_block];
        for (std::vector<u32> open_blocks{*root_block}; !open_blocks.empty();) {
            const u32 b = open_blocks.back();
            open_blocks.pop_back();
            if (!is_unnumbered[b]) continue;
            is_unnumbered[b] = false;
            blocks[b].loop_id = loop;
            open_blocks.insert(open_blocks.end(), predecessors[b].begin(), predecessors[b].end());
        }
    }
}

std::vector<u32> branch_targets(const ptx::Function& function, const ptx::Instruction& i) {
    std::vector<u32> targets;
    const auto add_target = [&](const std::string& label) {
        const auto found = function.labels.find(label);
        if (found != function.labels.end()) targets.push_back(found->second);
    };
    if (i.opcode == "bra" && !i.operands.empty()) add_target(i.operands[0].name);
    if (i.opcode == "brx" && i.operands.size() > 1) {
        const auto target_list = function.target_lists.find(i.operands[1].name);
        if (target_list != function.target_lists.end())
            for (const std::string& label : target_list->second) add_target(label);
    }
    return targets;
}

ControlFlow::ControlFlow(const ptx::Function& function)
    : block_of_instruction_(function.body.size()) {
    const u32 size = static_cast<u32>(function.body.size());
    for (u32 at = 0; at < size; ++at) {
        const bool begins_block = at == 0 || !function.body[at].label.empty() ||
                                  is_branch(function.body[at - 1]) ||
                                  ends_thread_or_call(function.body[at - 1]);
        if (begins_block) blocks_.push_back({at, at, {}, 0});
        blocks_.back().end = at + 1;
        block_of_instruction_[at] = static_cast<u32>(blocks_.size() - 1);
    }
    for (BasicBlock& block : blocks_) {
        const ptx::Instruction& last_instruction = function.body[block.end - 1];
        for (u32 target : branch_targets(function, last_instruction))
            block.successors.push_back(block_of_instruction_[target]);
        if (falls_through(function, block) && block.end < size)
            block.successors.push_back(block_of_instruction_[block.end]);
    }
    assign_loop_ids(blocks_);
    predecessors_ = find_predecessors(blocks_);
}

std::vector<u32> ControlFlow::blocks_of_iteration(u32 branch_instruction, u32 branch_target) const {
    const u32 last_block = block_of_instruction_[branch_instruction],
              first_block = block_of_instruction_[branch_target];
    if (blocks_[last_block].loop_id != blocks_[first_block].loop_id) return {};
    std::vector<u32> iteration_blocks{first_block};
    std::vector<bool> is_added(blocks_.size(), false);
    is_added[first_block] = true;
    const auto add_block = [&](u32 b) {
        if (is_added[b] || blocks_[b].loop_id != blocks_[first_block].loop_id) return;
        is_added[b] = true;
        iteration_blocks.push_back(b);
    };
    add_block(last_block);
    for (std::size_t k = 1; k < iteration_blocks.size(); ++k)
        for (u32 b : predecessors_[iteration_blocks[k]]) add_block(b);
    return iteration_blocks;
}

Dominators::Dominators(const ControlFlow& flow)
    : immediate_dominators_(flow.blocks().size(), kNone) {
    std::vector<bool> is_processed(immediate_dominators_.size(), false);
    if (!is_processed.empty()) is_processed[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 1; b < immediate_dominators_.size(); ++b) {
            u32 common_dominator = kNone;
            for (u32 predecessor : flow.predecessors(b))
                if (is_processed[predecessor])
                    common_dominator = common_dominator == kNone
                                           ? predecessor
                                           : find_common_dominator(common_dominator, predecessor);
            if (common_dominator == kNone ||
                (is_processed[b] && immediate_dominators_[b] == common_dominator))
                continue;
            is_processed[b] = changed = true;
            immediate_dominators_[b] = common_dominator;
        }
    }
}

bool Dominators::dominates(u32 dominator, u32 block) const {
    while (block != kNone && block != dominator) block = immediate_dominators_[block];
    return block == dominator;
}

/// Returns the closest common dominator of two blocks.
u32 Dominators::find_common_dominator(u32 first_block, u32 second_block) const {
    std::set<u32> dominators_of_a;
    for (; first_block != kNone; first_block = immediate_dominators_[first_block])
        dominators_of_a.insert(first_block);
    while (!dominators_of_a.contains(second_block))
        second_block = immediate_dominators_[second_block];
    return second_block;
}

}  // namespace coalesce::simulator

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
    struct Visit {
        u32 block;
        std::size_t next = 0;
    };
    std::vector<u32> ended;
    std::vector<bool> is_met(blocks.size(), false);
    for (u32 root = 0; root < blocks.size(); ++root) {
        std::vector<Visit> path;
        const auto go_to = [&](u32 b) {
            if (!is_met[b]) path.push_back({b});
            is_met[b] = true;
        };
        for (go_to(root); !path.empty();) {
            Visit& visit = path.back();
            if (visit.next < blocks[visit.block].next.size()) {
                go_to(blocks[visit.block].next[visit.next++]);
                continue;
            }
            ended.push_back(visit.block);
            path.pop_back();
        }
    }
    return ended;
}

std::vector<std::vector<u32>> find_predecessors(const std::vector<BasicBlock>& blocks) {
    std::vector<std::vector<u32>> predecessors(blocks.size());
    for (u32 b = 0; b < blocks.size(); ++b)
        for (u32 next : blocks[b].next) predecessors[next].push_back(b);
    return predecessors;
}

}  // namespace

bool falls_through(const ptx::Function& function, const BasicBlock& block) {
    const ptx::Instruction& last = function.body[block.end - 1];
    return last.guard || !(is_branch(last) || ends_thread_or_call(last));
}

/// Numbers the strongly connected components (Kosaraju's algorithm). Among the blocks not yet
/// numbered, the last one in postorder forms a component with all of its unnumbered ancestors.
void number_loops(std::vector<BasicBlock>& blocks) {
    const std::vector<u32> ended = find_postorder(blocks);
    const std::vector<std::vector<u32>> predecessors = find_predecessors(blocks);
    std::vector<bool> is_left(blocks.size(), true);
    u32 loop = static_cast<u32>(blocks.size());
    for (auto last = ended.rbegin(); last != ended.rend(); ++last) {
        loop -= is_left[*last];
        for (std::vector<u32> open{*last}; !open.empty();) {
            const u32 b = open.back();
            open.pop_back();
            if (!is_left[b]) continue;
            is_left[b] = false;
            blocks[b].loop = loop;
            open.insert(open.end(), predecessors[b].begin(), predecessors[b].end());
        }
    }
}

std::vector<u32> branch_targets(const ptx::Function& function, const ptx::Instruction& i) {
    std::vector<u32> targets;
    const auto add = [&](const std::string& label) {
        const auto found = function.labels.find(label);
        if (found != function.labels.end()) targets.push_back(found->second);
    };
    if (i.opcode == "bra" && !i.operands.empty()) add(i.operands[0].name);
    if (i.opcode == "brx" && i.operands.size() > 1) {
        const auto list = function.target_lists.find(i.operands[1].name);
        if (list != function.target_lists.end())
            for (const std::string& label : list->second) add(label);
    }
    return targets;
}

ControlFlow::ControlFlow(const ptx::Function& function) : block_of_(function.body.size()) {
    const u32 size = static_cast<u32>(function.body.size());
    for (u32 at = 0; at < size; ++at) {
        const bool begins = at == 0 || !function.body[at].label.empty() ||
                            is_branch(function.body[at - 1]) ||
                            ends_thread_or_call(function.body[at - 1]);
        if (begins) blocks_.push_back({at, at, {}, 0});
        blocks_.back().end = at + 1;
        block_of_[at] = static_cast<u32>(blocks_.size() - 1);
    }
    for (BasicBlock& block : blocks_) {
        const ptx::Instruction& last = function.body[block.end - 1];
        for (u32 target : branch_targets(function, last)) block.next.push_back(block_of_[target]);
        if (falls_through(function, block) && block.end < size)
            block.next.push_back(block_of_[block.end]);
    }
    number_loops(blocks_);
    predecessors_ = find_predecessors(blocks_);
}

std::vector<u32> ControlFlow::blocks_of_iteration(u32 from, u32 to) const {
    const u32 last = block_of_[from], first = block_of_[to];
    if (blocks_[last].loop != blocks_[first].loop) return {};
    std::vector<u32> turn{first};
    std::vector<bool> known(blocks_.size(), false);
    known[first] = true;
    const auto add = [&](u32 b) {
        if (known[b] || blocks_[b].loop != blocks_[first].loop) return;
        known[b] = true;
        turn.push_back(b);
    };
    add(last);
    for (std::size_t k = 1; k < turn.size(); ++k)
        for (u32 b : predecessors_[turn[k]]) add(b);
    return turn;
}

Dominators::Dominators(const ControlFlow& flow)
    : immediate_dominators_(flow.blocks().size(), kNone) {
    std::vector<bool> known(immediate_dominators_.size(), false);
    if (!known.empty()) known[0] = true;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 1; b < immediate_dominators_.size(); ++b) {
            u32 found = kNone;
            for (u32 from : flow.predecessors(b))
                if (known[from]) found = found == kNone ? from : find_common_dominator(found, from);
            if (found == kNone || (known[b] && immediate_dominators_[b] == found)) continue;
            known[b] = changed = true;
            immediate_dominators_[b] = found;
        }
    }
}

bool Dominators::dominates(u32 earlier, u32 block) const {
    while (block != kNone && block != earlier) block = immediate_dominators_[block];
    return block == earlier;
}

/// Returns the closest common dominator of two blocks.
u32 Dominators::find_common_dominator(u32 a, u32 b) const {
    std::set<u32> above;
    for (; a != kNone; a = immediate_dominators_[a]) above.insert(a);
    while (!above.contains(b)) b = immediate_dominators_[b];
    return b;
}

}  // namespace coalesce::simulator

#include "analysis/control_flow.h"

#include <algorithm>

namespace coalesce::sim {
namespace {

bool is_branch(const ptx::Instruction& i) {
    return i.opcode == "bra" || i.opcode == "brx";
}
bool ends_thread_or_call(const ptx::Instruction& i) {
    return i.opcode == "ret" || i.opcode == "exit";
}

/// Numbers the strongly connected components of the graph: Tarjan's algorithm, with a stack of its own,
/// since a body may be longer than the host's stack is deep.
class LoopNumbers {
public:
    explicit LoopNumbers(std::vector<BasicBlock>& blocks)
        : blocks_(blocks), order_(blocks.size(), kNew), lowest_(blocks.size(), 0) {
        for (u32 b = 0; b < blocks.size(); ++b)
            if (order_[b] == kNew) search_from(b);
    }

private:
    static constexpr u32 kNew = ~0u, kDone = ~0u - 1;
    struct Visit {
        u32 block;
        std::size_t next = 0;
    };

    void search_from(u32 root) {
        std::vector<Visit> path{{root}};
        begin(root);
        while (!path.empty()) {
            Visit& visit = path.back();
            const u32 b = visit.block;
            if (visit.next < blocks_[b].next.size()) {
                const u32 to = blocks_[b].next[visit.next++];
                if (order_[to] == kNew) {
                    begin(to);
                    path.push_back({to});
                } else if (order_[to] != kDone) {
                    lowest_[b] = std::min(lowest_[b], order_[to]);
                }
                continue;
            }
            path.pop_back();
            if (!path.empty())
                lowest_[path.back().block] = std::min(lowest_[path.back().block], lowest_[b]);
            if (lowest_[b] == order_[b]) close(b);
        }
    }
    void begin(u32 b) {
        order_[b] = lowest_[b] = count_++;
        open_.push_back(b);
    }
    /// All that was opened since `b` can reach it, and it them.
    void close(u32 b) {
        for (u32 member = ~0u; member != b;) {
            member = open_.back();
            open_.pop_back();
            order_[member] = kDone;
            blocks_[member].loop = loops_;
        }
        ++loops_;
    }

    std::vector<BasicBlock>& blocks_;
    std::vector<u32> order_, lowest_, open_;
    u32 count_ = 0, loops_ = 0;
};

}  // namespace

bool falls_through(const ptx::Function& function, const BasicBlock& block) {
    const ptx::Instruction& last = function.body[block.end - 1];
    return last.guard || !(is_branch(last) || ends_thread_or_call(last));
}

void number_loops(std::vector<BasicBlock>& blocks) {
    LoopNumbers{blocks};
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
    ways_in_.resize(blocks_.size());
    for (u32 b = 0; b < blocks_.size(); ++b)
        for (u32 next : blocks_[b].next) ways_in_[next].push_back(b);
}

std::vector<u32> ControlFlow::blocks_of_turn(u32 from, u32 to) const {
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
        for (u32 b : ways_in_[turn[k]]) add(b);
    return turn;
}

}  // namespace coalesce::sim

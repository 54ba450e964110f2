#include "page/ir_to_ptx/flow.h"

#include <algorithm>

namespace coalesce::translator {

std::vector<Block*> successors(const Block& block) {
    const Instruction& last = *block.last();
    if (last.op == Op::br || last.op == Op::switch_) return last.blocks;
    return {};
}

std::map<const Block*, std::vector<Block*>> predecessors(const Function& function) {
    std::map<const Block*, std::vector<Block*>> predecessors_of_block;
    for (Block* block : function.blocks) {
        for (const Block* next : successors(*block)) {
            std::vector<Block*>& block_predecessors = predecessors_of_block[next];
            if (block_predecessors.empty() || block_predecessors.back() != block)
                block_predecessors.push_back(block);
        }
    }
    return predecessors_of_block;
}

namespace {

/// This function is not recursive, because a learner's kernel may have thousands of blocks.
std::vector<Block*> reverse_postorder(const Function& function) {
    std::vector<Block*> order;
    std::set<const Block*> visited;
    struct Visit {
        Block* block;
        std::vector<Block*> next;
    };
    std::vector<Visit> path;
    const auto visit_block = [&](Block* block) {
        if (visited.insert(block).second) path.push_back({block, successors(*block)});
    };
    visit_block(function.blocks.front());
    while (!path.empty()) {
        Visit& visit = path.back();
        if (visit.next.empty()) {
            order.push_back(visit.block);
            path.pop_back();
        } else {
            Block* next = visit.next.back();
            visit.next.pop_back();
            visit_block(next);
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace

void drop_unreachable_blocks(Function& function) {
    const std::vector<Block*> order = reverse_postorder(function);
    const std::set<const Block*> reachable(order.begin(), order.end());
    std::erase_if(function.blocks, [&](const Block* block) { return !reachable.count(block); });
    for (Block* block : function.blocks) {
        for (Instruction* phi : block->instructions) {
            if (phi->op != Op::phi) break;
            for (std::size_t i = phi->blocks.size(); i-- > 0;) {
                if (reachable.count(phi->blocks[i])) continue;
                phi->blocks.erase(phi->blocks.begin() + static_cast<std::ptrdiff_t>(i));
                phi->operands.erase(phi->operands.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }
}

/// Computes the dominators by the algorithm of Cooper, Harvey and Kennedy: "A Simple, Fast
/// Dominance Algorithm".
Dominators::Dominators(const Function& function) : order_(reverse_postorder(function)) {
    for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
    const auto before = predecessors(function);
    constexpr std::size_t kUnknown = ~std::size_t{0};
    immediate_dominators_.assign(order_.size(), kUnknown);
    immediate_dominators_[0] = 0;
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (std::size_t i = 1; i < order_.size(); ++i) {
            std::size_t common_dominator = kUnknown;
            for (const Block* block : before.at(order_[i])) {
                const auto found = position_.find(block);
                if (found == position_.end() || immediate_dominators_[found->second] == kUnknown)
                    continue;
                std::size_t a = found->second,
                            b = common_dominator == kUnknown ? a : common_dominator;
                while (a != b) (a > b ? a : b) = immediate_dominators_[std::max(a, b)];
                common_dominator = a;
            }
            is_changed |= immediate_dominators_[i] != common_dominator;
            immediate_dominators_[i] = common_dominator;
        }
    }
}

const Block* Dominators::immediate_dominator(const Block* block) const {
    const std::size_t position = position_.at(block);
    return position == 0 ? nullptr : order_[immediate_dominators_[position]];
}

bool Dominators::dominates(const Block* a, const Block* b) const {
    for (const Block* at = b; at; at = immediate_dominator(at)) {
        if (at == a) return true;
    }
    return false;
}

}  // namespace coalesce::translator

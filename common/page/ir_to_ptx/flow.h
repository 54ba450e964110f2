// How control flows through a function: neighbours of blocks, who dominates whom, and which values
// are alive where.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

std::vector<Block*> successors(const Block& block);
std::map<const Block*, std::vector<Block*>> predecessors(const Function& function);
/// Blocks that nothing leads to are dropped, and what phis say of them.
void drop_unreachable(Function& function);

/// A dominates B: every way to B goes through A.
class Dominators {
public:
    explicit Dominators(const Function& function);
    /// nullptr: the entry.
    const Block* immediate(const Block* block) const;
    bool dominates(const Block* a, const Block* b) const;
    /// Every block after those that dominate it.
    const std::vector<Block*>& order() const { return order_; }

private:
    std::vector<Block*> order_;  ///< reverse postorder
    std::map<const Block*, std::size_t> position_;
    std::vector<std::size_t> immediate_;
};

}  // namespace coalesce::translator

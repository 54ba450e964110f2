// The control flow of a function: predecessors, dominators, and live values.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "page/ir_to_ptx/ir.h"

namespace coalesce::translator {

std::vector<Block*> successors(const Block& block);
std::map<const Block*, std::vector<Block*>> predecessors(const Function& function);
/// Removes unreachable blocks, and the values that phis receive from these blocks.
void drop_unreachable_blocks(Function& function);

/// The dominator tree. A dominates B if every path to B goes through A.
class Dominators {
public:
    explicit Dominators(const Function& function);
    /// Returns the immediate dominator, or nullptr for the entry block.
    const Block* immediate_dominator(const Block* block) const;
    bool dominates(const Block* a, const Block* b) const;
    /// Returns the blocks in an order in which every block comes after its dominators.
    const std::vector<Block*>& order() const { return order_; }

private:
    std::vector<Block*> order_;  ///< reverse postorder
    std::map<const Block*, std::size_t> position_;
    std::vector<std::size_t> immediate_dominators_;
};

}  // namespace coalesce::translator

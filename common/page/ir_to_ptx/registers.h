// Decides which values share a register. A phi shares a register with its incoming values if the
// phi and these values are never live at the same time. A loop then needs no copy at the end of
// each iteration.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "page/ir_to_ptx/flow.h"
#include "page/ir_to_ptx/fold.h"

namespace coalesce::translator {

/// The values live at the beginning and at the end of each block.
class Liveness {
public:
    Liveness(const Function& function, const FoldedInstructions& folding);
    /// Returns the values live on the edge between two blocks, before the phis are set.
    std::set<const Value*> find_alive_between(const Block* from, const Block* to) const;
    const std::set<const Value*>& alive_at_start(const Block* block) const {
        return start_.at(block);
    }
    /// Returns the values live at the end of a block, including the operands of phis in the
    /// following blocks.
    const std::set<const Value*>& alive_at_end(const Block* block) const { return end_.at(block); }

private:
    void add_phi_operands(const Block* from, const Block* to, std::set<const Value*>& alive) const;

    const FoldedInstructions& folding_;
    std::map<const Block*, std::set<const Value*>> start_, end_;
};

/// The groups of values that share a register. One value represents each group.
class RegisterSharing {
public:
    RegisterSharing(const Function& function, const FoldedInstructions& folding,
                    const Liveness& liveness);
    const Value* representative(const Value* value) const;

private:
    bool interfere(const Value* a, const Value* b) const;
    bool is_alive_after(const Value* value, const Instruction* position) const;
    void try_join(const Value* phi, const Value* incoming);

    const FoldedInstructions& folding_;
    const Liveness& liveness_;
    std::map<const Value*, std::size_t> position_;  ///< position of an instruction in its block
    std::map<const Value*, const Value*> representative_;
    std::map<const Value*, std::vector<const Value*>> members_;
    std::map<const Value*, std::vector<const Instruction*>> readers_;
};

}  // namespace coalesce::translator

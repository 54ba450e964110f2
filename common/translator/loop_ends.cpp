// A loop whose last branch goes back, and which is left by going on behind it: requests depend on it, since
// lanes that leave in different turns meet at a label alone.
//
// Idea   The phis of the loop's first block are set before the branch, unless what they were is wanted behind
//        the loop. Then the back end keeps two registers, one for the next turn, and the first block begins
//        with a copy:
//
//     %p = phi [ ..., %entry ], [ %next, %loop ]        %n = phi [ ..., %entry ], [ %next, %loop ]
//                                                       %p = a copy of %n
#include "translator/flow.h"
#include "translator/passes.h"
#include "translator/registers.h"

namespace coalesce::translator {

namespace {

/// Phis that cannot be set before the branch at the end of their loop.
std::vector<Instruction*> wanted_behind_loops(const Function& function) {
    const Dominators dominators(function);
    const Folding folding(function);
    const Liveness liveness(function, folding);
    std::set<const Instruction*> seen;
    std::vector<Instruction*> all;
    for (const Block* end : function.blocks) {
        const Instruction& branch = *end->last();
        if (branch.op != Op::br || branch.blocks.size() != 2) continue;
        for (const std::size_t way : {0, 1}) {
            const Block *first = branch.blocks[way], *behind = branch.blocks[1 - way];
            if (first == behind || !dominators.dominates(first, end)) continue;
            const std::set<const Value*> alive = liveness.between(end, behind);
            for (Instruction* phi : first->instructions) {
                if (phi->op != Op::phi) break;
                if (alive.count(phi) && seen.insert(phi).second) all.push_back(phi);
            }
        }
    }
    return all;
}

}  // namespace

void free_loop_ends(Module& module, Function& function) {
    for (Instruction* phi : wanted_behind_loops(function)) {
        auto* copying = module.make<Function>(Value::Kind::function, module.types.pointer(),
                                              "llvm.ssa.copy." + text_of(*phi->type));
        copying->function_type = module.types.function(phi->type, {phi->type}, false);
        Instruction* copy = module.instruction(Op::call, phi->type, {}, *phi);
        copy->parent = phi->parent;
        copy->callee = copying;
        copy->function_type = copying->function_type;
        replace_uses(function, phi, copy);
        copy->operands = {phi};
        auto& all = phi->parent->instructions;
        auto at = all.begin();
        while ((*at)->op == Op::phi) ++at;
        all.insert(at, copy);
    }
}

}  // namespace coalesce::translator

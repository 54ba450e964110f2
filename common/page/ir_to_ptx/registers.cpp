#include "page/ir_to_ptx/registers.h"

#include "page/ir_to_ptx/emitter.h"

namespace coalesce::translator {

namespace {

bool needs_register(const Value* value) {
    return value->has_kind(Value::Kind::instruction) || value->has_kind(Value::Kind::argument);
}

/// Reports whether the instruction reads all operands before it writes its result. An instruction
/// that becomes several PTX instructions may write its result before it has read all operands.
bool reads_before_it_writes(const Instruction& i) {
    const bool is_plain = i.op != Op::call && i.op != Op::atomicrmw && i.op != Op::cmpxchg;
    return is_plain && register_families(*i.type).size() == 1;
}

}  // namespace

void Liveness::add_phi_operands(const Block* from, const Block* to,
                                std::set<const Value*>& alive) const {
    for (const Instruction* phi : to->instructions) {
        if (phi->op != Op::phi) return;
        for (std::size_t i = 0; i < phi->blocks.size(); ++i) {
            if (phi->blocks[i] != from) continue;
            for (const Value* value : folding_.find_source_values(phi->operands[i])) {
                if (needs_register(value)) alive.insert(value);
            }
        }
    }
}

/// Iterates backwards over the function's blocks until nothing changes.
Liveness::Liveness(const Function& function, const FoldedInstructions& folding)
    : folding_(folding) {
    for (const Block* block : function.blocks) start_[block], end_[block];
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (auto block = function.blocks.rbegin(); block != function.blocks.rend(); ++block) {
            std::set<const Value*> alive;
            for (const Block* next : successors(**block)) {
                alive.insert(start_[next].begin(), start_[next].end());
                add_phi_operands(*block, next, alive);
            }
            end_[*block] = alive;
            const auto& block_instructions = (*block)->instructions;
            for (auto i = block_instructions.rbegin(); i != block_instructions.rend(); ++i) {
                alive.erase(*i);
                if ((*i)->op == Op::phi || folding.is_folded(*i)) continue;
                for (const Value* value : folding.find_read_values(**i)) {
                    if (needs_register(value)) alive.insert(value);
                }
            }
            is_changed |= alive != start_[*block];
            start_[*block] = std::move(alive);
        }
    }
}

std::set<const Value*> Liveness::find_alive_between(const Block* from, const Block* to) const {
    std::set<const Value*> alive = start_.at(to);
    add_phi_operands(from, to, alive);
    return alive;
}

RegisterSharing::RegisterSharing(const Function& function, const FoldedInstructions& folding,
                                 const Liveness& liveness)
    : folding_(folding), liveness_(liveness) {
    for (const Block* block : function.blocks) {
        std::size_t position = 0;
        for (const Instruction* i : block->instructions) {
            position_[i] = position++;
            if (i->op == Op::phi || folding.is_folded(i)) continue;
            for (const Value* value : folding.find_read_values(*i)) readers_[value].push_back(i);
        }
    }
    for (const Block* block : function.blocks) {
        for (const Instruction* phi : block->instructions) {
            if (phi->op != Op::phi) break;
            for (const Value* incoming : phi->operands) try_join(phi, incoming);
        }
    }
}

const Value* RegisterSharing::representative(const Value* value) const {
    const auto found = representative_.find(value);
    return found == representative_.end() ? value : found->second;
}

/// Lets a phi and an incoming value share a register if possible. Both must be results of
/// instructions: arguments have their own registers, and renamed values use the registers of other
/// values.
void RegisterSharing::try_join(const Value* phi, const Value* incoming) {
    const Instruction* definition = as_instruction(incoming);
    if (!definition || folding_.is_folded(definition) || definition->op == Op::alloca ||
        definition->type != phi->type)
        return;
    if (!reads_before_it_writes(*definition)) return;
    const Value *a = representative(phi), *b = representative(incoming);
    if (a == b) return;
    std::vector<const Value*>& group_a = members_.try_emplace(a, 1, a).first->second;
    std::vector<const Value*>& group_b = members_.try_emplace(b, 1, b).first->second;
    for (const Value* member_a : group_a) {
        for (const Value* member_b : group_b) {
            if (interfere(member_a, member_b)) return;
        }
    }
    for (const Value* member_b : group_b) {
        representative_[member_b] = a;
        group_a.push_back(member_b);
    }
    members_.erase(b);
}

/// Reports whether both values are live at the point where one of them is defined.
bool RegisterSharing::interfere(const Value* a, const Value* b) const {
    return is_alive_after(a, as_instruction(b)) || is_alive_after(b, as_instruction(a));
}

bool RegisterSharing::is_alive_after(const Value* value, const Instruction* point) const {
    const Instruction* definition = as_instruction(value);
    const Block* block = point->parent;
    // All phis of a block are defined at its beginning.
    if (definition->parent == block && definition->op == Op::phi && point->op == Op::phi)
        return true;
    const bool is_made_before = definition->parent == block
                                    ? position_.at(definition) < position_.at(point)
                                    : liveness_.alive_at_start(block).count(value) != 0;
    if (!is_made_before) return false;
    if (liveness_.alive_at_end(block).count(value)) return true;
    const auto readers = readers_.find(value);
    if (readers == readers_.end()) return false;
    for (const Instruction* reader : readers->second) {
        if (reader->parent == block && position_.at(reader) > position_.at(point)) return true;
    }
    return false;
}

}  // namespace coalesce::translator

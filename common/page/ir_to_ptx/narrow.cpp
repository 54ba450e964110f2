// Narrows loads of which only some bytes are used, as LLVM's back end does. For example, the load
// of a long long becomes a load of 4 bytes if only the lower half is used. In shared memory, the
// narrower load takes half the wavefronts.
#include <algorithm>
#include <bit>

#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/passes.h"

namespace coalesce::translator {

namespace {

bool is_whole_access(u32 bits) {
    return bits == 8 || bits == 16 || bits == 32;
}

/// A narrowed load of `bits` bits, starting at byte `offset`. Its result replaces `user`.
struct NarrowedUse {
    Instruction* user;
    u32 bits;
    u64 offset;
};

class LoadNarrowing {
public:
    LoadNarrowing(Module& module, Function& function)
        : module_(module), function_(function), use_counts_(count_uses(function)) {
        for (Block* block : function.blocks)
            for (Instruction* i : block->instructions)
                for (Value* operand : i->operands) last_users_[operand] = i;
    }

    void run() {
        for (Block* block : function_.blocks) {
            for (std::size_t k = 0; k < block->instructions.size(); ++k) {
                Instruction* load = block->instructions[k];
                if (is_candidate(*load)) narrow_load(*block, k, *load);
            }
        }
    }

private:
    static bool is_candidate(const Instruction& i) {
        return i.op == Op::load && i.type->has_kind(Type::Kind::integer) && i.type->bits <= 64 &&
               std::has_single_bit(i.type->bits) && !i.has_flag(flag::is_volatile) &&
               !i.has_flag(flag::is_atomic) && i.ordering == Ordering::none;
    }

    /// Returns the instruction in `block` that is the only user of `of`, or nullptr if there is
    /// none.
    Instruction* single_user(const Instruction& used_load, const Block& block) const {
        const auto use_count = use_counts_.find(&used_load);
        if (use_count == use_counts_.end() || use_count->second != 1) return nullptr;
        Instruction* user = last_users_.at(&used_load);
        return user->parent == &block ? user : nullptr;
    }

    /// Matches trunc(load), trunc(load >> whole bytes), and load >> whole bytes if the remaining
    /// bits are as wide as an access. Returns false for all other uses of the load.
    bool find(const Instruction& load, const Block& block, NarrowedUse& to) const {
        Instruction* user = single_user(load, block);
        if (!user || user->operands[0] != &load) return false;
        u64 shift = 0;
        if (user->op == Op::lshr || user->op == Op::ashr) {
            i64 number = 0;
            if (!is_number(user->operands[1], number) || number % 8 != 0) return false;
            shift = static_cast<u64>(number);
            if (Instruction* next_user = single_user(*user, block);
                next_user && next_user->op == Op::trunc)
                user = next_user;
            else if (user->op == Op::ashr)
                return false;
        }
        if (user->op != Op::trunc && user->op != Op::lshr) return false;
        const u32 bits_left = static_cast<u32>(load.type->bits - shift);
        to = {user, user->op == Op::trunc ? user->type->bits : bits_left, shift / 8};
        return is_whole_access(to.bits) && to.bits <= bits_left && to.bits < load.type->bits &&
               (to.offset * 8) % to.bits == 0;
    }

    void narrow_load(Block& block, std::size_t k, const Instruction& load) {
        NarrowedUse to{};
        if (!find(load, block, to)) return;
        const Type* type = module_.types.integer(to.bits);
        Value* pointer = load.operands[0];
        std::vector<Instruction*> new_instructions;
        if (to.offset != 0) {
            Value* bytes = module_.number(module_.types.integer(64), to.offset);
            Instruction* address =
                module_.instruction(Op::getelementptr, pointer->type, {pointer, bytes}, load);
            address->memory_type = module_.types.integer(8);
            new_instructions.push_back(address);
            pointer = address;
        }
        Instruction* part = module_.instruction(Op::load, type, {pointer}, load);
        part->memory_type = type;
        part->flags = load.flags;
        part->align = std::min(load.align ? load.align : abi_alignment(*load.type), to.bits / 8);
        new_instructions.push_back(part);
        // Insert the new instructions before the load. The user of the load is removed, or becomes
        // an extension of the loaded value.
        Value* value = part;
        if (to.user->type != type) {
            Instruction* extension = module_.instruction(Op::zext, to.user->type, {part}, *to.user);
            new_instructions.push_back(extension);
            value = extension;
        }
        replace_uses(function_, to.user, value);
        use_counts_[&load] = 0;  // the loop visits this load again, after the inserted instructions
        block.instructions.insert(block.instructions.begin() + static_cast<std::ptrdiff_t>(k),
                                  new_instructions.begin(), new_instructions.end());
    }

    Module& module_;
    Function& function_;
    std::map<const Value*, u32> use_counts_;
    std::map<const Value*, Instruction*> last_users_;
};

}  // namespace

void narrow_loads_to_used_bytes(Module& module, Function& function) {
    LoadNarrowing(module, function).run();
    drop_dead_instructions(function);
}

}  // namespace coalesce::translator

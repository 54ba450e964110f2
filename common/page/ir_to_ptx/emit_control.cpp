// Emits control flow: br, switch, ret, unreachable. Phi nodes are set on the edges
// (function_text.cpp).
#include "page/ir_to_ptx/emitter.h"
#include "page/ir_to_ptx/parameters.h"

namespace coalesce::translator {

void emit_phi(Emitter&, const Instruction&) {}

namespace {

void emit_conditional_branch(Emitter& e, const Instruction& i) {
    const Block &from = *i.parent, &true_block = *i.blocks[0], &false_block = *i.blocks[1];
    const std::string condition = e.format_register_operand(i.operands[0]);
    bool sets_true_phis = e.sets_phis(from, true_block),
         sets_false_phis = e.sets_phis(from, false_block);
    if (sets_true_phis && e.can_set_phis_early(from, true_block, false_block)) {
        e.set_phis(from, true_block);
        sets_true_phis = false;
    }
    if (sets_false_phis && e.can_set_phis_early(from, false_block, true_block)) {
        e.set_phis(from, false_block);
        sets_false_phis = false;
    }
    if (sets_true_phis && sets_false_phis) {
        const std::string label = e.make_label();
        e.emit_ptx("@" + condition + " bra " + label);
        e.set_phis(from, false_block);
        e.emit_ptx("bra.uni " + e.block_label(false_block));
        e.emit_label(label);
        e.set_phis(from, true_block);
        if (e.next_block() != &true_block) e.emit_ptx("bra.uni " + e.block_label(true_block));
        return;
    }
    const bool is_true_last = sets_true_phis || (!sets_false_phis && e.next_block() == &true_block);
    const Block& last_block = is_true_last ? true_block : false_block;
    e.emit_ptx("@" + std::string(is_true_last ? "!" : "") + condition + " bra " +
               e.block_label(is_true_last ? false_block : true_block));
    if (is_true_last ? sets_true_phis : sets_false_phis) e.set_phis(from, last_block);
    if (e.next_block() != &last_block) e.emit_ptx("bra.uni " + e.block_label(last_block));
}

}  // namespace

void emit_br(Emitter& e, const Instruction& i) {
    if (i.operands.empty() || i.blocks[0] == i.blocks[1]) {
        e.emit_edge(*i.parent, *i.blocks[0]);
    } else {
        emit_conditional_branch(e, i);
    }
}

/// Emits a switch as a sequence of comparisons. The code that sets phi nodes on the edges follows
/// the comparisons.
void emit_switch(Emitter& e, const Instruction& i) {
    const Type& type = *i.operands[0]->type;
    std::string value = e.extend_operand(i.operands[0], true);
    if (type.bits == 1) {
        value = e.make_register(Register::b32);
        e.emit_ptx("selp.b32 " + value + ", -1, 0, " + e.format_operand(i.operands[0]));
    }
    const std::string bits = type.bits == 1 ? "32" : std::to_string(register_bits(type));
    const bool is_wide = register_count(type) == 2;
    const std::string high = is_wide ? e.extend_operand(i.operands[0], true, 1) : "";
    std::vector<std::pair<std::string, const Block*>> case_targets;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
        i64 number = 0;
        is_number(i.operands[k], number);
        const std::string is_case = e.make_register(Register::predicate);
        if (is_wide) {
            const std::string low = e.make_register(Register::predicate);
            e.emit_ptx("setp.eq.b64 " + low + ", " + value + ", " +
                       e.format_operand(i.operands[k], 0));
            e.emit_ptx("setp.eq.and.b64 " + is_case + ", " + high + ", " +
                       e.format_operand(i.operands[k], 1) + ", " + low);
        } else {
            e.emit_ptx("setp.eq.b" + bits + " " + is_case + ", " + value + ", " +
                       std::to_string(number));
        }
        const bool is_long = e.sets_phis(*i.parent, *i.blocks[k]);
        const std::string label = is_long ? e.make_label() : e.block_label(*i.blocks[k]);
        e.emit_ptx("@" + is_case + " bra " + label);
        if (is_long) case_targets.emplace_back(label, i.blocks[k]);
    }
    e.set_phis(*i.parent, *i.blocks[0]);
    if (!case_targets.empty() || e.next_block() != i.blocks[0])
        e.emit_ptx("bra.uni " + e.block_label(*i.blocks[0]));
    for (const auto& [label, to] : case_targets) {
        e.emit_label(label);
        e.set_phis(*i.parent, *to);
        e.emit_ptx("bra.uni " + e.block_label(*to));
    }
}

void emit_ret(Emitter& e, const Instruction& i) {
    if (!i.operands.empty()) emit_parameter_store(e, "func_retval0", i.operands[0], nullptr);
    e.emit_ptx("ret");
}

/// Emits the code for a position that must never be reached. If it is reached, the kernel fails
/// instead of continuing with the code of the next function.
void emit_unreachable(Emitter& e, const Instruction&) {
    e.emit_ptx("trap");
    e.emit_ptx("exit");
}

}  // namespace coalesce::translator

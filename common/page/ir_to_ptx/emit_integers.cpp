// Emits integer operations: + - * / %, shifts, logic and comparisons. 128-bit integers are pairs of
// 64-bit integers.
#include "page/ir_to_ptx/elements.h"
#include "page/ir_to_ptx/fold.h"

namespace coalesce::translator {

namespace {

const Type& element(const Instruction& i) {
    return element_of(*i.type);
}
bool is_wide(const Instruction& i) {
    return register_count(element_of(*i.operands[0]->type)) == 2;
}
/// Emits "op d, a, b".
void emit_binary(Emitter& e, const std::string& op, const std::string& d, const std::string& a,
                 const std::string& b) {
    e.emit_ptx(op + " " + d + ", " + a + ", " + b);
}
std::string emit_binary_to_new_register(Emitter& e, Register family, const std::string& op,
                                        const std::string& a, const std::string& b) {
    const std::string d = e.make_register(family);
    emit_binary(e, op, d, a, b);
    return d;
}

/// Returns the shift amount as a .u32, which all shifts require.
std::string shift_amount(Emitter& e, const Value* amount, std::size_t part) {
    const std::string text = e.extend_operand(amount, false, part);
    const u32 bits = register_bits(element_of(*amount->type));
    if (text[0] != '%' || bits == 32) return text;
    const std::string narrow_amount = e.make_register(Register::b32);
    e.emit_ptx("cvt.u32.u" + std::to_string(bits) + " " + narrow_amount + ", " + text);
    return narrow_amount;
}

std::string load_constant(Emitter& e, const std::string& text) {
    const std::string d = e.make_register(Register::b64);
    e.emit_ptx("mov.b64 " + d + ", " + text);
    return d;
}

/// The low and high halves of the result and of both operands. The operands are copies, because the
/// register of the result may be that of an operand.
struct WideOperands {
    std::string d[2], a[2], b[2];
};
WideOperands split_wide_operands(Emitter& e, const Instruction& i, std::size_t part) {
    WideOperands w;
    const bool is_signed = i.op == Op::ashr || (i.op == Op::icmp && i.predicate[0] == 's');
    const bool has_order = i.op == Op::lshr || i.op == Op::ashr || i.op == Op::icmp;
    const auto operand = [&](std::size_t number, std::size_t index) {
        const Value* value = i.operands[number];
        const std::string text =
            has_order ? e.extend_operand(value, is_signed, index) : e.format_operand(value, index);
        return text[0] == '%' ? text : load_constant(e, text);
    };
    for (std::size_t k = 0; k < 2; ++k) {
        w.a[k] = operand(0, part + k);
        w.b[k] = operand(1, part + k);
        w.d[k] = i.op == Op::icmp ? "" : e.result_register(i, part + k);
    }
    return w;
}

void emit_wide_sum(Emitter& e, const Instruction& i, std::size_t part, const std::string& op) {
    const WideOperands w = split_wide_operands(e, i, part);
    const std::string low =
        emit_binary_to_new_register(e, Register::b64, op + ".cc.u64", w.a[0], w.b[0]);
    emit_binary(e, op + "c.u64", w.d[1], w.a[1], w.b[1]);
    e.emit_ptx("mov.b64 " + w.d[0] + ", " + low);
}

void emit_wide_product(Emitter& e, const Instruction& i, std::size_t part) {
    const WideOperands w = split_wide_operands(e, i, part);
    const auto product = [&](const char* op, const std::string& a, const std::string& b) {
        return emit_binary_to_new_register(e, Register::b64, op, a, b);
    };
    const std::string low = product("mul.lo.u64", w.a[0], w.b[0]);
    const std::string high = product("mul.hi.u64", w.a[0], w.b[0]);
    const std::string left = product("mul.lo.u64", w.a[0], w.b[1]);
    const std::string right = product("mul.lo.u64", w.a[1], w.b[0]);
    emit_binary(e, "add.u64", w.d[1], high, product("add.u64", left, right));
    e.emit_ptx("mov.b64 " + w.d[0] + ", " + low);
}

/// Emits a shift of a 128-bit integer. In PTX, a shift by more than 63 bits gives 0 (or the sign).
/// Each half of the result is therefore the OR of the parts that may be shifted into it, at most
/// one of which is not 0.
void emit_wide_shift(Emitter& e, const Instruction& i, std::size_t part) {
    const WideOperands w = split_wide_operands(e, i, part);
    const std::string shift_count = e.make_register(Register::b32),
                      reverse_amount = e.make_register(Register::b32),
                      excess = e.make_register(Register::b32);
    e.emit_ptx("cvt.u32.u64 " + shift_count + ", " + w.b[0]);
    emit_binary(e, "sub.s32", reverse_amount, "64", shift_count);
    emit_binary(e, "add.s32", excess, shift_count, "-64");
    const auto emit_shift_step = [&](const std::string& op, const std::string& a,
                                     const std::string& amount_register) {
        return emit_binary_to_new_register(e, Register::b64, op, a, amount_register);
    };
    const bool is_left = i.op == Op::shl;
    const std::size_t near_half = is_left ? 1 : 0, far_half = 1 - near_half;
    const std::string shift_opcode = is_left ? "shl.b64" : "shr.u64",
                      reverse_opcode = is_left ? "shr.u64" : "shl.b64";
    const std::string combined =
        emit_shift_step("or.b64", emit_shift_step(shift_opcode, w.a[near_half], shift_count),
                        emit_shift_step(reverse_opcode, w.a[far_half], reverse_amount));
    if (i.op != Op::ashr) {
        emit_binary(e, "or.b64", w.d[near_half], combined,
                    emit_shift_step(shift_opcode, w.a[far_half], excess));
        emit_binary(e, shift_opcode, w.d[far_half], w.a[far_half], shift_count);
        return;
    }
    const std::string exceeds_half = e.make_register(Register::predicate);
    emit_binary(e, "setp.gt.u32", exceeds_half, shift_count, "63");
    const std::string excess_shift = emit_shift_step("shr.s64", w.a[1], excess),
                      high = emit_shift_step("shr.s64", w.a[1], shift_count);
    e.emit_ptx("selp.b64 " + w.d[0] + ", " + excess_shift + ", " + combined + ", " + exceeds_half);
    e.emit_ptx("mov.b64 " + w.d[1] + ", " + high);
}

/// Emits mad if one of the operands is a product that only this addition uses. Otherwise returns
/// false.
bool emit_mad(Emitter& e, const Instruction& i) {
    for (std::size_t k = 0; k < 2; ++k) {
        const Instruction* product = as_instruction(i.operands[k]);
        if (!product || product->op != Op::mul || !e.is_folded(product)) continue;
        const std::string a = e.format_register_operand(product->operands[0]),
                          b = e.format_operand(product->operands[1]),
                          c = e.format_operand(i.operands[1 - k]);
        e.emit_ptx("mad.lo.s" + register_width(element(i)) + " " + e.result_register(i) + ", " + a +
                   ", " + b + ", " + c);
        return true;
    }
    return false;
}

}  // namespace

void emit_add(Emitter& e, const Instruction& i) {
    if (emit_mad(e, i)) return;
    for_each_element(*i.type, [&](std::size_t part) {
        if (is_wide(i)) return emit_wide_sum(e, i, part, "add");
        const std::string a = e.format_register_operand(i.operands[0], part),
                          b = e.format_operand(i.operands[1], part);
        const bool is_bit = element(i).bits == 1;
        emit_binary(e, is_bit ? "xor.pred" : "add.s" + register_width(element(i)),
                    e.result_register(i, part), a, b);
    });
}

void emit_sub(Emitter& e, const Instruction& i) {
    for_each_element(*i.type, [&](std::size_t part) {
        if (is_wide(i)) return emit_wide_sum(e, i, part, "sub");
        const std::string a = e.format_operand(i.operands[0], part),
                          b = e.format_operand(i.operands[1], part);
        const std::string d = e.result_register(i, part), bits = register_width(element(i));
        if (element(i).bits == 1) return emit_binary(e, "xor.pred", d, a, b);
        if (a == "0") return e.emit_ptx("neg.s" + bits + " " + d + ", " + b);
        emit_binary(e, "sub.s" + bits, d, a, b);
    });
}

void emit_mul(Emitter& e, const Instruction& i) {
    if (const WideProduct product = match_wide_product(i); product.a) {
        const std::string a = e.format_register_operand(product.a);
        const std::string b =
            product.b ? e.format_operand(product.b) : std::to_string(product.factor);
        emit_binary(e,
                    std::string("mul.wide.") + (product.is_signed ? "s" : "u") +
                        register_width(*product.a->type),
                    e.result_register(i), a, b);
        return;
    }
    for_each_element(*i.type, [&](std::size_t part) {
        if (is_wide(i)) return emit_wide_product(e, i, part);
        const std::string a = e.format_register_operand(i.operands[0], part),
                          b = e.format_operand(i.operands[1], part);
        const bool is_bit = element(i).bits == 1;
        emit_binary(e, is_bit ? "and.pred" : "mul.lo.s" + register_width(element(i)),
                    e.result_register(i, part), a, b);
    });
}

void emit_divide(Emitter& e, const Instruction& i) {
    const bool is_signed = i.op == Op::sdiv || i.op == Op::srem;
    const bool is_quotient = i.op == Op::udiv || i.op == Op::sdiv;
    if (is_wide(i)) fail(i, "a division of vectors of 128-bit integers is not supported");
    for_each_element(*i.type, [&](std::size_t part) {
        const std::string a = e.extend_operand(i.operands[0], is_signed, part),
                          b = e.extend_operand(i.operands[1], is_signed, part);
        emit_binary(e,
                    std::string(is_quotient ? "div." : "rem.") + (is_signed ? "s" : "u") +
                        register_width(element(i)),
                    e.result_register(i, part), a, b);
    });
}

void emit_shift(Emitter& e, const Instruction& i) {
    if (match_wide_product(i).a) return emit_mul(e, i);
    for_each_element(*i.type, [&](std::size_t part) {
        if (is_wide(i)) return emit_wide_shift(e, i, part);
        const std::string a = i.op == Op::shl
                                  ? e.format_operand(i.operands[0], part)
                                  : e.extend_operand(i.operands[0], i.op == Op::ashr, part);
        const std::string n = shift_amount(e, i.operands[1], part);
        const std::string op = i.op == Op::shl ? "shl.b" : i.op == Op::lshr ? "shr.u" : "shr.s";
        emit_binary(e, op + register_width(element(i)), e.result_register(i, part), a, n);
    });
}

void emit_logic(Emitter& e, const Instruction& i) {
    const Type& type = element(i);
    const std::string suffix = type.bits == 1 ? ".pred" : ".b" + register_width(type);
    const std::size_t halves = register_count(type);
    for_each_element(*i.type, [&](std::size_t first) {
        for (std::size_t part = first; part < first + halves; ++part) {
            i64 number = 0;
            const bool is_not =
                i.op == Op::xor_ && is_number(i.operands[1], number) && number == -1;
            const std::string a = e.format_operand(i.operands[0], part);
            if (is_not) {
                e.emit_ptx("not" + suffix + " " + e.result_register(i, part) + ", " + a);
                continue;
            }
            const std::string b = e.format_operand(i.operands[1], part);
            emit_binary(e, std::string(name_of(i.op)) + suffix, e.result_register(i, part), a, b);
        }
    });
}

// ---- comparisons ----

namespace {

/// Returns the PTX operator for a comparison in the IR, such as "lt" for "slt".
std::string comparison_operator(const Instruction& i) {
    return i.predicate == "eq" || i.predicate == "ne" ? i.predicate : i.predicate.substr(1);
}

/// Emits a comparison of 128-bit integers: compares the high halves and, if they are equal, the low
/// halves.
void emit_wide_icmp(Emitter& e, const Instruction& i, std::size_t part, const std::string& d) {
    const WideOperands w = split_wide_operands(e, i, 2 * part);
    const std::string comparison_name = comparison_operator(i);
    const auto compare_halves = [&](const std::string& op, std::size_t half_index) {
        return emit_binary_to_new_register(e, Register::predicate, "setp." + op, w.a[half_index],
                                           w.b[half_index]);
    };
    if (comparison_name == "eq" || comparison_name == "ne") {
        emit_binary(e, comparison_name == "eq" ? "and.pred" : "or.pred", d,
                    compare_halves(comparison_name + ".b64", 0),
                    compare_halves(comparison_name + ".b64", 1));
        return;
    }
    const std::string strict_comparison = comparison_name.substr(0, 1) + "t",
                      sign = i.predicate[0] == 's' ? ".s64" : ".u64";
    const std::string low = compare_halves(comparison_name + ".u64", 0),
                      is_high_equal = compare_halves("eq.b64", 1),
                      high = compare_halves(strict_comparison + sign, 1);
    emit_binary(
        e, "or.pred", d, high,
        emit_binary_to_new_register(e, Register::predicate, "and.pred", is_high_equal, low));
}

/// Converts a predicate to a word: false to 0, and true to 1, or to -1 for signed comparisons.
std::string extend_to_word(Emitter& e, const Value* value, std::size_t part, bool is_signed) {
    const std::string d = e.make_register(Register::b32);
    e.emit_ptx("selp.b32 " + d + (is_signed ? ", -1, 0, " : ", 1, 0, ") +
               e.format_operand(value, part));
    return d;
}

}  // namespace

void emit_icmp(Emitter& e, const Instruction& i) {
    const Type& type = element_of(*i.operands[0]->type);
    const bool is_signed = i.predicate[0] == 's',
               is_equality = comparison_operator(i) == i.predicate;
    const std::size_t count = register_families(*i.type).size();
    for (std::size_t part = 0; part < count; ++part) {
        const std::string d = e.result_register(i, part);
        if (is_wide(i)) {
            emit_wide_icmp(e, i, part, d);
            continue;
        }
        const bool is_bit = register_bits(type) == 1;
        const std::string a = is_bit ? extend_to_word(e, i.operands[0], part, is_signed)
                                     : e.extend_operand(i.operands[0], is_signed, part);
        const std::string b = is_bit ? extend_to_word(e, i.operands[1], part, is_signed)
                                     : e.extend_operand(i.operands[1], is_signed, part);
        const std::string kind = is_equality ? ".b" : is_signed ? ".s" : ".u";
        emit_binary(
            e, "setp." + comparison_operator(i) + kind + (is_bit ? "32" : register_width(type)), d,
            a, b);
    }
}

}  // namespace coalesce::translator

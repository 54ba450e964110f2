// Emits integer intrinsics such as llvm.smin, ctpop, bswap and fshl, and intrinsics that only give
// information to the optimizer.
#include <bit>

#include "page/ir_to_ptx/elements.h"
#include "page/ir_to_ptx/intrinsics.h"

namespace coalesce::translator {

namespace {

std::string emit_to_new_register(Emitter& e, Register family, const std::string& text) {
    const std::size_t blank = text.find(' ');
    const std::string d = e.make_register(family);
    e.emit_ptx(text.substr(0, blank) + " " + d + "," + text.substr(blank));
    return d;
}

const Type& type_of(const Instruction& i) {
    const Type& type = element_of(*i.operands[0]->type);
    if (register_count(type) == 2) fail(i, "this operation on 128-bit integers is not supported");
    return type;
}

/// Emits min.s32 for llvm.smin.i32.
void emit_min_max(Emitter& e, const Instruction& i) {
    const std::string name = called_function(i)->name.substr(5, 4);
    const bool is_signed = name[0] == 's';
    const Type& type = type_of(i);
    for_each_element(*i.type, [&](std::size_t part) {
        if (type.bits == 1) {
            const bool is_and = (name == "umin") || (name == "smax");
            return e.emit_ptx(std::string(is_and ? "and" : "or") + ".pred " +
                              e.result_register(i, part) + ", " +
                              e.format_operand(i.operands[0], part) + ", " +
                              e.format_operand(i.operands[1], part));
        }
        const std::string a = e.extend_operand(i.operands[0], is_signed, part),
                          b = e.extend_operand(i.operands[1], is_signed, part);
        e.emit_ptx(name.substr(1) + "." + name[0] + register_width(type) + " " +
                   e.result_register(i, part) + ", " + a + ", " + b);
    });
}

void emit_abs(Emitter& e, const Instruction& i) {
    const Type& type = type_of(i);
    for_each_element(*i.type, [&](std::size_t part) {
        const std::string a = e.extend_operand(i.operands[0], true, part);
        e.emit_ptx("abs.s" + register_width(type) + " " + e.result_register(i, part) + ", " + a);
    });
}

/// Returns the value in a register of 32 or 64 bits, zero-extended.
std::string extend_to_32_or_64_bits(Emitter& e, const Value* value, u32& bits) {
    const std::string text = e.extend_operand(value, false);
    bits = register_bits(*value->type);
    if (bits != 16) return text;
    bits = 32;
    return emit_to_new_register(
        e, Register::b32,
        "cvt.u32.u16 " + (text[0] == '%' ? text : e.format_register_operand(value)));
}

/// Stores the 32-bit result of popc, clz and similar instructions in a register as wide as the
/// operand.
void emit_bit_count(Emitter& e, const Instruction& i, const std::string& count) {
    const u32 bits = register_bits(*i.type);
    e.emit_ptx(bits == 32 ? "mov.b32 " + e.result_register(i) + ", " + count
                          : "cvt.u" + std::to_string(bits) + ".u32 " + e.result_register(i) + ", " +
                                count);
}

void check_scalar(const Instruction& i) {
    type_of(i);
    if (i.type->has_kind(Type::Kind::vector)) fail(i, "this operation on vectors is not supported");
    if (i.type->is_integer(1)) fail(i, "this operation on one bit is not supported");
}

void emit_ctpop(Emitter& e, const Instruction& i) {
    check_scalar(i);
    u32 bits = 0;
    const std::string value = extend_to_32_or_64_bits(e, i.operands[0], bits);
    emit_bit_count(
        e, i,
        emit_to_new_register(e, Register::b32, "popc.b" + std::to_string(bits) + " " + value));
}

void emit_ctlz(Emitter& e, const Instruction& i) {
    check_scalar(i);
    u32 bits = 0;
    const std::string value = extend_to_32_or_64_bits(e, i.operands[0], bits);
    std::string count =
        emit_to_new_register(e, Register::b32, "clz.b" + std::to_string(bits) + " " + value);
    if (bits != i.type->bits) {
        count = emit_to_new_register(
            e, Register::b32, "add.s32 " + count + ", -" + std::to_string(bits - i.type->bits));
    }
    emit_bit_count(e, i, count);
}

/// Emits a count of the zeros below the lowest set bit, by reversing the bits and counting leading
/// zeros. If the width is not a register width, a bit above the highest bit is set, so that the
/// count is correct for 0.
void emit_cttz(Emitter& e, const Instruction& i) {
    check_scalar(i);
    u32 bits = 0;
    std::string value = extend_to_32_or_64_bits(e, i.operands[0], bits);
    const std::string suffix = ".b" + std::to_string(bits);
    const Register family = bits == 64 ? Register::b64 : Register::b32;
    if (bits != i.type->bits) {
        value = emit_to_new_register(
            e, family, "or" + suffix + " " + value + ", " + std::to_string(u64{1} << i.type->bits));
    }
    const std::string reversed = emit_to_new_register(e, family, "brev" + suffix + " " + value);
    emit_bit_count(e, i, emit_to_new_register(e, Register::b32, "clz" + suffix + " " + reversed));
}

/// Shifts a result from the upper bits of `value` down to bit 0.
void emit_shifted_down(Emitter& e, const Instruction& i, const std::string& value, u32 bits) {
    const std::string shift_bits = std::to_string(bits - i.type->bits),
                      suffix = std::to_string(bits);
    const u32 full_bits = register_bits(*i.type);
    const Register family = bits == 64 ? Register::b64 : Register::b32;
    const std::string low =
        bits == i.type->bits
            ? value
            : emit_to_new_register(e, family, "shr.u" + suffix + " " + value + ", " + shift_bits);
    e.emit_ptx(full_bits == bits ? "mov.b" + suffix + " " + e.result_register(i) + ", " + low
                                 : "cvt.u" + std::to_string(full_bits) + ".u" + suffix + " " +
                                       e.result_register(i) + ", " + low);
}

void emit_bitreverse(Emitter& e, const Instruction& i) {
    check_scalar(i);
    u32 bits = 0;
    const std::string value = extend_to_32_or_64_bits(e, i.operands[0], bits);
    const Register family = bits == 64 ? Register::b64 : Register::b32;
    emit_shifted_down(
        e, i, emit_to_new_register(e, family, "brev.b" + std::to_string(bits) + " " + value), bits);
}

void emit_bswap(Emitter& e, const Instruction& i) {
    check_scalar(i);
    u32 bits = 0;
    const std::string value = extend_to_32_or_64_bits(e, i.operands[0], bits);
    if (bits == 32) {
        emit_shifted_down(
            e, i, emit_to_new_register(e, Register::b32, "prmt.b32 " + value + ", 0, 291"), bits);
        return;
    }
    const std::string low = e.make_register(Register::b32), high = e.make_register(Register::b32);
    e.emit_ptx("mov.b64 {" + low + ", " + high + "}, " + value);
    const std::string reversed_high =
                          emit_to_new_register(e, Register::b32, "prmt.b32 " + low + ", 0, 291"),
                      reversed_low =
                          emit_to_new_register(e, Register::b32, "prmt.b32 " + high + ", 0, 291");
    emit_shifted_down(e, i,
                      emit_to_new_register(e, Register::b64,
                                           "mov.b64 {" + reversed_low + ", " + reversed_high + "}"),
                      bits);
}

/// Emits a funnel shift of two words. There is an instruction for 32 bits. For other widths, two
/// shifts are combined.
void emit_funnel(Emitter& e, const Instruction& i) {
    check_scalar(i);
    const bool is_left = called_function(i)->name.starts_with("llvm.fshl");
    const u32 bits = i.type->bits;
    const std::string a = e.format_register_operand(i.operands[0]);
    if (bits == 32) {
        const std::string b = e.format_register_operand(i.operands[1]),
                          n = e.format_operand(i.operands[2]);
        e.emit_ptx(std::string("shf.") + (is_left ? "l" : "r") + ".wrap.b32 " +
                   e.result_register(i) + ", " + b + ", " + a + ", " + n);
        return;
    }
    if (!std::has_single_bit(bits)) fail(i, "a funnel shift of this width is not supported");
    const u32 full_bits = register_bits(*i.type);
    const Register family = register_family(*i.type);
    const std::string suffix = std::to_string(full_bits),
                      b = e.extend_operand(i.operands[1], false);
    const std::string amount = e.format_register_operand(i.operands[2]);
    const std::string wide_amount =
        emit_to_new_register(e, Register::b32, "cvt.u32.u" + suffix + " " + amount);
    const std::string n = emit_to_new_register(
        e, Register::b32, "and.b32 " + wide_amount + ", " + std::to_string(bits - 1));
    const std::string reverse_amount =
        emit_to_new_register(e, Register::b32, "sub.s32 " + std::to_string(bits) + ", " + n);
    const std::string left_part = emit_to_new_register(
        e, family, "shl.b" + suffix + " " + a + ", " + (is_left ? n : reverse_amount));
    const std::string right_part = emit_to_new_register(
        e, family, "shr.u" + suffix + " " + b + ", " + (is_left ? reverse_amount : n));
    e.emit_ptx("or.b" + suffix + " " + e.result_register(i) + ", " + left_part + ", " + right_part);
}

/// Returns the result of extend_operand(), in a register even if it is a number.
std::string extend_to_register(Emitter& e, const Value* value, bool is_signed, std::size_t part) {
    const std::string text = e.extend_operand(value, is_signed, part);
    const Type& type = element_of(*value->type);
    return text[0] == '%' ? text
                          : emit_to_new_register(e, register_family(type),
                                                 "mov.b" + register_width(type) + " " + text);
}

/// Both operands and their sum, difference or product, in whole registers.
struct OperandsAndSum {
    std::string a, b, d;
    /// Whether the register is wider than the type, so that the sum cannot overflow the register.
    bool has_spare_bits = false;
};
OperandsAndSum emit_sum(Emitter& e, const Instruction& i, bool is_signed, const std::string& op,
                        std::size_t part) {
    const Type& type = type_of(i);
    OperandsAndSum sum{extend_to_register(e, i.operands[0], is_signed, part),
                       extend_to_register(e, i.operands[1], is_signed, part), "",
                       type.bits < register_bits(type)};
    sum.d = emit_to_new_register(e, register_family(type),
                                 op + ".s" + register_width(type) + " " + sum.a + ", " + sum.b);
    return sum;
}

/// Returns a value that is negative if a signed sum or difference has overflowed. A sum has
/// overflowed if its sign differs from the signs of both operands. A difference has overflowed if
/// the sign of the first operand differs from those of the second operand and of the result.
std::string signed_overflow(Emitter& e, const Instruction& i, const OperandsAndSum& sum,
                            bool is_sum) {
    const Register family = register_family(type_of(i));
    const std::string bits = "b" + register_width(type_of(i)) + " ";
    const std::string changed_a =
                          emit_to_new_register(e, family, "xor." + bits + sum.a + ", " + sum.d),
                      changed_b = emit_to_new_register(e, family,
                                                       "xor." + bits + (is_sum ? sum.b : sum.a) +
                                                           ", " + (is_sum ? sum.d : sum.b));
    return emit_to_new_register(e, family, "and." + bits + changed_a + ", " + changed_b);
}

/// Emits llvm.uadd.with.overflow.i32: the sum, and whether it overflowed.
void emit_with_overflow(Emitter& e, const Instruction& i) {
    const std::string name = called_function(i)->name.substr(5, 4), op = name.substr(1);
    const Type& type = type_of(i);
    const u32 bits = type.bits;
    if (bits != 16 && bits != 32 && bits != 64)
        fail(i, "an overflow check for integers of this width is not supported");
    const std::string suffix = std::to_string(bits);
    const OperandsAndSum sum = emit_sum(e, i, name[0] == 's', op == "mul" ? "mul.lo" : op, 0);
    const std::string has_overflow = e.result_register(i, 1);
    if (op == "mul") {
        const std::string sign = name.substr(0, 1);
        const Register family = register_family(type);
        const std::string high =
            emit_to_new_register(e, family, "mul.hi." + sign + suffix + " " + sum.a + ", " + sum.b);
        const std::string expected =
            sign == "u"
                ? "0"
                : emit_to_new_register(
                      e, family, "shr.s" + suffix + " " + sum.d + ", " + std::to_string(bits - 1));
        e.emit_ptx("setp.ne.b" + suffix + " " + has_overflow + ", " + high + ", " + expected);
    } else if (name[0] == 'u') {
        e.emit_ptx("setp." + std::string(op == "add" ? "lt" : "gt") + ".u" + suffix + " " +
                   has_overflow + ", " + sum.d + ", " + sum.a);
    } else {
        e.emit_ptx("setp.lt.s" + suffix + " " + has_overflow + ", " +
                   signed_overflow(e, i, sum, op == "add") + ", 0");
    }
    e.emit_ptx("mov.b" + suffix + " " + e.result_register(i, 0) + ", " + sum.d);
}

/// Emits llvm.uadd.sat and llvm.usub.sat.
void emit_unsigned_saturated(Emitter& e, const Instruction& i, bool is_sum, std::size_t part) {
    const Type& type = type_of(i);
    const Register family = register_family(type);
    const std::string suffix = register_width(type);
    if (type.bits < register_bits(type) && is_sum) {
        const OperandsAndSum sum = emit_sum(e, i, false, "add", part);
        e.emit_ptx("min.u" + suffix + " " + e.result_register(i, part) + ", " + sum.d + ", " +
                   std::to_string((u64{1} << type.bits) - 1));
        return;
    }
    const std::string a = extend_to_register(e, i.operands[0], false, part),
                      b = extend_to_register(e, i.operands[1], false, part);
    if (is_sum) {
        const std::string headroom = emit_to_new_register(e, family, "not.b" + suffix + " " + b);
        e.emit_ptx("add.s" + suffix + " " + e.result_register(i, part) + ", " +
                   emit_to_new_register(e, family, "min.u" + suffix + " " + a + ", " + headroom) +
                   ", " + b);
    } else {
        e.emit_ptx("sub.s" + suffix + " " + e.result_register(i, part) + ", " +
                   emit_to_new_register(e, family, "max.u" + suffix + " " + a + ", " + b) + ", " +
                   b);
    }
}

/// Emits llvm.sadd.sat and llvm.ssub.sat.
void emit_signed_saturated(Emitter& e, const Instruction& i, bool is_sum, std::size_t part) {
    const Type& type = type_of(i);
    const Register family = register_family(type);
    const std::string bits = register_width(type),
                      max_value = std::to_string((u64{1} << (type.bits - 1)) - 1);
    const OperandsAndSum sum = emit_sum(e, i, true, is_sum ? "add" : "sub", part);
    if (sum.has_spare_bits) {
        const std::string min_value = "-" + std::to_string(u64{1} << (type.bits - 1));
        e.emit_ptx(
            "max.s" + bits + " " + e.result_register(i, part) + ", " +
            emit_to_new_register(e, family, "min.s" + bits + " " + sum.d + ", " + max_value) +
            ", " + min_value);
        return;
    }
    // The result on overflow is the largest or the smallest number, depending on the first
    // operand's sign.
    const std::string has_overflow =
        emit_to_new_register(e, Register::predicate,
                             "setp.lt.s" + bits + " " + signed_overflow(e, i, sum, is_sum) + ", 0");
    const std::string sign_word = emit_to_new_register(
        e, family, "shr.s" + bits + " " + sum.a + ", " + std::to_string(type.bits - 1));
    const std::string limit =
        emit_to_new_register(e, family, "xor.b" + bits + " " + sign_word + ", " + max_value);
    e.emit_ptx("selp.b" + bits + " " + e.result_register(i, part) + ", " + limit + ", " + sum.d +
               ", " + has_overflow);
}

void emit_saturated(Emitter& e, const Instruction& i) {
    const std::string name = called_function(i)->name.substr(5, 4);
    if (type_of(i).bits == 1) fail(i, "this operation on one bit is not supported");
    for_each_element(*i.type, [&](std::size_t part) {
        const auto emit_saturated_part =
            name[0] == 's' ? emit_signed_saturated : emit_unsigned_saturated;
        emit_saturated_part(e, i, name.substr(1) == "add", part);
    });
}

/// Emits llvm.scmp and llvm.ucmp, whose result is -1, 0 or 1.
void emit_three_way(Emitter& e, const Instruction& i) {
    const Type& type = type_of(i);
    const bool is_signed = called_function(i)->name[5] == 's';
    const std::string suffix = std::string(is_signed ? ".s" : ".u") + register_width(type);
    const std::string a = e.extend_operand(i.operands[0], is_signed),
                      b = e.extend_operand(i.operands[1], is_signed);
    const std::string bits = register_width(*i.type);
    const std::string is_less = emit_to_new_register(e, Register::predicate,
                                                     "setp.lt" + suffix + " " + a + ", " + b),
                      is_greater = emit_to_new_register(e, Register::predicate,
                                                        "setp.gt" + suffix + " " + a + ", " + b);
    const std::string one_or_zero =
        emit_to_new_register(e, register_family(*i.type), "selp.b" + bits + " 1, 0, " + is_greater);
    e.emit_ptx("selp.b" + bits + " " + e.result_register(i) + ", -1, " + one_or_zero + ", " +
               is_less);
}

void emit_nothing(Emitter&, const Instruction&) {}

/// Emits llvm.expect.i1(x, likely), whose result is x.
void copy_first_operand(Emitter& e, const Instruction& i) {
    const auto families = register_families(*i.type);
    for (std::size_t part = 0; part < families.size(); ++part) {
        const std::string type = families[part] == Register::predicate
                                     ? "pred"
                                     : "b" + std::to_string(8u << static_cast<u32>(families[part]));
        e.emit_ptx("mov." + type + " " + e.result_register(i, part) + ", " +
                   e.format_operand(i.operands[0], part));
    }
}

/// Emits llvm.is.constant, whose result is always false.
void emit_is_constant(Emitter& e, const Instruction& i) {
    e.emit_ptx("mov.pred " + e.result_register(i) + ", 0");
}

constexpr Intrinsic kIntegerIntrinsics[] = {
    {"smin.*", emit_min_max},
    {"smax.*", emit_min_max},
    {"umin.*", emit_min_max},
    {"umax.*", emit_min_max},
    {"abs.*", emit_abs},
    {"ctpop.*", emit_ctpop},
    {"ctlz.*", emit_ctlz},
    {"cttz.*", emit_cttz},
    {"bitreverse.*", emit_bitreverse},
    {"bswap.*", emit_bswap},
    {"fshl.*", emit_funnel},
    {"fshr.*", emit_funnel},
    {"uadd.with.overflow.*", emit_with_overflow},
    {"sadd.with.overflow.*", emit_with_overflow},
    {"usub.with.overflow.*", emit_with_overflow},
    {"ssub.with.overflow.*", emit_with_overflow},
    {"umul.with.overflow.*", emit_with_overflow},
    {"smul.with.overflow.*", emit_with_overflow},
    {"uadd.sat.*", emit_saturated},
    {"usub.sat.*", emit_saturated},
    {"sadd.sat.*", emit_saturated},
    {"ssub.sat.*", emit_saturated},
    {"scmp.*", emit_three_way},
    {"ucmp.*", emit_three_way},
    {"expect.*", copy_first_operand},
    {"ssa.copy.*", copy_first_operand},
    {"launder.invariant.group.*", copy_first_operand},
    {"strip.invariant.group.*", copy_first_operand},
    {"is.constant.*", emit_is_constant},
    {"assume", emit_nothing},
    {"donothing", emit_nothing},
    {"sideeffect", emit_nothing},
    {"pseudoprobe", emit_nothing},
    {"experimental.noalias.scope.decl", emit_nothing},
    {"dbg.*", emit_nothing},
};

}  // namespace

std::span<const Intrinsic> integer_intrinsics() {
    return kIntegerIntrinsics;
}

}  // namespace coalesce::translator

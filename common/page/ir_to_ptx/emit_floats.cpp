// Emits floating-point arithmetic, comparisons and conversions.
//
// Idea   Every operation specifies its rounding (.rn), so that ptxas does not contract operations
//        that contraction.cpp has not contracted.
#include <array>

#include "page/ir_to_ptx/floats.h"

namespace coalesce::translator {

std::string float_suffix(const Type& type) {
    switch (type.kind) {
        case Type::Kind::half: return "f16";
        case Type::Kind::bfloat: return "bf16";
        case Type::Kind::single: return "f32";
        default: return "f64";
    }
}

std::string float_operand(Emitter& e, const Value* value, std::size_t part) {
    const bool is_small = register_bits(element_of(*value->type)) == 16;
    return is_small ? e.format_register_operand(value, part) : e.format_operand(value, part);
}

namespace {

/// Converts a half to a float, for operations that have no half instruction.
std::string widen_half(Emitter& e, const Value* value, std::size_t part) {
    const std::string wide = e.make_register(Register::b32);
    e.emit_ptx("cvt.f32." + float_suffix(element_of(*value->type)) + " " + wide + ", " +
               e.format_register_operand(value, part));
    return wide;
}

void emit_float_division(Emitter& e, const Instruction& i, std::size_t part) {
    const Type& type = element_of(*i.type);
    const std::string d = e.result_register(i, part);
    if (register_bits(type) != 16) {
        e.emit_ptx("div.rn." + float_suffix(type) + " " + d + ", " +
                   e.format_operand(i.operands[0], part) + ", " +
                   e.format_operand(i.operands[1], part));
        return;
    }
    const std::string a = widen_half(e, i.operands[0], part),
                      b = widen_half(e, i.operands[1], part);
    const std::string quotient = e.make_register(Register::b32);
    e.emit_ptx("div.rn.f32 " + quotient + ", " + a + ", " + b);
    e.emit_ptx("cvt.rn." + float_suffix(type) + ".f32 " + d + ", " + quotient);
}

struct Comparison {
    std::string_view ir_name, ptx_name;
};
constexpr std::array kComparisons = {
    Comparison{"oeq", "eq"},  Comparison{"ogt", "gt"},  Comparison{"oge", "ge"},
    Comparison{"olt", "lt"},  Comparison{"ole", "le"},  Comparison{"one", "ne"},
    Comparison{"ord", "num"}, Comparison{"uno", "nan"}, Comparison{"ueq", "equ"},
    Comparison{"ugt", "gtu"}, Comparison{"uge", "geu"}, Comparison{"ult", "ltu"},
    Comparison{"ule", "leu"}, Comparison{"une", "neu"}};

/// Returns the PTX type of an integer that is as wide as its register, such as "s32".
std::string integer_suffix(const Type& type, bool is_signed) {
    return (is_signed ? "s" : "u") + std::to_string(register_bits(type));
}

}  // namespace

void emit_fneg(Emitter& e, const Instruction& i) {
    for (std::size_t part = 0; part < element_count(*i.type); ++part) {
        e.emit_ptx("neg." + float_suffix(element_of(*i.type)) + " " + e.result_register(i, part) +
                   ", " + float_operand(e, i.operands[0], part));
    }
}

void emit_float(Emitter& e, const Instruction& i) {
    const Type& type = element_of(*i.type);
    for (std::size_t part = 0; part < element_count(*i.type); ++part) {
        if (i.op == Op::fdiv) {
            emit_float_division(e, i, part);
            continue;
        }
        const char* name = i.op == Op::fadd ? "add" : i.op == Op::fsub ? "sub" : "mul";
        e.emit_ptx(name + (".rn." + float_suffix(type)) + " " + e.result_register(i, part) + ", " +
                   float_operand(e, i.operands[0], part) + ", " +
                   float_operand(e, i.operands[1], part));
    }
}

/// Emits x - trunc(x / y) * y, as the back end does, or x if y is infinite.
void emit_frem(Emitter& e, const Instruction& i) {
    const Type& type = element_of(*i.type);
    const bool is_double = type.has_kind(Type::Kind::real), is_small = register_bits(type) == 16;
    const std::string suffix = is_double ? ".f64 " : ".f32 ";
    const auto make_float_register = [&] {
        return e.make_register(is_double ? Register::b64 : Register::b32);
    };
    for (std::size_t part = 0; part < element_count(*i.type); ++part) {
        const auto operand = [&](std::size_t k) {
            return is_small ? widen_half(e, i.operands[k], part)
                            : e.format_register_operand(i.operands[k], part);
        };
        const std::string x = operand(0), y = operand(1);
        const std::string quotient_turns = make_float_register(), remainder = make_float_register(),
                          size = make_float_register();
        const std::string is_infinite = e.make_register(Register::predicate);
        const std::string d = is_small ? make_float_register() : e.result_register(i, part);
        e.emit_ptx("div.rn" + suffix + quotient_turns + ", " + x + ", " + y);
        e.emit_ptx("cvt.rzi" + suffix.substr(0, 4) + suffix + quotient_turns + ", " +
                   quotient_turns);
        e.emit_ptx("neg" + suffix + quotient_turns + ", " + quotient_turns);
        e.emit_ptx("fma.rn" + suffix + remainder + ", " + quotient_turns + ", " + y + ", " + x);
        e.emit_ptx("abs" + suffix + size + ", " + y);
        e.emit_ptx("setp.eq" + suffix + is_infinite + ", " + size + ", " +
                   (is_double ? "0d7FF0000000000000" : "0f7F800000"));
        e.emit_ptx(std::string(is_double ? "selp.b64 " : "selp.b32 ") + d + ", " + x + ", " +
                   remainder + ", " + is_infinite);
        if (is_small)
            e.emit_ptx("cvt.rn." + float_suffix(type) + ".f32 " + e.result_register(i, part) +
                       ", " + d);
    }
}

void emit_fcmp(Emitter& e, const Instruction& i) {
    const Type& type = element_of(*i.operands[0]->type);
    for (std::size_t part = 0; part < element_count(*i.type); ++part) {
        const std::string d = e.result_register(i, part);
        if (i.predicate == "true" || i.predicate == "false") {
            e.emit_ptx(std::string("setp.") + (i.predicate == "true" ? "eq" : "ne") + ".u32 " + d +
                       ", 0, 0");
            continue;
        }
        std::string_view comparison;
        for (const Comparison& c : kComparisons)
            if (c.ir_name == i.predicate) comparison = c.ptx_name;
        if (comparison.empty()) fail(i, "there is no comparison " + i.predicate);
        e.emit_ptx("setp." + std::string(comparison) + "." + float_suffix(type) + " " + d + ", " +
                   float_operand(e, i.operands[0], part) + ", " +
                   float_operand(e, i.operands[1], part));
    }
}

void emit_float_resize(Emitter& e, const Instruction& i) {
    const Type &to = element_of(*i.type), &from = element_of(*i.operands[0]->type);
    const char* rounding = i.op == Op::fptrunc ? "cvt.rn." : "cvt.";
    for (std::size_t part = 0; part < element_count(*i.type); ++part) {
        e.emit_ptx(rounding + float_suffix(to) + "." + float_suffix(from) + " " +
                   e.result_register(i, part) + ", " +
                   e.format_register_operand(i.operands[0], part));
    }
}

void emit_float_to_integer(Emitter& e, const Instruction& i) {
    const Type &to = element_of(*i.type), &from = element_of(*i.operands[0]->type);
    if (to.bits > 64)
        fail(i, "a conversion from floating point to a 128-bit integer is not supported");
    for (std::size_t part = 0; part < element_count(*i.type); ++part) {
        const std::string value = e.format_register_operand(i.operands[0], part);
        if (to.bits == 1) {
            const std::string whole = e.make_register(Register::b32);
            e.emit_ptx("cvt.rzi.s32." + float_suffix(from) + " " + whole + ", " + value);
            e.emit_ptx("setp.ne.s32 " + e.result_register(i, part) + ", " + whole + ", 0");
            continue;
        }
        e.emit_ptx("cvt.rzi." + integer_suffix(to, i.op == Op::fptosi) + "." + float_suffix(from) +
                   " " + e.result_register(i, part) + ", " + value);
    }
}

void emit_integer_to_float(Emitter& e, const Instruction& i) {
    const Type &to = element_of(*i.type), &from = element_of(*i.operands[0]->type);
    const bool is_signed = i.op == Op::sitofp;
    if (from.bits > 64)
        fail(i, "a conversion from a 128-bit integer to floating point is not supported");
    for (std::size_t part = 0; part < element_count(*i.type); ++part) {
        std::string value, suffix = integer_suffix(from, is_signed);
        if (from.bits == 1) {
            value = e.make_register(Register::b32);
            suffix = "s32";
            e.emit_ptx("selp.b32 " + value + ", " + (is_signed ? "-1" : "1") + ", 0, " +
                       e.format_register_operand(i.operands[0], part));
        } else if (i.type->has_kind(Type::Kind::vector)) {
            // If the width of an element is not a register width, its upper bits are undefined.
            value = e.format_register_operand(i.operands[0], part);
            if (from.bits == 8) {
                const std::string wide = e.make_register(Register::b16);
                e.emit_ptx(std::string("cvt.") + (is_signed ? "s16.s8 " : "u16.u8 ") + wide + ", " +
                           value);
                value = wide;
            } else if (from.bits != register_bits(from)) {
                fail(i,
                     "vectors of integers of this width cannot be converted to floating "
                     "point");
            }
        } else {
            value = e.extend_operand(i.operands[0], is_signed);
        }
        e.emit_ptx("cvt.rn." + float_suffix(to) + "." + suffix + " " + e.result_register(i, part) +
                   ", " + value);
    }
}

}  // namespace coalesce::translator

// Emits the floating-point functions of llvm.* and llvm.nvvm.*.
#include <array>

#include "page/ir_to_ptx/floats.h"
#include "page/ir_to_ptx/intrinsics.h"

namespace coalesce::translator {

namespace {

std::string name_of(const Instruction& call) {
    return called_function(call)->name.substr(std::string_view("llvm.").size());
}

/// Returns the operands' registers for a part, such as "a, b, c".
std::string list_operands(Emitter& e, const Instruction& call, std::size_t part) {
    std::string text;
    for (const Value* operand : call.operands)
        text += (text.empty() ? "" : ", ") + float_operand(e, operand, part);
    return text;
}

/// Emits `instruction`.f32 d, a, b... for every part.
void emit_for_all_parts(Emitter& e, const Instruction& call, const std::string& instruction) {
    for (std::size_t part = 0; part < element_count(*call.type); ++part)
        e.emit_ptx(instruction + "." + float_suffix(element_of(*call.type)) + " " +
                   e.result_register(call, part) + ", " + list_operands(e, call, part));
}

// ---- LLVM's own ----

struct SingleInstruction {
    std::string_view name, instruction;
};
/// The functions that a single instruction implements. A type follows the name of each function and
/// of each instruction.
constexpr std::array kSingleInstructions = {
    SingleInstruction{"fma.", "fma.rn"},      SingleInstruction{"fmuladd.", "fma.rn"},
    SingleInstruction{"fabs.", "abs"},        SingleInstruction{"minnum.", "min"},
    SingleInstruction{"maxnum.", "max"},      SingleInstruction{"minimumnum.", "min"},
    SingleInstruction{"maximumnum.", "max"},  SingleInstruction{"minimum.", "min.NaN"},
    SingleInstruction{"maximum.", "max.NaN"}, SingleInstruction{"sqrt.", "sqrt.rn"},
    SingleInstruction{"exp2.", "ex2.approx"}, SingleInstruction{"log2.", "lg2.approx"},
    SingleInstruction{"sin.", "sin.approx"},  SingleInstruction{"cos.", "cos.approx"}};

void emit_single_instruction(Emitter& e, const Instruction& call) {
    const std::string name = name_of(call);
    for (const SingleInstruction& single_instruction : kSingleInstructions) {
        if (!name.starts_with(single_instruction.name)) continue;
        const Type& type = element_of(*call.type);
        const bool is_approximate = single_instruction.instruction.ends_with(".approx");
        if (is_approximate && !type.has_kind(Type::Kind::single))
            fail(call, name + " has no instruction for this type, only for float");
        if (register_bits(type) != 16 || single_instruction.name != "sqrt.")
            return emit_for_all_parts(e, call, std::string(single_instruction.instruction));
    }
    fail(call, name + " has no instruction for 16-bit floats");
}

/// Emits an instruction that rounds to a whole number, such as cvt.rni.f32.f32.
void emit_round_to_whole(Emitter& e, const Instruction& call) {
    const std::string name = name_of(call), suffix = float_suffix(element_of(*call.type));
    const char* rounding_mode = name.starts_with("floor")   ? "rmi"
                                : name.starts_with("ceil")  ? "rpi"
                                : name.starts_with("trunc") ? "rzi"
                                                            : "rni";
    for (std::size_t part = 0; part < element_count(*call.type); ++part)
        e.emit_ptx(std::string("cvt.") + rounding_mode + "." + suffix + "." + suffix + " " +
                   e.result_register(call, part) + ", " +
                   e.format_register_operand(call.operands[0], part));
}

/// Emits rounding of halves away from zero, by adding a half and truncating. Large numbers are
/// already whole.
void emit_round_away(Emitter& e, const Instruction& call) {
    const Type& type = element_of(*call.type);
    if (register_bits(type) == 16)
        fail(call, "rounding halves away from zero is not supported for 16-bit floats");
    const bool is_double = type.has_kind(Type::Kind::real);
    const std::string suffix = is_double ? ".f64 " : ".f32 ",
                      select = is_double ? "selp.b64 " : "selp.b32 ";
    const Register family = is_double ? Register::b64 : Register::b32;
    for (std::size_t part = 0; part < element_count(*call.type); ++part) {
        const std::string x = e.format_register_operand(call.operands[0], part),
                          magnitude = e.make_register(family), rounded_up = e.make_register(family),
                          cut = e.make_register(family), picked = e.make_register(family);
        const std::string is_small = e.make_register(Register::predicate),
                          is_large = e.make_register(Register::predicate);
        e.emit_ptx("abs" + suffix + magnitude + ", " + x);
        e.emit_ptx("add.rn" + suffix + rounded_up + ", " + magnitude + ", " +
                   (is_double ? "0d3FE0000000000000" : "0f3F000000"));
        e.emit_ptx("cvt.rzi" + suffix.substr(0, 4) + suffix + cut + ", " + rounded_up);
        e.emit_ptx("setp.lt" + suffix + is_small + ", " + magnitude + ", " +
                   (is_double ? "0d3FE0000000000000" : "0f3F000000"));
        e.emit_ptx(select + picked + ", 0, " + cut + ", " + is_small);
        e.emit_ptx("setp.gt" + suffix + is_large + ", " + magnitude + ", " +
                   (is_double ? "0d4330000000000000" : "0f4B000000"));
        e.emit_ptx(select + picked + ", " + magnitude + ", " + picked + ", " + is_large);
        e.emit_ptx("copysign" + suffix + e.result_register(call, part) + ", " + x + ", " + picked);
    }
}

void emit_copysign(Emitter& e, const Instruction& call) {
    const Type& type = element_of(*call.type);
    for (std::size_t part = 0; part < element_count(*call.type); ++part) {
        const std::string magnitude = e.format_register_operand(call.operands[0], part),
                          sign = e.format_register_operand(call.operands[1], part);
        if (register_bits(type) != 16) {
            e.emit_ptx("copysign." + float_suffix(type) + " " + e.result_register(call, part) +
                       ", " + sign + ", " + magnitude);
            continue;
        }
        const std::string bit = e.make_register(Register::b16),
                          magnitude_bits = e.make_register(Register::b16);
        e.emit_ptx("and.b16 " + bit + ", " + sign + ", 0x8000");
        e.emit_ptx("and.b16 " + magnitude_bits + ", " + magnitude + ", 0x7FFF");
        e.emit_ptx("or.b16 " + e.result_register(call, part) + ", " + bit + ", " + magnitude_bits);
    }
}

/// Emits llvm.fptosi.sat. PTX's conversions saturate at 32 and 64 bits, and convert NaN to 0.
void emit_saturating(Emitter& e, const Instruction& call) {
    const bool is_signed = name_of(call).starts_with("fptosi");
    const Type& to = *call.type;
    const Type& from = *call.operands[0]->type;
    if (!to.is_integer(32) && !to.is_integer(64))
        fail(call, "a saturating conversion to this width is not supported");
    const std::string suffix = (is_signed ? "s" : "u") + std::to_string(to.bits);
    const std::string integer = e.make_register(register_family(to)),
                      is_nan = e.make_register(Register::predicate);
    const std::string value = e.format_register_operand(call.operands[0]);
    e.emit_ptx("cvt.rzi." + suffix + "." + float_suffix(from) + " " + integer + ", " + value);
    e.emit_ptx("setp.nan." + float_suffix(from) + " " + is_nan + ", " + value + ", " + value);
    e.emit_ptx("selp.b" + std::to_string(to.bits) + " " + e.result_register(call) + ", 0, " +
               integer + ", " + is_nan);
}

/// Emits a test of whether the number belongs to one of the given classes, which are numbered as in
/// LLVM.
void emit_is_class(Emitter& e, const Instruction& call) {
    i64 class_mask = 0;
    const Type& type = *call.operands[0]->type;
    if (!is_number(call.operands[1], class_mask) || register_bits(type) == 16)
        fail(call, "this test of a floating-point number is not supported");
    struct Kind {
        i64 bits;
        const char* test;
        int sign;  ///< 1: negative numbers only; 0: positive only; -1: both
    };
    static constexpr Kind kKinds[] = {
        {0x3, "notanumber", -1}, {0x4, "infinite", 1}, {0x8, "normal", 1},
        {0x10, "subnormal", 1},  {0x40, "", 0},        {0x20, "", 1},
        {0x80, "subnormal", 0},  {0x100, "normal", 0}, {0x200, "infinite", 0}};
    const std::string suffix = float_suffix(type), width = std::to_string(register_bits(type));
    const std::string value = e.format_register_operand(call.operands[0]),
                      is_negative = e.make_register(Register::predicate),
                      result = e.make_register(Register::predicate);
    e.emit_ptx("setp.lt.s" + width + " " + is_negative + ", " + value + ", 0");
    e.emit_ptx("setp.ne.u32 " + result + ", 0, 0");
    for (const Kind& kind : kKinds) {
        if ((class_mask & kind.bits) == 0) continue;
        const std::string is_one = e.make_register(Register::predicate);
        if (*kind.test)
            e.emit_ptx(std::string("testp.") + kind.test + "." + suffix + " " + is_one + ", " +
                       value);
        else
            e.emit_ptx("setp.eq." + suffix + " " + is_one + ", " + value + ", " +
                       float_spelling(type, 0));
        if (kind.sign >= 0) {
            const std::string has_sign = e.make_register(Register::predicate);
            if (kind.sign == 1)
                e.emit_ptx("mov.pred " + has_sign + ", " + is_negative);
            else
                e.emit_ptx("not.pred " + has_sign + ", " + is_negative);
            e.emit_ptx("and.pred " + is_one + ", " + is_one + ", " + has_sign);
        }
        e.emit_ptx("or.pred " + result + ", " + result + ", " + is_one);
    }
    e.emit_ptx("mov.pred " + e.result_register(call) + ", " + result);
}

void emit_canonicalize(Emitter& e, const Instruction& call) {
    const Type& type = element_of(*call.type);
    const std::string one_constant =
        type.has_kind(Type::Kind::real) ? "0d3FF0000000000000" : "0f3F800000";
    if (register_bits(type) == 16)
        fail(call, "llvm.canonicalize is not supported for 16-bit floats");
    for (std::size_t part = 0; part < element_count(*call.type); ++part)
        e.emit_ptx("mul.rn." + float_suffix(type) + " " + e.result_register(call, part) + ", " +
                   e.format_operand(call.operands[0], part) + ", " + one_constant);
}

// ---- NVIDIA's functions, whose names contain the instruction ----

/// Emits "add.rn.ftz.f32" for "nvvm.add.rn.ftz.f". Apart from the type, both names consist of the
/// same words.
void emit_name_as_opcode(Emitter& e, const Instruction& call) {
    std::string opcode = name_of(call).substr(std::string_view("nvvm.").size());
    // Remove the type at the end of the name. emit_for_all_parts adds the PTX type.
    for (const std::string_view end : {".f16", ".f32", ".f64", ".bf16", ".f", ".d"}) {
        if (!opcode.ends_with(end)) continue;
        opcode.resize(opcode.size() - end.size());
        break;
    }
    if (opcode.starts_with("fabs")) opcode = opcode.substr(1);
    if (opcode.starts_with("fmin") || opcode.starts_with("fmax")) opcode = opcode.substr(1);
    emit_for_all_parts(e, call, opcode);
}

void emit_sqrt(Emitter& e, const Instruction& call) {
    emit_for_all_parts(e, call, "sqrt.rn");
}

void emit_saturate(Emitter& e, const Instruction& call) {
    const std::string suffix = float_suffix(*call.type);
    e.emit_ptx("cvt.sat." + suffix + "." + suffix + " " + e.result_register(call) + ", " +
               e.format_register_operand(call.operands[0]));
}

/// Emits conversions such as "f2i.rn". The first word contains both types.
void emit_convert(Emitter& e, const Instruction& call) {
    const std::string name = name_of(call).substr(std::string_view("nvvm.").size());
    const std::size_t dot = name.find('.'), separator = name.find('2');
    const auto suffix = [&](const std::string& word) -> std::string {
        static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
            {"f", "f32"},  {"d", "f64"},  {"h", "f16"},  {"i", "s32"},
            {"ui", "u32"}, {"ll", "s64"}, {"ull", "u64"}};
        for (const auto& [short_name, type] : kWords)
            if (word == short_name) return std::string(type);
        fail(call, "the conversion " + name + " is not supported");
    };
    const std::string from = suffix(name.substr(0, separator)),
                      to = suffix(name.substr(separator + 1, dot - separator - 1));
    const bool is_to_whole = to[0] != 'f', is_from_whole = from[0] != 'f';
    std::string rounding = name.substr(dot);
    if (is_to_whole && !is_from_whole) rounding.insert(3, "i");
    e.emit_ptx("cvt" + rounding + "." + to + "." + from + " " + e.result_register(call) + ", " +
               e.format_register_operand(call.operands[0]));
}

void emit_half_of_double(Emitter& e, const Instruction& call) {
    const bool is_low = name_of(call) == "nvvm.d2i.lo";
    const std::string unused_half = e.make_register(Register::b32), d = e.result_register(call);
    e.emit_ptx("mov.b64 {" + (is_low ? d + ", " + unused_half : unused_half + ", " + d) + "}, " +
               e.format_register_operand(call.operands[0]));
}

void emit_double_of_halves(Emitter& e, const Instruction& call) {
    e.emit_ptx("mov.b64 " + e.result_register(call) + ", {" +
               e.format_register_operand(call.operands[0]) + ", " +
               e.format_register_operand(call.operands[1]) + "}");
}

void emit_bits(Emitter& e, const Instruction& call) {
    e.emit_ptx("mov.b" + std::to_string(register_bits(*call.type)) + " " + e.result_register(call) +
               ", " + e.format_operand_bits(call.operands[0]));
}

constexpr Intrinsic kMathIntrinsics[] = {
    {"fma.*", emit_single_instruction},
    {"fmuladd.*", emit_single_instruction},
    {"fabs.*", emit_single_instruction},
    {"minnum.*", emit_single_instruction},
    {"maxnum.*", emit_single_instruction},
    {"minimum.*", emit_single_instruction},
    {"maximum.*", emit_single_instruction},
    {"minimumnum.*", emit_single_instruction},
    {"maximumnum.*", emit_single_instruction},
    {"sqrt.*", emit_single_instruction},
    {"exp2.*", emit_single_instruction},
    {"log2.*", emit_single_instruction},
    {"sin.*", emit_single_instruction},
    {"cos.*", emit_single_instruction},
    {"floor.*", emit_round_to_whole},
    {"ceil.*", emit_round_to_whole},
    {"trunc.*", emit_round_to_whole},
    {"rint.*", emit_round_to_whole},
    {"nearbyint.*", emit_round_to_whole},
    {"roundeven.*", emit_round_to_whole},
    {"round.*", emit_round_away},
    {"copysign.*", emit_copysign},
    {"canonicalize.*", emit_canonicalize},
    {"fptosi.sat.*", emit_saturating},
    {"fptoui.sat.*", emit_saturating},
    {"is.fpclass.*", emit_is_class},
    {"nvvm.sqrt.f", emit_sqrt},
    {"nvvm.saturate.*", emit_saturate},
    {"nvvm.d2i.lo", emit_half_of_double},
    {"nvvm.d2i.hi", emit_half_of_double},
    {"nvvm.lohi.i2d", emit_double_of_halves},
    {"nvvm.bitcast.*", emit_bits},
    {"nvvm.add.r*", emit_name_as_opcode},
    {"nvvm.mul.r*", emit_name_as_opcode},
    {"nvvm.fma.r*", emit_name_as_opcode},
    {"nvvm.div.*", emit_name_as_opcode},
    {"nvvm.rcp.*", emit_name_as_opcode},
    {"nvvm.sqrt.*", emit_name_as_opcode},
    {"nvvm.rsqrt.*", emit_name_as_opcode},
    {"nvvm.ex2.*", emit_name_as_opcode},
    {"nvvm.lg2.*", emit_name_as_opcode},
    {"nvvm.sin.*", emit_name_as_opcode},
    {"nvvm.cos.*", emit_name_as_opcode},
    {"nvvm.tanh.*", emit_name_as_opcode},
    {"nvvm.fabs.*", emit_name_as_opcode},
    {"nvvm.fmin.*", emit_name_as_opcode},
    {"nvvm.fmax.*", emit_name_as_opcode},
    {"nvvm.f2*", emit_convert},
    {"nvvm.d2*", emit_convert},
    {"nvvm.i2*", emit_convert},
    {"nvvm.ui2*", emit_convert},
    {"nvvm.ll2*", emit_convert},
    {"nvvm.ull2*", emit_convert},
};

}  // namespace

std::span<const Intrinsic> math_intrinsics() {
    return kMathIntrinsics;
}

}  // namespace coalesce::translator

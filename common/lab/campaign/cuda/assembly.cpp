// Generates inline assembly for instructions that compilers seldom or never generate from C++.
#include "lab/campaign/cuda/expressions.h"

namespace coalesce::campaign {

namespace {

struct AssemblyInstruction {
    const char* name;
    /// The types of the result and the operands, as letters for expand_pattern().
    const char* type_letters;
    const char* assembly_text;
};

constexpr AssemblyInstruction kAssemblyInstructions[] = {
    {"dp4a_unsigned", "uuuu", "dp4a.u32.u32 %0, %1, %2, %3;"},
    {"dp4a_signed", "iiii", "dp4a.s32.s32 %0, %1, %2, %3;"},
    {"dp4a_mixed", "iuii", "dp4a.u32.s32 %0, %1, %2, %3;"},
    {"dp2a_low", "uuuu", "dp2a.lo.u32.u32 %0, %1, %2, %3;"},
    {"dp2a_high", "iiii", "dp2a.hi.s32.s32 %0, %1, %2, %3;"},
    {"sad", "uuuu", "sad.u32 %0, %1, %2, %3;"},
    {"mad_high", "uuuu", "mad.hi.u32 %0, %1, %2, %3;"},
    {"mad_high_signed", "iiii", "mad.hi.s32 %0, %1, %2, %3;"},
    {"mad_wide", "UuuU", "mad.wide.u32 %0, %1, %2, %3;"},
    {"mad_wide_signed", "IiiI", "mad.wide.s32 %0, %1, %2, %3;"},
    {"mul_high_long", "UUU", "mul.hi.u64 %0, %1, %2;"},
    {"mul_high_long_signed", "III", "mul.hi.s64 %0, %1, %2;"},
    {"mul24_low", "uuu", "mul24.lo.u32 %0, %1, %2;"},
    {"mul24_high", "uuu", "mul24.hi.u32 %0, %1, %2;"},
    {"mad24_signed", "iiii", "mad24.lo.s32 %0, %1, %2, %3;"},
    {"add_saturated", "iii", "add.sat.s32 %0, %1, %2;"},
    {"sub_saturated", "iii", "sub.sat.s32 %0, %1, %2;"},
    {"add_with_carry", "Uuuuu",
     "{ .reg .u32 l, h; add.cc.u32 l, %1, %2; addc.u32 h, %3, %4; mov.b64 %0, {l, h}; }"},
    {"sub_with_borrow", "Uuuuu",
     "{ .reg .u32 l, h; sub.cc.u32 l, %1, %2; subc.u32 h, %3, %4; mov.b64 %0, {l, h}; }"},
    {"mad_with_carry", "Uuuuu",
     "{ .reg .u32 l, h; mad.lo.cc.u32 l, %1, %2, %3; madc.hi.u32 h, %1, %2, %4; mov.b64 %0, {l, "
     "h}; }"},
    {"lop3_exclusive", "uuuu", "lop3.b32 %0, %1, %2, %3, 0x96;"},
    {"lop3_majority", "uuuu", "lop3.b32 %0, %1, %2, %3, 0xe8;"},
    {"lop3_choice", "uuuu", "lop3.b32 %0, %1, %2, %3, 0xca;"},
    {"shf_left_clamped", "uuuu", "shf.l.clamp.b32 %0, %1, %2, %3;"},
    {"shf_right_clamped", "uuuu", "shf.r.clamp.b32 %0, %1, %2, %3;"},
    {"shl_any", "uuu", "shl.b32 %0, %1, %2;"},
    {"shr_any", "iiu", "shr.s32 %0, %1, %2;"},
    {"shr_any_long", "UUu", "shr.u64 %0, %1, %2;"},
    {"bfe", "uuuu", "bfe.u32 %0, %1, %2, %3;"},
    {"bfe_signed", "iiuu", "bfe.s32 %0, %1, %2, %3;"},
    {"bfe_long", "UUuu", "bfe.u64 %0, %1, %2, %3;"},
    {"bfi", "uuuuu", "bfi.b32 %0, %1, %2, %3, %4;"},
    {"bfi_long", "UUUuu", "bfi.b64 %0, %1, %2, %3, %4;"},
    {"bfind", "uu", "bfind.u32 %0, %1;"},
    {"bfind_shift", "ui", "bfind.shiftamt.s32 %0, %1;"},
    {"bfind_long", "uI", "bfind.s64 %0, %1;"},
    {"szext", "iiu", "szext.clamp.s32 %0, %1, %2;"},
    {"bmsk", "uuu", "bmsk.wrap.b32 %0, %1, %2;"},
    {"fns", "uui", "{ .reg .u32 t; and.b32 t, %2, 31; fns.b32 %0, %1, t, 3; }"},
    {"prmt_any", "uuuu", "prmt.b32 %0, %1, %2, %3;"},
    {"prmt_forward", "uuuu", "prmt.b32.f4e %0, %1, %2, %3;"},
    {"prmt_edge", "uuuu", "prmt.b32.ecl %0, %1, %2, %3;"},
    {"slct", "uuui", "slct.u32.s32 %0, %1, %2, %3;"},
    {"slct_float", "uuuf", "slct.u32.f32 %0, %1, %2, %3;"},
    {"set_less", "uii", "set.lt.u32.s32 %0, %1, %2;"},
    {"set_and", "uuui",
     "{ .reg .pred p; setp.ge.s32 p, %3, 0; set.ne.and.u32.u32 %0, %1, %2, p; }"},
    {"cnot", "uu", "cnot.b32 %0, %1;"},
    {"abs", "ii", "abs.s32 %0, %1;"},
    {"neg_long", "II", "neg.s64 %0, %1;"},
    {"narrowed", "ii", "{ .reg .s16 t; cvt.sat.s16.s32 t, %1; cvt.s32.s16 %0, t; }"},
    {"narrowed_unsigned", "ui", "{ .reg .u16 t; cvt.sat.u8.s32 t, %1; cvt.u32.u8 %0, t; }"},
    {"rounded", "if", "cvt.rni.s32.f32 %0, %1;"},
    {"rounded_up", "uf", "cvt.rpi.u32.f32 %0, %1;"},
    {"rounded_long", "Id", "cvt.rmi.s64.f64 %0, %1;"},
    {"is_normal", "uf", "{ .reg .pred p; testp.normal.f32 p, %1; selp.u32 %0, 1, 0, p; }"},
    {"unpacked", "uU", "{ .reg .b32 l, h; mov.b64 {l, h}, %1; xor.b32 %0, l, h; }"},
    {"halves", "uuu",
     "{ .reg .b16 a, b, c, d; mov.b32 {a, b}, %1; mov.b32 {c, d}, %2; mov.b32 %0, {d, a}; }"},
    // These functions execute instructions under a predicate, or combine predicates into a new
    // predicate.
    {"guarded_add", "uuuu",
     "{ .reg .pred p; .reg .u32 t; setp.lt.u32 p, %1, %2; mov.u32 t, %3; @p add.u32 t, t, %1; "
     "@!p xor.b32 t, t, %2; mov.u32 %0, t; }"},
    {"two_ways", "uiiu",
     "{ .reg .pred p, q; .reg .u32 t; setp.le.s32 p|q, %1, %2; @p mov.u32 t, %3; @q not.b32 t, %3; "
     "mov.u32 %0, t; }"},
    {"combined", "uuuu",
     "{ .reg .pred p, q, r; setp.hi.u32 p, %1, %2; setp.eq.xor.u32 q, %2, %3, p; and.pred r, p, q; "
     "not.pred q, q; or.pred r, r, q; selp.b32 %0, %3, %1, r; }"},
    {"kept", "Uuuu",
     "{ .reg .pred p; .reg .u32 h; mov.u32 h, 9; setp.ne.u32 p, %1, %2; @p mul.lo.u32 h, %2, %3; "
     "@p mul.lo.u32 h, h, h; mov.b64 %0, {h, %1}; }"},
    {"jumped", "uuu",
     "{ .reg .pred p; .reg .u32 t; mov.u32 t, %1; setp.gt.u32 p, t, %2; @p bra over; add.u32 t, t, "
     "77; "
     "over: mov.u32 %0, t; }"},
    {"counted_down", "uuu",
     "{ .reg .pred p; .reg .u32 t, n; mov.u32 t, %1; and.b32 n, %2, 7; again: mad.lo.u32 t, t, 5, "
     "n; "
     "sub.u32 n, n, 1; setp.ge.s32 p, n, 0; @p bra again; mov.u32 %0, t; }"},
};

Type parse_type_letter(char letter) {
    switch (letter) {
        case 'u': return Type::u32;
        case 'i': return Type::i32;
        case 'U': return Type::u64;
        case 'I': return Type::i64;
        case 'f': return Type::f32;
        default: return Type::f64;
    }
}

const char* asm_constraint_of(char letter) {
    switch (letter) {
        case 'u':
        case 'i': return "r";
        case 'f': return "f";
        case 'd': return "d";
        default: return "l";
    }
}

/// Returns the source of a device function that executes one instruction.
std::string define_instruction_function(const AssemblyInstruction& instruction) {
    std::string parameter_list, asm_operands;
    for (const char* letter = instruction.type_letters + 1; *letter; ++letter) {
        const char* separator = parameter_list.empty() ? "" : ", ";
        const std::string parameter_name(
            1, static_cast<char>('a' + (letter - instruction.type_letters - 1)));
        parameter_list +=
            fill_arguments("$1$2 $3", {separator, parse_type_letter(*letter), parameter_name});
        asm_operands +=
            fill_arguments("$1\"$2\"($3)", {separator, asm_constraint_of(*letter), parameter_name});
    }
    return fill_arguments(
        "__device__ __forceinline__ $1 op_$2($3) { $1 r; asm(\"$4\" : \"=$5\"(r) : $6); return r; "
        "}\n",
        {parse_type_letter(instruction.type_letters[0]), instruction.name, parameter_list,
         instruction.assembly_text, asm_constraint_of(instruction.type_letters[0]), asm_operands});
}

}  // namespace

std::string random_assembly_call(Kernel& kernel, Type type, UniformIn uniform_in, int depth) {
    const AssemblyInstruction& instruction =
        kAssemblyInstructions[kernel.random.below(std::size(kAssemblyInstructions))];
    kernel.define_global_once(std::string("op_") + instruction.name,
                              define_instruction_function(instruction));
    std::string call_text = fill_arguments("($1)op_$2(", {type, instruction.name});
    for (const char* letter = instruction.type_letters + 1; *letter; ++letter) {
        if (letter > instruction.type_letters + 1) call_text += ", ";
        call_text += random_expression(kernel, parse_type_letter(*letter), uniform_in, depth);
    }
    return call_text + ")";
}

}  // namespace coalesce::campaign

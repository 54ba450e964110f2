// The table of LLVM's instructions, with the syntax of their operands, and the functions that emit
// PTX for them.
//
//   INSTRUCTION(name, form, emit)
//     name   of the enumerator Op::name and of the instruction; C++ keywords get an underscore
//     form   the syntax of its operands: a function in read_instruction.cpp
//     emit   void emit_...(Emitter&, const Instruction&), declared below
//
// To add an instruction, add a line here, its form in read_instruction.cpp if no existing form
// fits, its function in one of the emit_*.cpp, and a test in tests/.
#pragma once

#include <string_view>

#include "page/ir_to_ptx/types.h"

#define COALESCE_TRANSLATOR_INSTRUCTIONS(INSTRUCTION)                  \
    /* integers: emit_integers.cpp */                                  \
    INSTRUCTION(add, read_binary, emit_add)                            \
    INSTRUCTION(sub, read_binary, emit_sub)                            \
    INSTRUCTION(mul, read_binary, emit_mul)                            \
    INSTRUCTION(udiv, read_binary, emit_divide)                        \
    INSTRUCTION(sdiv, read_binary, emit_divide)                        \
    INSTRUCTION(urem, read_binary, emit_divide)                        \
    INSTRUCTION(srem, read_binary, emit_divide)                        \
    INSTRUCTION(shl, read_binary, emit_shift)                          \
    INSTRUCTION(lshr, read_binary, emit_shift)                         \
    INSTRUCTION(ashr, read_binary, emit_shift)                         \
    INSTRUCTION(and_, read_binary, emit_logic)                         \
    INSTRUCTION(or_, read_binary, emit_logic)                          \
    INSTRUCTION(xor_, read_binary, emit_logic)                         \
    INSTRUCTION(icmp, compare, emit_icmp)                              \
    /* floating point: emit_floats.cpp */                              \
    INSTRUCTION(fneg, read_unary, emit_fneg)                           \
    INSTRUCTION(fadd, read_binary, emit_float)                         \
    INSTRUCTION(fsub, read_binary, emit_float)                         \
    INSTRUCTION(fmul, read_binary, emit_float)                         \
    INSTRUCTION(fdiv, read_binary, emit_float)                         \
    INSTRUCTION(frem, read_binary, emit_frem)                          \
    INSTRUCTION(fcmp, compare, emit_fcmp)                              \
    INSTRUCTION(fptrunc, convert, emit_float_resize)                   \
    INSTRUCTION(fpext, convert, emit_float_resize)                     \
    INSTRUCTION(fptoui, convert, emit_float_to_integer)                \
    INSTRUCTION(fptosi, convert, emit_float_to_integer)                \
    INSTRUCTION(uitofp, convert, emit_integer_to_float)                \
    INSTRUCTION(sitofp, convert, emit_integer_to_float)                \
    /* conversions of integers and pointers: emit_conversions.cpp */   \
    INSTRUCTION(trunc, convert, emit_trunc)                            \
    INSTRUCTION(zext, convert, emit_extend)                            \
    INSTRUCTION(sext, convert, emit_extend)                            \
    INSTRUCTION(ptrtoint, convert, emit_pointer_integer_cast)          \
    INSTRUCTION(inttoptr, convert, emit_pointer_integer_cast)          \
    INSTRUCTION(bitcast, convert, emit_bitcast)                        \
    INSTRUCTION(addrspacecast, convert, emit_addrspacecast)            \
    INSTRUCTION(freeze, read_unary, emit_pointer_integer_cast)         \
    /* values of several parts: emit_aggregates.cpp */                 \
    INSTRUCTION(select, operands, emit_select)                         \
    INSTRUCTION(extractvalue, read_indexed, emit_extractvalue)         \
    INSTRUCTION(insertvalue, read_indexed, emit_insertvalue)           \
    INSTRUCTION(extractelement, operands, emit_extractelement)         \
    INSTRUCTION(insertelement, operands, emit_insertelement)           \
    INSTRUCTION(shufflevector, operands, emit_shufflevector)           \
    /* memory: emit_memory.cpp */                                      \
    INSTRUCTION(alloca, read_alloca, emit_alloca)                      \
    INSTRUCTION(load, read_load, emit_load)                            \
    INSTRUCTION(store, read_store, emit_store)                         \
    INSTRUCTION(getelementptr, read_getelementptr, emit_getelementptr) \
    /* atomics: emit_atomics.cpp */                                    \
    INSTRUCTION(atomicrmw, read_atomicrmw, emit_atomicrmw)             \
    INSTRUCTION(cmpxchg, read_cmpxchg, emit_cmpxchg)                   \
    INSTRUCTION(fence, read_fence, emit_fence)                         \
    /* control flow: emit_control.cpp */                               \
    INSTRUCTION(phi, read_phi, emit_phi)                               \
    INSTRUCTION(br, branch, emit_br)                                   \
    INSTRUCTION(switch_, read_switch, emit_switch)                     \
    INSTRUCTION(ret, read_return, emit_ret)                            \
    INSTRUCTION(unreachable, read_no_operands, emit_unreachable)       \
    INSTRUCTION(call, read_call, emit_call)

namespace coalesce::translator {

enum class Op : u8 {
#define COALESCE_OP(name, form, emit) name,
    COALESCE_TRANSLATOR_INSTRUCTIONS(COALESCE_OP)
#undef COALESCE_OP
        count
};

/// Returns the name of the instruction, such as "and" for Op::and_.
std::string_view name_of(Op op);
/// Returns the operation with this name, or Op::count if there is none.
Op operation_named(std::string_view word);

class Emitter;
struct Instruction;
using Emit = void (*)(Emitter&, const Instruction&);

#define COALESCE_OP(name, form, emit) void emit(Emitter&, const Instruction&);
COALESCE_TRANSLATOR_INSTRUCTIONS(COALESCE_OP)
#undef COALESCE_OP

}  // namespace coalesce::translator

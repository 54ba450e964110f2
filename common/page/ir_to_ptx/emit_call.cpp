// Emits a call: a scope in braces, with .param variables that pass the arguments and the result.
#include "page/ir_to_ptx/emit_call.h"

#include "page/ir_to_ptx/intrinsics.h"
#include "page/ir_to_ptx/names.h"
#include "page/ir_to_ptx/parameters.h"

namespace coalesce::translator {

namespace {

std::string parameter(std::size_t index) {
    return "param" + std::to_string(index);
}

std::string argument_list(const Instruction& i) {
    std::string list;
    for (std::size_t k = 0; k < i.operands.size(); ++k) list += (k ? ", " : "") + parameter(k);
    return "(" + list + ")";
}

/// Declares the prototype of a function that is called through a register.
void emit_prototype(Emitter& e, const Instruction& i, const std::string& name) {
    std::string text = name + ": .callprototype ";
    if (!i.type->has_kind(Type::Kind::nothing)) {
        text += "(" + parameter_declaration(*i.type, nullptr, 1, "_") + ") ";
    }
    text += "_ (";
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
        text += (k ? ", " : "") + parameter_declaration(*i.operands[k]->type, i.by_value[k],
                                                        i.by_value_align[k], "_");
    }
    e.emit_ptx(text + ")");
}

void move_call_result(Emitter& e, const Instruction& i) {
    std::size_t index = 0;
    for (const ScalarPart& part : list_scalar_parts(*i.type)) {
        const std::string place =
            "retval0" + (part.offset ? "+" + std::to_string(part.offset) : "");
        const std::string d = e.result_register(i, index++);
        const u32 bits = register_bits(*part.type);
        if (bits == 1) {
            const std::string byte = e.make_register(Register::b16),
                              low = e.make_register(Register::b16);
            e.emit_ptx("ld.param.b8 " + byte + ", [" + place + "]");
            e.emit_ptx("and.b16 " + low + ", " + byte + ", 1");
            e.emit_ptx("setp.ne.b16 " + d + ", " + low + ", 0");
            continue;
        }
        const bool is_byte = part.type->has_kind(Type::Kind::integer) && part.type->bits <= 8;
        e.emit_ptx("ld.param.b" + std::to_string(is_byte ? 8 : bits) + " " + d + ", [" + place +
                   "]");
    }
}

void emit_function_call(Emitter& e, const Instruction& i) {
    const Function* function = called_function(i);
    if (i.function_type->is_variadic)
        fail(i, "a function with a variable number of arguments is not supported");
    const std::string callee =
        function ? ptx_name(function->name) : e.format_register_operand(i.callee);
    e.emit_ptx("{");
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
        e.emit_ptx(parameter_declaration(*i.operands[k]->type, i.by_value[k], i.by_value_align[k],
                                         parameter(k)));
    }
    const bool has_result = !i.type->has_kind(Type::Kind::nothing);
    if (has_result) e.emit_ptx(parameter_declaration(*i.type, nullptr, 1, "retval0"));
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
        emit_parameter_store(e, parameter(k), i.operands[k], i.by_value[k]);
    }
    const std::string result = has_result ? "(retval0), " : "";
    if (function) {
        e.emit_ptx("call.uni " + result + callee + ", " + argument_list(i));
    } else {
        const std::string name = "prototype_" + std::to_string(e.next_number());
        emit_prototype(e, i, name);
        e.emit_ptx("call " + result + callee + ", " + argument_list(i) + ", " + name);
    }
    move_call_result(e, i);
    e.emit_ptx("}");
}

}  // namespace

void emit_call(Emitter& e, const Instruction& i) {
    if (i.callee->has_kind(Value::Kind::inline_asm)) return emit_inline_asm(e, i);
    const Function* function = called_function(i);
    if (!function || !function->name.starts_with("llvm.")) return emit_function_call(e, i);
    const Emit emit = intrinsic_named(std::string_view(function->name).substr(5));
    if (!emit) fail(i, "the operation " + function->name + " is not supported");
    emit(e, i);
}

}  // namespace coalesce::translator

#include "page/ir_to_ptx/parameters.h"

#include <algorithm>

#include "page/ir_to_ptx/names.h"

namespace coalesce::translator {

namespace {

std::string attribute(const Function& function, const char* key) {
    const auto attribute_entry = function.attributes.find(key);
    return attribute_entry == function.attributes.end() ? "" : attribute_entry->second;
}

std::string bytes_declaration(const Type& type, u32 align, const std::string& name) {
    return ".param .align " + std::to_string(std::max(align, abi_alignment(type))) + " .b8 " +
           name + "[" + std::to_string(std::max<u64>(1, size_of(type))) + "]";
}

/// Reports whether the value fits into one register. Structures, vectors, i128 and halves do not,
/// so they are passed as bytes.
bool is_one_word(const Type& type) {
    return !type.is_aggregate() && register_count(type) == 1 && !type.has_kind(Type::Kind::half) &&
           !type.has_kind(Type::Kind::bfloat);
}

std::string kernel_declaration(const Argument& argument, const std::string& name) {
    const Type& type = *argument.type;
    if (argument.by_value) return bytes_declaration(*argument.by_value, argument.align, name);
    if (!is_one_word(type) && !type.is_floating())
        return bytes_declaration(type, argument.align, name);
    if (type.is_floating()) return ".param .b" + std::to_string(register_bits(type)) + " " + name;
    const u64 bytes = store_size(type);
    return ".param .u" + std::to_string(8 * (bytes == 3 ? 4 : bytes > 4 ? 8 : bytes)) + " " + name;
}

std::string parameters(const Function& function) {
    std::string text;
    for (const Argument* argument : function.arguments) {
        const std::string name = parameter_name(function, argument->index);
        text += text.empty() ? "\n\t" : ",\n\t";
        text += function.is_kernel ? kernel_declaration(*argument, name)
                                   : parameter_declaration(*argument->type, argument->by_value,
                                                           argument->align, name);
    }
    return "(" + text + (text.empty() ? ")" : "\n)");
}

/// Returns the PTX directive for an attribute that limits launches: ".maxntid 256, 1, 1" for the
/// nvvm.maxntid "256,1,1".
std::string launch_limit_directive(const Function& function, const char* key,
                                   const char* directive) {
    const std::string value = attribute(function, key);
    if (value.empty()) return "";
    std::string text;
    for (const char c : value) {
        text += c;
        if (c == ',') text += ' ';
    }
    return std::string("\n") + directive + " " + text;
}

bool is_local(const Function& function) {
    return function.linkage == "internal" || function.linkage == "private";
}

std::string linkage_directive(const Function& function) {
    if (function.is_declaration()) return ".extern ";
    if (is_local(function)) return "";
    const bool is_weak =
        function.linkage.starts_with("weak") || function.linkage.starts_with("linkonce");
    return is_weak ? ".weak " : ".visible ";
}

}  // namespace

std::string parameter_declaration(const Type& type, const Type* by_value, u32 align,
                                  const std::string& name) {
    if (by_value) return bytes_declaration(*by_value, align, name);
    if (!is_one_word(type)) return bytes_declaration(type, align, name);
    return std::string(".param .b") + (register_bits(type) == 64 ? "64 " : "32 ") + name;
}

std::string prototype(const Function& function) {
    std::string text = linkage_directive(function) + ".func ";
    if (!function.return_type()->has_kind(Type::Kind::nothing)) {
        text +=
            "(" + parameter_declaration(*function.return_type(), nullptr, 1, "func_retval0") + ") ";
    }
    text += ptx_name(function.name) + parameters(function);
    return text + (function.attributes.count("noreturn") ? "\n.noreturn" : "");
}

std::string function_header(const Function& function) {
    if (!function.is_kernel) return prototype(function);
    return linkage_directive(function) + ".entry " + ptx_name(function.name) +
           parameters(function) + launch_limit_directive(function, "nvvm.maxntid", ".maxntid") +
           launch_limit_directive(function, "nvvm.reqntid", ".reqntid") +
           launch_limit_directive(function, "nvvm.minctasm", ".minnctapersm") +
           launch_limit_directive(function, "nvvm.maxnreg", ".maxnreg") +
           launch_limit_directive(function, "nvvm.cluster_dim", ".reqnctapercluster");
}

/// Emits the instructions that store an argument or a result. Small integers are extended to a
/// word, and predicates become 0 and 1.
void emit_parameter_store(Emitter& e, const std::string& name, const Value* value,
                          const Type* by_value) {
    const auto put = [&](u64 offset, u32 bits, const std::string& text) {
        const std::string place = name + (offset ? "+" + std::to_string(offset) : "");
        e.emit_ptx("st.param.b" + std::to_string(bits) + " [" + place + "], " + text);
    };
    const Type& type = *value->type;
    if (by_value) {
        for (const ScalarPart& part : list_scalar_parts(*by_value)) {
            const u32 bits = static_cast<u32>(8 * part.bytes);
            const std::string loaded = e.make_register(bits <= 16   ? Register::b16
                                                       : bits == 32 ? Register::b32
                                                                    : Register::b64);
            const auto address = e.format_address(value, static_cast<i64>(part.offset));
            e.emit_ptx("ld" + address.space + ".b" + std::to_string(bits) + " " + loaded + ", [" +
                       address.text + "]");
            put(part.offset, bits, loaded);
        }
        return;
    }
    std::size_t index = 0;
    for (const ScalarPart& part : list_scalar_parts(type)) {
        std::string text = e.format_operand_bits(value, index++);
        u32 bits = std::max(register_bits(*part.type), 8u);
        if (bits == 8) {
            const std::string number = e.make_register(Register::b16);
            e.emit_ptx("selp.b16 " + number + ", 1, 0, " + text);
            text = number;
        }
        const bool is_word = is_one_word(type);
        if (is_word && bits <= 16 && text[0] == '%') {
            const std::string wide = e.make_register(Register::b32);
            e.emit_ptx("cvt.u32.u16 " + wide + ", " + text);
            text = wide;
        }
        if (is_word) bits = std::max(bits, 32u);
        if (!is_word && part.type->has_kind(Type::Kind::integer) && part.type->bits <= 8) bits = 8;
        put(part.offset, bits, text);
    }
}

std::string Emitter::parameter_load(const Argument& argument, std::size_t index,
                                    const std::string& made) {
    std::string place = parameter_name(function, argument.index);
    const ScalarPart part = list_scalar_parts(*argument.type).at(index);
    if (part.offset) place += "+" + std::to_string(part.offset);
    const u32 bits = register_bits(*part.type);
    if (bits == 1) {
        const std::string byte = make_register(Register::b16), low = make_register(Register::b16);
        return "\tld.param.b8 \t" + byte + ", [" + place + "];\n\tand.b16 \t" + low + ", " + byte +
               ", 1;\n\tsetp.ne.b16 \t" + made + ", " + low + ", 0;\n";
    }
    const bool is_byte = part.type->has_kind(Type::Kind::integer) && part.type->bits <= 8;
    return "\tld.param.b" + (is_byte ? "8" : std::to_string(bits)) + " \t" + made + ", [" + place +
           "];\n";
}

}  // namespace coalesce::translator

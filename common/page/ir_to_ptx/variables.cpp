#include "page/ir_to_ptx/variables.h"

#include <algorithm>
#include <set>

#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/names.h"
#include "page/ir_to_ptx/translate.h"

namespace coalesce::translator {

namespace {

[[noreturn]] void fail_initial(const Variable& variable) {
    throw Untranslated("the initial value of the variable '" + variable.name + "' is not supported",
                       "@" + variable.name, "", 0);
}

/// The initial bytes of a variable, and the positions of the 8-byte addresses that they contain.
struct InitialBytes {
    const Variable& variable;
    std::vector<u8> bytes;
    std::map<u64, std::string> addresses;

    void write_bytes(u64 offset, u64 value, u64 count) {
        for (u64 i = 0; i < count; ++i) bytes.at(offset + i) = static_cast<u8>(value >> (8 * i));
    }
    void write(const Value* value, u64 offset);
    void write_elements(const Constant& aggregate, u64 offset);
    std::string address(const Value* value, i64 bytes_added) const;
};

/// Returns the address of a value plus an offset as PTX, such as "generic(table)+8".
std::string InitialBytes::address(const Value* value, i64 added) const {
    const auto format_symbol = [&](const std::string& name) {
        return added == 0 ? name : name + (added > 0 ? "+" : "") + std::to_string(added);
    };
    if (value->has_kind(Value::Kind::function)) return format_symbol(ptx_name(value->name));
    if (value->has_kind(Value::Kind::variable)) return format_symbol(ptx_name(value->name));
    if (!value->has_kind(Value::Kind::expression)) fail_initial(variable);
    const auto* expression = static_cast<const Constant*>(value);
    if (expression->op == Op::getelementptr) {
        const AddressTerms steps = address_terms(*expression);
        if (!steps.terms.empty()) fail_initial(variable);
        return address(steps.base, added + steps.offset);
    }
    if (expression->op == Op::addrspacecast && expression->type->space == Space::generic) {
        const std::string pointer_text = address(expression->operands[0], 0);
        return format_symbol("generic(" + pointer_text + ")");
    }
    if (expression->op == Op::ptrtoint || expression->op == Op::bitcast) {
        return address(expression->operands[0], added);
    }
    fail_initial(variable);
}

void InitialBytes::write_elements(const Constant& aggregate, u64 offset) {
    const Type& type = *aggregate.type;
    for (std::size_t i = 0; i < aggregate.operands.size(); ++i) {
        const u64 member_offset = type.has_kind(Type::Kind::structure)
                                      ? offset_of_member(type, i)
                                      : i * size_of(*type.element());
        write(aggregate.operands[i], offset + member_offset);
    }
}

void InitialBytes::write(const Value* value, u64 offset) {
    switch (value->kind) {
        case Value::Kind::zero:
        case Value::Kind::undefined: return;
        case Value::Kind::number: {
            const auto& constant = static_cast<const Constant&>(*value);
            const u64 size = store_size(*value->type);
            write_bytes(offset, constant.bits, std::min<u64>(size, 8));
            if (size > 8) write_bytes(offset + 8, constant.high, size - 8);
            return;
        }
        case Value::Kind::aggregate:
            write_elements(static_cast<const Constant&>(*value), offset);
            return;
        default: addresses[offset] = address(value, 0);
    }
}

/// Returns the initial value as a list of bytes, or as a list of 8-byte words if it contains
/// addresses.
std::string initial_text(const InitialBytes& image) {
    std::string text;
    const u64 step = image.addresses.empty() ? 1 : 8;
    std::size_t byte_count = image.bytes.size();
    while (step == 1 && byte_count > 1 && image.bytes[byte_count - 1] == 0) --byte_count;
    for (u64 offset = 0; offset < byte_count; offset += step) {
        if (!text.empty()) text += ", ";
        if (const auto found = image.addresses.find(offset); found != image.addresses.end()) {
            text += found->second;
            continue;
        }
        u64 word = 0;
        for (u64 i = 0; i < step; ++i) word |= u64{image.bytes[offset + i]} << (8 * i);
        text += std::to_string(word);
    }
    return " = {" + text + "}";
}

void add_in_order(const Variable* variable, std::set<const Variable*>& visited,
                  std::vector<const Variable*>& order);

void add_referenced_values(const Value* value, std::set<const Variable*>& visited,
                           std::vector<const Variable*>& order) {
    if (!value) return;
    if (value->has_kind(Value::Kind::variable))
        add_in_order(static_cast<const Variable*>(value), visited, order);
    if (const Constant* constant = as_constant(value)) {
        for (const Value* operand : constant->operands)
            add_referenced_values(operand, visited, order);
    }
}

void add_in_order(const Variable* variable, std::set<const Variable*>& visited,
                  std::vector<const Variable*>& order) {
    if (!visited.insert(variable).second) return;
    if (!variable->name.starts_with("llvm."))
        add_referenced_values(variable->initial, visited, order);
    order.push_back(variable);
}

}  // namespace

std::vector<const Variable*> order_by_dependencies(const Module& module) {
    std::vector<const Variable*> order;
    std::set<const Variable*> visited;
    for (const Variable* variable : module.variables) add_in_order(variable, visited, order);
    return order;
}

std::string variable_declaration(const Variable& variable, bool is_of_module) {
    const bool is_local = variable.linkage == "internal" || variable.linkage == "private";
    const u64 size = size_of(*variable.memory_type);
    InitialBytes image{variable, std::vector<u8>((size + 7) / 8 * 8), {}};
    if (variable.initial) image.write(variable.initial, 0);
    const bool has_words = !image.addresses.empty();
    for (const auto& [offset, text] : image.addresses) {
        if (offset % 8 != 0) fail_initial(variable);
    }
    std::string text;
    if (!variable.initial) {
        text = ".extern ";
    } else if (is_of_module && !is_local) {
        text = variable.linkage.starts_with("weak") ? ".weak " : ".visible ";
    }
    const u32 align =
        std::max({variable.align, abi_alignment(*variable.memory_type), has_words ? 8u : 1u});
    text += space_text(variable.space) + " .align " + std::to_string(align) +
            (has_words ? " .u64 " : " .b8 ") + ptx_name(variable.name) + "[";
    const bool is_open = !variable.initial && size == 0;
    if (!is_open) text += std::to_string(has_words ? (size + 7) / 8 : std::max<u64>(size, 1));
    text += "]";
    const bool is_zero =
        std::all_of(image.bytes.begin(), image.bytes.end(), [](u8 b) { return b == 0; });
    const bool may_hold = variable.space == Space::global || variable.space == Space::constant;
    if (may_hold && (has_words || !is_zero)) text += initial_text(image);
    return text;
}

}  // namespace coalesce::translator

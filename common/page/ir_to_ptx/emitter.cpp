// Implements the Emitter functions for operands, results and the text of instructions.
// function_text.cpp emits the function as a whole.
#include "page/ir_to_ptx/emitter.h"

#include <cstdlib>

#include "page/ir_to_ptx/names.h"
#include "page/ir_to_ptx/translate.h"

namespace coalesce::translator {

namespace {

constexpr std::string_view kRegisterPrefixes[] = {"%p", "%rs", "%r", "%rd"};
constexpr std::string_view kMoveInstructions[] = {"mov.pred", "mov.b16", "mov.b32", "mov.b64"};

std::string hexadecimal(u64 bits, int digits) {
    std::string text;
    for (int i = digits - 1; i >= 0; --i) text += "0123456789ABCDEF"[bits >> (4 * i) & 15];
    return text;
}

/// Returns the base with an offset, such as "tile+16" or "%rd4+-4". ptxas accepts a negative offset
/// only after a plus sign.
std::string with_offset(const std::string& base, i64 bytes) {
    return bytes == 0 ? base : base + "+" + std::to_string(bytes);
}

}  // namespace

u32 register_bits(const Type& scalar) {
    switch (scalar.kind) {
        case Type::Kind::integer:
            return scalar.bits == 1 ? 1 : scalar.bits <= 16 ? 16 : scalar.bits <= 32 ? 32 : 64;
        case Type::Kind::half:
        case Type::Kind::bfloat: return 16;
        case Type::Kind::single: return 32;
        default: return 64;
    }
}

Register register_family(const Type& scalar) {
    switch (register_bits(scalar)) {
        case 1: return Register::predicate;
        case 16: return Register::b16;
        case 32: return Register::b32;
        default: return Register::b64;
    }
}

std::size_t register_count(const Type& scalar) {
    return scalar.has_kind(Type::Kind::integer) && scalar.bits > 64 ? 2 : 1;
}

std::vector<Register> register_families(const Type& type) {
    std::vector<Register> register_list;
    for (const ScalarPart& part : list_scalar_parts(type))
        register_list.push_back(register_family(*part.type));
    return register_list;
}

std::string float_spelling(const Type& type, u64 bits) {
    if (type.has_kind(Type::Kind::single)) return "0f" + hexadecimal(bits, 8);
    if (type.has_kind(Type::Kind::real)) return "0d" + hexadecimal(bits, 16);
    return "0x" + hexadecimal(bits, 4);
}

Emitter::Emitter(Module& m, Function& f, FileTable& files)
    : module(m),
      function(f),
      files_(files),
      folding_(f),
      liveness_(f, folding_),
      register_sharing_(f, folding_, liveness_) {}

// ---- operands ----

std::string Emitter::format_operand(const Value* value, std::size_t part) {
    return format_operand_parts(value).at(part);
}

std::vector<std::string> Emitter::format_operand_parts(const Value* value) {
    std::vector<std::string> operand_parts = parts(value);
    const std::vector<Register> families = register_families(*value->type);
    for (std::size_t i = 0; i < operand_parts.size(); ++i) {
        // Instructions accept predicates only in registers, so move constants to registers.
        if (families[i] == Register::predicate)
            operand_parts[i] = load_immediate(operand_parts[i], families[i]);
    }
    return operand_parts;
}

std::string Emitter::format_operand_bits(const Value* value, std::size_t part) {
    const std::string text = format_operand(value, part);
    if (text.starts_with("0f") || text.starts_with("0d")) return "0x" + text.substr(2);
    return text;
}

std::string Emitter::format_register_operand(const Value* value, std::size_t part) {
    return load_immediate(parts(value).at(part), register_families(*value->type).at(part));
}

/// Returns a register that contains the number `text`. If `text` is a register, returns it
/// unchanged.
std::string Emitter::load_immediate(const std::string& text, Register family) {
    if (text[0] == '%') return text;
    const std::string made = make_register(family);
    emit_ptx(std::string(kMoveInstructions[static_cast<int>(family)]) + " " + made + ", " + text);
    return made;
}

std::vector<std::string> Emitter::parts(const Value* value) {
    const auto registers = value_registers_.find(value);
    if (registers != value_registers_.end()) return registers->second;
    std::vector<std::string> made;
    const Instruction* instruction = as_instruction(value);
    if (instruction && instruction->op == Op::alloca) {
        made = {move_in_prologue(local_names_.at(value), local_names_.at(value))};
    } else if (instruction && is_folded(value)) {
        return list_renamed_registers(*instruction);
    } else if (instruction) {
        const Value* leader = register_sharing_.representative(value);
        if (leader != value) {
            made = parts(leader);
        } else {
            for (const Register family : register_families(*value->type))
                made.push_back(make_register(family));
        }
    } else if (value->has_kind(Value::Kind::argument)) {
        const auto& argument = static_cast<const Argument&>(*value);
        const std::vector<Register> families = register_families(*value->type);
        for (std::size_t i = 0; i < families.size(); ++i) {
            made.push_back(argument_register(argument, i, families[i]));
        }
    } else {
        return constant_parts(value);
    }
    return value_registers_[value] = std::move(made);
}

/// Returns the parts of a constant as they are written in instructions, in the order of
/// register_families().
std::vector<std::string> Emitter::constant_parts(const Value* value) {
    Symbol symbol;
    if (value->type->has_kind(Type::Kind::pointer) && find_symbol(value, symbol)) {
        const std::string text = with_offset(symbol.name, symbol.offset);
        return {move_in_prologue(text, text)};
    }
    if (value->has_kind(Value::Kind::expression)) {
        return {expression_register(static_cast<const Constant&>(*value))};
    }
    std::vector<std::string> constant_texts;
    const Constant* constant = as_constant(value);
    if (value->has_kind(Value::Kind::aggregate)) {
        for (const Value* element : constant->operands) {
            const auto element_texts = constant_parts(element);
            constant_texts.insert(constant_texts.end(), element_texts.begin(), element_texts.end());
        }
        return constant_texts;
    }
    const std::vector<ScalarPart> parts = list_scalar_parts(*value->type);
    const bool is_wide = register_count(*value->type) == 2;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        constant_texts.push_back(number_text(*parts[k].type, constant, is_wide ? k : 0));
    }
    return constant_texts;
}

std::string Emitter::number_text(const Type& type, const Constant* constant,
                                 std::size_t half_index) const {
    const bool is_given = constant && constant->has_kind(Value::Kind::number);
    const u64 bits = !is_given ? 0 : half_index == 1 ? constant->high : constant->bits;
    if (type.is_floating()) return float_spelling(type, bits);
    if (!type.has_kind(Type::Kind::integer)) return std::to_string(static_cast<i64>(bits));
    if (type.bits == 1) return bits & 1 ? "1" : "0";
    const u32 unused_bits = 64 - type.bits;
    return std::to_string(static_cast<i64>(bits << unused_bits) >> unused_bits);
}

/// Reports whether the value is an address with a name: that of a variable, a function, a local
/// array or the bytes of a parameter.
bool Emitter::find_symbol(const Value* value, Symbol& symbol) {
    if (value->has_kind(Value::Kind::variable) || value->has_kind(Value::Kind::function)) {
        symbol = {ptx_name(value->name), 0};
        return true;
    }
    if (const auto local = local_names_.find(value); local != local_names_.end()) {
        symbol = {local->second, 0};
        return true;
    }
    if (value->has_kind(Value::Kind::argument) && value->type->space == Space::param) {
        symbol = {parameter_name(function, static_cast<const Argument*>(value)->index), 0};
        return true;
    }
    const Operation* operation = as_operation(value);
    if (!operation || operation->op != Op::getelementptr) return false;
    if (value->has_kind(Value::Kind::instruction) && !is_folded(value)) return false;
    const AddressTerms steps = address_terms(*operation);
    if (!steps.terms.empty() || !find_symbol(steps.base, symbol)) return false;
    symbol.offset += steps.offset;
    return true;
}

/// Moves an address to a register with one mov.b64, at the beginning of the function, and returns
/// the register.
std::string Emitter::move_in_prologue(const std::string& key, const std::string& text) {
    std::string& prologue_register = prologue_registers_[key];
    if (prologue_register.empty()) {
        prologue_register = make_register(Register::b64);
        prologue_ += "\tmov.b64 \t" + prologue_register + ", " + text + ";\n";
    }
    return prologue_register;
}

std::string Emitter::argument_register(const Argument& argument, std::size_t part,
                                       Register family) {
    if (argument.by_value && argument.type->space == Space::param) {
        const std::string name = parameter_name(function, argument.index);
        return move_in_prologue(name, name);
    }
    const std::string made = make_register(family);
    prologue_ += parameter_load(argument, part, made);
    return made;
}

std::string Emitter::expression_register(const Constant& expression) {
    Symbol symbol;
    const Value* inner_pointer = expression.operands.at(0);
    const bool is_generic_address = expression.op == Op::addrspacecast &&
                                    expression.type->space == Space::generic &&
                                    find_symbol(inner_pointer, symbol);
    if (is_generic_address) {
        const std::string key = "generic " + symbol.name + "+" + std::to_string(symbol.offset);
        std::string& prologue_register = prologue_registers_[key];
        if (prologue_register.empty()) {
            const std::string address = parts(inner_pointer).at(0);
            prologue_register = make_register(Register::b64);
            prologue_ += "\tcvta" + space_text(inner_pointer->type->space) + ".u64 \t" +
                         prologue_register + ", " + address + ";\n";
        }
        return prologue_register;
    }
    auto* made = module.make<Instruction>(Value::Kind::instruction, expression.type);
    static_cast<Operation&>(*made) = expression;
    made->kind = Value::Kind::instruction;
    made->predicate = expression.name;
    made->location = location_;
    made->text = "a constant expression";
    if (is_register_rename(*made)) return list_renamed_registers(*made).at(0);
    emit_instruction(*this, *made);
    return parts(made).at(0);
}

Emitter::Address Emitter::format_address(const Value* pointer, i64 offset) {
    const std::string space = space_text(pointer->type->space);
    Symbol symbol;
    if (pointer->type->space != Space::generic && find_symbol(pointer, symbol)) {
        return {with_offset(symbol.name, symbol.offset + offset), space};
    }
    const Instruction* step = as_instruction(pointer);
    if (step && step->op == Op::getelementptr && is_folded(step)) {
        const AddressTerms steps = address_terms(*step);
        return format_address(steps.base, steps.offset + offset);
    }
    return {with_offset(format_register_operand(pointer), offset), space};
}

std::string Emitter::extend_operand(const Value* value, bool is_signed, std::size_t part) {
    const std::string text = format_operand(value, part);
    const Type& type =
        value->type->has_kind(Type::Kind::vector) ? *value->type->element() : *value->type;
    // The second of two registers contains bits 64 and above.
    const bool is_wide = register_count(type) == 2;
    const u32 bits = !is_wide ? type.bits : part % 2 == 0 ? 64 : type.bits - 64;
    const u32 whole = register_bits(type);
    if (!type.has_kind(Type::Kind::integer) || bits >= whole || bits == 1) return text;
    if (text[0] != '%') {
        const i64 number = std::strtoll(text.c_str(), nullptr, 10);
        if (is_signed || number >= 0) return text;
        return std::to_string(static_cast<u64>(number) & ((u64{1} << bits) - 1));
    }
    const std::string made = make_register(register_family(type)), width = std::to_string(whole);
    if (!is_signed) {
        emit_ptx("and.b" + width + " " + made + ", " + text + ", " +
                 std::to_string((u64{1} << bits) - 1));
    } else if (bits == 8 || bits == 16 || bits == 32) {
        emit_ptx("cvt.s" + width + ".s" + std::to_string(bits) + " " + made + ", " + text);
    } else {
        const std::string shift = std::to_string(whole - bits);
        const std::string shifted_value = make_register(register_family(type));
        emit_ptx("shl.b" + width + " " + shifted_value + ", " + text + ", " + shift);
        emit_ptx("shr.s" + width + " " + made + ", " + shifted_value + ", " + shift);
    }
    return made;
}

// ---- results and text ----

std::string Emitter::result_register(const Instruction& instruction, std::size_t part) {
    return parts(&instruction).at(part);
}

std::string Emitter::make_register(Register family) {
    const auto index = static_cast<std::size_t>(family);
    return std::string(kRegisterPrefixes[index]) + std::to_string(++register_counts_[index]);
}

void Emitter::emit_location() {
    if (!location_ || location_->line == 0) return;
    const std::string text = files_.format_location(*location_);
    if (text != location_text_) body_ += text;
    location_text_ = text;
}

void Emitter::emit_ptx(const std::string& text) {
    emit_location();
    const std::size_t blank = text.find(' ');
    body_ += '\t';
    if (text[0] == '@' || blank == std::string::npos) {
        body_ += text;
    } else {
        body_ += text.substr(0, blank) + " \t" + text.substr(blank + 1);
    }
    // The braces of a scope need no semicolon, and inline assembly already ends with one.
    const bool has_end = text == "}" || text.starts_with('{') || text.ends_with(';');
    body_ += has_end ? "\n" : ";\n";
}

void Emitter::declare(const std::string& text) {
    declarations_ += "\t" + text + ";\n";
}

std::string Emitter::make_label() {
    return "$L_" + ptx_name(function.name) + "_x" + std::to_string(next_number());
}

void Emitter::emit_label(const std::string& label) {
    body_ += label + ":\n";
}

const std::string& Emitter::block_label(const Block& block) {
    std::string& label = labels_[&block];
    if (label.empty()) {
        label = "$L_" + ptx_name(function.name) + "_" + std::to_string(labels_.size());
    }
    return label;
}

}  // namespace coalesce::translator

#include "page/ir_to_ptx/read_values.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "page/ir_to_ptx/layout.h"
#include "page/ir_to_ptx/read_types.h"

namespace coalesce::translator {

namespace {

struct FlagName {
    std::string_view name;
    u32 bits;
};
constexpr u32 kAllFastMathFlags = flag::nnan | flag::ninf | flag::nsz | flag::arcp |
                                  flag::contract_multiply_adds | flag::afn | flag::reassoc;
constexpr FlagName kFlags[] = {
    {"nuw", flag::nuw},
    {"nsw", flag::nsw},
    {"exact", flag::exact},
    {"disjoint", flag::disjoint},
    {"nneg", flag::nneg},
    {"inbounds", flag::inbounds},
    {"samesign", flag::samesign},
    {"nnan", flag::nnan},
    {"ninf", flag::ninf},
    {"nsz", flag::nsz},
    {"arcp", flag::arcp},
    {"contract", flag::contract_multiply_adds},
    {"afn", flag::afn},
    {"reassoc", flag::reassoc},
    {"fast", kAllFastMathFlags},
    {"volatile", flag::is_volatile},
    {"nusw", 0},
    {"inrange", 0},
};

/// Replaces std::bit_cast, which the library of Emscripten 3.1 lacks.
template <class To, class From>
To same_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

/// Parses a decimal number of up to 128 bits.
void parse_integer(const std::string& digits, u64& low, u64& high) {
    low = high = 0;
    const bool is_negative = digits[0] == '-';
    for (const char c : digits) {
        if (c < '0' || c > '9') continue;
        const u64 low_half = (low & 0xFFFFFFFF) * 10 + static_cast<u64>(c - '0');
        const u64 high_half = (low >> 32) * 10 + (low_half >> 32);
        low = high_half << 32 | (low_half & 0xFFFFFFFF);
        high = high * 10 + (high_half >> 32);
    }
    if (!is_negative) return;
    low = ~low + 1;
    high = ~high + (low == 0 ? 1 : 0);
}

/// Returns the bits of the value as a float. Preserves the payload of a NaN. A hardware conversion
/// would turn it into a quiet NaN.
u64 float_bits(double value) {
    const u64 bits = same_bits<u64>(value);
    if (!std::isnan(value)) return same_bits<u32>(static_cast<float>(value));
    return (bits >> 63) << 31 | u64{0xFF} << 23 | (bits >> 29 & 0x7FFFFF);
}

}  // namespace

u32 ValueReader::read_flags() {
    u32 flags = 0;
    for (bool is_one = true; is_one && lexer_.is_at(TokenKind::word);) {
        is_one = false;
        for (const FlagName& flag_name : kFlags) {
            if (lexer_.current().text != flag_name.name) continue;
            flags |= flag_name.bits;
            lexer_.take_token();
            if (flag_name.name == "inrange" && lexer_.is_at('(')) lexer_.skip_brackets();
            is_one = true;
            break;
        }
    }
    return flags;
}

Value* ValueReader::read_typed() {
    const Type* type = read_type(lexer_, module_.types);
    if (type->has_kind(Type::Kind::metadata)) return read_metadata();
    return read(type);
}

Value* ValueReader::read_metadata() {
    std::string name = lexer_.current().text;
    if (lexer_.is_at(TokenKind::metadata)) {
        lexer_.take_token();
        if (lexer_.is_at('{') || lexer_.is_at('(')) lexer_.skip_brackets();
        if (lexer_.is_at(TokenKind::string)) name = lexer_.take_token().text;
    } else {
        read_typed();
    }
    return module_.make<Constant>(Value::Kind::metadata, module_.types.metadata(), name);
}

Instruction* ValueReader::local(const std::string& name, const Type* type) {
    Instruction*& local_value = names_.locals[name];
    if (!local_value) local_value = module_.make<Instruction>(Value::Kind::instruction, type, name);
    if (local_value->type->has_kind(Type::Kind::nothing)) local_value->type = type;
    return local_value;
}

Block* ValueReader::block(const std::string& name) {
    Block*& block_entry = names_.blocks[name];
    if (!block_entry)
        block_entry = module_.make<Block>(Value::Kind::block, module_.types.label(), name);
    return block_entry;
}

Value* ValueReader::read(const Type* type) {
    if (lexer_.is_at(TokenKind::local)) {
        const std::string name = lexer_.take_token().text;
        if (const auto found = names_.arguments.find(name); found != names_.arguments.end()) {
            return found->second;
        }
        if (type->has_kind(Type::Kind::label)) return block(name);
        return local(name, type);
    }
    if (lexer_.is_at(TokenKind::global)) {
        const auto found = names_.globals.find(lexer_.current().text);
        if (found == names_.globals.end()) lexer_.fail("this name is not defined");
        lexer_.take_token();
        return found->second;
    }
    if (lexer_.is_at(TokenKind::number)) return read_number(type);
    if (lexer_.is_at(TokenKind::string)) return read_string(type);
    if (lexer_.accept('[')) return read_aggregate(type, ']');
    if (lexer_.accept('{')) return read_aggregate(type, '}');
    if (lexer_.accept('<')) {
        if (!lexer_.accept('{')) return read_aggregate(type, '>');
        Value* packed_value = read_aggregate(type, '}');
        lexer_.expect('>');
        return packed_value;
    }
    if (lexer_.is_at(TokenKind::word)) return read_word(type);
    lexer_.fail("expected a value");
}

Value* ValueReader::read_word(const Type* type) {
    const std::string word = lexer_.current().text;
    if (word == "asm") return read_asm(type);
    const Op op = operation_named(word);
    if (op != Op::count) return read_expression(type, op);
    if (word == "splat") return read_splat(type);
    if (word == "true") {
        lexer_.take_token();
        return module_.number(type, 1);
    }
    if (word == "null" || word == "zeroinitializer" || word == "false") {
        lexer_.take_token();
        return module_.make<Constant>(Value::Kind::zero, type);
    }
    if (word == "undef" || word == "poison") {
        lexer_.take_token();
        return module_.undefined(type);
    }
    if (word == "blockaddress")
        lexer_.fail("the address of a label (&&name) cannot be taken on a GPU");
    lexer_.fail("a value of this kind is not supported");
}

Value* ValueReader::read_number(const Type* type) {
    const std::string text = lexer_.take_token().text;
    auto* constant = module_.make<Constant>(Value::Kind::number, type);
    if (type->has_kind(Type::Kind::integer)) {
        parse_integer(text, constant->bits, constant->high);
        if (type->bits < 64) constant->bits &= (u64{1} << type->bits) - 1;
        if (type->bits <= 64) constant->high = 0;
        return constant;
    }
    const bool is_hexadecimal = text.starts_with("0x");
    const std::size_t letter = text.find_first_of("HRKLM", 2) == 2 ? 3 : 2;
    const u64 hex = is_hexadecimal ? std::strtoull(text.c_str() + letter, nullptr, 16) : 0;
    const double value =
        is_hexadecimal ? same_bits<double>(hex) : std::strtod(text.c_str(), nullptr);
    switch (type->kind) {
        case Type::Kind::half:
        case Type::Kind::bfloat: constant->bits = hex; break;
        case Type::Kind::single: constant->bits = float_bits(value); break;
        default: constant->bits = same_bits<u64>(value);
    }
    return constant;
}

Value* ValueReader::read_aggregate(const Type* type, char closing_character) {
    auto* constant = module_.make<Constant>(Value::Kind::aggregate, type);
    while (!lexer_.is_at(closing_character)) {
        constant->operands.push_back(read_typed());
        if (!lexer_.accept(',')) break;
    }
    lexer_.expect(closing_character);
    return constant;
}

Value* ValueReader::read_string(const Type* type) {
    auto* constant = module_.make<Constant>(Value::Kind::aggregate, type);
    for (const char c : lexer_.take_token().text) {
        constant->operands.push_back(module_.number(type->element(), static_cast<u8>(c)));
    }
    return constant;
}

Value* ValueReader::read_splat(const Type* type) {
    lexer_.take_token();
    lexer_.expect('(');
    Value* element = read_typed();
    lexer_.expect(')');
    auto* constant = module_.make<Constant>(Value::Kind::aggregate, type);
    constant->operands.assign(type->count, element);
    return constant;
}

Value* ValueReader::read_asm(const Type* type) {
    lexer_.take_token();
    auto* code = module_.make<InlineAsm>(Value::Kind::inline_asm, type);
    while (lexer_.is_at(TokenKind::word)) {
        if (lexer_.take_token().text == "sideeffect") code->has_side_effects = true;
    }
    code->text = lexer_.expect(TokenKind::string, "the text of inline assembly");
    lexer_.expect(',');
    code->constraints = lexer_.expect(TokenKind::string, "its constraints");
    return code;
}

/// Reads a constant expression, such as `addrspacecast (ptr addrspace(3) @tile to ptr)` or
/// `getelementptr inbounds (i8, ptr @x, i64 4)`.
Value* ValueReader::read_expression(const Type* type, Op op) {
    lexer_.take_token();
    auto* expression = module_.make<Constant>(Value::Kind::expression, type);
    expression->op = op;
    read_flags();
    while (!lexer_.is_at('(')) {
        if (lexer_.is_at(TokenKind::end)) lexer_.fail("expected '('");
        expression->name = lexer_.take_token().text;  // the predicate of a comparison
    }
    lexer_.expect('(');
    if (op == Op::getelementptr) {
        expression->memory_type = read_type(lexer_, module_.types);
        lexer_.expect(',');
    }
    do {
        // Up to clang 18, the flag `inrange` comes before an index. In later versions, it comes
        // before the bracket.
        lexer_.accept_word("inrange");
        expression->operands.push_back(read_typed());
    } while (lexer_.accept(','));
    if (lexer_.accept_word("to")) expression->type = read_type(lexer_, module_.types);
    lexer_.expect(')');
    return expression;
}

}  // namespace coalesce::translator

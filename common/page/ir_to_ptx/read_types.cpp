#include "page/ir_to_ptx/read_types.h"

#include <cstdlib>

namespace coalesce::translator {

namespace {

/// The width of the widest supported integer, in bits. Only copies of large structures use wider
/// ones, and clang does not generate these for NVPTX.
constexpr u32 kMaxIntegerBits = 128;

bool is_integer_name(const std::string& word) {
    return word.size() > 1 && word[0] == 'i' &&
           word.find_first_not_of("0123456789", 1) == std::string::npos;
}

const Type* read_named_by_word(Lexer& lexer, Types& types) {
    const std::string word = lexer.current().text;
    if (is_integer_name(word)) {
        const auto bits = static_cast<u32>(std::strtoul(word.c_str() + 1, nullptr, 10));
        if (bits == 0 || bits > kMaxIntegerBits)
            lexer.fail("only integers of 1 to 128 bits are supported");
        lexer.take_token();
        return types.integer(bits);
    }
    lexer.take_token();
    if (word == "void") return types.nothing();
    if (word == "half") return types.half();
    if (word == "bfloat") return types.bfloat();
    if (word == "float") return types.single();
    if (word == "double") return types.real();
    if (word == "label") return types.label();
    if (word == "metadata") return types.metadata();
    if (word == "token" || word == "opaque") return types.opaque();
    if (word == "ptr") return types.pointer(read_space(lexer));
    lexer.fail("the type '" + word + "' is not supported");
}

/// Reads the contents of < > or [ ], such as "4 x float".
const Type* read_counted(Lexer& lexer, Types& types, bool is_vector) {
    const u64 count = read_unsigned(lexer);
    lexer.expect_word("x");
    const Type* element = read_type(lexer, types);
    return is_vector ? types.vector(element, count) : types.array(element, count);
}

const Type* read_structure(Lexer& lexer, Types& types, bool is_packed) {
    std::vector<const Type*> members;
    lexer.expect('{');
    while (!lexer.is_at('}')) {
        members.push_back(read_type(lexer, types));
        if (!lexer.accept(',')) break;
    }
    lexer.expect('}');
    return types.structure(std::move(members), is_packed);
}

const Type* read_function_type(Lexer& lexer, Types& types, const Type* return_type) {
    std::vector<const Type*> parameters;
    bool is_variadic = false;
    lexer.expect('(');
    while (!lexer.is_at(')')) {
        if (lexer.is_at(TokenKind::dots)) {
            lexer.take_token();
            is_variadic = true;
        } else {
            parameters.push_back(read_type(lexer, types));
        }
        if (!lexer.accept(',')) break;
    }
    lexer.expect(')');
    return types.function(return_type, std::move(parameters), is_variadic);
}

}  // namespace

u64 read_unsigned(Lexer& lexer) {
    const std::string digits = lexer.expect(TokenKind::number, "a number");
    return std::strtoull(digits.c_str(), nullptr, 10);
}

Space read_space(Lexer& lexer) {
    if (!lexer.accept_word("addrspace")) return Space::generic;
    lexer.expect('(');
    const u64 space = read_unsigned(lexer);
    lexer.expect(')');
    return static_cast<Space>(space);
}

bool is_at_type(const Lexer& lexer) {
    if (lexer.is_at('{') || lexer.is_at('[') || lexer.is_at('<')) return true;
    if (lexer.is_at(TokenKind::local)) return true;
    if (!lexer.is_at(TokenKind::word)) return false;
    const std::string& word = lexer.current().text;
    for (const char* known :
         {"void", "half", "bfloat", "float", "double", "label", "metadata", "token", "ptr"}) {
        if (word == known) return true;
    }
    return is_integer_name(word);
}

const Type* read_type(Lexer& lexer, Types& types) {
    const Type* type = nullptr;
    if (lexer.is_at(TokenKind::local)) {
        type = types.named(lexer.take_token().text);
    } else if (lexer.is_at('{')) {
        type = read_structure(lexer, types, false);
    } else if (lexer.accept('[')) {
        type = read_counted(lexer, types, false);
        lexer.expect(']');
    } else if (lexer.accept('<')) {
        type = lexer.is_at('{') ? read_structure(lexer, types, true)
                                : read_counted(lexer, types, true);
        lexer.expect('>');
    } else if (lexer.is_at(TokenKind::word)) {
        type = read_named_by_word(lexer, types);
    } else {
        lexer.fail("expected a type");
    }
    while (lexer.is_at('(')) type = read_function_type(lexer, types, type);
    return type;
}

void read_type_definition(Lexer& lexer, Types& types) {
    Type* named = types.named(lexer.take_token().text);
    lexer.expect('=');
    lexer.expect_word("type");
    if (lexer.accept_word("opaque")) return;
    *named = *read_type(lexer, types);
}

}  // namespace coalesce::translator

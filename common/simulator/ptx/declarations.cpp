// Reads a declaration, part by part: type and alignment, name, dimensions, initial contents.
#include "simulator/ptx/declarations.h"

#include <bit>

#include "simulator/ptx/constants.h"
#include "simulator/ptx/initialiser.h"

namespace coalesce::simulator::ptx {

namespace {

constexpr u64 kLargestAlignment = 1 << 16;
constexpr u64 kHandleBytes = 8;  ///< the size of a handle, such as a .texref

bool is_state_space(std::string_view directive) {
    return directive == ".global" || directive == ".const" || directive == ".shared" ||
           directive == ".local" || directive == ".param" || directive == ".generic" ||
           directive.starts_with(".shared::") || directive.starts_with(".param::");
}

bool is_opaque_type(std::string_view directive) {
    return directive == ".texref" || directive == ".samplerref" || directive == ".surfref";
}

u64 parse_vector_length(std::string_view directive) {
    if (directive == ".v2") return 2;
    if (directive == ".v4") return 4;
    if (directive == ".v8") return 8;
    return 0;
}

}  // namespace

/// The properties that precede the names of variables in a declaration, such as .align 16 .v4 .f32.
struct DeclarationReader::Shape {
    Type type = Type::none;
    bool is_opaque = false;
    bool is_managed = false;
    u64 vector_elements = 0;  ///< the number of elements of a .v2 or .v4, or 0 for a scalar
    u32 align = 0;            ///< alignment in bytes; 0 if not given

    u64 element_size() const { return is_opaque ? kHandleBytes : size_of(type); }
};

DeclarationReader::DeclarationReader(Lexer& lexer, std::size_t text_size)
    : lexer_(lexer), initial_bytes_left_((u64{64} << 20) + 16 * u64{text_size}) {}

std::vector<Variable> DeclarationReader::read_variables(StateSpace space, bool is_extern) {
    const Shape shape = read_shape();
    std::vector<Variable> variables;
    do {
        variables.push_back(read_variable(shape, space, is_extern));
    } while (lexer_.accept(','));
    lexer_.expect(';');
    return variables;
}

std::vector<Variable> DeclarationReader::read_parameters() {
    std::vector<Variable> parameters;
    lexer_.expect('(');
    while (!lexer_.is_at(')')) {
        if (lexer_.is_at_directive(".reg")) {
            lexer_.fail("parameters in registers are not supported: declare them .param");
        }
        if (!lexer_.accept_directive(".param")) lexer_.fail_expected("'.param'");
        const Shape shape = read_shape();
        parameters.push_back(read_variable(shape, StateSpace::param, false));
        if (!lexer_.accept(',') && !lexer_.is_at(')')) lexer_.fail_expected("',' or ')'");
    }
    lexer_.expect(')');
    return parameters;
}

bool DeclarationReader::skip_parentheses(std::string_view word) {
    bool is_found = false;
    lexer_.expect('(');
    for (int depth = 1; depth > 0; lexer_.take_token()) {
        if (lexer_.is_at_end()) lexer_.fail_expected("')'");
        if (lexer_.current().text == word) is_found = true;
        if (lexer_.is_at('(')) ++depth;
        if (lexer_.is_at(')')) --depth;
    }
    return is_found;
}

DeclarationReader::Shape DeclarationReader::read_shape() {
    Shape shape;
    bool is_pointee_alignment =
        false;  // whether .align follows .ptr and applies to the pointed-to memory
    while (lexer_.is_at(TokenKind::dotted)) {
        const std::string_view word = lexer_.current().text;
        if (const Type type = parse_type(word.substr(1)); type != Type::none) {
            shape.type = type;
            lexer_.take_token();
        } else if (const u64 length = parse_vector_length(word)) {
            shape.vector_elements = length;
            lexer_.take_token();
        } else if (is_opaque_type(word)) {
            shape.is_opaque = true;
            shape.type = Type::b64;
            lexer_.take_token();
        } else if (word == ".align") {
            lexer_.take_token();
            const u32 align = read_alignment();
            if (!is_pointee_alignment) shape.align = align;
        } else if (word == ".attribute") {
            lexer_.take_token();
            if (skip_parentheses(".managed")) shape.is_managed = true;
        } else if (word == ".ptr" || (is_pointee_alignment && is_state_space(word))) {
            is_pointee_alignment = true;
            lexer_.take_token();
        } else {
            lexer_.fail_expected("a type");
        }
    }
    if (shape.type == Type::none) lexer_.fail_expected("a type");
    if (shape.type == Type::pred) lexer_.fail("a predicate can only be a register: use .reg");
    return shape;
}

u32 DeclarationReader::read_alignment() {
    const u64 align = read_count(lexer_, "an alignment", kLargestAlignment);
    if (!std::has_single_bit(align)) lexer_.fail("an alignment must be a power of two");
    return static_cast<u32>(align);
}

Variable DeclarationReader::read_variable(const Shape& shape, StateSpace space, bool is_extern) {
    Variable variable;
    variable.space = space;
    variable.type = shape.type;
    variable.is_extern = is_extern;
    variable.is_managed = shape.is_managed;
    variable.name = lexer_.expect_identifier("the name of a variable");

    std::vector<u64> dimensions = read_dimensions();
    if (shape.vector_elements) dimensions.push_back(shape.vector_elements);
    u64 size = shape.element_size();
    for (const u64 dimension : dimensions) {
        if (dimension == 0) continue;
        if (size > kLargestVariable / dimension) {
            lexer_.fail("'" + variable.name + "' is larger than any memory");
        }
        size *= dimension;
    }
    const bool is_open_ended = !dimensions.empty() && dimensions[0] == 0;
    variable.size = is_open_ended ? 0 : size;
    variable.align =
        shape.align
            ? shape.align
            : static_cast<u32>(shape.element_size() * std::max<u64>(1, shape.vector_elements));

    if (lexer_.accept('=')) {
        if (space != StateSpace::global && space != StateSpace::constant) {
            lexer_.fail("only .global and .const variables can be initialised");
        }
        if (shape.is_opaque) {
            if (!lexer_.is_at('{')) lexer_.fail_expected("'{'");
            lexer_.skip_braces();
        } else {
            read_contents(variable, dimensions, shape.element_size());
        }
    }
    return variable;
}

std::vector<u64> DeclarationReader::read_dimensions() {
    std::vector<u64> dimensions;
    while (lexer_.accept('[')) {
        u64 length = 0;  // 0 for []: the extern definition or the initialiser determines the length
        if (!lexer_.is_at(']')) {
            length = read_count(lexer_, "the length of an array", kLargestVariable);
        } else if (!dimensions.empty()) {
            lexer_.fail_expected(
                "the length of this dimension (only the length of the first dimension may be "
                "omitted)");
        }
        dimensions.push_back(length);
        if (dimensions.size() > 16) lexer_.fail("an array can have at most 16 dimensions");
        lexer_.expect(']');
    }
    return dimensions;
}

void DeclarationReader::read_contents(Variable& variable, const std::vector<u64>& dimensions,
                                      u64 element_size) {
    const u64 end =
        read_initialiser(lexer_, variable, dimensions, element_size, initial_bytes_left_);
    if (dimensions.empty() || dimensions[0] != 0) return;
    // If the initialiser fills only part of a row, the size of the variable still includes the
    // whole row.
    u64 row_bytes = element_size;
    for (std::size_t i = 1; i < dimensions.size(); ++i) row_bytes *= dimensions[i];
    variable.size = round_up(end, row_bytes);
}

}  // namespace coalesce::simulator::ptx

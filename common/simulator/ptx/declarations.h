// Parses the declarations of variables and parameters: type, alignment, size and initial contents.
//
//   .global .align 4 .b8 table[16] = {1, 0, 0, 0, 2};
//   .param .u64 .ptr .global .align 16 in
#pragma once

#include <vector>

#include "simulator/ptx/lexer.h"

namespace coalesce::simulator::ptx {

class DeclarationReader {
public:
    DeclarationReader(Lexer& lexer, std::size_t text_size);

    /// Reads the rest of a declaration after `.global`, `.shared` and so on: one or more variables
    /// and the ';'.
    std::vector<Variable> read_variables(StateSpace space, bool is_extern);
    /// Reads a list like (.param .b32 a, .param .align 8 .b8 b[24]).
    std::vector<Variable> read_parameters();
    /// Skips a parenthesized list, as in .attribute(.managed, .unified(1, 2)). Returns true if the
    /// list contains `word`.
    bool skip_parentheses(std::string_view word = {});

private:
    struct Shape;
    Shape read_shape();
    u32 read_alignment();
    Variable read_variable(const Shape& shape, StateSpace space, bool is_extern);
    std::vector<u64> read_dimensions();
    void read_contents(Variable& variable, const std::vector<u64>& dimensions, u64 element_size);

    Lexer& lexer_;
    /// The number of bytes that the remaining initialisers may produce. Without this limit, a short
    /// text could define a very large table, because PTX allows zeros at the end of a row to be
    /// omitted.
    u64 initial_bytes_left_;
};

}  // namespace coalesce::simulator::ptx

// Reads declarations of variables and parameters: their type, alignment, size and first contents.
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

    /// Reads what follows `.global`, `.shared`...: one or more declarations and the ';'.
    std::vector<Variable> read_variables(StateSpace space, bool is_extern);
    /// Reads a list like (.param .b32 a, .param .align 8 .b8 b[24]).
    std::vector<Variable> read_parameters();
    /// Skips the parenthesis of, for example, .attribute(.managed, .unified(1, 2)). Returns whether
    /// `word` is in it.
    bool skip_parentheses(std::string_view word = {});

private:
    struct Shape;
    Shape read_shape();
    u32 read_alignment();
    Variable read_variable(const Shape& shape, StateSpace space, bool is_extern);
    std::vector<u64> read_dimensions();
    void read_contents(Variable& variable, const std::vector<u64>& dimensions, u64 element_size);

    Lexer& lexer_;
    /// How many bytes the initialisers may still produce. There is a limit because most rows of a
    /// sparse table do not appear in the text, so a short text could ask for very much memory.
    u64 initial_bytes_left_;
};

}  // namespace coalesce::simulator::ptx

// Declarations of variables and parameters: their type, alignment, size and first contents.
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

    /// What follows `.global`, `.shared`...: one or more declarations and the ';'.
    std::vector<Variable> read_variables(StateSpace space, bool is_extern);
    /// (.param .b32 a, .param .align 8 .b8 b[24])
    std::vector<Variable> read_parameters();
    /// .attribute(.managed, .unified(1, 2)): the parenthesis, skipped. True when `word` is in it.
    bool skip_parentheses(std::string_view word = {});

private:
    struct Shape;
    Shape read_shape();
    u32 read_alignment();
    Variable read_variable(const Shape& shape, StateSpace space, bool is_extern);
    std::vector<u64> read_dimensions();
    void read_contents(Variable& variable, const std::vector<u64>& dimensions, u64 element_size);

    Lexer& lexer_;
    /// Bytes that initialisers may still make: rows of a sparse table are mostly not in the text.
    u64 initial_bytes_left_;
};

}  // namespace coalesce::simulator::ptx

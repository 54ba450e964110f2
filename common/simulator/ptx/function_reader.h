// An .entry or a .func: its header, and the statements of its body.
#pragma once

#include "ptx/declarations.h"
#include "ptx/inlining.h"
#include "ptx/operands.h"

namespace coalesce::sim::ptx {

/// Takes .global, .shared ... and says which it was.
bool accept_state_space(Lexer& lexer, StateSpace& space);

/// Reads the rest of a .loc, whose place stays in force until the next one. `inlining` learns where
/// that place was inlined.
Position read_location(Lexer& lexer, Inlining& inlining);
inline SourceLine line_of(Position position) {
    return {std::get<0>(position), std::get<1>(position)};
}
/// Reads the rest of a .file and notes the file's name.
void read_file(Lexer& lexer, Module& module);

class FunctionReader {
public:
    FunctionReader(Lexer& lexer, DeclarationReader& declarations, Module& module);

    /// What follows .entry or .func, with the place that a .loc before it left in force.
    std::unique_ptr<Function> read(bool is_entry, SourceLine where);

private:
    void read_header();
    bool read_header_directive();
    void read_shape(u32 (&extents)[3]);
    void read_body();

    void read_statement();
    void read_directive();
    void read_place();
    void read_pragma();
    void read_registers();
    void read_body_variables(StateSpace space, bool is_extern);
    void read_instruction();
    void read_modifiers(Instruction& instruction);
    void read_label(std::string_view name, Instruction label);
    void read_target_list(const std::string& label);
    void declare_parameters();

    Lexer& lexer_;
    DeclarationReader& declarations_;
    Module& module_;
    std::unique_ptr<Function> function_;
    Scopes scopes_;
    OperandReader operands_;
    SourceLine where_;
    Inlining inlining_;
    u32 inlined_ = 0;       ///< of the place in force: see Instruction::inlined
    u32 used_bytes_ = ~0u;  ///< of the next instruction: see Instruction::used_bytes
};

}  // namespace coalesce::sim::ptx

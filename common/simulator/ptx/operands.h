// The operands of an instruction, with every name resolved to what it stands for.
//
//   %r1   -%r1   !%p1   %p1|%p2   {%f1, %f2}   [%rd1+16]   [map, {%r1, %r2}]   (a, b)   42   _
#pragma once

#include "ptx/constants.h"
#include "ptx/scopes.h"

namespace coalesce::sim::ptx {

class OperandReader {
public:
    OperandReader(Lexer& lexer, Scopes& scopes) : lexer_(lexer), scopes_(scopes) {}

    /// Reads the operands of `instruction` up to ';'. They stay where they are when it is moved into the body.
    void read(Instruction& instruction);
    /// A predicate after '@' or '@!'.
    u32 read_guard();

private:
    Operand read_operand();
    Operand read_list(char close);
    Operand read_address();
    Operand read_named();
    Operand read_register(const Binding& binding);
    Operand read_special(std::string_view name);
    Operand constant_operand();
    bool at_negated_register() const;
    void note_label_uses(std::vector<Operand>& operands);

    Lexer& lexer_;
    Scopes& scopes_;
    bool in_call_ = false;
    int depth_ = 0;
    bool met_unbound_symbol_ = false;
};

}  // namespace coalesce::sim::ptx

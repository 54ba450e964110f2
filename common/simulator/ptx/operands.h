// Parses the operands of an instruction, and resolves every name in them.
//
//   %r1   -%r1   !%p1   %p1|%p2   {%f1, %f2}   [%rd1+16]   [map, {%r1, %r2}]   (a, b)   42   _
#pragma once

#include "simulator/ptx/constants.h"
#include "simulator/ptx/scopes.h"

namespace coalesce::simulator::ptx {

/// Reads the operands of `instruction` up to ';'. `scopes` may keep pointers to the names in the
/// operands. These pointers stay valid when the instruction is moved into the function's body.
void read_operands(Lexer& lexer, Scopes& scopes, Instruction& instruction);
/// Reads the predicate after '@' or '@!' and returns its register.
u32 read_guard(Lexer& lexer, Scopes& scopes);

}  // namespace coalesce::simulator::ptx

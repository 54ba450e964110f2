// Reads types: i32, ptr addrspace(3), { float, [2 x i8] }, %struct.Pair.
#pragma once

#include "page/ir_to_ptx/lexer.h"
#include "page/ir_to_ptx/types.h"

namespace coalesce::translator {

/// Reads the type at the current token.
const Type* read_type(Lexer& lexer, Types& types);
bool is_at_type(const Lexer& lexer);
/// Reads %struct.Pair = type { i32, i32 }.
void read_type_definition(Lexer& lexer, Types& types);
/// Reads addrspace(3), for example. Returns Space::generic if there is no address space.
Space read_space(Lexer& lexer);
u64 read_unsigned(Lexer& lexer);

}  // namespace coalesce::translator

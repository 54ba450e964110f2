// Reads types such as i32, ptr addrspace(3), { float, [2 x i8] } and %struct.Pair.
#pragma once

#include "page/ir_to_ptx/lexer.h"
#include "page/ir_to_ptx/types.h"

namespace coalesce::translator {

/// Reads the type at the current token.
const Type* read_type(Lexer& lexer, Types& types);
bool is_at_type(const Lexer& lexer);
/// Reads a type definition, such as %struct.Pair = type { i32, i32 }.
void read_type_definition(Lexer& lexer, Types& types);
/// Reads an address space, such as addrspace(3). Returns Space::generic if the text specifies none.
Space read_space(Lexer& lexer);
u64 read_unsigned(Lexer& lexer);

}  // namespace coalesce::translator

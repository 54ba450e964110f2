// Answers questions about the modifiers and operands of any instruction.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

/// Returns the last modifier that names a type: `b32` for shfl.sync.idx.b32. Returns Type::none if
/// no modifier does.
Type type_of(const Instruction& instruction);

/// Returns the state space that the modifiers name, or generic if they name none. shared::cta and
/// shared::cluster both count as shared. A cluster has one block here.
StateSpace space_of(const Instruction& instruction);

/// Like space_of(), but for ld and st, which can access .param as well, whether of the kernel or of
/// a call.
StateSpace space_of_access(const Instruction& instruction);

/// Returns the number of elements of a vector access: 2 for .v2, and 1 without such a modifier.
u32 vector_length(const Instruction& instruction);

/// Returns the name of the called function, or nullptr if it is called through a pointer.
const std::string* callee_of(const Instruction& call);

bool is_sink(const Instruction& instruction, std::size_t operand);
/// Returns whether operand `operand` is a predicate register or its complement.
bool is_predicate(const Instruction& instruction, const Function& function, std::size_t operand);

}  // namespace coalesce::simulator::ptx

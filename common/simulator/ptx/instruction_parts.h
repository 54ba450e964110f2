// What the modifiers and operands of an instruction say, whatever it does.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

/// The last modifier that names a type: `b32` of shfl.sync.idx.b32. Type::none when there is none.
Type type_of(const Instruction& instruction);

/// The state space among the modifiers; generic when none is named. shared::cta and shared::cluster
/// are shared: a cluster has one block here.
StateSpace space_of(const Instruction& instruction);

/// The same of ld and st, which have .param as well, whoever's.
StateSpace space_of_access(const Instruction& instruction);

/// Elements of a vector access: 2 of .v2; 1 without such a modifier.
u32 vector_length(const Instruction& instruction);

/// Who is called by name; nullptr: through a pointer.
const std::string* callee_of(const Instruction& call);

bool is_sink(const Instruction& instruction, std::size_t operand);
/// Operand `operand` is a predicate register (or its complement).
bool is_predicate(const Instruction& instruction, const Function& function, std::size_t operand);

}  // namespace coalesce::simulator::ptx

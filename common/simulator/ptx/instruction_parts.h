// Declares functions that return properties of an instruction's modifiers and operands.
#pragma once

#include "simulator/ptx/ast.h"

namespace coalesce::simulator::ptx {

/// Returns the type in the instruction's modifiers, for example b32 for shfl.sync.idx.b32. Returns
/// the last one if there are several types, or Type::none if there is no type.
Type find_type(const Instruction& instruction);

/// Returns the state space in the instruction's modifiers, or generic if there is none. Both
/// shared::cta and shared::cluster count as shared.
StateSpace find_space(const Instruction& instruction);

/// Returns the state space that an ld or st accesses. Unlike find_space(), this function returns
/// param for a parameter of the kernel or of a call.
StateSpace access_space(const Instruction& instruction);

/// Returns the number of elements of a vector access: 2 for .v2, and 1 without such a modifier.
u32 vector_length(const Instruction& instruction);

/// Returns the name of the called function, or null for a call through a pointer.
const std::string* find_callee(const Instruction& call);

bool is_sink(const Instruction& instruction, std::size_t operand);
/// Reports whether the operand with index `operand` is a predicate register, which may be negated.
bool is_predicate(const Instruction& instruction, const Function& function, std::size_t operand);

}  // namespace coalesce::simulator::ptx

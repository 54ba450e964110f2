// Which registers an instruction reads, and which it writes.
#pragma once

#include <vector>

#include "ptx/ast.h"

namespace coalesce::sim {

/// The registers that an instruction writes: in all active lanes, or with a guard in those that it lets
/// through.
std::vector<u32> registers_written(const ptx::Instruction& instruction);
/// The registers that it reads, guard and addresses included.
std::vector<u32> registers_read(const ptx::Instruction& instruction);

}  // namespace coalesce::sim

// Finds the registers that an instruction reads and writes.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// Returns the registers that an instruction writes. A guarded instruction writes them only in the
/// lanes whose guard is true.
std::vector<u32> list_written_registers(const ptx::Instruction& instruction);
/// Returns the registers that an instruction reads, including its guard and addresses.
std::vector<u32> list_read_registers(const ptx::Instruction& instruction);

/// Adds `registers` to a set with one bit per register. Returns true if at least one of these
/// registers was not in the set before.
bool add_registers(std::vector<bool>& register_set, const std::vector<u32>& registers);
bool contains_any_register(const std::vector<bool>& register_set,
                           const std::vector<u32>& registers);

/// Applies `rule` to all instructions, again and again, until `rule` returns false for every
/// instruction. This means that nothing has changed.
template <class Rule>
void repeat_until_stable(const ptx::Function& function, Rule rule) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const ptx::Instruction& i : function.body) changed |= rule(i);
    }
}

}  // namespace coalesce::simulator

// Which registers an instruction reads, and which it writes.
#pragma once

#include <vector>

#include "simulator/ptx/ast.h"

namespace coalesce::simulator {

/// The registers that an instruction writes: in all active lanes, or with a guard in those that it lets
/// through.
std::vector<u32> registers_written(const ptx::Instruction& instruction);
/// The registers that it reads, guard and addresses included.
std::vector<u32> registers_read(const ptx::Instruction& instruction);

/// A set of registers has a bit for each. True when one of these was not in it.
bool add_to(std::vector<bool>& set, const std::vector<u32>& registers);
bool has_any(const std::vector<bool>& set, const std::vector<u32>& registers);

/// Goes over the body again and again: until `rule`, which says whether it has changed something, changes nothing.
template <class Rule>
void until_nothing_changes(const ptx::Function& function, Rule rule) {
    for (bool changed = true; changed;) {
        changed = false;
        for (const ptx::Instruction& i : function.body) changed |= rule(i);
    }
}

}  // namespace coalesce::simulator

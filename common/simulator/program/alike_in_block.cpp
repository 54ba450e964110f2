#include "program/alike_in_block.h"

#include <algorithm>

#include "analysis/register_use.h"
#include "execute/special_registers.h"
#include "program/machine_instruction.h"
#include "ptx/instruction_parts.h"

namespace coalesce::sim {
namespace {

/// Gives each thread something of its own, whatever it reads.
bool tells_threads_apart(const ptx::Instruction& i) {
    if (is_one_of(i.opcode, {"ld", "ldu"}))
        return !i.has("param") && space_of(i) != ptx::StateSpace::constant;
    if (is_one_of(i.opcode, {"atom", "shfl", "call", "tex", "tld4", "suld"})) return true;
    return std::any_of(i.operands.begin(), i.operands.end(), [](const ptx::Operand& o) {
        if (o.kind != ptx::Operand::Kind::special) return false;
        const SpecialRegister* special = find_special_register(o.name);
        return !special || (special->varies != Varies::launch && special->varies != Varies::block);
    });
}

}  // namespace

AlikeInBlock::AlikeInBlock(const ptx::Function& function, const Registers& registers)
    : registers_(registers), alike_(function.registers.size(), function.is_entry) {
    for (bool changed = function.is_entry; changed;) {
        changed = false;
        for (const ptx::Instruction& i : function.body) {
            if (!tells_threads_apart(i) && is_alike(i)) continue;
            for (u32 r : registers_written(i)) {
                changed |= alike_[registers_.root[r]];
                alike_[registers_.root[r]] = false;
            }
        }
    }
}

bool AlikeInBlock::is_alike(const ptx::Instruction& instruction) const {
    const std::vector<u32> read = registers_read(instruction);
    return std::all_of(read.begin(), read.end(), [&](u32 r) { return alike_[registers_.root[r]]; });
}

}  // namespace coalesce::sim

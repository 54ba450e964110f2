#include "simulator/ptxas/wanted_values.h"

#include "base/ranges.h"
#include "simulator/analysis/register_use.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/machine_instruction.h"

namespace coalesce::simulator {

using ptx::Instruction;
using ptx::Operand;

WantedValues::WantedValues(const ptx::Function& function) {
    find_wanted(function);
    find_halves(function);
    find_extended(function);
}

namespace {

/// Has an effect beside the registers that it writes.
bool has_lasting_effect(const Instruction& i) {
    return ends_straight_code(i) || changes_memory(memory_effect(i)) || i.has("cc");
}

bool loads_64_bits(const Instruction& i) {
    return i.opcode == "ld" && size_of(ptx::type_of(i)) == 8 && !i.has("param");
}

}  // namespace

void WantedValues::find_wanted(const ptx::Function& function) {
    wanted_.assign(function.registers.size(), false);
    for (bool changed = true; changed;) {
        changed = false;
        for (auto i = function.body.rbegin(); i != function.body.rend(); ++i) {
            const std::vector<u32> written = registers_written(*i);
            if (written.empty() || has_lasting_effect(*i) || has_any(wanted_, written))
                changed |= add_to(wanted_, registers_read(*i));
        }
    }
}

void WantedValues::find_halves(const ptx::Function& function) {
    halves_.assign(function.registers.size(), kBothHalves);
    if (none_of(function.body, loads_64_bits)) return;
    halves_.assign(function.registers.size(), kNoHalf);
    for (bool changed = true; changed;) {
        changed = false;
        for (auto i = function.body.rbegin(); i != function.body.rend(); ++i)
            changed |= want_halves_of_sources(*i);
    }
}

namespace {

bool is_shift_by_half(const Instruction& i) {
    return i.opcode == "shr" && size_of(ptx::type_of(i)) == 8 && i.operands.size() == 3 &&
           i.operands[2].is_immediate() && i.operands[2].bits >= 32;
}

/// `mov.b64 {low, high}, value`
bool unpacks_halves(const Instruction& i) {
    return i.opcode == "mov" && size_of(ptx::type_of(i)) == 8 && i.operands.size() == 2 &&
           i.operands[0].is_vector() && i.operands[0].elements.size() == 2;
}

/// The low bits of the result depend on nothing but the low bits of the sources.
bool keeps_order_of_halves(const Instruction& i) {
    return is_one_of(i.opcode, {"add", "sub", "and", "or", "xor", "not", "mov"}) &&
           size_of(ptx::type_of(i)) == 8 && !ptx::is_float(ptx::type_of(i)) && !i.has("cc");
}

/// A conversion from 64 bits to an integer of 32 bits or less.
bool takes_low_half(const Instruction& i) {
    if (i.opcode != "cvt" || i.has("sat") || i.modifiers.size() != 2) return false;
    const ptx::Type to = ptx::type_named(i.modifiers[0]), from = ptx::type_named(i.modifiers[1]);
    return size_of(from) == 8 && size_of(to) <= 4 && !ptx::is_float(from) && !ptx::is_float(to);
}

}  // namespace

/// Adds the halves that an instruction needs of its sources, and returns whether that adds any.
bool WantedValues::want_halves_of_sources(const Instruction& i) {
    const std::vector<u32> written = registers_written(i);
    if (!written.empty() && !has_lasting_effect(i) && !has_any(wanted_, written)) return false;
    u8 needed = kBothHalves;
    if (unpacks_halves(i)) {
        const auto wants = [&](const Operand& o) { return o.is_register() && wanted_[o.reg]; };
        needed = static_cast<u8>((wants(i.operands[0].elements[0]) ? kLowHalf : kNoHalf) |
                                 (wants(i.operands[0].elements[1]) ? kHighHalf : kNoHalf));
    } else if (takes_low_half(i)) {
        needed = kLowHalf;
    } else if (is_shift_by_half(i)) {
        needed = kHighHalf;
    } else if (keeps_order_of_halves(i) && written.size() == 1) {
        // A carry goes from the low half to the high one, never back.
        needed = halves_[written[0]] == kLowHalf ? kLowHalf : kBothHalves;
    }
    bool changed = false;
    for (u32 reg : registers_read(i)) {
        const u8 before = halves_[reg];
        halves_[reg] |= needed;
        changed |= halves_[reg] != before;
    }
    return changed;
}

void WantedValues::find_extended(const ptx::Function& function) {
    extended_.assign(function.registers.size(), false);
    for (u32 r = 0; r < extended_.size(); ++r)
        extended_[r] = size_of(function.registers[r].type) > 2;
    for (const Instruction& i : function.body)
        if (i.opcode == "cvt" && (i.has("u32") || i.has("s32")) && i.modifiers.back() == "u16")
            add_to(extended_, registers_read(i));
}

}  // namespace coalesce::simulator

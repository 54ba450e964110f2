#include "simulator/ptxas/wanted_values.h"

#include "base/ranges.h"
#include "simulator/analysis/register_use.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/machine_instruction.h"

namespace coalesce::simulator {

using ptx::Instruction;
using ptx::Operand;

std::vector<bool> find_needed_instructions(const ptx::Function& function) {
    const std::vector<Instruction>& body = function.body;
    std::vector<std::vector<u32>> writers(function.registers.size());
    std::vector<u32> open_instructions;
    std::vector<bool> needed_flags(body.size(), false);
    const auto mark_needed = [&](u32 at) {
        if (!needed_flags[at]) open_instructions.push_back(at);
        needed_flags[at] = true;
    };
    for (u32 at = 0; at < body.size(); ++at) {
        const std::vector<u32> written = list_written_registers(body[at]);
        for (u32 r : written) writers[r].push_back(at);
        if (written.empty() || ends_straight_code(body[at]) || body[at].has("cc") ||
            changes_memory(find_memory_effect(body[at])))
            mark_needed(at);
    }
    while (!open_instructions.empty()) {
        const u32 at = open_instructions.back();
        open_instructions.pop_back();
        for (u32 r : list_read_registers(body[at]))
            for (u32 writer : writers[r]) mark_needed(writer);
    }
    return needed_flags;
}

NeededValues::NeededValues(const ptx::Function& function) {
    const std::vector<bool> needed_instructions = find_needed_instructions(function);
    find_needed_registers(function, needed_instructions);
    find_needed_halves(function, needed_instructions);
    find_extended_registers(function);
}

void NeededValues::find_needed_registers(const ptx::Function& function,
                                         const std::vector<bool>& needed_instructions) {
    is_needed_.assign(function.registers.size(), false);
    for (std::size_t at = 0; at < function.body.size(); ++at)
        if (needed_instructions[at])
            add_registers(is_needed_, list_read_registers(function.body[at]));
}

namespace {

bool loads_64_bits(const Instruction& i) {
    return i.opcode == "ld" && size_of(ptx::find_type(i)) == 8 && !i.has("param");
}

}  // namespace

void NeededValues::find_needed_halves(const ptx::Function& function,
                                      const std::vector<bool>& needed_instructions) {
    needed_halves_.assign(function.registers.size(), kBothHalves);
    if (none_of(function.body, loads_64_bits)) return;
    needed_halves_.assign(function.registers.size(), kNoHalf);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (std::size_t at = function.body.size(); at-- > 0;)
            if (needed_instructions[at])
                has_changed |= add_needed_halves_of_sources(function.body[at]);
    }
}

namespace {

bool is_shift_by_half(const Instruction& i) {
    return i.opcode == "shr" && size_of(ptx::find_type(i)) == 8 && i.operands.size() == 3 &&
           i.operands[2].is_immediate() && i.operands[2].bits >= 32;
}

/// Recognizes `mov.b64 {low, high}, value`.
bool unpacks_halves(const Instruction& i) {
    return i.opcode == "mov" && size_of(ptx::find_type(i)) == 8 && i.operands.size() == 2 &&
           i.operands[0].is_vector() && i.operands[0].elements.size() == 2;
}

/// Reports whether the low bits of the result depend only on the low bits of the sources.
bool keeps_order_of_halves(const Instruction& i) {
    return is_one_of(i.opcode, {"add", "sub", "and", "or", "xor", "not", "mov"}) &&
           size_of(ptx::find_type(i)) == 8 && !ptx::is_float(ptx::find_type(i)) && !i.has("cc");
}

/// Reports whether the instruction converts 64 bits to an integer of 32 bits or less.
bool is_low_half_conversion(const Instruction& i) {
    if (i.opcode != "cvt" || i.has("sat") || i.modifiers.size() != 2) return false;
    const ptx::Type destination_type = ptx::parse_type(i.modifiers[0]),
                    source_type = ptx::parse_type(i.modifiers[1]);
    return size_of(source_type) == 8 && size_of(destination_type) <= 4 &&
           !ptx::is_float(source_type) && !ptx::is_float(destination_type);
}

}  // namespace

/// Marks the source halves that an instruction needs. Returns true if any of them was not marked
/// before.
bool NeededValues::add_needed_halves_of_sources(const Instruction& i) {
    const std::vector<u32> written = list_written_registers(i);
    u8 needed_half = kBothHalves;
    if (unpacks_halves(i)) {
        const auto is_needed_operand = [&](const Operand& o) {
            return o.is_register() && is_needed_[o.reg];
        };
        needed_half =
            static_cast<u8>((is_needed_operand(i.operands[0].elements[0]) ? kLowHalf : kNoHalf) |
                            (is_needed_operand(i.operands[0].elements[1]) ? kHighHalf : kNoHalf));
    } else if (is_low_half_conversion(i)) {
        needed_half = kLowHalf;
    } else if (is_shift_by_half(i)) {
        needed_half = kHighHalf;
    } else if (keeps_order_of_halves(i) && written.size() == 1) {
        // A carry propagates only from the low half to the high half.
        needed_half = needed_halves_[written[0]] == kLowHalf ? kLowHalf : kBothHalves;
    }
    bool has_changed = false;
    for (u32 reg : list_read_registers(i)) {
        const u8 old_halves = needed_halves_[reg];
        needed_halves_[reg] |= needed_half;
        has_changed |= needed_halves_[reg] != old_halves;
    }
    return has_changed;
}

void NeededValues::find_extended_registers(const ptx::Function& function) {
    is_extended_.assign(function.registers.size(), false);
    for (u32 r = 0; r < is_extended_.size(); ++r)
        is_extended_[r] = size_of(function.registers[r].type) > 2;
    for (const Instruction& i : function.body)
        if (i.opcode == "cvt" && (i.has("u32") || i.has("s32")) && i.modifiers.back() == "u16")
            add_registers(is_extended_, list_read_registers(i));
}

}  // namespace coalesce::simulator

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
    std::vector<u32> open;
    std::vector<bool> wanted(body.size(), false);
    const auto want = [&](u32 at) {
        if (!wanted[at]) open.push_back(at);
        wanted[at] = true;
    };
    for (u32 at = 0; at < body.size(); ++at) {
        const std::vector<u32> written = registers_written(body[at]);
        for (u32 r : written) writers[r].push_back(at);
        if (written.empty() || ends_straight_code(body[at]) || body[at].has("cc") ||
            changes_memory(memory_effect(body[at])))
            want(at);
    }
    while (!open.empty()) {
        const u32 at = open.back();
        open.pop_back();
        for (u32 r : registers_read(body[at]))
            for (u32 writer : writers[r]) want(writer);
    }
    return wanted;
}

NeededValues::NeededValues(const ptx::Function& function) {
    const std::vector<bool> instructions = find_needed_instructions(function);
    find_needed(function, instructions);
    find_halves(function, instructions);
    find_extended(function);
}

void NeededValues::find_needed(const ptx::Function& function,
                               const std::vector<bool>& instructions) {
    needed_.assign(function.registers.size(), false);
    for (std::size_t at = 0; at < function.body.size(); ++at)
        if (instructions[at]) add_all_to(needed_, registers_read(function.body[at]));
}

namespace {

bool loads_64_bits(const Instruction& i) {
    return i.opcode == "ld" && size_of(ptx::type_of(i)) == 8 && !i.has("param");
}

}  // namespace

void NeededValues::find_halves(const ptx::Function& function,
                               const std::vector<bool>& instructions) {
    halves_.assign(function.registers.size(), kBothHalves);
    if (none_of(function.body, loads_64_bits)) return;
    halves_.assign(function.registers.size(), kNoHalf);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t at = function.body.size(); at-- > 0;)
            if (instructions[at]) changed |= add_needed_halves_of_sources(function.body[at]);
    }
}

namespace {

bool is_shift_by_half(const Instruction& i) {
    return i.opcode == "shr" && size_of(ptx::type_of(i)) == 8 && i.operands.size() == 3 &&
           i.operands[2].is_immediate() && i.operands[2].bits >= 32;
}

/// Recognizes `mov.b64 {low, high}, value`.
bool unpacks_halves(const Instruction& i) {
    return i.opcode == "mov" && size_of(ptx::type_of(i)) == 8 && i.operands.size() == 2 &&
           i.operands[0].is_vector() && i.operands[0].elements.size() == 2;
}

/// Reports whether the low bits of the result depend only on the low bits of the sources.
bool keeps_order_of_halves(const Instruction& i) {
    return is_one_of(i.opcode, {"add", "sub", "and", "or", "xor", "not", "mov"}) &&
           size_of(ptx::type_of(i)) == 8 && !ptx::is_float(ptx::type_of(i)) && !i.has("cc");
}

/// Reports whether the instruction converts 64 bits to an integer of 32 bits or less.
bool takes_low_half(const Instruction& i) {
    if (i.opcode != "cvt" || i.has("sat") || i.modifiers.size() != 2) return false;
    const ptx::Type to = ptx::parse_type(i.modifiers[0]), from = ptx::parse_type(i.modifiers[1]);
    return size_of(from) == 8 && size_of(to) <= 4 && !ptx::is_float(from) && !ptx::is_float(to);
}

}  // namespace

/// Marks the source halves that an instruction needs. Returns true if any of them was not marked
/// before.
bool NeededValues::add_needed_halves_of_sources(const Instruction& i) {
    const std::vector<u32> written = registers_written(i);
    u8 needed = kBothHalves;
    if (unpacks_halves(i)) {
        const auto wants = [&](const Operand& o) { return o.is_register() && needed_[o.reg]; };
        needed = static_cast<u8>((wants(i.operands[0].elements[0]) ? kLowHalf : kNoHalf) |
                                 (wants(i.operands[0].elements[1]) ? kHighHalf : kNoHalf));
    } else if (takes_low_half(i)) {
        needed = kLowHalf;
    } else if (is_shift_by_half(i)) {
        needed = kHighHalf;
    } else if (keeps_order_of_halves(i) && written.size() == 1) {
        // A carry propagates only from the low half to the high half.
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

void NeededValues::find_extended(const ptx::Function& function) {
    extended_.assign(function.registers.size(), false);
    for (u32 r = 0; r < extended_.size(); ++r)
        extended_[r] = size_of(function.registers[r].type) > 2;
    for (const Instruction& i : function.body)
        if (i.opcode == "cvt" && (i.has("u32") || i.has("s32")) && i.modifiers.back() == "u16")
            add_all_to(extended_, registers_read(i));
}

}  // namespace coalesce::simulator

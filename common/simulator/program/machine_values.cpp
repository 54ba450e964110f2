#include "program/machine_values.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "execute/describe.h"
#include "program/machine_instruction.h"
#include "program/register_use.h"

namespace coalesce::sim {

using ptx::StateSpace;

namespace {

constexpr u32 kNone = ~0u;

/// Chains of address computations are short: what is not known to be wide after that many rounds is narrow.
constexpr int kRounds = 8;

bool has_immediate(const ptx::Instruction& i) {
    return std::any_of(i.operands.begin(), i.operands.end(), [](const ptx::Operand& operand) {
        return operand.kind == ptx::Operand::Kind::immediate;
    });
}

/// Times a power of two is a shift, which an addition of 32 bits has room for.
bool multiplies_by_power(const ptx::Instruction& i) {
    return std::any_of(i.operands.begin(), i.operands.end(), [](const ptx::Operand& operand) {
        return operand.kind == ptx::Operand::Kind::immediate &&
               (operand.bits & (operand.bits - 1)) == 0;
    });
}

bool is_constant(const ptx::Operand& operand) {
    using Kind = ptx::Operand::Kind;
    return (operand.kind == Kind::immediate || operand.kind == Kind::f32_bits ||
            operand.kind == Kind::f64_bits) &&
           operand.bits != 0;
}

void add_once(std::vector<u32>& to, u32 value) {
    if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

const ptx::Operand* vector_of(const ptx::Instruction& i) {
    for (const ptx::Operand& operand : i.operands)
        if (operand.kind == ptx::Operand::Kind::vector) return &operand;
    return nullptr;
}

}  // namespace

MachineValues::MachineValues(const ptx::Function& function, const Registers& registers)
    : function_(function), registers_(registers) {
    find_definitions();
    find_narrow();
    find_folded();
    find_block_numbers();
    find_words();
    find_vectors();
}

bool MachineValues::is_uniform(u32 value) const {
    const ValueClass value_class = registers_.value_class[value];
    return (value_class == ValueClass::launch || value_class == ValueClass::block) &&
           !in_every_thread_[value];
}

void MachineValues::find_definitions() {
    const std::size_t count = function_.registers.size();
    definition_.assign(count, kNone);
    times_written_.assign(count, 0);
    readers_.resize(count);
    in_every_thread_.assign(count, false);
    for (u32 at = 0; at < function_.body.size(); ++at) {
        if (registers_.is_copy[at]) continue;
        for (u32 r : registers_written(function_.body[at])) {
            ++times_written_[root(r)];
            definition_[root(r)] = at;
        }
        for (u32 r : registers_read(function_.body[at])) readers_[root(r)].push_back(at);
    }
}

void MachineValues::find_narrow() {
    narrow_.resize(function_.registers.size());
    for (u32 r = 0; r < narrow_.size(); ++r) narrow_[r] = bytes(r) == 8 && root(r) == r;
    bool changed = true;
    for (int round = 0; round < kRounds && changed; ++round) {
        changed = false;
        for (u32 r = static_cast<u32>(narrow_.size()); r-- > 0;) {
            if (!narrow_[r] || stays_narrow(r)) continue;
            narrow_[r] = false;
            changed = true;
        }
    }
}

/// Whether each reader is an access to shared or local memory there, or computes a narrow value from it.
bool MachineValues::stays_narrow(u32 value) const {
    return std::all_of(readers_[value].begin(), readers_[value].end(), [&](u32 at) {
        const Instruction& i = function_.body[at];
        if (i.operands.empty()) return false;
        if (is_access(i)) {
            const StateSpace space = space_of(i);
            const bool is_base = std::any_of(i.operands.begin(), i.operands.end(), [&](auto& o) {
                return o.has_base_register && root(o.reg) == value;
            });
            return is_base && (space == StateSpace::shared || space == StateSpace::local);
        }
        const Operand& to = i.operands[0];
        if (to.kind != Operand::Kind::reg) return false;
        if (i.opcode == "cvt") return bytes(root(to.reg)) <= 4;
        return is_one_of(i.opcode,
                         {"add", "sub", "mul", "mad", "shl", "and", "or", "xor", "mov", "cvta"}) &&
               narrow_[root(to.reg)];
    });
}

void MachineValues::find_folded() {
    folded_.resize(function_.registers.size());
    for (u32 r = 0; r < folded_.size(); ++r)
        folded_[r] = root(r) == r && times_written_[r] == 1 && folds(r);
}

bool MachineValues::all_readers_are(u32 value,
                                    std::initializer_list<std::string_view> opcodes) const {
    return std::all_of(readers_[value].begin(), readers_[value].end(),
                       [&](u32 at) { return is_one_of(function_.body[at].opcode, opcodes); });
}

bool MachineValues::folds(u32 value) const {
    const Instruction& i = definition(value);
    if (i.guard || readers_[value].empty() || i.operands.size() < 2) return false;
    if (registers_.value_class[value] == ValueClass::launch) return false;  // a constant is there
    if (i.opcode == "mul" && i.has("wide")) return all_readers_are(value, {"add", "sub"});
    const Operand& from = i.operands[1];
    if (i.opcode == "cvt" && bytes(value) == 8 && !i.has("f32") && !i.has("f64") &&
        from.kind == Operand::Kind::reg && bytes(from.reg) == 4) {
        // The upper half is zero, or a sign that such readers make for themselves.
        return i.has("u32") || all_readers_are(value, {"add", "sub", "shl", "mul", "mad"});
    }
    const bool shifts = i.opcode == "shl";
    if (shifts && bytes(value) == 8 && readers_[value].size() > 1 && !narrow_[value]) return false;
    return (shifts || (i.opcode == "mul" && i.has("lo"))) && has_immediate(i) &&
           all_readers_are(value, {"add"});
}

/// The numbers of a block are read into a register of every thread where that is what they are used in.
void MachineValues::find_block_numbers() {
    for (u32 r = 0; r < folded_.size(); ++r) {
        if (root(r) != r || times_written_[r] != 1 ||
            registers_.value_class[r] != ValueClass::block)
            continue;
        const Instruction& i = definition(r);
        const bool reads_special = i.opcode == "mov" && i.operands.size() > 1 &&
                                   i.operands[1].kind == Operand::Kind::special;
        in_every_thread_[r] = reads_special && is_wanted_by_threads(r);
    }
}

bool MachineValues::is_wanted_by_threads(u32 value) const {
    return std::any_of(readers_[value].begin(), readers_[value].end(), [&](u32 at) {
        const Instruction& i = function_.body[at];
        u32 uniform = 0;
        for (u32 r : registers_read(i)) uniform += is_uniform(root(r)) || folded_[root(r)];
        if (uniform != 1) return false;
        for (u32 r : registers_written(i)) {
            const ValueClass to = registers_.value_class[root(r)];
            if (folded_[root(r)]) return is_wanted_by_threads(root(r));
            if (to == ValueClass::thread || to == ValueClass::position) return true;
        }
        return false;
    });
}

void MachineValues::find_words() {
    words_.assign(function_.registers.size(), 0);
    for (u32 r = 0; r < words_.size(); ++r) {
        if (root(r) != r || folded_[r] || is_uniform(r) || is_predicate(r)) continue;
        words_[r] = narrow_[r] ? 1 : words_of_type(r);
    }
}

/// Elements of loaded vectors that are stored in one vector with elements of others.
void MachineValues::find_vectors() {
    unit_.resize(function_.registers.size());
    for (u32 r = 0; r < unit_.size(); ++r) unit_[r] = r;
    std::set<u32> taken_apart;
    for (const Instruction& i : function_.body) {
        const Operand* stored = i.opcode == "st" ? vector_of(i) : nullptr;
        if (!stored) continue;
        std::set<u32> loads;
        for (const Operand& e : stored->elements) {
            if (e.kind != Operand::Kind::reg || definition_[root(e.reg)] == kNone) continue;
            const Instruction& from = definition(root(e.reg));
            if (from.opcode == "ld" && vector_of(from)) loads.insert(definition_[root(e.reg)]);
        }
        if (loads.size() > 1) taken_apart.insert(loads.begin(), loads.end());
    }
    for (u32 at : taken_apart) keep_together(function_.body[at]);
}

void MachineValues::keep_together(const Instruction& load) {
    std::vector<u32> elements;
    u32 words = 0;
    for (const Operand& e : vector_of(load)->elements) {
        if (e.kind != Operand::Kind::reg || times_written_[root(e.reg)] != 1) return;
        elements.push_back(root(e.reg));
        words += words_[root(e.reg)];
    }
    for (u32 element : elements) unit_[element] = elements[0];
    words_[elements[0]] = words;
}

void MachineValues::add_read(std::vector<u32>& to, u32 value) const {
    if (folded_[value]) {
        for (u32 r : registers_read(definition(value))) add_read(to, root(r));
    } else if (!is_uniform(value)) {
        add_once(to, unit_[value]);
    }
}

std::vector<u32> MachineValues::read_by(const Instruction& instruction) const {
    std::vector<u32> values;
    for (u32 r : registers_read(instruction)) add_read(values, root(r));
    return values;
}

std::vector<u32> MachineValues::written_by(const Instruction& instruction) const {
    std::vector<u32> values;
    for (u32 r : registers_written(instruction))
        if (!is_uniform(root(r))) add_once(values, unit_[root(r)]);
    return values;
}

bool MachineValues::leaves_nothing(u32 at) const {
    const Instruction& i = function_.body[at];
    if (!i.label.empty() || registers_.is_copy[at]) return true;
    const std::vector<u32> written = registers_written(i);
    return !written.empty() && memory_effect(i) == MemoryEffect::none &&
           std::all_of(written.begin(), written.end(),
                       [&](u32 r) { return folded_[root(r)] || is_uniform(root(r)); });
}

/// How many constants or uniform values an operand is made of.
u32 MachineValues::constants_in(const Operand& operand) const {
    if (operand.kind != Operand::Kind::reg) return is_constant(operand);
    const u32 value = root(operand.reg);
    if (is_predicate(value)) return 0;
    if (!folded_[value]) return is_uniform(value);
    const Instruction& i = definition(value);
    const bool shifts = (narrow_[value] || bytes(value) <= 4) && multiplies_by_power(i);
    u32 count = i.opcode == "mul" && !shifts;
    for (std::size_t k = 1; k < i.operands.size(); ++k)
        if (i.operands[k].kind == Operand::Kind::reg) count += constants_in(i.operands[k]);
    return count;
}

std::vector<u32> MachineValues::brought_for(const Instruction& i) const {
    std::vector<u32> words;
    if (is_access(i)) {
        bring_for_access(i, words);
        return words;
    }
    if (ends_straight_code(i) || memory_effect(i) != MemoryEffect::none ||
        is_one_of(i.opcode, {"mov", "cvt", "cvta", "shfl"}))
        return words;
    u32 constants = 0, widest = 1;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& operand = i.operands[k];
        constants += constants_in(operand);
        if (operand.kind == Operand::Kind::reg && !folded_[root(operand.reg)] &&
            is_uniform(root(operand.reg)))
            widest = words_of_type(root(operand.reg));
    }
    const std::vector<u32> written = written_by(i);
    if (!written.empty() && words_[written[0]] == 1) widest = 1;
    if (constants > 1) words.push_back(widest);
    return words;
}

/// Addresses in global memory and what is stored come from registers of the thread.
void MachineValues::bring_for_access(const Instruction& i, std::vector<u32>& words) const {
    const StateSpace space = space_of(i);
    const auto bring_data = [&](const Operand& data) {
        if (constants_in(data) == 0) return;
        words.push_back(data.kind == Operand::Kind::reg ? words_of_type(root(data.reg)) : 1);
    };
    for (const Operand& operand : i.operands) {
        if (operand.has_base_register && is_uniform(root(operand.reg)) && !i.has("param") &&
            (space == StateSpace::global || space == StateSpace::generic))
            words.push_back(2);
        bring_data(operand);
        if (operand.kind == Operand::Kind::vector)
            for (const Operand& element : operand.elements) bring_data(element);
    }
}

std::vector<u32> MachineValues::put_together_for(const Instruction& i) const {
    const Operand* stored = i.opcode == "st" ? vector_of(i) : nullptr;
    std::vector<u32> elements;
    if (!stored) return elements;
    bool moves = false;
    for (const Operand& e : stored->elements) {
        if (e.kind != Operand::Kind::reg) continue;
        add_read(elements, root(e.reg));
        moves |=
            unit_[root(e.reg)] != root(e.reg) || words_[root(e.reg)] > words_of_type(root(e.reg));
    }
    if (!moves || elements.size() < 2) elements.clear();
    return elements;
}

}  // namespace coalesce::sim

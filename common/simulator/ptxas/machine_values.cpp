// Implements the rules that ptxas follows to drop, fold and merge values. See machine_values.h for
// the idea.
// Long: every rule depends on the results of the others, and all rules are repeated until nothing
// changes.
#include "simulator/ptxas/machine_values.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/ranges.h"
#include "simulator/analysis/deciding_registers.h"
#include "simulator/analysis/register_use.h"
#include "simulator/execute/fragments.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/machine_instruction.h"
#include "simulator/ptxas/wanted_values.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace {

/// The number of rounds after which the search for wide values stops. All remaining values are
/// considered narrow. This suffices, because chains of address computations are short.
constexpr int kMaxNarrowingRounds = 8;

/// The size in bytes of the largest array that is kept in registers. Each load selects one of the
/// array's registers.
constexpr u64 kMaxRegisterArrayBytes = 32;

/// The name of the constant -32: the level of detail for fetches that specify none. The name of a
/// numeric constant is the complement of its bits.
constexpr u64 kDefaultLevelName = ~u64{0xc2000000};

bool has_immediate(const ptx::Instruction& i) {
    return any_of(i.operands, [](const ptx::Operand& operand) { return operand.is_immediate(); });
}

/// Reports whether the instruction multiplies by a power of two. A 32-bit addition can include such
/// a multiplication as a shift.
bool multiplies_by_power(const ptx::Instruction& i) {
    return any_of(i.operands, [](const ptx::Operand& operand) {
        return operand.is_immediate() && (operand.bits & (operand.bits - 1)) == 0;
    });
}

/// Reports whether the instruction multiplies two 64-bit values.
bool is_long_product(const ptx::Instruction& i) {
    return i.opcode == "mul" && i.has("lo") && is_64_bit(i) && !has_immediate(i);
}

bool is_number(const ptx::Operand& operand) {
    using Kind = ptx::Operand::Kind;
    return operand.is_immediate() || operand.kind == Kind::f32_bits ||
           operand.kind == Kind::f64_bits;
}
bool is_constant(const ptx::Operand& operand) {
    return is_number(operand) && operand.bits != 0;
}

/// Reports whether addresses in this space have 32 bits.
bool has_32_bit_addresses(StateSpace space) {
    return space == StateSpace::shared || space == StateSpace::local ||
           space == StateSpace::constant;
}

const ptx::Operand* find_vector(const ptx::Instruction& i) {
    for (const ptx::Operand& operand : i.operands)
        if (operand.is_vector()) return &operand;
    return nullptr;
}

/// Returns the coordinates x, y, ... of a texture or surface access.
std::vector<ptx::Operand> list_coordinates(const ptx::Instruction& i) {
    for (const ptx::Operand& operand : i.operands) {
        if (!operand.is_address() || operand.elements.empty()) continue;
        const ptx::Operand& last_element = operand.elements.back();
        std::vector<ptx::Operand> coordinates =
            last_element.is_vector() ? last_element.elements : operand.elements;
        // PTX encodes three coordinates as four, the last of which repeats the third.
        const bool is_filled_up =
            coordinates.size() == 4 && coordinates[3].kind == coordinates[2].kind &&
            coordinates[3].reg == coordinates[2].reg && coordinates[3].bits == coordinates[2].bits;
        if (is_filled_up) coordinates.pop_back();
        return coordinates;
    }
    return {};
}

/// Returns the gradients of a fetch that specifies gradients: the gradients along x, followed by
/// those along y.
std::vector<ptx::Operand> list_gradients(const ptx::Instruction& i) {
    std::vector<ptx::Operand> all;
    if (i.opcode != "tex" || !i.has("grad")) return all;
    for (std::size_t k = 2; k < i.operands.size(); ++k)
        all.insert(all.end(), i.operands[k].elements.begin(), i.operands[k].elements.end());
    return all;
}

bool loads_vector(const ptx::Instruction& i) {
    return is_one_of(i.opcode, {"ld", "suld"}) && find_vector(i);
}

/// Returns the element size of a loaded vector in bytes. The last modifier of a surface access is
/// its mode for out-of-range accesses, so the type precedes that modifier.
u32 size_of_element(const ptx::Instruction& i) {
    const std::size_t address_index = i.opcode == "suld" ? 2 : 1;
    return i.modifiers.size() < address_index
               ? 0
               : size_of(ptx::parse_type(i.modifiers[i.modifiers.size() - address_index]));
}

using Vectors = std::vector<std::vector<ptx::Operand>>;

/// Returns the groups of operands that an instruction reads from consecutive registers.
Vectors find_vectors_read(const ptx::Instruction& i) {
    Vectors vectors;
    if (is_texel_access(i)) vectors.push_back(list_coordinates(i));
    vectors.push_back(list_gradients(i));
    if ((i.opcode == "st" || i.opcode == "sust") && find_vector(i))
        vectors.push_back(find_vector(i)->elements);
    if (i.opcode == "atom" && i.has("cas") && i.operands.size() == 4)
        vectors.push_back({i.operands[2], i.operands[3]});
    std::erase_if(vectors, [](const auto& vector) { return vector.size() < 2; });
    return vectors;
}

/// Returns the registers of a wmma fragment that repeat other registers of the fragment. The
/// machine code contains each repeated register only once.
std::vector<u32> copies_in_fragment(const ptx::Instruction& i) {
    if (i.opcode != "wmma" || !i.has("load") || !i.has("f16") || i.has("c")) return {};
    MatrixShape shape;
    for (const std::string& m : i.modifiers)
        if (const MatrixShape named_shape = parse_matrix_shape(m); named_shape.m != 0)
            shape = named_shape;
    const u32 matrix_registers =
        MatrixFragment(i.has("a") ? Part::a : Part::b, NumberType::f16, shape).registers();
    std::vector<u32> copies;
    const std::vector<ptx::Operand>& elements = i.operands[0].elements;
    for (std::size_t k = matrix_registers; matrix_registers > 0 && k < elements.size(); ++k)
        if (elements[k].is_register()) copies.push_back(elements[k].reg);
    return copies;
}

/// Reports whether the instruction loads a value that its readers can read directly from the
/// constant bank.
bool is_in_constant_bank(const ptx::Instruction& i) {
    return i.opcode == "ld" && find_space(i) == StateSpace::constant && i.operands.size() == 2 &&
           !i.operands[1].has_base_register && !find_vector(i);
}

}  // namespace

MachineValues::MachineValues(const ptx::Function& function, const Registers& registers)
    : function_(function),
      registers_(registers),
      needed_instructions_(find_needed_instructions(function)) {
    find_definitions();
    find_uniform_values();
    find_narrow_values();
    find_folded_values();
    find_addresses_of_blocks();
    find_block_numbers();
    find_word_counts();
    find_vectors();
}

bool MachineValues::is_uniform(u32 value) const {
    return is_uniform_[value] && !is_per_thread_[value];
}

/// Finds the values that the uniform unit computes once per warp: the values that are uniform
/// across a block, except floats and divisions, which the unit does not support.
void MachineValues::find_uniform_values() {
    is_uniform_.assign(function_.registers.size(), false);
    for (u32 r = 0; r < is_uniform_.size(); ++r) {
        const ValueClass value_class = registers_.value_class[r];
        is_uniform_[r] = is_written_once(r) &&
                         (value_class == ValueClass::launch || value_class == ValueClass::block ||
                          is_in_constant_bank(definition(r)));
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (u32 r = 0; r < is_uniform_.size(); ++r) {
            if (!is_uniform_[r] || is_computed_for_block(definition(r))) continue;
            is_uniform_[r] = false;
            has_changed = true;
        }
    }
}

bool MachineValues::is_computed_for_block(const Instruction& i) const {
    for (const std::string& modifier : i.modifiers)
        if (ptx::is_float(ptx::parse_type(modifier)) && i.opcode != "ld" && i.opcode != "mov")
            return false;
    // A 64-bit by 64-bit product takes several instructions. The uniform unit computes it only if
    // it is the same for the whole launch. If it depends on the block's index, each thread computes
    // it together with its addition to an address.
    const bool multiplies_64_bit = i.opcode == "mul" && i.has("lo") && is_64_bit(i);
    if (multiplies_64_bit && registers_.value_class[i.operands[0].reg] != ValueClass::launch)
        return false;
    if (i.opcode == "mul" && i.has("wide") && is_added_by_threads(i.operands[0].reg)) return false;
    const bool is_known_sum =
        is_one_of(i.opcode, {"ld", "mov", "cvta", "cvt", "add", "sub", "mul", "mad", "shl", "shr",
                             "and", "or", "xor", "not", "setp", "selp", "neg"});
    return is_known_sum && all_of(list_read_registers(i), [&](u32 r) { return is_uniform_[r]; });
}

/// Reports whether a product of launch parameters is added to an address. If so, each thread
/// multiplies and adds in one instruction. Ignores sums that are only compared, or only used as the
/// address of an access, whose result then takes the same register.
bool MachineValues::is_added_by_threads(u32 product) const {
    return registers_.value_class[product] == ValueClass::launch &&
           has_only_readers(product, {"add", "sub"}) && any_of(readers_[product], [&](u32 at) {
               const u32 sum = function_.body[at].operands[0].reg;
               return !has_only_readers(sum, {"ld", "atom", "red", "setp"});
           });
}

void MachineValues::find_definitions() {
    const std::size_t count = function_.registers.size();
    readers_.resize(count);
    writers_.resize(count);
    is_per_thread_.assign(count, false);
    for (u32 at = 0; at < function_.body.size(); ++at) {
        if (registers_.is_copy[at] || !needed_instructions_[at]) continue;
        machine_instructions_.push_back(&function_.body[at]);
        for (u32 r : list_written_registers(function_.body[at])) writers_[r].push_back(at);
        for (u32 r : list_read_registers(function_.body[at])) readers_[r].push_back(at);
    }
}

void MachineValues::find_narrow_values() {
    is_narrow_.resize(function_.registers.size());
    for (u32 r = 0; r < is_narrow_.size(); ++r) is_narrow_[r] = bytes(r) == 8;
    bool has_changed = true;
    for (int round = 0; round < kMaxNarrowingRounds && has_changed; ++round) {
        has_changed = false;
        for (u32 r = static_cast<u32>(is_narrow_.size()); r-- > 0;) {
            if (!is_narrow_[r] || stays_narrow(r)) continue;
            is_narrow_[r] = false;
            has_changed = true;
        }
    }
}

/// Reports whether every reader of the value uses it as an address in shared, local or constant
/// memory, or computes a narrow value from it.
bool MachineValues::stays_narrow(u32 value) const {
    return all_of(readers_[value], [&](u32 at) {
        const Instruction& i = function_.body[at];
        if (i.operands.empty()) return false;
        if (is_access(i)) {
            const StateSpace space = find_space(i);
            const bool is_base =
                any_of(i.operands, [&](auto& o) { return o.has_base_register && o.reg == value; });
            return is_base && has_32_bit_addresses(space);
        }
        const Operand& destination = i.operands[0];
        if (!destination.is_register()) return false;
        if (i.opcode == "cvt")
            return bytes(destination.reg) <= 4 && !i.has("sat") &&
                   none_of(i.modifiers,
                           [](const std::string& m) { return ptx::is_float(ptx::parse_type(m)); });
        return is_one_of(i.opcode,
                         {"add", "sub", "mul", "mad", "shl", "and", "or", "xor", "mov", "cvta"}) &&
               is_narrow_[destination.reg];
    });
}

void MachineValues::find_folded_values() {
    is_folded_.resize(function_.registers.size());
    for (u32 r = 0; r < is_folded_.size(); ++r)
        is_folded_[r] = is_written_once(r) && is_foldable(r);
}

bool MachineValues::has_only_readers(u32 value,
                                     std::initializer_list<std::string_view> opcodes) const {
    return all_of(readers_[value],
                  [&](u32 at) { return is_one_of(function_.body[at].opcode, opcodes); });
}

/// Reports whether the conversion only reinterprets the register of its source, or takes the lower
/// register of a pair.
bool MachineValues::keeps_lower_bits(u32 value) const {
    const Instruction& i = definition(value);
    const Operand& source = i.operands[1];
    if (i.opcode != "cvt" || i.modifiers.size() != 2 || !source.is_register()) return false;
    const ptx::Type result_type = ptx::parse_type(i.modifiers[0]),
                    source_type = ptx::parse_type(i.modifiers[1]);
    return !ptx::is_float(result_type) && !ptx::is_float(source_type) &&
           size_of(result_type) >= 4 && size_of(result_type) <= size_of(source_type) &&
           is_written_once(source.reg) && last_writer_of(source.reg) < last_writer_of(value) &&
           !is_uniform(source.reg);
}

/// Reports whether the value is an address plus a constant. Accesses and asynchronous copies can
/// add this constant themselves.
bool MachineValues::is_base_plus_constant(u32 value) const {
    const Instruction& i = definition(value);
    if (i.opcode != "add" || !has_immediate(i) || bytes(value) < 4) return false;
    return all_of(readers_[value], [&](u32 at) {
        const Instruction& reader = function_.body[at];
        if (!is_access(reader) && (reader.opcode != "cp" || reader.has("bulk"))) return false;
        u32 address_uses = 0, other_uses = 0;
        for (const Operand& o : reader.operands) {
            if (o.has_base_register && o.reg == value) ++address_uses;
            if (o.is_register() && o.reg == value) ++other_uses;
            for (const Operand& e : o.elements)
                if (e.is_register() && e.reg == value) ++other_uses;
        }
        return address_uses > 0 && other_uses == 0;
    });
}

/// Reports whether an addition can include a right shift of `shifted_value`. An addition can shift
/// only one operand. If both operands are candidates, it shifts the signed one.
bool MachineValues::can_include_shift(const Instruction& addition, u32 shifted_value) const {
    if (has_immediate(addition)) return false;
    for (u32 summand : list_read_registers(addition)) {
        if (summand == shifted_value || !is_written_once(summand)) continue;
        if (is_folded_[summand]) return false;
        const Instruction& i = definition(summand);
        if (i.opcode == "shr" && has_immediate(i) && (i.has("s32") || summand < shifted_value))
            return false;
    }
    return true;
}

/// Reports whether every reader of the value also reads a value that differs between threads.
bool MachineValues::is_combined_with_thread_values(u32 value) const {
    return all_of(readers_[value], [&](u32 at) {
        return any_of(list_read_registers(function_.body[at]),
                      [&](u32 r) { return !is_uniform_[r]; });
    });
}

bool MachineValues::is_foldable(u32 value) const {
    const Instruction& i = definition(value);
    if (i.guard || readers_[value].empty() || i.operands.size() < 2) return false;
    const bool multiplies_wide = i.opcode == "mul" && i.has("wide");
    if (multiplies_wide && has_only_readers(value, {"add"}) &&
        is_combined_with_thread_values(value))
        return true;
    if (is_uniform_[value] && registers_.value_class[value] == ValueClass::launch)
        return false;  // the value is in the constant bank
    if (multiplies_wide) return has_only_readers(value, {"add", "sub"});
    if (is_base_plus_constant(value)) return true;
    const Operand& from = i.operands[1];
    if (i.opcode == "cvt" && bytes(value) == 8 && !i.has("f32") && !i.has("f64") &&
        from.is_register() && bytes(from.reg) == 4) {
        // The upper half is zero or a copy of the sign. If only one instruction reads the value,
        // that instruction can compute the upper half itself.
        return i.has("u32") || (readers_[value].size() == 1 &&
                                has_only_readers(value, {"add", "sub", "shl", "mul", "mad"}));
    }
    if (is_negated_operand(value) || is_part_of_logic(value) || is_part_of_sum(value)) return true;
    if (keeps_lower_bits(value)) return true;
    if (i.opcode == "shr" && bytes(value) == 4 && has_immediate(i) && readers_[value].size() == 1)
        return has_only_readers(value, {"add"}) &&
               can_include_shift(function_.body[readers_[value][0]], value);
    if (is_long_product(i) && !is_narrow_[value]) return is_folded_into_sum(value);
    const bool is_shift = i.opcode == "shl";
    if (is_shift && bytes(value) == 8 && readers_[value].size() > 1 && !is_narrow_[value])
        return false;
    return (is_shift || (i.opcode == "mul" && i.has("lo"))) && has_immediate(i) &&
           has_only_readers(value, {"add"});
}

/// Reports whether a product is used only in an addition whose other operand differs between
/// threads. The addition then includes the multiplication.
bool MachineValues::is_folded_into_sum(u32 product) const {
    if (readers_[product].size() != 1 || is_uniform_[product]) return false;
    const Instruction& addition = function_.body[readers_[product][0]];
    if (addition.opcode != "add" || has_immediate(addition)) return false;
    return none_of(list_read_registers(addition),
                   [&](u32 r) { return r != product && (is_folded_[r] || is_uniform_[r]); });
}

/// Reports whether a logic operation is merged into its reader. One machine instruction combines
/// three values, unless two of them are constants.
bool MachineValues::is_part_of_logic(u32 value) const {
    const auto is_logic = [](const Instruction& i) {
        return is_one_of(i.opcode, {"and", "or", "xor", "not"});
    };
    if (!is_logic(definition(value)) || is_predicate(value) || is_uniform_[value]) return false;
    if (readers_[value].size() != 1) return false;
    const Instruction& reader = function_.body[readers_[value][0]];
    if (!is_logic(reader) || reader.opcode == "not" || reader.guard) return false;
    u32 constants = has_immediate(definition(value)) + has_immediate(reader);
    for (const Instruction* expression_part : {&definition(value), &reader})
        for (u32 r : list_read_registers(*expression_part)) {
            if (is_folded_[r] && is_logic(definition(r))) return false;
            constants += is_uniform_[r];
        }
    return constants < 2;
}

/// Reports whether the instruction is a 32-bit sum or difference.
bool MachineValues::is_sum(const Instruction& i) const {
    if (!is_one_of(i.opcode, {"add", "sub"}) || i.has("cc") || i.has("sat")) return false;
    return i.has("s32") || i.has("u32") || (is_64_bit(i) && is_narrow_[i.operands[0].reg]);
}

/// Reports whether a sum is merged into its reader. One machine instruction can add three values if
/// at most one of them is constant, and if neither of the two PTX sums includes a shift or a
/// product.
bool MachineValues::is_part_of_sum(u32 value) const {
    const Instruction& sum = definition(value);
    if (!is_sum(sum) || is_uniform_[value] || readers_[value].size() != 1) return false;
    const u32 at = readers_[value][0];
    const Instruction& reader = function_.body[at];
    // In a loop, a sum may read its own value from the previous iteration.
    if (!is_sum(reader) || reader.guard || at <= last_writer_of(value)) return false;
    if (is_folded_[reader.operands[0].reg]) return false;  // the reader already adds three values
    for (u32 between = last_writer_of(value); between < at; ++between)
        if (may_diverge(function_.body[between])) return false;
    u32 constants = has_immediate(sum) + has_immediate(reader);
    for (const Instruction* part : {&sum, &reader})
        for (u32 read_register : list_read_registers(*part)) {
            if (read_register == value) continue;
            constants += is_uniform_[read_register];
            const bool is_known = is_written_once(read_register) && !is_uniform_[read_register];
            if (is_folded_[read_register] ||
                (is_known && !is_sum(definition(read_register)) && is_foldable(read_register)))
                return false;
        }
    return constants < 2;
}

/// Reports whether the value is a negated float whose readers can negate their operand themselves.
bool MachineValues::is_negated_operand(u32 value) const {
    const Instruction& i = definition(value);
    return i.opcode == "neg" && (i.has("f32") || i.has("f64")) &&
           has_only_readers(value, {"add", "sub", "mul", "fma", "mad", "min", "max", "setp"});
}

/// Finds the addresses that depend on the block's index. Every thread computes these addresses
/// itself.
void MachineValues::find_addresses_of_blocks() {
    for (const Instruction& access : function_.body) {
        const StateSpace space = find_space(access);
        const bool is_far = space == StateSpace::global || space == StateSpace::generic;
        if (!is_access(access) || access.has("param") || !is_far) continue;
        for (const Operand& o : access.operands)
            if (o.is_address() && o.has_base_register) mark_per_thread(o.reg);
    }
}

/// If `address` depends on the block's index and is a sum that contains a product, marks it as
/// computed in every thread, along with all values from which it is computed.
void MachineValues::mark_per_thread(u32 address) {
    const auto is_of_block = [&](u32 value) {
        return is_uniform_[value] && registers_.value_class[value] == ValueClass::block;
    };
    if (!is_of_block(address) || is_folded_[address] || definition(address).opcode != "add") return;
    for (u32 product : list_read_registers(definition(address))) {
        if (!is_folded_[product] || !is_uniform_[product]) continue;
        is_per_thread_[address] = true;
        std::vector<u32> open_values = list_read_registers(definition(product));
        while (!open_values.empty()) {
            const u32 factor = open_values.back();
            open_values.pop_back();
            if (!is_of_block(factor) || is_per_thread_[factor]) continue;
            is_per_thread_[factor] = true;
            for (u32 r : list_read_registers(definition(factor))) open_values.push_back(r);
        }
    }
}

/// Finds the block indices that every thread must read into a register, because instructions that
/// each thread executes use them.
void MachineValues::find_block_numbers() {
    for (u32 r = 0; r < is_folded_.size(); ++r) {
        if (!is_written_once(r) || registers_.value_class[r] != ValueClass::block) continue;
        if (reads_special_register(definition(r)) && is_read_by_threads(r))
            is_per_thread_[r] = true;
    }
}

bool MachineValues::is_read_by_threads(u32 value) const {
    return any_of(readers_[value], [&](u32 at) {
        const Instruction& i = function_.body[at];
        u32 uniform_count = 0;
        for (u32 r : list_read_registers(i)) uniform_count += is_uniform(r) || is_folded_[r];
        if (uniform_count != 1) return false;
        for (u32 r : list_written_registers(i)) {
            const ValueClass target_class = registers_.value_class[r];
            if (is_folded_[r]) return is_read_by_threads(r);
            if (target_class == ValueClass::thread || target_class == ValueClass::warp_position)
                return true;
        }
        return false;
    });
}

bool MachineValues::is_in_halves(const Instruction& i) const {
    return !has_folded_operand(i, "mul") && !i.has("f64") &&
           is_one_of(i.opcode, {"add", "sub", "and", "or", "xor", "not", "neg", "shl", "shr",
                                "selp", "setp", "min", "max", "mov", "cvt", "cvta"});
}

bool MachineValues::has_folded_operand(const Instruction& i, std::string_view opcode) const {
    return any_of(i.operands, [&](const Operand& o) {
        return o.is_register() && is_folded_[o.reg] && definition(o.reg).opcode == opcode;
    });
}

bool MachineValues::is_loaded_pair(u32 value) const {
    return words_of_values_[value] == 2 && is_written_once(value) &&
           is_one_of(definition(value).opcode, {"ld", "atom"});
}

bool MachineValues::divides_by_constant(const Instruction& i) const {
    const auto is_varying_operand = [&](const Operand& o) {
        return o.is_register() && !is_uniform(o.reg);
    };
    return i.operands.size() == 3 && is_varying_operand(i.operands[1]) &&
           !is_varying_operand(i.operands[2]);
}

u32 MachineValues::count_product_steps(const Instruction& i) const {
    if (i.opcode == "add" && words_of_values_[i.operands[0].reg] == 2) {
        return any_of(list_read_registers(i),
                      [&](u32 r) { return is_folded_[r] && is_long_product(definition(r)); });
    }
    const bool multiplies = is_one_of(i.opcode, {"mul", "mad"}) && i.has("lo");
    if (!multiplies || !is_64_bit(i) || words_of_values_[i.operands[0].reg] != 2) return 0;
    u32 steps = 1;
    for (std::size_t k = 1; k <= 2; ++k) {
        const Operand& o = i.operands[k];
        if (!o.is_register() || !is_folded_[o.reg]) continue;
        const Instruction& factor = definition(o.reg);
        steps += factor.opcode == "cvt" && factor.has("s32");  // one more step for the sign
    }
    return steps;
}

bool MachineValues::is_half_register(u32 value) const {
    return bytes(value) < 4 && !writers_[value].empty() &&
           is_one_of(definition(value).opcode, {"cvt", "min", "max"}) &&
           !uses_special_function_unit(definition(value));
}

std::optional<u32> MachineValues::find_extended_value(u32 value) const {
    if (words_of_values_[value] != 2 || is_loose(value) || !is_written_once(value)) return {};
    const Instruction& i = definition(value);
    if (i.opcode != "cvt" || !is_64_bit(i) || !i.has("s32") || i.guard) return {};
    const u32 from = i.operands[1].reg;
    const bool is_single_word =
        i.operands[1].is_register() && words_of_values_[from] == 1 && is_written_once(from);
    if (!is_single_word) return {};
    for (const std::vector<u32>& vector : consecutive_values_)
        if (is_among(from, vector) || is_among(value, vector)) return {};
    return from;
}

bool MachineValues::is_loose(u32 value) const {
    if (words_of_values_[value] != 2 || writers_[value].empty()) return false;
    const std::vector<Operand>& operands = definition(value).operands;
    // A single instruction reads both words of a clock.
    if (operands.size() > 1 && operands[1].is_special()) return false;
    // A single instruction may write the start value of a loop variable, even if each iteration
    // computes the value in halves.
    return all_of(writers_[value], [&](u32 at) { return is_in_halves(function_.body[at]); }) &&
           all_of(readers_[value], [&](u32 at) {
               const Instruction& i = function_.body[at];
               const bool multiplies = (i.opcode == "mul" || i.opcode == "mad") && i.has("lo");
               return multiplies || is_in_halves(i);
           });
}

bool MachineValues::has_fixed_stride(const Instruction& i) const {
    if (i.opcode != "wmma" || i.operands.size() != 3 || !i.operands[2].is_register()) return false;
    const u32 value = i.operands[2].reg;
    if (!is_written_once(value)) return false;
    const Instruction& stride_writer = definition(value);
    return stride_writer.opcode == "mov" && stride_writer.operands.size() == 2 &&
           stride_writer.operands[1].is_immediate();
}

void MachineValues::find_word_counts() {
    words_of_values_.assign(function_.registers.size(), 0);
    for (u32 r = 0; r < words_of_values_.size(); ++r) {
        if (is_folded_[r] || is_uniform(r) || is_predicate(r)) continue;
        words_of_values_[r] = is_narrow_[r] ? 1 : count_words(r);
    }
    for (const Instruction& i : function_.body)
        for (u32 copy : copies_in_fragment(i)) words_of_values_[copy] = 0;
    drop_unneeded_elements();
    find_packed_values();
}

void MachineValues::drop_unneeded_elements() {
    for (const Instruction* i : machine_instructions_) {
        if (!loads_vector(*i)) continue;
        std::set<u32> loaded_values;
        for (const Operand& o : find_loaded_elements(*i))
            if (o.is_register()) loaded_values.insert(o.reg);
        for (const Operand& o : find_vector(*i)->elements)
            if (o.is_register() && !loaded_values.contains(o.reg)) words_of_values_[o.reg] = 0;
    }
}

/// Returns the elements that ptxas loads for a vector load. If only one half of the vector is
/// needed, ptxas loads only that half. (If two elements from different halves are needed, ptxas
/// loads them one by one.)
std::vector<ptx::Operand> MachineValues::find_loaded_elements(const Instruction& load) const {
    std::vector<Operand> elements = find_vector(load)->elements;
    const auto is_needed_element = [&](const Operand& o) {
        return o.is_register() && !readers_[o.reg].empty();
    };
    const bool loads_whole_vector = load.opcode != "ld" || load.has("volatile") ||
                                    load.has("acquire") || size_of_element(load) < 4;
    if (loads_whole_vector || none_of(elements, is_needed_element)) return elements;
    while (elements.size() > 1) {
        const auto middle = elements.begin() + static_cast<std::ptrdiff_t>(elements.size() / 2);
        if (std::none_of(middle, elements.end(), is_needed_element))
            elements.erase(middle, elements.end());
        else if (std::none_of(elements.begin(), middle, is_needed_element))
            elements.erase(elements.begin(), middle);
        else
            break;
    }
    return elements;
}

/// Finds vectors of bytes or halves that stay packed in 32-bit words, because they are loaded as a
/// vector and only stored as vectors again.
void MachineValues::find_packed_values() {
    for (const Instruction* i : machine_instructions_) {
        if (!loads_vector(*i)) continue;
        const std::vector<Operand>& elements = find_vector(*i)->elements;
        const u32 size = size_of_element(*i);
        const bool stays_in_words = size > 0 && size < 4 && all_of(elements, [&](const Operand& o) {
                                        return is_stored_in_vectors(o);
                                    });
        if (!stays_in_words) continue;
        std::vector<u32> words;
        for (u32 k = 0; k < elements.size(); ++k) {
            const u32 value = elements[k].reg;
            words_of_values_[value] = k * size % 4 == 0;
            if (words_of_values_[value]) words.push_back(value);
        }
        if (words.size() > 1) consecutive_values_.push_back(words);
    }
}

bool MachineValues::is_stored_in_vectors(const Operand& element) const {
    if (!element.is_register() || !is_written_once(element.reg)) return false;
    const std::vector<u32>& readers = readers_[element.reg];
    return !readers.empty() && all_of(readers, [&](u32 at) {
        const Instruction& i = function_.body[at];
        return is_one_of(i.opcode, {"st", "sust"}) && find_vector(i);
    });
}

/// Reports whether one instruction loaded the operands as a vector, in the given order.
bool MachineValues::is_loaded_as_vector(const std::vector<Operand>& operands) const {
    if (operands.empty() || !operands[0].is_register() || !is_written_once(operands[0].reg))
        return false;
    const Instruction& load = definition(operands[0].reg);
    if (!loads_vector(load)) return false;
    const std::vector<Operand>& loaded = find_vector(load)->elements;
    return std::equal(loaded.begin(), loaded.end(), operands.begin(), operands.end(),
                      [&](const Operand& a, const Operand& b) {
                          return a.is_register() && b.is_register() && a.reg == b.reg &&
                                 is_written_once(b.reg);
                      });
}

/// Finds the values in consecutive registers: the elements of loaded vectors, and the elements of
/// stored vectors if they do not yet belong to a loaded vector.
void MachineValues::find_vectors() {
    std::vector<bool> has_position(words_of_values_.size(), false);
    const auto place_operands = [&](const std::vector<Operand>& operands) {
        const std::vector<u32> elements = find_consecutive_values(operands);
        if (any_of(elements, [&](u32 v) { return has_position[v]; })) return;
        for (u32 v : elements) has_position[v] = true;
        if (elements.size() > 1) consecutive_values_.push_back(elements);
    };
    for (const Instruction* i : machine_instructions_)
        if (loads_vector(*i)) place_operands(find_loaded_elements(*i));
    for (const Instruction* i : machine_instructions_)
        for (const std::vector<Operand>& vector : find_vectors_read(*i)) place_operands(vector);
    for (const Instruction* i : machine_instructions_)
        for (const std::vector<Operand>& operand_pair : find_texel_pairs(*i))
            place_operands(operand_pair);
}

/// Returns the registers of a texture fetch in pairs, because the fetch writes the needed
/// components two at a time.
std::vector<std::vector<ptx::Operand>> MachineValues::find_texel_pairs(const Instruction& i) const {
    std::vector<std::vector<Operand>> operand_pairs;
    if (!is_one_of(i.opcode, {"tex", "tld4"}) || !find_vector(i)) return operand_pairs;
    for (const Operand& o : find_vector(i)->elements) {
        if (!o.is_register() || readers_[o.reg].empty()) continue;
        if (operand_pairs.empty() || operand_pairs.back().size() == 2) operand_pairs.emplace_back();
        operand_pairs.back().push_back(o);
    }
    return operand_pairs;
}

/// Returns the values of a vector. Returns nothing if the same value occurs twice, or if a value
/// does not fill its registers.
std::vector<u32> MachineValues::find_consecutive_values(
    const std::vector<Operand>& operands) const {
    std::vector<u32> values;
    for (const Operand& operand : operands) {
        if (!operand.is_register()) return {};
        const u32 value = operand.reg;
        if (bytes(value) < 4 || words_of_values_[value] != count_words(value)) return {};
        if (!values.empty() && words_of_values_[value] != words_of_values_[values[0]]) return {};
        add_if_missing(values, value);
    }
    if (values.size() != operands.size()) values.clear();
    return values;
}

void MachineValues::add_read_value(std::vector<u32>& to, u32 value) const {
    if (is_folded_[value]) {
        for (u32 r : list_read_registers(definition(value))) add_read_value(to, r);
    } else if (!is_uniform(value)) {
        add_if_missing(to, value);
    }
}

std::vector<u32> MachineValues::find_read_values(const Instruction& instruction) const {
    std::vector<u32> values;
    for (u32 r : list_read_registers(instruction)) add_read_value(values, r);
    return values;
}

std::vector<u32> MachineValues::find_written_values(const Instruction& instruction) const {
    std::vector<u32> values;
    for (u32 r : list_written_registers(instruction)) {
        // An atomic whose result is unused needs no result register.
        if (instruction.opcode == "atom" && readers_[r].empty()) continue;
        // A fetch does not return components that are unused.
        if (is_one_of(instruction.opcode, {"tex", "tld4"}) && readers_[r].empty()) continue;
        if (!is_uniform(r)) add_if_missing(values, r);
    }
    return values;
}

bool MachineValues::produces_no_code(u32 at) const {
    const Instruction& i = function_.body[at];
    if (!i.label.empty() || registers_.is_copy[at] || !needed_instructions_[at]) return true;
    const std::vector<u32> written_registers = list_written_registers(i);
    return !written_registers.empty() && find_memory_effect(i) == MemoryEffect::none &&
           all_of(written_registers, [&](u32 r) { return is_folded_[r] || is_uniform(r); });
}

bool MachineValues::is_rounded_in_place(u32 at) const {
    const Instruction& i = function_.body[at];
    if (i.opcode != "cvt" || !i.has("tf32") || !i.operands[1].is_register()) return false;
    const u32 from = i.operands[1].reg;
    return !produces_no_code(at) && is_written_once(from) && readers_[from].size() == 1;
}

std::optional<u32> MachineValues::find_conditional_load(u32 at) const {
    const Instruction& i = function_.body[at];
    if (!is_one_of(i.opcode, {"slct", "selp"}) || i.guard || i.operands.size() != 4 ||
        !needed_instructions_[at])
        return {};
    if (!i.operands[3].is_register() || !is_written_once(i.operands[0].reg)) return {};
    u32 first_instruction = at;
    for (std::size_t k = 1; k <= 2; ++k) {
        if (!i.operands[k].is_register()) return {};
        const u32 value = i.operands[k].reg;
        if (!is_written_once(value) || readers_[value].size() != 1 || is_uniform_[value] ||
            bytes(value) > 4)
            return {};
        const Instruction& load = definition(value);
        if (load.opcode != "ld" || find_space(load) != StateSpace::global || load.guard ||
            load.has("volatile") || find_vector(load))
            return {};
        first_instruction = std::min(first_instruction, last_writer_of(value));
    }
    for (u32 between = first_instruction; between < at; ++between) {
        const Instruction& other_instruction = function_.body[between];
        if (may_diverge(other_instruction) || changes_memory(find_memory_effect(other_instruction)))
            return {};
    }
    return last_writer_of(i.operands[2].reg);
}

/// Reports whether two accesses of the same size and kind have the same address, so that the first
/// access determines the value of the second one.
bool MachineValues::have_same_address(const Instruction& a, const Instruction& b) const {
    if (!is_one_of(a.opcode, {"ld", "st"}) || a.guard || b.guard) return false;
    const auto type_words = [](const Instruction& i) {
        std::vector<std::string> words = i.modifiers;
        const u32 size = size_of(ptx::parse_type(words.back()));
        // Types of the same size count as equal.
        if (size >= 4) words.back() = std::to_string(size);
        return words;
    };
    const Operand &to = a.operands[a.opcode == "ld" ? 1 : 0], &from = b.operands[1];
    return type_words(a) == type_words(b) && to.has_base_register == from.has_base_register &&
           to.offset == from.offset && to.name == from.name &&
           (!to.has_base_register || to.reg == from.reg);
}

/// Returns the values that an access loads or stores. Returns nothing if any of these values is
/// written more than once.
std::vector<u32> MachineValues::find_moved_values(const Instruction& access) const {
    const Operand& moved_value = access.operands[access.opcode == "ld" ? 0 : 1];
    std::vector<u32> values;
    for (const Operand& o :
         find_vector(access) ? moved_value.elements : std::vector<Operand>{moved_value}) {
        if (!o.is_register() || !is_written_once(o.reg)) return {};
        if (is_uniform_[o.reg] || is_folded_[o.reg]) return {};
        values.push_back(o.reg);
    }
    return values;
}

std::vector<std::pair<u32, u32>> MachineValues::find_known_values(u32 at) const {
    const Instruction& load = function_.body[at];
    const bool may_change = load.has("volatile") || load.has("acquire") || load.has("relaxed");
    if (load.opcode != "ld" || load.has("param") || may_change || produces_no_code(at)) return {};
    for (u32 earlier_instruction = at; earlier_instruction-- > 0;) {
        const Instruction& i = function_.body[earlier_instruction];
        if (may_diverge(i)) return {};
        if (!produces_no_code(earlier_instruction) && have_same_address(i, load)) {
            const std::vector<u32> moved_values = find_moved_values(i),
                                   loaded_values = find_moved_values(load);
            std::vector<std::pair<u32, u32>> equal_values;
            for (std::size_t k = 0; k < std::min(moved_values.size(), loaded_values.size()); ++k)
                // In a loop, the stored value may be the one that this load returned in an earlier
                // iteration.
                if (words_of_values_[moved_values[k]] == words_of_values_[loaded_values[k]] &&
                    last_writer_of(moved_values[k]) <= earlier_instruction)
                    equal_values.push_back({loaded_values[k], moved_values[k]});
            if (equal_values.size() != loaded_values.size()) equal_values.clear();
            return equal_values;
        }
        const MemoryEffect effect = find_memory_effect(i);
        // ptxas does not compare the offsets of different addresses, so any store to a state space
        // that may overlap the load's space may change the value.
        const bool is_other_space =
            effect == MemoryEffect::store && !may_overlap(find_space(i), find_space(load));
        if (changes_memory(effect) && !is_other_space && !reads_clock(i) && !load.has("nc"))
            return {};
        if (load.operands[1].has_base_register &&
            is_among(load.operands[1].reg, list_written_registers(i)))
            return {};
    }
    return {};
}

/// Reports whether the value is zero. Machine code reads zeros from a register that is always zero.
bool MachineValues::is_zero(u32 value) const {
    if (!is_written_once(value)) return false;
    const Instruction& i = definition(value);
    return i.opcode == "mov" && i.operands.size() > 1 && !i.operands[1].is_register() &&
           !i.operands[1].is_special() && !i.operands[1].is_symbol() && !is_constant(i.operands[1]);
}

/// Returns the number of constants or uniform values that an operand contains.
u32 MachineValues::count_constants(const Operand& operand) const {
    if (!operand.is_register()) return is_constant(operand);
    const u32 value = operand.reg;
    if (is_predicate(value)) return 0;
    if (!is_folded_[value]) return is_uniform(value) && !is_zero(value);
    const Instruction& i = definition(value);
    const bool becomes_shift = (is_narrow_[value] || bytes(value) <= 4) && multiplies_by_power(i);
    u32 count = i.opcode == "mul" && !becomes_shift && !is_long_product(i);
    for (std::size_t k = 1; k < i.operands.size(); ++k)
        if (i.operands[k].is_register()) count += count_constants(i.operands[k]);
    return count;
}

/// Returns the uniform factor of a folded wide product. For any other operand, returns a constant
/// of 0 words.
Constant MachineValues::find_uniform_factor(const Operand& operand) const {
    if (!operand.is_register() || !is_folded_[operand.reg]) return {};
    const Instruction& i = definition(operand.reg);
    if (!i.has("wide")) return {};
    for (u32 r : list_read_registers(i))
        if (is_uniform(r)) return {r + u64{1}, 1};
    return {};
}

std::vector<Constant> MachineValues::find_constants_to_load(const Instruction& i,
                                                            bool runs_in_one_lane) const {
    if (is_access(i)) return find_constants_for_access(i, runs_in_one_lane);
    if (is_texel_access(i)) return find_constants_for_texel(i);
    if (ends_straight_code(i) || find_memory_effect(i) != MemoryEffect::none ||
        is_one_of(i.opcode, {"mov", "cvt", "cvta", "shfl"}))
        return {};
    u32 constants = 0;
    Constant summand_constant{0, 1}, scaled_constant;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& operand = i.operands[k];
        constants += count_constants(operand);
        if (operand.is_register() && !is_folded_[operand.reg] && is_uniform(operand.reg))
            summand_constant = {operand.reg + u64{1}, count_words(operand.reg)};
        if (const Constant factor = find_uniform_factor(operand); factor.words)
            scaled_constant = factor;
    }
    // The instruction has two factors and a summand. One factor may be an immediate; the other
    // factor and the summand need registers.
    if (scaled_constant.words && constants >= 3 && summand_constant.name)
        return {scaled_constant, summand_constant};
    if (scaled_constant.words && constants >= 2) return {scaled_constant};
    if (constants < 2) return {};
    const std::vector<u32> written_values = find_written_values(i);
    if (!written_values.empty() && words_of_values_[written_values[0]] == 1)
        summand_constant.words = 1;
    return {summand_constant};
}

std::vector<Constant> MachineValues::find_launch_constants(const Instruction& i) const {
    std::vector<Constant> constants;
    for (u32 value : list_read_registers(i)) {
        if (is_folded_[value]) {
            for (const Constant& inner : find_launch_constants(definition(value)))
                constants.push_back(inner);
        } else if (is_uniform(value) && !is_predicate(value) && definition(value).opcode == "ld") {
            constants.push_back({value + u64{1}, count_words(value)});
        }
    }
    return constants;
}

/// Returns, for each value, whether it may be an unknown address. An address is known if it is a
/// variable's address plus constants, including a constant added in each iteration of a loop.
std::vector<bool> MachineValues::find_unknown_addresses() const {
    std::vector<bool> unknown_addresses(function_.registers.size(), false);
    const auto is_unknown_address = [&](const Operand& o) {
        return o.is_special() || (o.is_register() && unknown_addresses[o.reg]);
    };
    repeat_until_stable(function_, [&](const Instruction& i) {
        const bool stays_known =
            is_one_of(i.opcode, {"mov", "add", "cvta"}) && none_of(i.operands, is_unknown_address);
        return !stays_known && add_registers(unknown_addresses, list_written_registers(i));
    });
    return unknown_addresses;
}

u32 MachineValues::count_array_words() const {
    u64 bytes = 0;
    for (const auto& [name, variable] : function_.variables)
        if (variable.space == StateSpace::local) bytes += variable.size;
    if (bytes == 0 || bytes > kMaxRegisterArrayBytes) return 0;
    const std::vector<bool> unknown_addresses = find_unknown_addresses();
    for (u32 at = 0; at < function_.body.size(); ++at) {
        const Instruction& i = function_.body[at];
        if (i.opcode == "cvta" && i.has("local") && needed_instructions_[at])
            return 0;  // its address escapes
        if (!is_access(i) || find_space(i) != StateSpace::local) continue;
        if (size_of(ptx::parse_type(i.modifiers.back())) != 4 || find_vector(i)) return 0;
        if (i.opcode != "st") continue;
        const Operand& address_operand = i.operands[0];
        if (address_operand.has_base_register && unknown_addresses[address_operand.reg]) return 0;
    }
    return static_cast<u32>(bytes + 3) / 4;
}

/// Strips the added constants from a uniform address and returns the remaining value, because an
/// access can add the constants itself.
u32 MachineValues::find_base_value(u32 value) const {
    while (is_uniform_[value]) {
        const Instruction& i = definition(value);
        if (i.opcode != "add" || !has_immediate(i) || !i.operands[1].is_register()) break;
        value = i.operands[1].reg;
    }
    return value;
}

AccessAddress MachineValues::find_address(const Instruction& access) const {
    if (!is_one_of(access.opcode, {"ld", "st"})) return {};
    AccessAddress place;
    for (const Operand& operand : access.operands) {
        if (!operand.is_address()) continue;
        place.offset = operand.offset;
        place.is_variable = !operand.has_base_register;
        if (place.is_variable)
            place.name = std::hash<std::string>{}(operand.name);
        else
            find_base(operand.reg, place);
    }
    const Operand* vector = find_vector(access);
    place.bytes = size_of(ptx::parse_type(access.modifiers.back())) *
                  static_cast<u32>(vector ? vector->elements.size() : 1);
    return place;
}

AccessAddress MachineValues::find_copy_source(const Instruction& copy) const {
    AccessAddress place;
    if (copy.opcode != "cp" || copy.has("bulk") || copy.operands.size() < 2) return place;
    const Operand& source = copy.operands[1];
    if (!source.is_address() || !source.has_base_register) return place;
    place.offset = source.offset;
    find_base(source.reg, place);
    return place;
}

/// Finds the base of an address. Constants that are added to the base become part of the access's
/// offset.
void MachineValues::find_base(u32 value, AccessAddress& place) const {
    while (is_uniform_[value] || is_folded_[value]) {
        const Instruction& i = definition(value);
        if (i.opcode == "mov" && i.operands[1].is_symbol()) {
            place.is_variable = true;
            place.name = std::hash<std::string>{}(i.operands[1].name);
            place.offset += i.operands[1].offset;
            return;
        }
        if (i.opcode != "add" || !i.operands[1].is_register() || !i.operands[2].is_immediate())
            break;
        place.offset += static_cast<i64>(i.operands[2].bits);
        value = i.operands[1].reg;
    }
    if (is_uniform(value))
        place.name = value + u64{1};
    else
        place.value = value;
}

/// Returns the uniform address that an access must load into registers. For any other access,
/// returns a constant of 0 words. An access to shared memory can use a uniform register as its
/// address, except for a compare-and-swap.
Constant MachineValues::find_address_to_load(const Instruction& i) const {
    const StateSpace space = find_space(i);
    const bool is_far =
        !i.has("param") && (space == StateSpace::global || space == StateSpace::generic);
    const bool is_exchange = i.opcode == "atom" && i.has("cas") && space == StateSpace::shared;
    if (!is_far && !is_exchange) return {};
    const u32 words = is_far ? 2 : 1;
    for (const Operand& operand : i.operands) {
        if (!operand.is_address()) continue;
        if (!operand.has_base_register) return {std::hash<std::string>{}(operand.name), words};
        const u32 value = operand.reg;
        if (is_uniform(value)) return {(is_far ? find_base_value(value) : value) + u64{1}, words};
    }
    return {};
}

bool MachineValues::adds_once_per_warp(const Instruction& i) const {
    if (!is_one_of(i.opcode, {"atom", "red"}) || i.guard || find_vector(i)) return false;
    const bool is_combinable =
        i.has("add") || i.has("min") || i.has("max") || i.has("and") || i.has("or") || i.has("xor");
    const bool is_word = i.has("u32") || i.has("s32") || i.has("b32");
    if (!is_combinable || !is_word || !find_address_to_load(i).words) return false;
    return i.opcode == "red" || find_written_values(i).empty();
}

bool MachineValues::is_true_in_one_lane(u32 predicate, bool expected_value) const {
    if (!is_written_once(predicate)) return false;
    const Instruction& i = definition(predicate);
    if (i.opcode != "setp" || i.guard || i.operands.size() != 3 ||
        !i.has(expected_value ? "eq" : "ne"))
        return false;
    const auto differs_in_each_lane = [&](const Operand& o) {
        return o.is_register() && differs_by_lane(o.reg);
    };
    const auto is_same_for_warp = [&](const Operand& o) {
        if (!o.is_register()) return is_number(o);
        return is_uniform(o.reg) && definition(o.reg).opcode == "ld";
    };
    return (differs_in_each_lane(i.operands[1]) && is_same_for_warp(i.operands[2])) ||
           (is_same_for_warp(i.operands[1]) && differs_in_each_lane(i.operands[2]));
}

/// Reports whether the value is different in every lane: %tid.x or %laneid, optionally plus a value
/// that is uniform across the block.
bool MachineValues::differs_by_lane(u32 value) const {
    for (u32 sum = value;;) {
        if (!is_written_once(sum) || bytes(sum) != 4) return false;
        const Instruction& i = definition(sum);
        if (i.guard || i.operands.size() < 2) return false;
        const Operand& first_operand = i.operands[1];
        if (i.opcode == "mov" && first_operand.is_special())
            return first_operand.name == "%tid.x" || first_operand.name == "%laneid";
        const u32 summand = find_varying_summand(i);
        // In a loop, a sum may read its own value from the previous iteration.
        if (summand == kNone || last_writer_of(summand) >= last_writer_of(sum)) return false;
        sum = summand;
    }
}

/// Returns the only operand of a sum (or the summand of a mad) that differs between the threads of
/// a block. Returns kNone for any other instruction.
u32 MachineValues::find_varying_summand(const Instruction& i) const {
    const bool is_mad = i.opcode == "mad" && i.has("lo");
    if (i.opcode != "add" && !is_mad) return kNone;
    u32 varying_register = kNone;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
        if (!i.operands[k].is_register()) continue;
        const u32 read_register = i.operands[k].reg;
        if (registers_.value_class[read_register] == ValueClass::block ||
            is_uniform_[read_register])
            continue;
        if (varying_register != kNone || (is_mad && k != 3)) return kNone;
        varying_register = read_register;
    }
    return varying_register;
}

/// Returns the constants that an access needs in registers. Global addresses and stored data must
/// come from registers of the thread.
std::vector<Constant> MachineValues::find_constants_for_access(const Instruction& i,
                                                               bool is_in_one_lane) const {
    std::vector<Constant> constants;
    const Constant address = find_address_to_load(i);
    if (address.words) constants.push_back(address);
    if (adds_once_per_warp(i) && !is_in_one_lane) return constants;
    // If all lanes add to one address and need the result, one lane adds for all lanes. This takes
    // registers for the lane index and for the sum.
    if (address.words && !is_in_one_lane && is_one_of(i.opcode, {"atom", "red"}) && i.has("add") &&
        (i.has("u32") || i.has("s32")))
        return {address, {0, 1}, {0, 1}};
    if (!find_vectors_read(i).empty()) return constants;
    for (const Operand& operand : i.operands) {
        if (operand.is_address() || count_constants(operand) == 0) continue;
        if (operand.is_register())
            constants.push_back(
                {operand.reg + u64{1}, count_words(operand.reg), bytes(operand.reg) < 4});
        else
            constants.push_back({~operand.bits, 1});
    }
    return constants;
}

/// Returns the constants that a texture or surface access needs in registers: the level of detail
/// (even if the fetch specifies none), and those constant coordinates and data that are not part of
/// a vector.
std::vector<Constant> MachineValues::find_constants_for_texel(const Instruction& i) const {
    std::vector<Constant> constants;
    const bool is_interpolating = i.opcode == "tex" && i.modifiers.back() == "f32";
    if (is_interpolating && !i.has("level") && !i.has("grad"))
        constants.push_back({kDefaultLevelName, 1});
    std::vector<Operand> single_coordinates = list_coordinates(i);
    if (single_coordinates.size() > 1) single_coordinates.clear();
    for (std::size_t k = find_written_values(i).empty() ? 0 : 1; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.is_register()) single_coordinates.push_back(o);
        if (o.is_vector() && o.elements.size() == 1) single_coordinates.push_back(o.elements[0]);
    }
    for (const Operand& o : single_coordinates) {
        if (!o.is_register() || !is_uniform(o.reg) || bytes(o.reg) > 4) continue;
        const bool is_finest_level = i.opcode == "tex" && is_zero(o.reg);
        if (!is_finest_level) constants.push_back({o.reg + u64{1}, 1});
    }
    return constants;
}

std::vector<MachineValues::Vector> MachineValues::find_vectors_to_assemble(
    const Instruction& i) const {
    std::vector<Vector> vectors;
    for (const std::vector<Operand>& operands : find_vectors_read(i)) {
        Vector vector = assemble_vector(i, operands);
        if (vector.words) vectors.push_back(std::move(vector));
    }
    return vectors;
}

MachineValues::Vector MachineValues::assemble_vector(const Instruction& i,
                                                     const std::vector<Operand>& operands) const {
    if (is_loaded_as_vector(operands) && (i.opcode == "st" || i.opcode == "sust")) return {};
    const std::vector<u32> elements = find_consecutive_values(operands);
    const bool is_consecutive = std::find(consecutive_values_.begin(), consecutive_values_.end(),
                                          elements) != consecutive_values_.end();
    const bool stores_zeros =
        i.opcode == "st" && all_of(operands, [&](const Operand& o) {
            return o.is_register() ? is_zero(o.reg) : is_number(o) && o.bits == 0;
        });
    if (is_consecutive || stores_zeros) return {};
    Vector vector;
    u32 size = 0;
    for (const Operand& operand : operands) {
        const bool is_register = operand.is_register();
        if (is_register) add_read_value(vector.read_values, operand.reg);
        size += is_register ? bytes(operand.reg) : 4;
    }
    const bool is_of_bytes = i.opcode == "st" && size_of(ptx::parse_type(i.modifiers.back())) == 1;
    if (is_of_bytes) size = static_cast<u32>(operands.size());
    vector.words = (size + 3) / 4;
    return vector;
}

}  // namespace coalesce::simulator

#include "simulator/ptxas/address_facts.h"

#include <algorithm>
#include <bit>

#include "base/ranges.h"
#include "simulator/analysis/register_use.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/machine_instruction.h"

namespace coalesce::simulator {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr u32 kMaxZeroBits = 32;
/// The number of low zero bits in the start address of a block's shared memory.
constexpr u32 kSharedWindowZeroBits = 10;
/// The maximum number of terms in a sum. A longer sum is treated as an unknown value.
constexpr std::size_t kMaxTerms = 8;

u32 trailing_zeros(u64 constant) {
    const auto low = static_cast<u32>(constant);
    return low == 0 ? kMaxZeroBits : static_cast<u32>(std::countr_zero(low));
}

/// Returns the number of low zero bits of the value, including its offset.
u32 count_zero_bits_with_offset(const KnownValue& value) {
    return std::min(value.low_zero_bits, trailing_zeros(value.offset));
}

bool is_known_constant(const KnownValue& value) {
    return value.sum.terms.empty();
}

LinearSum scale_sum(LinearSum sum, u64 factor) {
    for (auto& [number, shift_count] : sum.terms) shift_count *= factor;
    std::erase_if(sum.terms, [](const auto& term) { return term.second == 0; });
    sum.constant *= factor;
    return sum;
}

LinearSum add_sums(const LinearSum& a, const LinearSum& b) {
    std::map<u32, u64> factors(a.terms.begin(), a.terms.end());
    for (const auto& [number, factor] : b.terms) factors[number] += factor;
    LinearSum sum;
    for (const auto& [number, factor] : factors)
        if (factor != 0) sum.terms.emplace_back(number, factor);
    sum.constant = a.constant + b.constant;
    return sum;
}

/// Returns the low 32 bits, sign-extended to 64 bits.
u64 sign_extend_32_bits(u64 number) {
    return static_cast<u64>(static_cast<i64>(static_cast<i32>(number)));
}

void narrow_to_32_bits(KnownValue& value) {
    for (auto& [number, factor] : value.sum.terms) factor = sign_extend_32_bits(factor);
    std::erase_if(value.sum.terms, [](const auto& term) { return term.second == 0; });
    value.sum.constant = sign_extend_32_bits(value.sum.constant);
    value.offset = sign_extend_32_bits(value.offset);
}

std::string format_sum(const LinearSum& sum) {
    std::string text;
    for (const auto& [number, factor] : sum.terms)
        text += std::to_string(factor) + "v" + std::to_string(number) + "+";
    return text + std::to_string(sum.constant);
}

std::string format_operation(const Instruction& i) {
    std::string name = i.opcode;
    for (const std::string& modifier : i.modifiers) name += "." + modifier;
    return name;
}

bool keeps_low_bits(const Instruction& i) {
    if (i.opcode == "mov" || i.opcode == "cvta") return i.operands.size() == 2;
    if (i.opcode != "cvt" || i.has("sat") || i.modifiers.size() != 2) return false;
    const ptx::Type destination_type = ptx::parse_type(i.modifiers[0]),
                    source_type = ptx::parse_type(i.modifiers[1]);
    return !ptx::is_float(destination_type) && !ptx::is_float(source_type) &&
           size_of(destination_type) >= 4 && size_of(source_type) >= 4;
}

bool is_low_product(const Instruction& i) {
    return is_one_of(i.opcode, {"mul", "mad"}) && (i.has("lo") || i.has("wide")) &&
           ptx::find_type(i) != ptx::Type::u16 && ptx::find_type(i) != ptx::Type::s16;
}

/// Reports whether the instruction always computes the same result from the same sources.
bool is_deterministic(const Instruction& i) {
    if (i.opcode == "ld") return i.has("param");
    return is_one_of(i.opcode, {"mov", "cvt", "cvta", "add",  "sub", "mul",  "mad",   "shl", "shr",
                                "and", "or",  "xor",  "not",  "neg", "min",  "max",   "bfe", "bfi",
                                "rem", "div", "selp", "lop3", "shf", "prmt", "mul24", "abs"}) &&
           !i.has("cc");
}

}  // namespace

AddressFacts::AddressFacts(const ptx::Function& function, const std::map<std::string, u32>& shared)
    : function_(function), shared_(shared) {
    writers_.resize(function.registers.size());
    single_writer_values_.resize(function.registers.size());
    for (u32 instruction_index = 0; instruction_index < function.body.size(); ++instruction_index)
        for (u32 r : list_written_registers(function.body[instruction_index]))
            writers_[r].push_back(instruction_index);
    find_low_zero_bits();
}

// ---- low bits that are zero ----

/// Finds the low bits of each register that are always zero. Initially assumes that all bits are
/// zero, and then removes the bits that some instruction may set.
void AddressFacts::find_low_zero_bits() {
    low_zero_bits_.assign(function_.registers.size(), kMaxZeroBits);
    repeat_until_stable(function_, [&](const Instruction& i) {
        bool has_changed = false;
        for (u32 r : list_written_registers(i)) {
            const u32 zeros = std::min(low_zero_bits_[r], count_zero_bits_of_result(i));
            has_changed |= zeros != std::exchange(low_zero_bits_[r], zeros);
        }
        return has_changed;
    });
}

u32 AddressFacts::count_zero_bits(const Operand& operand) const {
    if (operand.is_register()) return operand.is_negated ? 0 : low_zero_bits_[operand.reg];
    if (operand.is_immediate()) return trailing_zeros(operand.bits);
    if (operand.is_symbol()) {
        const auto variable = shared_.find(operand.name);
        if (variable != shared_.end())
            return std::min(kSharedWindowZeroBits,
                            trailing_zeros(variable->second + static_cast<u64>(operand.offset)));
    }
    return 0;
}

u32 AddressFacts::count_zero_bits_of_result(const Instruction& i) const {
    const std::vector<Operand>& o = i.operands;
    const auto zeros = [&](std::size_t k) { return k < o.size() ? count_zero_bits(o[k]) : 0; };
    const auto limit_zero_bits = [](u32 sum) { return std::min(sum, kMaxZeroBits); };
    const auto number = [&](std::size_t k) -> u32 {
        return k < o.size() && o[k].is_immediate()
                   ? static_cast<u32>(std::min<u64>(o[k].bits, kMaxZeroBits))
                   : 0;
    };
    const bool is_float = ptx::is_float(ptx::find_type(i));
    if (o.size() < 2 || is_float || !o[0].is_register()) return 0;
    if (i.opcode == "mov" || i.opcode == "cvta" || i.opcode == "cvt" || i.opcode == "neg")
        return o[1].is_vector() && !o[1].elements.empty() ? count_zero_bits(o[1].elements[0])
                                                          : zeros(1);
    if (is_one_of(i.opcode, {"add", "sub", "or", "xor", "selp"}))
        return std::min(zeros(1), zeros(2));
    if (i.opcode == "and") return std::max(zeros(1), zeros(2));
    if (i.opcode == "shl") return limit_zero_bits(zeros(1) + number(2));
    if (i.opcode == "shr") return zeros(1) - std::min(zeros(1), number(2));
    if (is_one_of(i.opcode, {"mul", "mul24"}) && !i.has("hi"))
        return limit_zero_bits(zeros(1) + zeros(2));
    if (i.opcode == "mad" && !i.has("hi"))
        return std::min(limit_zero_bits(zeros(1) + zeros(2)), zeros(3));
    if (i.opcode == "bfi") return std::min(zeros(2), limit_zero_bits(zeros(1) + number(3)));
    if (i.opcode == "rem" && o.size() > 2 && o[2].is_immediate() && std::has_single_bit(o[2].bits))
        return zeros(1);
    return 0;
}

// ---- values ----

KnownValue AddressFacts::make_constant(u64 constant) {
    KnownValue value;
    value.sum.constant = constant;
    value.low_zero_bits = trailing_zeros(constant);
    return value;
}

KnownValue AddressFacts::find_or_add_unknown(const std::string& name, u32 zeros, bool varies,
                                             u32 reg) {
    const auto [known, is_new] =
        unknown_indices_.try_emplace(name, static_cast<u32>(unknown_indices_.size()));
    if (is_new) unknown_values_.push_back({zeros, reg, varies});
    const u32 number = known->second;
    KnownValue value;
    value.sum.terms.emplace_back(number, 1);
    value.low_zero_bits = zeros;
    return value;
}

KnownValue AddressFacts::evaluate_operand(const Operand& operand) {
    if (operand.is_register() && !operand.is_negated) return evaluate_register(operand.reg);
    if (operand.is_immediate()) return make_constant(operand.bits);
    if (operand.is_special())
        return find_or_add_unknown(operand.name, 0, operand.name.starts_with("%clock"));
    if (operand.is_symbol()) {
        const auto variable = shared_.find(operand.name);
        if (variable == shared_.end())
            return find_or_add_unknown("symbol " + operand.name, 0, false);
        KnownValue value = find_or_add_unknown("shared memory", kSharedWindowZeroBits, false);
        value.offset = variable->second + static_cast<u64>(operand.offset);
        value.sum.constant = value.offset;
        return value;
    }
    return find_or_add_unknown("version " + std::to_string(version_count_++), 0, true);
}

KnownValue AddressFacts::evaluate_register(u32 reg) {
    if (const auto current_value = current_values_.find(reg);
        current_value != current_values_.end())
        return current_value->second;
    if (writers_[reg].size() == 1) return evaluate_single_writer(reg);
    return current_values_[reg] = find_or_add_unknown("version " + std::to_string(version_count_++),
                                                      low_zero_bits_[reg], true, reg);
}

/// Returns the value of a register with a single writer. The value is the same in every block if
/// the sources of that writer also have single writers.
KnownValue AddressFacts::evaluate_single_writer(u32 reg) {
    if (single_writer_values_[reg]) return *single_writer_values_[reg];
    single_writer_values_[reg] =
        find_or_add_unknown("register " + std::to_string(reg), low_zero_bits_[reg], true, reg);
    const Instruction& definition = function_.body[writers_[reg][0]];
    if (is_computed_once(definition)) {
        KnownValue value = evaluate_instruction(definition);
        single_writer_values_[reg] = std::move(value);
    }
    return *single_writer_values_[reg];
}

bool AddressFacts::is_evaluated(const Instruction& i) {
    return !i.guard && !i.operands.empty() && i.operands[0].is_register() &&
           i.operands[0].elements.empty() && is_deterministic(i) &&
           !ptx::is_float(ptx::find_type(i));
}

bool AddressFacts::is_computed_once(const Instruction& i) const {
    return is_evaluated(i) && all_of(list_read_registers(i), [&](u32 r) {
               return writers_[r].size() == 1 && r != i.operands[0].reg;
           });
}

void AddressFacts::begin_block() {
    current_values_.clear();
}

void AddressFacts::pass_instruction(const Instruction& i) {
    if (is_evaluated(i) && !(writers_[i.operands[0].reg].size() == 1 && is_computed_once(i))) {
        KnownValue value = evaluate_instruction(i);
        current_values_[i.operands[0].reg] = std::move(value);
        return;
    }
    for (u32 r : list_written_registers(i)) current_values_.erase(r);
}

std::optional<KnownValue> AddressFacts::evaluate_address(const Operand& operand) {
    KnownValue value;
    if (operand.has_base_register) {
        value = evaluate_register(operand.reg);
    } else {
        if (!shared_.contains(operand.name)) return {};
        Operand symbol = operand;
        symbol.kind = Operand::Kind::symbol;
        symbol.offset = 0;
        value = evaluate_operand(symbol);
    }
    value.offset += static_cast<u64>(operand.offset);
    value.sum.constant += static_cast<u64>(operand.offset);
    return value;
}

KnownValue AddressFacts::evaluate_instruction(const Instruction& i) {
    KnownValue value = evaluate_exact_result(i);
    if (value.sum.terms.size() > kMaxTerms)
        value = find_or_add_unknown("sum " + format_sum(value.sum),
                                    count_zero_bits_with_offset(value), varies(value.sum));
    if (operand_bytes(i.operands[0]) <= 4) narrow_to_32_bits(value);
    return value;
}

KnownValue AddressFacts::evaluate_exact_result(const Instruction& i) {
    const std::vector<Operand>& o = i.operands;
    if (keeps_low_bits(i) && !o[1].is_vector())
        return operand_bytes(o[1]) < operand_bytes(o[0])
                   ? extend_operand(o[1], ptx::is_signed(ptx::find_type(i)))
                   : evaluate_operand(o[1]);
    if (i.opcode == "add" && o.size() == 3)
        return add_known_values(evaluate_operand(o[1]), evaluate_operand(o[2]));
    if (i.opcode == "sub" && o.size() == 3) {
        KnownValue right_value = evaluate_operand(o[2]);
        right_value.sum = scale_sum(std::move(right_value.sum), ~u64{0});
        right_value.offset = 0 - right_value.offset;
        return add_known_values(evaluate_operand(o[1]), std::move(right_value));
    }
    if (is_low_product(i) && o.size() >= 3) {
        KnownValue product_value = multiply_known_values(i);
        if (i.opcode == "mul") return product_value;
        if (o.size() == 4 && i.has("wide") == (operand_bytes(o[3]) == 8 || !o[3].is_register()))
            return add_known_values(std::move(product_value), evaluate_operand(o[3]));
    }
    if (i.opcode == "shl" && o.size() == 3 && o[2].is_immediate() && o[2].bits < kMaxZeroBits) {
        KnownValue value = evaluate_operand(o[1]);
        const auto shift_count = static_cast<u32>(o[2].bits);
        const u32 zeros = std::min(count_zero_bits_with_offset(value) + shift_count, kMaxZeroBits);
        return {.sum = scale_sum(std::move(value.sum), u64{1} << shift_count),
                .low_zero_bits = zeros};
    }
    if (i.opcode == "or" && o.size() == 3 && o[2].is_immediate()) {
        KnownValue value = evaluate_operand(o[1]);
        const u64 bits = o[2].bits;
        if (value.offset == 0 && value.low_zero_bits < kMaxZeroBits &&
            bits < u64{1} << value.low_zero_bits) {
            value.sum.constant += bits;
            value.offset = bits;
            value.is_offset_by_or = true;
            return value;
        }
    }
    return find_unknown_result(i);
}

u32 AddressFacts::operand_bytes(const Operand& operand) const {
    return operand.is_register() ? size_of(function_.registers[operand.reg].type) : 8;
}

/// Returns a 32-bit value extended to 64 bits.
KnownValue AddressFacts::extend_operand(const Operand& operand, bool is_signed) {
    KnownValue value = evaluate_operand(operand);
    if (is_known_constant(value)) return value;
    const u32 zeros = count_zero_bits_with_offset(value);
    return find_or_add_unknown((is_signed ? "signed " : "unsigned ") + format_sum(value.sum), zeros,
                               varies(value.sum));
}

KnownValue AddressFacts::add_known_values(KnownValue left, KnownValue right) {
    KnownValue sum;
    sum.sum = add_sums(left.sum, right.sum);
    if (is_known_constant(left)) std::swap(left, right);
    if (is_known_constant(right)) {
        sum.low_zero_bits = left.low_zero_bits;
        sum.offset = left.offset + right.sum.constant;
        sum.is_offset_by_or = left.is_offset_by_or;
        return sum;
    }
    const auto base_zeros = [](const KnownValue& v) {
        return v.is_offset_by_or ? v.low_zero_bits : count_zero_bits_with_offset(v);
    };
    sum.low_zero_bits = std::min(base_zeros(left), base_zeros(right));
    for (const KnownValue& value : {left, right})
        if (value.is_offset_by_or) sum.offset += value.offset;
    return sum;
}

KnownValue AddressFacts::multiply_known_values(const Instruction& i) {
    const bool is_wide = i.has("wide"), is_signed = ptx::is_signed(ptx::find_type(i));
    const auto factor = [&](const Operand& o) {
        return is_wide ? extend_operand(o, is_signed) : evaluate_operand(o);
    };
    KnownValue left = factor(i.operands[1]), right = factor(i.operands[2]);
    const u32 zeros = std::min(
        count_zero_bits_with_offset(left) + count_zero_bits_with_offset(right), kMaxZeroBits);
    if (is_known_constant(left)) std::swap(left, right);
    if (is_known_constant(right))
        return {.sum = scale_sum(std::move(left.sum), right.sum.constant), .low_zero_bits = zeros};
    // A `mad` and a `mul` with the same factors must give their product the same name.
    return find_or_add_unknown("product " + format_sum(left.sum) + " and " + format_sum(right.sum),
                               zeros, varies(left.sum) || varies(right.sum));
}

/// Returns an unknown value. Two instructions with the same operation and sources get the same
/// unknown value.
KnownValue AddressFacts::find_unknown_result(const Instruction& i) {
    std::string name = format_operation(i);
    bool may_vary = false;
    for (std::size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.is_address()) {  // the address of a parameter, as in ld.param
            name += " " + o.name + "+" + std::to_string(o.offset);
            continue;
        }
        const LinearSum sum = evaluate_operand(o).sum;
        may_vary |= varies(sum);
        name += " " + format_sum(sum);
    }
    return find_or_add_unknown(name, count_zero_bits_of_result(i), may_vary);
}

// ---- loops ----

bool AddressFacts::varies(const LinearSum& sum) const {
    return any_of(sum.terms, [&](const auto& term) { return unknown_values_[term.first].varies; });
}

std::optional<AddressFacts::LoopChange> AddressFacts::find_loop_change(const LinearSum& sum,
                                                                       u32 begin, u32 end) const {
    LoopChange loop_change{.change_per_iteration = 0, .zero_bits_at_start = kMaxZeroBits};
    const auto is_inside = [&](u32 instruction_index) {
        return instruction_index >= begin && instruction_index < end;
    };
    for (const auto& [number, factor] : sum.terms) {
        const UnknownValue& value = unknown_values_[number];
        u32 zeros = value.low_zero_bits;
        if (value.varies) {
            if (value.reg == kNoRegister) return {};
            const std::vector<u32>& writers = writers_[value.reg];
            const bool changes = any_of(writers, is_inside);
            if (changes && writers.size() == 1) return {};
            if (changes) {
                const auto now = current_values_.find(value.reg);
                if (now == current_values_.end()) return {};
                const LinearSum& sum_after = now->second.sum;
                if (sum_after.terms != std::vector{std::pair{number, u64{1}}}) return {};
                loop_change.change_per_iteration += factor * sum_after.constant;
                zeros = kMaxZeroBits;
                for (u32 instruction_index : writers)
                    if (!is_inside(instruction_index))
                        zeros = std::min(
                            zeros, count_zero_bits_of_result(function_.body[instruction_index]));
            }
        }
        loop_change.zero_bits_at_start = std::min(
            loop_change.zero_bits_at_start, std::min(kMaxZeroBits, zeros + trailing_zeros(factor)));
    }
    return loop_change;
}

}  // namespace coalesce::simulator

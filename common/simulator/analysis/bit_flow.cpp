// Describes the flow of bits from operands to results. Each kind of instruction has its own
// function, listed in the table at the end. See bit_flow.h.
#include "simulator/analysis/bit_flow.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>

#include "simulator/analysis/register_use.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::Type;

namespace {

constexpr int kMaxChainLength = 8;  ///< the maximum number of definitions to follow in a chain

bool is_plain_register(const Operand& operand) {
    return operand.is_register() && !operand.is_negated && operand.elements.empty();
}

}  // namespace

// ---- definitions ----

RegisterDefinitions::RegisterDefinitions(const ptx::Function& function) : function_(function) {
    const std::size_t register_count = function.registers.size();
    only_writers_.assign(register_count, kNone);
    loop_increments_.assign(register_count, 0);
    std::vector<bool> is_written(register_count, false);
    for (u32 at = 0; at < function.body.size(); ++at) {
        const Instruction& i = function.body[at];
        for (const u32 r : list_written_registers(i)) {
            only_writers_[r] = is_written[r] || i.guard ? kNone : at;
            is_written[r] = true;
        }
    }
    for (const Instruction& i : function.body) record_growth(i);
}

std::optional<u64> RegisterDefinitions::find_constant(const Operand& operand) const {
    if (operand.is_immediate()) return operand.bits;
    if (!is_plain_register(operand) || only_writers_[operand.reg] == kNone) return std::nullopt;
    const Instruction& i = function_.body[only_writers_[operand.reg]];
    const bool is_constant_move =
        i.opcode == "mov" && i.operands.size() == 2 && i.operands[1].is_immediate();
    return is_constant_move ? std::optional(i.operands[1].bits) : std::nullopt;
}

/// Returns the register from which `reg` is copied, or `reg` itself if it is not a copy.
u32 RegisterDefinitions::follow_copies_back(u32 reg) const {
    for (int copies_followed = 0; copies_followed < kMaxChainLength && only_writers_[reg] != kNone;
         ++copies_followed) {
        const Instruction& i = function_.body[only_writers_[reg]];
        if (i.opcode != "mov" || i.operands.size() != 2 || !is_plain_register(i.operands[1])) break;
        reg = i.operands[1].reg;
    }
    return reg;
}

/// Recognizes a register that grows by a constant, as in `add r, r, 8`. Compilers may put copies
/// before and after the addition: `mov a, r`, `add b, a, 8`, `mov r, b`.
void RegisterDefinitions::record_growth(const Instruction& i) {
    const Instruction* addition = &i;
    if (i.operands.size() < 2 || !is_plain_register(i.operands[0])) return;
    if (i.opcode == "mov" && is_plain_register(i.operands[1])) {
        const u32 sum_writer = only_writers_[follow_copies_back(i.operands[1].reg)];
        if (sum_writer == kNone) return;
        addition = &function_.body[sum_writer];
    }
    const u32 updated_register = i.operands[0].reg;
    if (addition->opcode != "add" || addition->operands.size() != 3 ||
        !is_plain_register(addition->operands[1]) ||
        follow_copies_back(addition->operands[1].reg) != updated_register)
        return;
    if (const auto increment = find_constant(addition->operands[2]))
        loop_increments_[updated_register] = static_cast<i64>(*increment);
}

i64 RegisterDefinitions::find_loop_increment(u32 reg, int depth) const {
    if (loop_increments_[reg] != 0 || only_writers_[reg] == kNone || depth == kMaxChainLength)
        return loop_increments_[reg];
    const Instruction& i = function_.body[only_writers_[reg]];
    if (i.operands.size() < 2 || !is_plain_register(i.operands[1])) return 0;
    const u64 source_increment =
        static_cast<u64>(find_loop_increment(i.operands[1].reg, depth + 1));
    if (i.opcode == "mov" || i.opcode == "cvt" || i.opcode == "cvta")
        return static_cast<i64>(source_increment);
    if (i.operands.size() != 3) return 0;
    const std::optional<u64> second_constant = find_constant(i.operands[2]);
    if (i.opcode == "shl")
        return second_constant ? static_cast<i64>(source_increment << (*second_constant & 31)) : 0;
    if (i.opcode == "mul")
        return second_constant && !i.has("hi")
                   ? static_cast<i64>(source_increment * *second_constant)
                   : 0;
    if (i.opcode != "add") return 0;
    if (second_constant) return static_cast<i64>(source_increment);
    if (!is_plain_register(i.operands[2])) return 0;
    return static_cast<i64>(source_increment +
                            static_cast<u64>(find_loop_increment(i.operands[2].reg, depth + 1)));
}

// ---- instructions ----

namespace {

/// Describes the bits in the result of one instruction.
struct TransferDescriber {
    const Instruction& i;
    const RegisterDefinitions& definitions;
    BitTransfer result{.is_known = true,
                       .selects_at_run_time = false,
                       .selects_one_source = false,
                       .is_zero_elsewhere = true,
                       .flows = {}};

    const Operand& operand(std::size_t k) const { return i.operands[k]; }
    u32 result_bits() const { return std::min(8 * size_of(find_type(i)), 64u); }
    std::optional<u32> find_constant(std::size_t k) const {
        const auto value = definitions.find_constant(operand(k));
        return value ? std::optional(static_cast<u32>(*value)) : std::nullopt;
    }
    void add(const Operand& from, u32 from_bit, u32 to_bit, u32 bit_count,
             bool repeats_one_bit = false) {
        add(from, from_bit, operand(0), to_bit, bit_count, repeats_one_bit);
    }
    void add(const Operand& from, u32 from_bit, const Operand& to, u32 to_bit, u32 bit_count,
             bool repeats_one_bit = false) {
        if (bit_count == 0 || !is_plain_register(to)) return;
        if (is_plain_register(from))
            result.flows.push_back(
                {from.reg, to.reg, from_bit, to_bit, bit_count, repeats_one_bit});
        else if (definitions.find_constant(from) != 0)
            result.is_zero_elsewhere = false;
    }
    BitTransfer unknown_transfer() const { return {}; }
};

/// Handles mov and cvta, including mov.b64 {%r1, %r2}, %rd1 and its inverse.
BitTransfer describe_move(TransferDescriber describer) {
    const Operand &to = describer.operand(0), &from = describer.operand(1);
    const u32 result_bits = describer.result_bits();
    if (8 * size_of(find_type(describer.i)) > 64) return describer.unknown_transfer();
    const bool unpacks = to.is_vector(), packs = from.is_vector();
    const std::size_t element_count = unpacks ? to.elements.size()
                                      : packs ? from.elements.size()
                                              : 1;
    if (element_count == 0) return describer.unknown_transfer();
    const u32 element_bits = result_bits / static_cast<u32>(element_count);
    for (u32 k = 0; k < element_count; ++k)
        describer.add(packs ? from.elements[k] : from, unpacks ? k * element_bits : 0,
                      unpacks ? to.elements[k] : to, packs ? k * element_bits : 0, element_bits);
    return describer.result;
}

/// Handles cvt between integers, which truncates or extends.
BitTransfer describe_convert(TransferDescriber describer) {
    Type types[2] = {Type::none, Type::none};
    std::size_t type_count = 0;
    for (const std::string& m : describer.i.modifiers)
        if (const Type type = ptx::parse_type(m); type != Type::none && type_count < 2)
            types[type_count++] = type;
    if (type_count != 2 || describer.i.has("sat") || describer.i.has("pack"))
        return describer.unknown_transfer();
    if (is_float(types[0]) || is_float(types[1]) || types[0] == Type::pred)
        return describer.unknown_transfer();
    const u32 to_bits = 8 * size_of(types[0]), from_bits = 8 * size_of(types[1]),
              common_bits = std::min(to_bits, from_bits);
    describer.add(describer.operand(1), 0, 0, common_bits);
    const Type narrower = from_bits < to_bits ? types[1] : types[0];
    if (common_bits < 64 && is_signed(narrower))
        describer.add(describer.operand(1), common_bits - 1, common_bits, 64 - common_bits, true);
    return describer.result;
}

/// Handles selp d, a, b, p.
BitTransfer describe_select(TransferDescriber describer) {
    describer.add(describer.operand(1), 0, 0, describer.result_bits());
    describer.add(describer.operand(2), 0, 0, describer.result_bits());
    describer.result.selects_at_run_time = describer.result.selects_one_source = true;
    return describer.result;
}

BitTransfer describe_shift_left(TransferDescriber describer) {
    const auto shift_count = describer.find_constant(2);
    if (!shift_count) return describer.unknown_transfer();
    if (*shift_count < describer.result_bits())
        describer.add(describer.operand(1), 0, *shift_count,
                      describer.result_bits() - *shift_count);
    return describer.result;
}

BitTransfer describe_shift_right(TransferDescriber describer) {
    const auto shift_operand = describer.find_constant(2);
    if (!shift_operand) return describer.unknown_transfer();
    const u32 result_bits = describer.result_bits(),
              shift_count = std::min(*shift_operand, result_bits);
    describer.add(describer.operand(1), shift_count, 0, result_bits - shift_count);
    if (is_signed(find_type(describer.i)))
        describer.add(describer.operand(1), result_bits - 1, result_bits - shift_count, shift_count,
                      true);
    return describer.result;
}

/// Handles shf.{l,r}.{wrap,clamp}.b32 d, a, b, c, which extracts 32 bits from the pair b:a.
BitTransfer describe_funnel_shift(TransferDescriber describer) {
    const auto shift_operand = describer.find_constant(3);
    if (!shift_operand) return describer.unknown_transfer();
    const u32 shift_count =
        describer.i.has("wrap") ? *shift_operand & 31 : std::min(*shift_operand, 32u);
    const u32 first_bit = describer.i.has("l")
                              ? 32 - shift_count
                              : shift_count;  // index in b:a of the result's first bit
    if (first_bit < 32) describer.add(describer.operand(1), first_bit, 0, 32 - first_bit);
    describer.add(describer.operand(2), first_bit < 32 ? 0 : first_bit - 32,
                  first_bit < 32 ? 32 - first_bit : 0, first_bit < 32 ? first_bit : 64 - first_bit);
    return describer.result;
}

/// Handles bfe d, a, position, length.
BitTransfer describe_extract(TransferDescriber describer) {
    const auto position = describer.find_constant(2), length = describer.find_constant(3);
    if (!position || !length) return describer.unknown_transfer();
    const u32 result_bits = describer.result_bits(),
              begin = std::min(*position & 0xff, result_bits),
              bit_count = std::min(*length & 0xff, result_bits - begin);
    describer.add(describer.operand(1), begin, 0, bit_count);
    if (is_signed(find_type(describer.i)) && bit_count)
        describer.add(describer.operand(1), begin + bit_count - 1, bit_count,
                      result_bits - bit_count, true);
    return describer.result;
}

/// Handles bfi f, a, b, position, length.
BitTransfer describe_insert(TransferDescriber describer) {
    const auto position = describer.find_constant(3), length = describer.find_constant(4);
    if (!position || !length) return describer.unknown_transfer();
    const u32 result_bits = describer.result_bits(),
              begin = std::min(*position & 0xff, result_bits),
              end = begin + std::min(*length & 0xff, result_bits - begin);
    describer.add(describer.operand(1), 0, begin, end - begin);
    describer.add(describer.operand(2), 0, 0, begin);
    describer.add(describer.operand(2), end, end, result_bits - end);
    return describer.result;
}

/// Handles prmt.b32 d, a, b, selector, which selects four of the eight bytes of b:a.
BitTransfer describe_permute(TransferDescriber describer) {
    const auto selector = describer.find_constant(3);
    const bool has_mode = describer.i.modifiers.size() > 1;  // .f4e, .b4e, .rc8 ...
    if (!selector || has_mode) return describer.unknown_transfer();
    for (u32 k = 0; k < 4; ++k) {
        const u32 byte_selector = *selector >> 4 * k & 15, source_byte = byte_selector & 3;
        const Operand& from = describer.operand(byte_selector & 4 ? 2 : 1);
        if (byte_selector & 8)
            describer.add(from, 8 * source_byte + 7, 8 * k, 8, true);
        else
            describer.add(from, 8 * source_byte, 8 * k, 8);
    }
    return describer.result;
}

/// Truth tables of a, b and c for lop3. The result of lop3 is bit a * 4 + b * 2 + c of its table.
constexpr u32 kTruthTableA = 0xf0, kTruthTableB = 0xcc, kTruthTableC = 0xaa;

/// Handles and, or, xor, not and lop3 bit by bit. A bit of a constant operand may determine whether
/// the other operands' bits are copied, inverted or ignored.
BitTransfer describe_bitwise(TransferDescriber describer, u32 truth_table, u32 operand_count) {
    if (describer.i.has("pred")) return describer.unknown_transfer();
    std::optional<u64> constants[3];
    for (u32 k = 0; k < operand_count; ++k) {
        constants[k] = describer.definitions.find_constant(describer.operand(k + 1));
        if (!constants[k] && !is_plain_register(describer.operand(k + 1)))
            return describer.unknown_transfer();
    }
    const auto table_bit = [&](u32 index) { return truth_table >> index & 1; };
    u64 passed_bits[3] = {}, possible_ones = 0;
    for (u32 bit = 0; bit < describer.result_bits(); ++bit) {
        for (u32 index = 0; index < 8; ++index) {
            bool is_possible = true;
            for (u32 k = 0; k < 3; ++k) {
                const bool operand_bit = index >> (2 - k) & 1;
                if (k >= operand_count || constants[k])
                    is_possible &= operand_bit == (k < operand_count && (*constants[k] >> bit & 1));
            }
            if (!is_possible) continue;
            possible_ones |= u64{table_bit(index)} << bit;
            for (u32 k = 0; k < operand_count; ++k)
                if (!constants[k] && table_bit(index) != table_bit(index ^ (4u >> k)))
                    passed_bits[k] |= u64{1} << bit;
        }
    }
    u32 register_count = 0;
    for (u32 k = 0; k < operand_count; ++k) {
        register_count += !constants[k];
        for (u64 remaining_bits = passed_bits[k]; remaining_bits;) {
            const u32 first_bit = static_cast<u32>(std::countr_zero(remaining_bits));
            const u32 bit_count = static_cast<u32>(std::countr_one(remaining_bits >> first_bit));
            describer.add(describer.operand(k + 1), first_bit, first_bit, bit_count);
            remaining_bits &= ~(low_bits(bit_count) << first_bit);
        }
    }
    const bool is_or_or_xor = truth_table == (kTruthTableA | kTruthTableB) ||
                              truth_table == (kTruthTableA ^ kTruthTableB);
    describer.result.selects_at_run_time = register_count > 1 && !is_or_or_xor;
    describer.result.is_zero_elsewhere =
        (possible_ones & ~(passed_bits[0] | passed_bits[1] | passed_bits[2])) == 0;
    return describer.result;
}

BitTransfer describe_lop3(TransferDescriber describer) {
    const auto truth_table = describer.find_constant(4);
    return truth_table ? describe_bitwise(describer, *truth_table & 0xff, 3)
                       : describer.unknown_transfer();
}

struct OpcodeRule {
    std::size_t operand_count;
    BitTransfer (*describe)(TransferDescriber);
};

const std::map<std::string_view, OpcodeRule> kOpcodeRules = {
    {"mov", {2, describe_move}},
    {"cvta", {2, describe_move}},
    {"cvt", {2, describe_convert}},
    {"selp", {4, describe_select}},
    {"shl", {3, describe_shift_left}},
    {"shr", {3, describe_shift_right}},
    {"shf", {4, describe_funnel_shift}},
    {"bfe", {4, describe_extract}},
    {"bfi", {5, describe_insert}},
    {"prmt", {4, describe_permute}},
    {"and",
     {3,
      [](TransferDescriber describer) {
          return describe_bitwise(describer, kTruthTableA & kTruthTableB, 2);
      }}},
    {"or",
     {3,
      [](TransferDescriber describer) {
          return describe_bitwise(describer, kTruthTableA | kTruthTableB, 2);
      }}},
    {"xor",
     {3,
      [](TransferDescriber describer) {
          return describe_bitwise(describer, kTruthTableA ^ kTruthTableB, 2);
      }}},
    {"not", {2, [](TransferDescriber describer) { return describe_bitwise(describer, 0x0f, 1); }}},
    {"lop3", {5, describe_lop3}},
};

}  // namespace

BitTransfer describe_bit_transfer(const Instruction& instruction,
                                  const RegisterDefinitions& definitions) {
    const auto rule = kOpcodeRules.find(instruction.opcode);
    if (rule == kOpcodeRules.end() || instruction.operands.size() != rule->second.operand_count)
        return {};
    for (const Operand& operand : instruction.operands)
        if (operand.is_negated && operand.is_register() &&
            definitions.analyzed_function().registers[operand.reg].type != Type::pred)
            return {};
    return rule->second.describe({instruction, definitions});
}

}  // namespace coalesce::simulator

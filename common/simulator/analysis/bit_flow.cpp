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
    return operand.is_register() && !operand.negated && operand.elements.empty();
}

}  // namespace

// ---- definitions ----

Definitions::Definitions(const ptx::Function& function) : function_(function) {
    const std::size_t count = function.registers.size();
    only_writer_.assign(count, kNone);
    growth_.assign(count, 0);
    std::vector<bool> written(count, false);
    for (u32 at = 0; at < function.body.size(); ++at) {
        const Instruction& i = function.body[at];
        for (const u32 r : registers_written(i)) {
            only_writer_[r] = written[r] || i.guard ? kNone : at;
            written[r] = true;
        }
    }
    for (const Instruction& i : function.body) note_growth(i);
}

std::optional<u64> Definitions::constant(const Operand& operand) const {
    if (operand.is_immediate()) return operand.bits;
    if (!is_plain_register(operand) || only_writer_[operand.reg] == kNone) return std::nullopt;
    const Instruction& i = function_.body[only_writer_[operand.reg]];
    const bool sets = i.opcode == "mov" && i.operands.size() == 2 && i.operands[1].is_immediate();
    return sets ? std::optional(i.operands[1].bits) : std::nullopt;
}

/// Returns the register from which `reg` is copied, or `reg` itself if it is not a copy.
u32 Definitions::follow_copies_back(u32 reg) const {
    for (int followed = 0; followed < kMaxChainLength && only_writer_[reg] != kNone; ++followed) {
        const Instruction& i = function_.body[only_writer_[reg]];
        if (i.opcode != "mov" || i.operands.size() != 2 || !is_plain_register(i.operands[1])) break;
        reg = i.operands[1].reg;
    }
    return reg;
}

/// Recognizes a register that grows by a constant, as in `add r, r, 8`. Compilers may put copies
/// before and after the addition: `mov a, r`, `add b, a, 8`, `mov r, b`.
void Definitions::note_growth(const Instruction& i) {
    const Instruction* add = &i;
    if (i.operands.size() < 2 || !is_plain_register(i.operands[0])) return;
    if (i.opcode == "mov" && is_plain_register(i.operands[1])) {
        const u32 sum = only_writer_[follow_copies_back(i.operands[1].reg)];
        if (sum == kNone) return;
        add = &function_.body[sum];
    }
    const u32 grows = i.operands[0].reg;
    if (add->opcode != "add" || add->operands.size() != 3 || !is_plain_register(add->operands[1]) ||
        follow_copies_back(add->operands[1].reg) != grows)
        return;
    if (const auto by = constant(add->operands[2])) growth_[grows] = static_cast<i64>(*by);
}

i64 Definitions::find_growth(u32 reg, int depth) const {
    if (growth_[reg] != 0 || only_writer_[reg] == kNone || depth == kMaxChainLength)
        return growth_[reg];
    const Instruction& i = function_.body[only_writer_[reg]];
    if (i.operands.size() < 2 || !is_plain_register(i.operands[1])) return 0;
    const u64 before = static_cast<u64>(find_growth(i.operands[1].reg, depth + 1));
    if (i.opcode == "mov" || i.opcode == "cvt" || i.opcode == "cvta")
        return static_cast<i64>(before);
    if (i.operands.size() != 3) return 0;
    const std::optional<u64> by = constant(i.operands[2]);
    if (i.opcode == "shl") return by ? static_cast<i64>(before << (*by & 31)) : 0;
    if (i.opcode == "mul") return by && !i.has("hi") ? static_cast<i64>(before * *by) : 0;
    if (i.opcode != "add") return 0;
    if (by) return static_cast<i64>(before);
    if (!is_plain_register(i.operands[2])) return 0;
    return static_cast<i64>(before + static_cast<u64>(find_growth(i.operands[2].reg, depth + 1)));
}

// ---- instructions ----

namespace {

/// Describes the bits in the result of one instruction.
struct TransferDescriber {
    const Instruction& i;
    const Definitions& definitions;
    BitTransfer result{.known = true,
                       .selects_at_run_time = false,
                       .selects_one_source = false,
                       .zero_elsewhere = true,
                       .flows = {}};

    const Operand& operand(std::size_t k) const { return i.operands[k]; }
    u32 bits() const { return std::min(8 * size_of(type_of(i)), 64u); }
    std::optional<u32> constant(std::size_t k) const {
        const auto value = definitions.constant(operand(k));
        return value ? std::optional(static_cast<u32>(*value)) : std::nullopt;
    }
    void add(const Operand& from, u32 from_bit, u32 to_bit, u32 count, bool repeats = false) {
        add(from, from_bit, operand(0), to_bit, count, repeats);
    }
    void add(const Operand& from, u32 from_bit, const Operand& to, u32 to_bit, u32 count,
             bool repeats = false) {
        if (count == 0 || !is_plain_register(to)) return;
        if (is_plain_register(from))
            result.flows.push_back({from.reg, to.reg, from_bit, to_bit, count, repeats});
        else if (definitions.constant(from) != 0)
            result.zero_elsewhere = false;
    }
    BitTransfer unknown() const { return {}; }
};

/// Handles mov and cvta, including mov.b64 {%r1, %r2}, %rd1 and its inverse.
BitTransfer move(TransferDescriber d) {
    const Operand &to = d.operand(0), &from = d.operand(1);
    const u32 bits = d.bits();
    if (8 * size_of(type_of(d.i)) > 64) return d.unknown();
    const bool unpacks = to.is_vector(), packs = from.is_vector();
    const std::size_t pieces = unpacks ? to.elements.size() : packs ? from.elements.size() : 1;
    if (pieces == 0) return d.unknown();
    const u32 piece = bits / static_cast<u32>(pieces);
    for (u32 k = 0; k < pieces; ++k)
        d.add(packs ? from.elements[k] : from, unpacks ? k * piece : 0,
              unpacks ? to.elements[k] : to, packs ? k * piece : 0, piece);
    return d.result;
}

/// Handles cvt between integers, which truncates or extends.
BitTransfer convert(TransferDescriber d) {
    Type types[2] = {Type::none, Type::none};
    std::size_t count = 0;
    for (const std::string& m : d.i.modifiers)
        if (const Type type = ptx::parse_type(m); type != Type::none && count < 2)
            types[count++] = type;
    if (count != 2 || d.i.has("sat") || d.i.has("pack")) return d.unknown();
    if (is_float(types[0]) || is_float(types[1]) || types[0] == Type::pred) return d.unknown();
    const u32 to = 8 * size_of(types[0]), from = 8 * size_of(types[1]), both = std::min(to, from);
    d.add(d.operand(1), 0, 0, both);
    const Type narrower = from < to ? types[1] : types[0];
    if (both < 64 && is_signed(narrower)) d.add(d.operand(1), both - 1, both, 64 - both, true);
    return d.result;
}

/// Handles selp d, a, b, p.
BitTransfer select(TransferDescriber d) {
    d.add(d.operand(1), 0, 0, d.bits());
    d.add(d.operand(2), 0, 0, d.bits());
    d.result.selects_at_run_time = d.result.selects_one_source = true;
    return d.result;
}

BitTransfer shift_left(TransferDescriber d) {
    const auto by = d.constant(2);
    if (!by) return d.unknown();
    if (*by < d.bits()) d.add(d.operand(1), 0, *by, d.bits() - *by);
    return d.result;
}

BitTransfer shift_right(TransferDescriber d) {
    const auto amount = d.constant(2);
    if (!amount) return d.unknown();
    const u32 bits = d.bits(), by = std::min(*amount, bits);
    d.add(d.operand(1), by, 0, bits - by);
    if (is_signed(type_of(d.i))) d.add(d.operand(1), bits - 1, bits - by, by, true);
    return d.result;
}

/// Handles shf.{l,r}.{wrap,clamp}.b32 d, a, b, c, which extracts 32 bits from the pair b:a.
BitTransfer funnel_shift(TransferDescriber d) {
    const auto amount = d.constant(3);
    if (!amount) return d.unknown();
    const u32 by = d.i.has("wrap") ? *amount & 31 : std::min(*amount, 32u);
    const u32 first = d.i.has("l") ? 32 - by : by;  // index in b:a of the result's first bit
    if (first < 32) d.add(d.operand(1), first, 0, 32 - first);
    d.add(d.operand(2), first < 32 ? 0 : first - 32, first < 32 ? 32 - first : 0,
          first < 32 ? first : 64 - first);
    return d.result;
}

/// Handles bfe d, a, position, length.
BitTransfer extract(TransferDescriber d) {
    const auto position = d.constant(2), length = d.constant(3);
    if (!position || !length) return d.unknown();
    const u32 bits = d.bits(), begin = std::min(*position & 0xff, bits),
              count = std::min(*length & 0xff, bits - begin);
    d.add(d.operand(1), begin, 0, count);
    if (is_signed(type_of(d.i)) && count)
        d.add(d.operand(1), begin + count - 1, count, bits - count, true);
    return d.result;
}

/// Handles bfi f, a, b, position, length.
BitTransfer insert(TransferDescriber d) {
    const auto position = d.constant(3), length = d.constant(4);
    if (!position || !length) return d.unknown();
    const u32 bits = d.bits(), begin = std::min(*position & 0xff, bits),
              end = begin + std::min(*length & 0xff, bits - begin);
    d.add(d.operand(1), 0, begin, end - begin);
    d.add(d.operand(2), 0, 0, begin);
    d.add(d.operand(2), end, end, bits - end);
    return d.result;
}

/// Handles prmt.b32 d, a, b, selector, which selects four of the eight bytes of b:a.
BitTransfer permute(TransferDescriber d) {
    const auto selector = d.constant(3);
    const bool has_mode = d.i.modifiers.size() > 1;  // .f4e, .b4e, .rc8 ...
    if (!selector || has_mode) return d.unknown();
    for (u32 k = 0; k < 4; ++k) {
        const u32 choice = *selector >> 4 * k & 15, byte = choice & 3;
        const Operand& from = d.operand(choice & 4 ? 2 : 1);
        if (choice & 8)
            d.add(from, 8 * byte + 7, 8 * k, 8, true);
        else
            d.add(from, 8 * byte, 8 * k, 8);
    }
    return d.result;
}

/// Truth tables of a, b and c for lop3. The result of lop3 is bit a * 4 + b * 2 + c of its table.
constexpr u32 kA = 0xf0, kB = 0xcc, kC = 0xaa;

/// Handles and, or, xor, not and lop3 bit by bit. A bit of a constant operand may determine whether
/// the other operands' bits are copied, inverted or ignored.
BitTransfer bitwise(TransferDescriber d, u32 table, u32 operands) {
    if (d.i.has("pred")) return d.unknown();
    std::optional<u64> constants[3];
    for (u32 k = 0; k < operands; ++k) {
        constants[k] = d.definitions.constant(d.operand(k + 1));
        if (!constants[k] && !is_plain_register(d.operand(k + 1))) return d.unknown();
    }
    const auto value = [&](u32 index) { return table >> index & 1; };
    u64 passes[3] = {}, ones = 0;
    for (u32 bit = 0; bit < d.bits(); ++bit) {
        for (u32 index = 0; index < 8; ++index) {
            bool possible = true;
            for (u32 k = 0; k < 3; ++k) {
                const bool set = index >> (2 - k) & 1;
                if (k >= operands || constants[k])
                    possible &= set == (k < operands && (*constants[k] >> bit & 1));
            }
            if (!possible) continue;
            ones |= u64{value(index)} << bit;
            for (u32 k = 0; k < operands; ++k)
                if (!constants[k] && value(index) != value(index ^ (4u >> k)))
                    passes[k] |= u64{1} << bit;
        }
    }
    u32 registers = 0;
    for (u32 k = 0; k < operands; ++k) {
        registers += !constants[k];
        for (u64 rest = passes[k]; rest;) {
            const u32 first = static_cast<u32>(std::countr_zero(rest));
            const u32 count = static_cast<u32>(std::countr_one(rest >> first));
            d.add(d.operand(k + 1), first, first, count);
            rest &= ~(low_bits(count) << first);
        }
    }
    const bool joins = table == (kA | kB) || table == (kA ^ kB);
    d.result.selects_at_run_time = registers > 1 && !joins;
    d.result.zero_elsewhere = (ones & ~(passes[0] | passes[1] | passes[2])) == 0;
    return d.result;
}

BitTransfer lop3(TransferDescriber d) {
    const auto table = d.constant(4);
    return table ? bitwise(d, *table & 0xff, 3) : d.unknown();
}

struct Rule {
    std::size_t operands;
    BitTransfer (*describe)(TransferDescriber);
};

const std::map<std::string_view, Rule> kRules = {
    {"mov", {2, move}},
    {"cvta", {2, move}},
    {"cvt", {2, convert}},
    {"selp", {4, select}},
    {"shl", {3, shift_left}},
    {"shr", {3, shift_right}},
    {"shf", {4, funnel_shift}},
    {"bfe", {4, extract}},
    {"bfi", {5, insert}},
    {"prmt", {4, permute}},
    {"and", {3, [](TransferDescriber d) { return bitwise(d, kA & kB, 2); }}},
    {"or", {3, [](TransferDescriber d) { return bitwise(d, kA | kB, 2); }}},
    {"xor", {3, [](TransferDescriber d) { return bitwise(d, kA ^ kB, 2); }}},
    {"not", {2, [](TransferDescriber d) { return bitwise(d, 0x0f, 1); }}},
    {"lop3", {5, lop3}},
};

}  // namespace

BitTransfer describe_bit_transfer(const Instruction& instruction, const Definitions& definitions) {
    const auto rule = kRules.find(instruction.opcode);
    if (rule == kRules.end() || instruction.operands.size() != rule->second.operands) return {};
    for (const Operand& operand : instruction.operands)
        if (operand.negated && operand.is_register() &&
            definitions.function().registers[operand.reg].type != Type::pred)
            return {};
    return rule->second.describe({instruction, definitions});
}

}  // namespace coalesce::simulator

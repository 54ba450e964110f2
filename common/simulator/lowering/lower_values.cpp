// Lowers mov, cvta, lane-wise arithmetic, and the instruction families of execute/families.h.
#include <utility>

#include "simulator/execute/fragments.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/special_registers.h"
#include "simulator/lowering/lowering.h"
#include "simulator/memory/device_memory.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/combined_atomics.h"

namespace coalesce::simulator {

using ptx::Operand;
using ptx::StateSpace;
using ptx::Type;

ValueClass FunctionLowering::destination_class(const Operand& operand) const {
    if (!registers_.pure[at_]) return ValueClass::thread;
    if (operand.is_register()) return class_of_register(operand.reg);
    for (const Operand& element : operand.elements)
        if (element.is_register()) return class_of_register(element.reg);
    return ValueClass::thread;
}

// ---- mov ----

bool FunctionLowering::lower_move() {
    if (now().opcode == "cvta") {
        lower_address_conversion();
        return true;
    }
    if (now().opcode != "mov" || now().operands.size() != 2) return false;
    const Operand &to = now().operands[0], &from = now().operands[1];
    const Type type = type_of(now());
    if (to.is_vector()) {
        unpack(from, to.elements, type);
    } else if (from.is_vector()) {
        pack(from.elements, to, type);
    } else {
        const Width width = width_of(to);
        if (width == Width::w128) fail("a 128-bit mov is not simulated");
        const Slot value = source(from, width);
        emit_lane(width == Width::predicate ? "mov.pred"
                  : width == Width::w64     ? "mov.b64"
                                            : "mov.b32",
                  destination(to, width), {value}, destination_class(to));
    }
    return true;
}

/// Returns one 64-bit half of a 128-bit register, which is stored as two consecutive 64-bit
/// registers.
static Slot extract_half(Slot whole, u32 half) {
    return {whole.offset + half * 8 * kLanes, whole.uniform};
}

/// Lowers a mov such as `mov.b64 {%r1, %r2}, %rd1`, which splits a register into parts, starting
/// with the lowest bits.
void FunctionLowering::unpack(const Operand& from, const std::vector<Operand>& to, Type type) {
    if (to.empty()) fail("the vector has no elements");
    const u32 bits = 8 * size_of(type), piece = bits / static_cast<u32>(to.size());
    if (bits == 128 && to.size() == 2) {
        const Slot whole = source(from, Width::w128);
        for (u32 k = 0; k < 2; ++k)
            if (to[k].is_register())
                emit_lane("mov.b64", destination(to[k], Width::w64), {extract_half(whole, k)},
                          destination_class(now().operands[0]));
        return;
    }
    if (bits > 64 || piece == 0) fail("a 128-bit mov is not simulated");
    const Width width = width_of_type(type);
    const ValueClass value_class = destination_class(now().operands[0]);
    const Slot whole = source(from, width);
    for (u32 k = 0; k < to.size(); ++k) {
        if (!to[k].is_register()) continue;
        const Slot d = destination(to[k], Width::w32);
        const Slot first = constant(k * piece, Width::w32), count = constant(piece, Width::w32);
        if (width == Width::w32) {
            emit_lane("bfe.u32", d, {whole, first, count}, value_class);
        } else if (piece == 32) {
            emit_lane("mov.piece.b64", d, {whole, first}, value_class);
        } else {
            const Slot low = take_temporary(Width::w32);
            emit_lane("mov.piece.b64", low, {whole, constant(k * piece / 32 * 32, Width::w32)},
                      value_class);
            emit_lane("bfe.u32", d, {low, constant(k * piece % 32, Width::w32), count},
                      value_class);
        }
    }
}

/// Lowers a mov such as `mov.b64 %rd1, {%r1, %r2}`, which combines parts into one register.
void FunctionLowering::pack(const std::vector<Operand>& from, const Operand& to, Type type) {
    if (from.empty()) fail("the vector has no elements");
    const u32 bits = 8 * size_of(type), piece = bits / static_cast<u32>(from.size());
    const ValueClass value_class = destination_class(to);
    if (bits == 128 && from.size() == 2) {
        const Slot whole = destination(to, Width::w128);
        for (u32 k = 0; k < 2; ++k)
            emit_lane("mov.b64", extract_half(whole, k), {source(from[k], Width::w64)},
                      value_class);
        return;
    }
    if (bits > 64 || piece == 0) fail("a 128-bit mov is not simulated");
    const auto join = [&](Slot d, Slot low, Slot high, u32 low_bits) {
        // The operands of bfi are d, high, low, position and length.
        emit_lane("bfi.b32", d,
                  {high, low, constant(low_bits, Width::w32), constant(32 - low_bits, Width::w32)},
                  value_class);
    };
    std::vector<Slot> words;
    const u32 per_word = piece >= 32 ? 1 : 32 / piece;
    for (u32 first = 0; first < from.size(); first += per_word) {
        Slot word = source(from[first], Width::w32);
        for (u32 k = 1; k < per_word && first + k < from.size(); ++k) {
            const bool last = bits == 32 && first + k + 1 == from.size();
            const Slot joined = last ? destination(to, Width::w32) : take_temporary(Width::w32);
            join(joined, word, source(from[first + k], Width::w32), k * piece);
            word = joined;
        }
        words.push_back(word);
    }
    if (bits == 64)
        emit_lane("mov.pair.b64", destination(to, Width::w64), {words.at(0), words.at(1)},
                  value_class);
    else if (from.size() == 1)
        emit_lane("mov.b32", destination(to, Width::w32), {words[0]}, value_class);
    else if (bits != 32)
        fail("a mov that packs or unpacks elements of this size is not simulated");
}

// ---- cvta ----

/// Lowers cvta. In global and constant memory, the generic address equals the address in the state
/// space. Shared, local and parameter memory have windows in the generic address space.
void FunctionLowering::lower_address_conversion() {
    const Operand &to = now().operands.at(0), &from = now().operands.at(1);
    u64 window = 0;
    if (now().has("shared") || now().has("shared::cta") || now().has("shared::cluster"))
        window = shared_window();
    const bool is_local = now().has("local");
    if (now().has("param") || now().has("param::entry")) window = param_window();
    const Width width = width_of(to);
    if (width != Width::w32 && width != Width::w64) fail("an address has 32 or 64 bits");
    const Slot value = source(from, width);
    const ValueClass value_class = destination_class(to);
    if (is_local && width == Width::w64)
        emit_lane(now().has("to") ? "and.b64" : "add.s64", destination(to, width),
                  {value, now().has("to") ? constant(kLocalBytesPerThread - 1, width)
                                          : special_slot(kLocalWindowRegister, width)},
                  value_class);
    else if (window == 0 || width != Width::w64)
        emit_lane(width == Width::w64 ? "mov.b64" : "mov.b32", destination(to, width), {value},
                  value_class);
    else
        emit_lane(now().has("to") ? "sub.s64" : "add.s64", destination(to, width),
                  {value, constant(window, width)}, value_class);
}

// ---- lane-wise ----

bool FunctionLowering::lower_lane_instruction() {
    const LaneInstruction* lane = find_lane_instruction(now().opcode, now().modifiers);
    if (!lane) return false;
    auto operands = now().operands;
    Op op{.run = lane->run, .immediate = lane->constant};
    if (lane->immediate) {
        constexpr std::size_t kBehindC = 4;
        if (operands.size() <= kBehindC) fail("the number of operands is wrong");
        op.immediate = static_cast<i64>(operands[kBehindC].bits);
        operands.erase(operands.begin() + kBehindC);
    }
    std::size_t sources = 0;
    while (sources < lane->source.size() && lane->source[sources] != Width::none) ++sources;
    if (operands.size() != sources + 1) fail("the number of operands is wrong");
    Slot* const slots[] = {&op.a, &op.b, &op.c, &op.v[0]};
    for (std::size_t k = 0; k < sources; ++k) {
        const Operand& from = operands[k + 1];
        // The addend of mad.wide has 32 bits, although the type of the instruction has 16. (The
        // shift count of shl.b16 also has 32 bits, but NVIDIA's compiler uses only the low 16 bits
        // of an immediate count.)
        const bool is_wide_literal =
            from.is_immediate() && k == 2 && now().opcode == "mad" && now().has("wide");
        *slots[k] =
            is_wide_literal ? constant(from.bits, lane->source[k]) : source(from, lane->source[k]);
    }

    const Operand& to = operands[0];
    const ValueClass value_class = destination_class(to);
    const auto is_number = [](Width width) { return width == Width::w32 || width == Width::w64; };
    const bool narrower = to.is_register() && width_of_register(to.reg) != lane->destination &&
                          is_number(width_of_register(to.reg)) && is_number(lane->destination);
    op.d = narrower ? take_temporary(lane->destination) : destination(to, lane->destination);
    if (lane->forms && op.d.uniform == 0) {
        u32 uniform = 0;
        for (std::size_t k = 0; k < sources; ++k) uniform |= slots[k]->uniform << k;
        // These specialized handlers execute the next Op directly. They are therefore not used in a
        // prologue, where no Op follows, or for a guarded Op, which must return to the handler of
        // its guard.
        if (value_class == ValueClass::thread && !now().guard && !plain_)
            op.run = lane->forms[uniform];
    }
    if (lane->reads_carry && !carry_) carry_ = own_slots_.take_permanently(Width::predicate);
    if (lane->reads_carry)
        op.d2 = *carry_;
    else if (lane->second != Width::none)
        op.d2 = to.elements.empty() ? take_temporary(lane->second)
                                    : destination(to.elements[0], lane->second);
    emit(op, value_class);
    if (narrower) {
        const Width have = width_of_register(to.reg);
        const bool extend = is_signed(destination_type());
        emit_lane(have == Width::w64 ? (extend ? "cvt.s64.s32" : "cvt.u64.u32") : "cvt.u32.u64",
                  destination(to, have), {op.d}, value_class);
    } else {
        extend_short_result(to, value_class);
    }
    return true;
}

/// If the destination register of cvt.s8 or cvt.s16 is wider than the result, sign-extends the
/// result to the register's width.
void FunctionLowering::extend_short_result(const Operand& to, ValueClass value_class) {
    if (now().opcode != "cvt" || now().has("pack") || !to.is_register()) return;
    const Type type = destination_type();
    const u32 register_size = size_of(function_.registers[to.reg].type);
    if (!is_signed(type) || size_of(type) >= std::min(register_size, 4u)) return;
    const std::string wide = register_size == 2 ? "cvt.s16." : "cvt.s32.";
    const Slot d = slot_of_register(to.reg);
    emit_lane(wide + std::string(name_of(type)), d, {d}, value_class);
}

/// Returns the destination type of an instruction such as `cvt.d.s`. The destination type is the
/// first type in the instruction's name.
Type FunctionLowering::destination_type() const {
    for (const std::string& m : now().modifiers)
        if (const Type type = ptx::parse_type(m); type != Type::none) return type;
    return Type::none;
}

// Lowers the operations that execute/families.h describes.

bool FunctionLowering::lower_family_instruction() {
    const Description family = find_family_instruction(now(), function_);
    if (!family) return false;
    Op op{.run = family->run,
          .count = family->count,
          .detail = family->detail,
          .has_destination = false};
    if (!family->memory.empty() && family->memory[0].atomic) {
        const CombinedLanes combined = combined_lanes(function_, now());
        if (combined == CombinedLanes::all) op.detail |= kOneLaneBit;
        if (combined == CombinedLanes::same_word) op.detail |= kOncePerWordBit;
    }
    const StateSpace space = family->memory.empty() ? StateSpace::generic : family->memory[0].space;
    const bool gathers = family->warp_sync;
    const std::optional<u32> branch = gathers ? begin_guarded_region() : std::nullopt;
    for (std::size_t k = 0; k < family->operands.size() && k < now().operands.size(); ++k)
        set_family_operand(op, *family, family->operands[k], now().operands[k], space);
    for (std::size_t k = 0; k < family->memory.size(); ++k) {
        const u32 site = add_site(family->memory[k]);
        if (k == 0) op.site = site;
    }
    if (family->matrix) {
        if (!family->memory.empty()) {
            family->matrix->addresses = take_temporary(Width::w64);
            family->matrix->value = take_temporary(Width::w32);
            family->matrix->site = std::exchange(op.site, 0);
        }
        op.matrix = code_.matrix_ops.emplace_back(family->matrix).get();
    }
    if (family->list) {
        op.immediate = reinterpret_cast<i64>(family->list.get());
        code_.operand_lists.push_back(family->list);
    }
    if (gathers) {
        op.members = family->matrix ? constant(kAllLanes, Width::w32) : op.v[0];
        op.inner = op.run;
        op.run = op_warp_sync;
    }
    if (family->order_sensitive)
        kernel_code_.order_sensitive = kernel_code_.reads_other_blocks = true;
    for (const MemoryUse& use : family->memory)
        if (use.space != StateSpace::global &&
            !(use.space == StateSpace::shared && family->has_repeatable_shared_steps))
            kernel_code_.has_repeatable_shared_steps = false;
    if (family->has_side_effects && now().opcode != "red" && now().opcode != "atom" && !gathers)
        kernel_code_.has_repeatable_shared_steps =
            kernel_code_.has_repeatable_shared_steps && family->memory.empty();
    emit(op);
    end_guarded_region(branch);
    return true;
}

// Stores an operand in the field of the Op that corresponds to the operand's role. Long: the
// function has a case for each role.
void FunctionLowering::set_family_operand(Op& op, const FamilyInstruction& family,
                                          const OperandRole& role, const Operand& operand,
                                          StateSpace space) {
    switch (role.role) {
        case Role::destination:
            op.d = destination(operand, role.width);
            op.has_destination = operand.is_register();
            [[fallthrough]];
        case Role::ignored:
            if (role.pair == Role::destination2)  // `d|p`, `_|p`, or no second result
                op.d2 = operand.elements.empty()
                            ? take_temporary(role.pair_width)
                            : destination(operand.elements[0], role.pair_width);
            return;
        case Role::destination2: op.d2 = destination(operand, role.width); return;
        case Role::a: op.a = source(operand, role.width); return;
        case Role::b: op.b = source(operand, role.width); return;
        case Role::c: op.c = source(operand, role.width); return;
        case Role::v0: op.v[0] = source(operand, role.width); return;
        case Role::members: op.members = source(operand, role.width); return;
        case Role::address: {
            bool two = false;
            for (const OperandRole& other : family.operands) two |= other.role == Role::address2;
            const i64 before = op.immediate;
            address_operand(op, operand, space, false);
            if (two) op.immediate = pack_offsets(op.immediate, second_offset_of(before));
            return;
        }
        case Role::address2: {
            Op second;
            const StateSpace second_space =
                family.memory.size() > 1 ? family.memory[1].space : space;
            address_operand(second, operand, second_space, false);
            op.b = second.a;
            op.immediate = pack_offsets(first_offset(&op), second.immediate);
            return;
        }
        case Role::address_a: op.a = whole_address(operand, space); return;
        case Role::address_b: op.b = whole_address(operand, space); return;
        case Role::address_c: op.c = whole_address(operand, space); return;
        case Role::tensor: {
            Slot* const slots[] = {&op.v[0], &op.v[1], &op.v[2], &op.v[3], &op.d2};
            const std::vector<Operand>& coordinates = operand.elements.at(0).elements;
            op.b = whole_address(operand, space);
            for (std::size_t k = 0; k < coordinates.size() && k < std::size(slots); ++k)
                *slots[k] = source(coordinates[k], role.width);
            return;
        }
        case Role::vector_destination: {
            Slot* const slots[] = {&op.d, &op.d2, &op.b, &op.c};
            op.has_destination = true;
            for (std::size_t k = 0; k < operand.elements.size() && k < 4; ++k)
                *slots[k] = destination(operand.elements[k], role.width);
            return;
        }
        case Role::vector_source:
            for (std::size_t k = 0; k < operand.elements.size() && k < 4; ++k)
                op.v[k] = source(operand.elements[k], role.width);
            return;
        case Role::constant: op.immediate = static_cast<i64>(operand.bits); return;
        case Role::list_written:
        case Role::list_read: set_list_operand(*family.list, role, operand, space); return;
        case Role::fragment_d:
        case Role::fragment_a:
        case Role::fragment_b:
        case Role::fragment_c: set_fragment(*family.matrix, role, operand); return;
    }
}

void FunctionLowering::set_list_operand(OperandList& list, const OperandRole& role,
                                        const Operand& operand, StateSpace space) {
    const bool written = role.role == Role::list_written;
    const auto is_predicate = [&](const Operand& element) {
        return element.is_register() && width_of_register(element.reg) == Width::predicate;
    };
    const auto place = [&](const Operand& element) {
        const Width width = is_predicate(element) ? Width::predicate : role.width;
        if (written)
            list.written.push_back(destination(element, width));
        else
            list.read.push_back(source(element, width));
    };
    if (operand.is_address())
        list.read.push_back(whole_address(operand, space));
    else if (!operand.is_vector())
        place(operand);
    for (const Operand& element : operand.elements) {
        if (element.is_vector())
            for (const Operand& coordinate : element.elements) place(coordinate);
        else
            place(element);
    }
}

void FunctionLowering::set_fragment(MatrixOp& matrix, const OperandRole& role,
                                    const Operand& operand) {
    MatrixFragment& fragment = role.role == Role::fragment_d   ? matrix.d
                               : role.role == Role::fragment_a ? matrix.a
                               : role.role == Role::fragment_b ? matrix.b
                                                               : matrix.c;
    const bool is_vector = operand.is_vector();
    for (const Operand& element : is_vector ? operand.elements : std::vector{operand})
        fragment.slots.push_back(role.role == Role::fragment_d ? destination(element, role.width)
                                                               : source(element, role.width));
}

}  // namespace coalesce::simulator

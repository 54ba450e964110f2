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

ValueClass FunctionLowering::find_destination_class(const Operand& operand) const {
    if (!registers_.is_pure[current_index_]) return ValueClass::thread;
    if (operand.is_register()) return value_class_of_register(operand.reg);
    for (const Operand& element : operand.elements)
        if (element.is_register()) return value_class_of_register(element.reg);
    return ValueClass::thread;
}

// ---- mov ----

bool FunctionLowering::lower_move() {
    if (current_instruction().opcode == "cvta") {
        lower_address_conversion();
        return true;
    }
    if (current_instruction().opcode != "mov" || current_instruction().operands.size() != 2)
        return false;
    const Operand &to = current_instruction().operands[0],
                  &from = current_instruction().operands[1];
    const Type type = find_type(current_instruction());
    if (to.is_vector()) {
        lower_unpack(from, to.elements, type);
    } else if (from.is_vector()) {
        lower_pack(from.elements, to, type);
    } else {
        const Width width = operand_width(to);
        if (width == Width::w128) fail("a 128-bit mov is not simulated");
        const Slot value = lower_source(from, width);
        emit_lane_op(width == Width::predicate ? "mov.pred"
                     : width == Width::w64     ? "mov.b64"
                                               : "mov.b32",
                     lower_destination(to, width), {value}, find_destination_class(to));
    }
    return true;
}

/// Returns one 64-bit half of a 128-bit register, which is stored as two consecutive 64-bit
/// registers.
static Slot extract_half(Slot whole_slot, u32 half_index) {
    return {whole_slot.offset + half_index * 8 * kLanes, whole_slot.uniform};
}

/// Lowers a mov such as `mov.b64 {%r1, %r2}, %rd1`, which splits a register into parts, starting
/// with the lowest bits.
void FunctionLowering::lower_unpack(const Operand& from, const std::vector<Operand>& to,
                                    Type type) {
    if (to.empty()) fail("the vector has no elements");
    const u32 bits = 8 * size_of(type), element_bits = bits / static_cast<u32>(to.size());
    if (bits == 128 && to.size() == 2) {
        const Slot whole_slot = lower_source(from, Width::w128);
        for (u32 k = 0; k < 2; ++k)
            if (to[k].is_register())
                emit_lane_op("mov.b64", lower_destination(to[k], Width::w64),
                             {extract_half(whole_slot, k)},
                             find_destination_class(current_instruction().operands[0]));
        return;
    }
    if (bits > 64 || element_bits == 0) fail("a 128-bit mov is not simulated");
    const Width width = lane_width(type);
    const ValueClass value_class = find_destination_class(current_instruction().operands[0]);
    const Slot whole_slot = lower_source(from, width);
    for (u32 k = 0; k < to.size(); ++k) {
        if (!to[k].is_register()) continue;
        const Slot destination_slot = lower_destination(to[k], Width::w32);
        const Slot first_bit = lower_constant(k * element_bits, Width::w32),
                   bit_count = lower_constant(element_bits, Width::w32);
        if (width == Width::w32) {
            emit_lane_op("bfe.u32", destination_slot, {whole_slot, first_bit, bit_count},
                         value_class);
        } else if (element_bits == 32) {
            emit_lane_op("mov.piece.b64", destination_slot, {whole_slot, first_bit}, value_class);
        } else {
            const Slot low_word = allocate_temporary(Width::w32);
            emit_lane_op("mov.piece.b64", low_word,
                         {whole_slot, lower_constant(k * element_bits / 32 * 32, Width::w32)},
                         value_class);
            emit_lane_op("bfe.u32", destination_slot,
                         {low_word, lower_constant(k * element_bits % 32, Width::w32), bit_count},
                         value_class);
        }
    }
}

/// Lowers a mov such as `mov.b64 %rd1, {%r1, %r2}`, which combines parts into one register.
void FunctionLowering::lower_pack(const std::vector<Operand>& from, const Operand& to, Type type) {
    if (from.empty()) fail("the vector has no elements");
    const u32 bits = 8 * size_of(type), element_bits = bits / static_cast<u32>(from.size());
    const ValueClass value_class = find_destination_class(to);
    if (bits == 128 && from.size() == 2) {
        const Slot whole_slot = lower_destination(to, Width::w128);
        for (u32 k = 0; k < 2; ++k)
            emit_lane_op("mov.b64", extract_half(whole_slot, k),
                         {lower_source(from[k], Width::w64)}, value_class);
        return;
    }
    if (bits > 64 || element_bits == 0) fail("a 128-bit mov is not simulated");
    const auto join_words = [&](Slot destination_slot, Slot low, Slot high, u32 low_bits) {
        // The operands of bfi are d, high, low, position and length.
        emit_lane_op("bfi.b32", destination_slot,
                     {high, low, lower_constant(low_bits, Width::w32),
                      lower_constant(32 - low_bits, Width::w32)},
                     value_class);
    };
    std::vector<Slot> words;
    const u32 elements_per_word = element_bits >= 32 ? 1 : 32 / element_bits;
    for (u32 first_element = 0; first_element < from.size(); first_element += elements_per_word) {
        Slot word = lower_source(from[first_element], Width::w32);
        for (u32 k = 1; k < elements_per_word && first_element + k < from.size(); ++k) {
            const bool is_last = bits == 32 && first_element + k + 1 == from.size();
            const Slot joined_word =
                is_last ? lower_destination(to, Width::w32) : allocate_temporary(Width::w32);
            join_words(joined_word, word, lower_source(from[first_element + k], Width::w32),
                       k * element_bits);
            word = joined_word;
        }
        words.push_back(word);
    }
    if (bits == 64)
        emit_lane_op("mov.pair.b64", lower_destination(to, Width::w64), {words.at(0), words.at(1)},
                     value_class);
    else if (from.size() == 1)
        emit_lane_op("mov.b32", lower_destination(to, Width::w32), {words[0]}, value_class);
    else if (bits != 32)
        fail("a mov that packs or unpacks elements of this size is not simulated");
}

// ---- cvta ----

/// Lowers cvta. In global and constant memory, the generic address equals the address in the state
/// space. Shared, local and parameter memory have windows in the generic address space.
void FunctionLowering::lower_address_conversion() {
    const Operand &to = current_instruction().operands.at(0),
                  &from = current_instruction().operands.at(1);
    u64 window_begin = 0;
    if (current_instruction().has("shared") || current_instruction().has("shared::cta") ||
        current_instruction().has("shared::cluster"))
        window_begin = shared_window();
    const bool is_local = current_instruction().has("local");
    if (current_instruction().has("param") || current_instruction().has("param::entry"))
        window_begin = param_window();
    const Width width = operand_width(to);
    if (width != Width::w32 && width != Width::w64) fail("an address has 32 or 64 bits");
    const Slot value = lower_source(from, width);
    const ValueClass value_class = find_destination_class(to);
    if (is_local && width == Width::w64)
        emit_lane_op(current_instruction().has("to") ? "and.b64" : "add.s64",
                     lower_destination(to, width),
                     {value, current_instruction().has("to")
                                 ? lower_constant(kLocalBytesPerThread - 1, width)
                                 : lower_special_register(kLocalWindowRegister, width)},
                     value_class);
    else if (window_begin == 0 || width != Width::w64)
        emit_lane_op(width == Width::w64 ? "mov.b64" : "mov.b32", lower_destination(to, width),
                     {value}, value_class);
    else
        emit_lane_op(current_instruction().has("to") ? "sub.s64" : "add.s64",
                     lower_destination(to, width), {value, lower_constant(window_begin, width)},
                     value_class);
}

// ---- lane-wise ----

bool FunctionLowering::lower_lane_instruction() {
    const LaneInstruction* entry =
        find_lane_instruction(current_instruction().opcode, current_instruction().modifiers);
    if (!entry) return false;
    auto operands = current_instruction().operands;
    Op op{.run = entry->run, .immediate = entry->constant};
    if (entry->has_immediate) {
        constexpr std::size_t kImmediateIndex = 4;
        if (operands.size() <= kImmediateIndex) fail("the number of operands is wrong");
        op.immediate = static_cast<i64>(operands[kImmediateIndex].bits);
        operands.erase(operands.begin() + kImmediateIndex);
    }
    std::size_t source_count = 0;
    while (source_count < entry->source_widths.size() &&
           entry->source_widths[source_count] != Width::none)
        ++source_count;
    if (operands.size() != source_count + 1) fail("the number of operands is wrong");
    Slot* const slots[] = {&op.a, &op.b, &op.c, &op.v[0]};
    for (std::size_t k = 0; k < source_count; ++k) {
        const Operand& from = operands[k + 1];
        // The addend of mad.wide has 32 bits, although the type of the instruction has 16. (The
        // shift count of shl.b16 also has 32 bits, but NVIDIA's compiler uses only the low 16 bits
        // of an immediate count.)
        const bool is_wide_literal = from.is_immediate() && k == 2 &&
                                     current_instruction().opcode == "mad" &&
                                     current_instruction().has("wide");
        *slots[k] = is_wide_literal ? lower_constant(from.bits, entry->source_widths[k])
                                    : lower_source(from, entry->source_widths[k]);
    }

    const Operand& to = operands[0];
    const ValueClass value_class = find_destination_class(to);
    const auto is_number = [](Width width) { return width == Width::w32 || width == Width::w64; };
    const bool is_narrowing =
        to.is_register() && register_width(to.reg) != entry->destination_width &&
        is_number(register_width(to.reg)) && is_number(entry->destination_width);
    op.d = is_narrowing ? allocate_temporary(entry->destination_width)
                        : lower_destination(to, entry->destination_width);
    if (entry->form_handlers && op.d.uniform == 0) {
        u32 uniform = 0;
        for (std::size_t k = 0; k < source_count; ++k) uniform |= slots[k]->uniform << k;
        // These handlers execute the next Op directly. They are not used in a prologue, where no Op
        // follows, or for a guarded Op, which must return to the handler of its guard.
        if (value_class == ValueClass::thread && !current_instruction().guard && !is_plain_)
            op.run = entry->form_handlers[uniform];
    }
    if (entry->uses_carry && !carry_slot_)
        carry_slot_ = own_slots_.allocate_permanently(Width::predicate);
    if (entry->uses_carry)
        op.d2 = *carry_slot_;
    else if (entry->second_width != Width::none)
        op.d2 = to.elements.empty() ? allocate_temporary(entry->second_width)
                                    : lower_destination(to.elements[0], entry->second_width);
    emit(op, value_class);
    if (is_narrowing) {
        const Width destination_width = register_width(to.reg);
        const bool is_sign_extended = is_signed(find_destination_type());
        emit_lane_op(destination_width == Width::w64
                         ? (is_sign_extended ? "cvt.s64.s32" : "cvt.u64.u32")
                         : "cvt.u32.u64",
                     lower_destination(to, destination_width), {op.d}, value_class);
    } else {
        extend_short_result(to, value_class);
    }
    return true;
}

/// If the destination register of cvt.s8 or cvt.s16 is wider than the result, sign-extends the
/// result to the register's width.
void FunctionLowering::extend_short_result(const Operand& to, ValueClass value_class) {
    if (current_instruction().opcode != "cvt" || current_instruction().has("pack") ||
        !to.is_register())
        return;
    const Type type = find_destination_type();
    const u32 register_size = size_of(function_.registers[to.reg].type);
    if (!is_signed(type) || size_of(type) >= std::min(register_size, 4u)) return;
    const std::string conversion = register_size == 2 ? "cvt.s16." : "cvt.s32.";
    const Slot destination_slot = find_register_slot(to.reg);
    emit_lane_op(conversion + std::string(name_of(type)), destination_slot, {destination_slot},
                 value_class);
}

/// Returns the destination type of an instruction such as `cvt.d.s`. The destination type is the
/// first type in the instruction's name.
Type FunctionLowering::find_destination_type() const {
    for (const std::string& m : current_instruction().modifiers)
        if (const Type type = ptx::parse_type(m); type != Type::none) return type;
    return Type::none;
}

// Lowers the operations that execute/families.h describes.

bool FunctionLowering::lower_family_instruction() {
    const Description family_instruction =
        find_family_instruction(current_instruction(), function_);
    if (!family_instruction) return false;
    Op op{.run = family_instruction->run,
          .count = family_instruction->count,
          .detail = family_instruction->detail,
          .has_destination = false};
    if (!family_instruction->memory_uses.empty() && family_instruction->memory_uses[0].is_atomic) {
        const CombinedLanes combined_lanes_kind =
            find_combined_lanes(function_, current_instruction());
        if (combined_lanes_kind == CombinedLanes::all) op.detail |= kOneLaneBit;
        if (combined_lanes_kind == CombinedLanes::same_word) op.detail |= kOncePerWordBit;
    }
    const StateSpace space = family_instruction->memory_uses.empty()
                                 ? StateSpace::generic
                                 : family_instruction->memory_uses[0].space;
    const bool needs_warp_sync = family_instruction->is_warp_sync;
    const std::optional<u32> branch = needs_warp_sync ? begin_guarded_region() : std::nullopt;
    for (std::size_t k = 0;
         k < family_instruction->operands.size() && k < current_instruction().operands.size(); ++k)
        set_family_operand(op, *family_instruction, family_instruction->operands[k],
                           current_instruction().operands[k], space);
    for (std::size_t k = 0; k < family_instruction->memory_uses.size(); ++k) {
        const u32 site = add_site(family_instruction->memory_uses[k]);
        if (k == 0) op.site = site;
    }
    if (family_instruction->matrix) {
        if (!family_instruction->memory_uses.empty()) {
            family_instruction->matrix->address_slot = allocate_temporary(Width::w64);
            family_instruction->matrix->value_slot = allocate_temporary(Width::w32);
            family_instruction->matrix->site = std::exchange(op.site, 0);
        }
        op.matrix = code_.matrix_ops.emplace_back(family_instruction->matrix).get();
    }
    if (family_instruction->list) {
        op.immediate = reinterpret_cast<i64>(family_instruction->list.get());
        code_.operand_lists.push_back(family_instruction->list);
    }
    if (needs_warp_sync) {
        op.members = family_instruction->matrix ? lower_constant(kAllLanes, Width::w32) : op.v[0];
        op.guarded_handler = op.run;
        op.run = op_warp_sync;
    }
    if (family_instruction->is_order_sensitive)
        kernel_code_.is_order_sensitive = kernel_code_.reads_other_blocks = true;
    for (const MemoryUse& use : family_instruction->memory_uses)
        if (use.space != StateSpace::global &&
            !(use.space == StateSpace::shared && family_instruction->has_repeatable_shared_steps))
            kernel_code_.has_repeatable_shared_steps = false;
    if (family_instruction->has_side_effects && current_instruction().opcode != "red" &&
        current_instruction().opcode != "atom" && !needs_warp_sync)
        kernel_code_.has_repeatable_shared_steps =
            kernel_code_.has_repeatable_shared_steps && family_instruction->memory_uses.empty();
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
            op.d = lower_destination(operand, role.width);
            op.has_destination = operand.is_register();
            [[fallthrough]];
        case Role::ignored:
            if (role.pair_role == Role::destination2)  // `d|p`, `_|p`, or no second result
                op.d2 = operand.elements.empty()
                            ? allocate_temporary(role.pair_width)
                            : lower_destination(operand.elements[0], role.pair_width);
            return;
        case Role::destination2: op.d2 = lower_destination(operand, role.width); return;
        case Role::a: op.a = lower_source(operand, role.width); return;
        case Role::b: op.b = lower_source(operand, role.width); return;
        case Role::c: op.c = lower_source(operand, role.width); return;
        case Role::v0: op.v[0] = lower_source(operand, role.width); return;
        case Role::members: op.members = lower_source(operand, role.width); return;
        case Role::address: {
            bool has_two_addresses = false;
            for (const OperandRole& other : family.operands)
                has_two_addresses |= other.role == Role::address2;
            const i64 previous_offsets = op.immediate;
            lower_address(op, operand, space, false);
            if (has_two_addresses)
                op.immediate = pack_offsets(op.immediate, extract_second_offset(previous_offsets));
            return;
        }
        case Role::address2: {
            Op second_op;
            const StateSpace second_space =
                family.memory_uses.size() > 1 ? family.memory_uses[1].space : space;
            lower_address(second_op, operand, second_space, false);
            op.b = second_op.a;
            op.immediate = pack_offsets(first_offset(&op), second_op.immediate);
            return;
        }
        case Role::address_a: op.a = lower_complete_address(operand, space); return;
        case Role::address_b: op.b = lower_complete_address(operand, space); return;
        case Role::address_c: op.c = lower_complete_address(operand, space); return;
        case Role::tensor: {
            Slot* const slots[] = {&op.v[0], &op.v[1], &op.v[2], &op.v[3], &op.d2};
            const std::vector<Operand>& coordinates = operand.elements.at(0).elements;
            op.b = lower_complete_address(operand, space);
            for (std::size_t k = 0; k < coordinates.size() && k < std::size(slots); ++k)
                *slots[k] = lower_source(coordinates[k], role.width);
            return;
        }
        case Role::vector_destination: {
            Slot* const slots[] = {&op.d, &op.d2, &op.b, &op.c};
            op.has_destination = true;
            for (std::size_t k = 0; k < operand.elements.size() && k < 4; ++k)
                *slots[k] = lower_destination(operand.elements[k], role.width);
            return;
        }
        case Role::vector_source:
            for (std::size_t k = 0; k < operand.elements.size() && k < 4; ++k)
                op.v[k] = lower_source(operand.elements[k], role.width);
            return;
        case Role::constant: op.immediate = static_cast<i64>(operand.bits); return;
        case Role::list_written:
        case Role::list_read: set_list_operand(*family.list, role, operand, space); return;
        case Role::fragment_d:
        case Role::fragment_a:
        case Role::fragment_b:
        case Role::fragment_c: set_fragment_operand(*family.matrix, role, operand); return;
    }
}

void FunctionLowering::set_list_operand(OperandList& list, const OperandRole& role,
                                        const Operand& operand, StateSpace space) {
    const bool is_written = role.role == Role::list_written;
    const auto is_predicate = [&](const Operand& element) {
        return element.is_register() && register_width(element.reg) == Width::predicate;
    };
    const auto add_operand = [&](const Operand& element) {
        const Width width = is_predicate(element) ? Width::predicate : role.width;
        if (is_written)
            list.written_slots.push_back(lower_destination(element, width));
        else
            list.read_slots.push_back(lower_source(element, width));
    };
    if (operand.is_address())
        list.read_slots.push_back(lower_complete_address(operand, space));
    else if (!operand.is_vector())
        add_operand(operand);
    for (const Operand& element : operand.elements) {
        if (element.is_vector())
            for (const Operand& coordinate : element.elements) add_operand(coordinate);
        else
            add_operand(element);
    }
}

void FunctionLowering::set_fragment_operand(MatrixOp& matrix, const OperandRole& role,
                                            const Operand& operand) {
    MatrixFragment& fragment = role.role == Role::fragment_d   ? matrix.d
                               : role.role == Role::fragment_a ? matrix.a
                               : role.role == Role::fragment_b ? matrix.b
                                                               : matrix.c;
    const bool is_vector = operand.is_vector();
    for (const Operand& element : is_vector ? operand.elements : std::vector{operand})
        fragment.slots.push_back(role.role == Role::fragment_d
                                     ? lower_destination(element, role.width)
                                     : lower_source(element, role.width));
}

}  // namespace coalesce::simulator

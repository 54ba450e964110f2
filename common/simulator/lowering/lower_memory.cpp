// Lowers ld and st in every state space, and the parameters of kernels and of device functions.
#include <algorithm>

#include "simulator/analysis/register_use.h"
#include "simulator/execute/memory_handlers.h"
#include "simulator/lowering/lowering.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

using ptx::Operand;
using ptx::StateSpace;
using ptx::Type;

namespace {

u8 find_strength_bits(const ptx::Instruction& i) {
    const bool is_strong = i.has("volatile") || i.has("relaxed") || i.has("acquire") ||
                           i.has("release") || i.has("mmio");
    if (!is_strong) return 0;
    return kStrong | (i.opcode == "ld" ? kAcquires : 0) | (i.has("release") ? kReleases : 0);
}

}  // namespace

/// Finds the first read of a compare-and-swap loop, such as `old = *p; do { assumed = old; old =
/// atomicCAS(p, assumed, f(assumed)); } while (old != assumed);`. This read may return any value,
/// even one torn by concurrent writes, because the compare-and-swap verifies the value. This loop
/// is taught everywhere, so its plain read is treated as a synchronizing access and not as a race.
void FunctionLowering::find_first_reads_of_cas_loops() {
    is_first_read_of_cas_loop_.assign(function_.body.size(), false);
    std::vector<bool> is_compared(function_.registers.size(), false);
    std::set<u32> addresses;
    for (const ptx::Instruction& i : function_.body) {
        if (i.opcode != "atom" || !i.has("cas") || i.operands.size() < 4) continue;
        if (i.operands[1].has_base_register) addresses.insert(registers_.root[i.operands[1].reg]);
        if (i.operands[2].is_register()) is_compared[i.operands[2].reg] = true;
    }
    if (addresses.empty()) return;
    // Also include the registers from which a compared value was copied.
    repeat_until_stable(function_, [&](const ptx::Instruction& i) {
        return i.opcode == "mov" && contains_any_register(is_compared, list_written_registers(i)) &&
               add_registers(is_compared, list_read_registers(i));
    });
    for (std::size_t at = 0; at < function_.body.size(); ++at) {
        const ptx::Instruction& i = function_.body[at];
        if (i.opcode != "ld" || i.operands.size() < 2 ||
            !contains_any_register(is_compared, list_written_registers(i)))
            continue;
        const Operand& address = i.operands[1];
        is_first_read_of_cas_loop_[at] =
            address.has_base_register && addresses.contains(registers_.root[address.reg]);
    }
}

u32 FunctionLowering::add_site(const MemoryUse& use) {
    Site site{use, {}, current_index_, &function_, current_instruction().where};
    if (const auto merged_access = merged_accesses_.find(current_index_);
        merged_access != merged_accesses_.end())
        site.machine_accesses = merged_access->second;
    site.has_block_scope = current_instruction().has("cta");
    kernel_.sites.push_back(std::move(site));
    return static_cast<u32>(kernel_.sites.size() - 1);
}

bool FunctionLowering::lower_address(Op& op, const Operand& address, StateSpace space,
                                     bool allows_narrow) {
    if (!address.is_address()) fail("expected an address in [ ]");
    op.immediate = address.offset;
    if (address.has_base_register) {
        const Slot base_slot = find_register_slot(address.reg);
        const Width width = register_width(address.reg);
        const bool is_narrow = width == Width::w32;
        if (!is_narrow && width != Width::w64) fail("an address has 32 or 64 bits");
        if (is_narrow && allows_narrow && space == StateSpace::shared) {
            op.a = base_slot;
            return true;
        }
        op.a = convert_slot(base_slot, is_narrow ? Width::w32 : Width::w64, Width::w64);
        return false;
    }
    if (address.name.empty()) {
        op.a = lower_constant(0, Width::w64);
        return false;
    }
    const bool is_narrow = allows_narrow && space == StateSpace::shared;
    op.a = lower_symbol(address.name, 0, is_narrow ? Width::w32 : Width::w64);
    return is_narrow;
}

Slot FunctionLowering::lower_complete_address(const Operand& address, StateSpace space) {
    Op base_op;
    lower_address(base_op, address, space, false);
    if (base_op.immediate == 0) return base_op.a;
    const Slot sum = allocate_temporary(Width::w64);
    emit_lane_op("add.s64", sum,
                 {base_op.a, lower_constant(static_cast<u64>(base_op.immediate), Width::w64)},
                 current_value_class_);
    return sum;
}

/// Returns the slots from which a store reads its elements, or into which a load writes its
/// elements before extending them.
std::vector<Slot> FunctionLowering::find_element_slots(const std::vector<Operand>& elements,
                                                       Width width, bool store) {
    std::vector<Slot> slots;
    for (const Operand& element : elements) {
        const bool is_direct =
            !store && element.is_register() && register_width(element.reg) == width;
        slots.push_back(store       ? lower_source(element, width)
                        : is_direct ? find_register_slot(element.reg)
                                    : allocate_temporary(width));
    }
    return slots;
}

void FunctionLowering::lower_load_store() {
    const Instruction& instruction = current_instruction();
    const bool store = instruction.opcode == "st";
    StateSpace space = access_space(instruction);
    const Operand& address = instruction.operands.at(store ? 0 : 1);
    const Operand& value = instruction.operands.at(store ? 1 : 0);
    const std::vector<Operand> elements = value.is_vector() ? value.elements : std::vector{value};
    const Type type = find_type(instruction);
    if (type == Type::none || elements.size() != vector_length(instruction))
        fail("the number of elements does not match the type");
    const bool is_in_local_memory =
        space == StateSpace::param && local_offsets_.contains(address.name);
    if (space == StateSpace::param && !is_in_local_memory) {
        const bool is_kernel_parameter = is_kernel_ && !parameter_offsets_.contains(address.name);
        if (is_kernel_parameter && !store)
            lower_kernel_parameter(address, elements, type);
        else
            lower_parameter_access(store, elements, type);
        return;
    }

    if (is_in_local_memory) space = StateSpace::local;
    MemoryAccessKind kind{.space = space,
                          .is_store = store,
                          .bytes = size_of(type),
                          .count = static_cast<u32>(elements.size())};
    if (kind.bytes == 16) fail("128-bit registers are not simulated");
    kind.is_plain = is_plain_ && !kernel_code_.is_recorded;
    kind.has_clusters = kernel_code_.is_clustered;
    kind.is_own_block = !instruction.has("shared::cluster");
    Op op;
    const bool is_narrow = lower_address(op, address, space, true);
    const bool is_address_stable =
        !address.has_base_register ||
        value_class_of_register(address.reg) == ValueClass::warp_position ||
        value_class_of_register(address.reg) == ValueClass::launch;
    op.detail = find_strength_bits(instruction) |
                (is_first_read_of_cas_loop_[current_index_] ? kStrong | kAcquires : 0) |
                (is_address_stable ? kStableAddress : 0) | (is_narrow ? kNarrowAddress : 0) |
                (merged_accesses_.contains(current_index_) ? kCountsMachineAccesses : 0) |
                (instruction.has("nc") ? kReadOnlyPath : 0);
    kind.is_strong = (op.detail & kStrong) != 0;
    if (kind.is_strong) {
        kernel_code_.is_order_sensitive |= !store;
        kernel_code_.reads_other_blocks |=
            !store && !(space == StateSpace::shared && kind.is_own_block);
        kernel_code_.has_repeatable_shared_steps = false;
    }
    if (space == StateSpace::generic) {
        kernel_code_.has_repeatable_shared_steps = false;
        op.b = allocate_temporary(Width::w64);
    }
    const Width width = kind.bytes == 8 ? Width::w64 : Width::w32;
    const std::vector<Slot> slots = find_element_slots(elements, width, store);
    for (std::size_t k = 0; k < slots.size() && k < 4; ++k) op.v[k] = slots[k];
    op.run = memory_handler(kind);
    if (!op.run) fail("an access of this size is not supported");
    op.load_bit = load_waits_.load_bit[current_index_];
    op.site = add_site({.space = space,
                        .is_load = !store,
                        .is_store = store,
                        .bytes_per_lane = kind.bytes * kind.count});
    emit(op);
    if (!store) extend_loaded(elements, type, slots);
}

/// Extends loaded elements to the width of their registers. A load already zero-extends to 32 bits,
/// so only signed elements and elements in 64-bit registers need more.
void FunctionLowering::extend_loaded(const std::vector<Operand>& elements, Type type,
                                     const std::vector<Slot>& loaded_slots) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
        if (!elements[k].is_register() || register_width(elements[k].reg) == Width::predicate)
            continue;
        const Slot destination_slot = find_register_slot(elements[k].reg);
        const bool needs_sign_extension = is_signed(type) && size_of(type) < 4;
        const bool is_in_place = destination_slot.offset == loaded_slots[k].offset &&
                                 destination_slot.uniform == loaded_slots[k].uniform;
        if (is_in_place && !needs_sign_extension) continue;
        const bool is_wide = register_width(elements[k].reg) == Width::w64;
        if (!is_in_place && (size_of(type) == 8 || !is_wide))
            fail("the register is narrower than the loaded value");
        const std::string source_type =
            is_signed(type) ? ".s" + std::to_string(8 * size_of(type)) : ".u32";
        emit_lane_op((is_signed(type) ? "cvt.s" : "cvt.u") + std::string(is_wide ? "64" : "32") +
                         source_type,
                     destination_slot, {loaded_slots[k]}, ValueClass::thread);
    }
}

/// Lowers ld.param in a kernel. The loaded value is the same for the whole launch.
void FunctionLowering::lower_kernel_parameter(const Operand& address,
                                              const std::vector<Operand>& elements, Type type) {
    const ValueClass value_class = find_destination_class(current_instruction().operands[0]);
    if (size_of(type) > 8) fail("a parameter of this size is not supported");
    Op op{.run = op_load_kernel_parameter, .count = static_cast<u8>(size_of(type))};
    i64 offset = address.offset;
    if (address.has_base_register) {
        op.a =
            convert_slot(find_register_slot(address.reg), register_width(address.reg), Width::w64);
    } else {
        const std::optional<u64> parameter_offset = find_symbol_address(address.name);
        if (!parameter_offset) fail("unknown parameter " + address.name);
        offset += static_cast<i64>(*parameter_offset);
        op.a = lower_constant(0, Width::w64);
    }
    for (std::size_t k = 0; k < elements.size(); ++k) {
        if (!elements[k].is_register()) continue;
        const Width width = register_width(elements[k].reg);
        op.detail =
            (is_signed(type) ? kSignedParameter : 0) | (width == Width::w64 ? kWideRegister : 0);
        op.d = lower_destination(elements[k], width);
        op.immediate = offset + static_cast<i64>(k) * size_of(type);
        emit(op, value_class);
    }
}

/// Lowers accesses to the parameters and results of device functions. The frame's parameter memory
/// contains a copy of them for each lane.
void FunctionLowering::lower_parameter_access(bool store, const std::vector<Operand>& elements,
                                              Type type) {
    const Operand& address = current_instruction().operands.at(store ? 0 : 1);
    const auto parameter_offset = parameter_offsets_.find(address.name);
    if (parameter_offset == parameter_offsets_.end()) fail("unknown parameter " + address.name);
    const u32 bytes = size_of(type);
    const Width width = bytes == 8 ? Width::w64 : Width::w32;
    const i64 end = i64{parameter_offset->second} + static_cast<i64>(elements.size() * bytes);
    if (address.offset < -i64{parameter_offset->second} ||
        address.offset > i64{code_.parameter_bytes} - end)
        fail("the access lies outside the parameter");
    for (std::size_t k = 0; k < elements.size(); ++k) {
        if (elements[k].is_sink()) continue;
        Op op{.run = parameter_handler(store, bytes),
              .immediate = parameter_offset->second + address.offset + static_cast<i64>(k * bytes)};
        if (!op.run) fail("a parameter of this size is not supported");
        op.v[0] = store                                 ? lower_source(elements[k], width)
                  : operand_width(elements[k]) == width ? find_register_slot(elements[k].reg)
                                                        : allocate_temporary(width);
        emit(op);
        if (!store) extend_loaded({elements[k]}, type, {op.v[0]});
    }
}

}  // namespace coalesce::simulator

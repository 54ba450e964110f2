// Converts registers, immediates and symbols to slots.
#include <bit>

#include "simulator/execute/cluster.h"
#include "simulator/execute/special_registers.h"
#include "simulator/lowering/lowering.h"
#include "simulator/memory/device_memory.h"
#include "simulator/ptx/instruction_parts.h"

namespace coalesce::simulator {

using ptx::Operand;
using ptx::StateSpace;

Slot UniformFile::allocate(Width width) {
    const Slot slot{end_offset_, kUniformFile};
    end_offset_ += slot_bytes(width);
    return slot;
}

Slot UniformFile::lower_constant(u64 bits, Width width,
                                 std::vector<Kernel::Code::Constant>& constants) {
    const auto [entry, is_new] = constant_slots_.try_emplace({bits, width});
    if (is_new) {
        entry->second = allocate(width);
        const u32 bytes = width == Width::w64 ? 8 : width == Width::w32 ? 4 : 0;
        constants.push_back({entry->second, bits, bytes});
    }
    return entry->second;
}

Width FunctionLowering::register_width(u32 reg) const {
    return lane_width(function_.registers[reg].type);
}

Width FunctionLowering::operand_width(const Operand& operand) const {
    if (!operand.is_register()) fail("expected a register");
    return register_width(operand.reg);
}

/// Returns the slot of a register. The slot is allocated at the start of the register's lifetime,
/// or at its first mention.
Slot FunctionLowering::find_register_slot(u32 reg) {
    const u32 root = registers_.root[reg];
    std::optional<Slot>& slot = register_slots_[root];
    if (slot) return *slot;
    const Width width = register_width(root);
    switch (registers_.value_class[root]) {
        case ValueClass::launch:
        case ValueClass::block: slot = uniform_file_.allocate(width); break;
        case ValueClass::warp_position: slot = own_slots_.allocate_permanently(width); break;
        case ValueClass::thread:
            slot = own_slots_.allocate(width);
            code_.placed_registers.push_back({root, slot->offset, slot_bytes(width)});
            expiring_registers_.emplace(std::max(lifetimes_[root].end, current_index_), root);
            break;
    }
    return *slot;
}

/// Frees the slots of registers that are dead at instruction `at`.
void FunctionLowering::free_expired_slots(u32 at) {
    while (!expiring_registers_.empty() && expiring_registers_.begin()->first < at) {
        const u32 root = expiring_registers_.begin()->second;
        own_slots_.release(*register_slots_[root], register_width(root));
        register_slots_[root].reset();
        expiring_registers_.erase(expiring_registers_.begin());
    }
    for (const auto& [slot, width] : temporary_slots_) own_slots_.release(slot, width);
    temporary_slots_.clear();
}

/// Allocates the slots of registers whose lifetimes begin at `at`. If a later branch leads back to
/// `at`, a register may be live long before its first mention in the text. No other register may
/// use its slot from `at` onwards.
void FunctionLowering::allocate_starting_slots(u32 at) {
    const auto [first, last] = starting_registers_.equal_range(at);
    for (auto register_entry = first; register_entry != last; ++register_entry) {
        if (registers_.value_class[register_entry->second] == ValueClass::thread)
            find_register_slot(register_entry->second);
    }
}

/// Returns a temporary slot. The slot is freed after the current instruction, unless the
/// instruction runs in a prologue.
Slot FunctionLowering::allocate_temporary(Width width) {
    if (current_value_class_ == ValueClass::launch || current_value_class_ == ValueClass::block)
        return uniform_file_.allocate(width);
    if (current_value_class_ == ValueClass::warp_position)
        return own_slots_.allocate_permanently(width);
    const Slot slot = own_slots_.allocate(width);
    temporary_slots_.emplace_back(slot, width);
    return slot;
}

Slot FunctionLowering::lower_constant(u64 bits, Width width) {
    if (width == Width::w32) bits &= 0xffffffffu;
    if (width == Width::predicate) bits = bits ? kAllLanes : 0;
    return uniform_file_.lower_constant(bits, width, kernel_code_.constants);
}

u64 FunctionLowering::immediate_bits(const Operand& operand, Width width) const {
    if (operand.kind == Operand::Kind::f64_bits && width == Width::w32)
        return std::bit_cast<u32>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    if (operand.kind == Operand::Kind::f32_bits && width == Width::w64)
        return std::bit_cast<u64>(
            static_cast<double>(std::bit_cast<float>(static_cast<u32>(operand.bits))));
    if (width == Width::w32 && size_of(find_type(current_instruction())) == 2 &&
        operand.is_immediate())
        return operand.bits & 0xffff;
    return operand.bits;
}

Slot FunctionLowering::lower_source(const Operand& operand, Width width) {
    switch (operand.kind) {
        case Operand::Kind::reg: {
            const Slot slot =
                convert_slot(find_register_slot(operand.reg), register_width(operand.reg), width);
            if (!operand.is_negated) return slot;
            const Slot negated_slot = allocate_temporary(width);
            emit_lane_op(width == Width::predicate ? "not.pred"
                         : width == Width::w64     ? "neg.s64"
                                                   : "neg.s32",
                         negated_slot, {slot}, current_value_class_);
            return negated_slot;
        }
        case Operand::Kind::special: return lower_special_register(operand.name, width);
        case Operand::Kind::immediate:
        case Operand::Kind::f32_bits:
        case Operand::Kind::f64_bits: return lower_constant(immediate_bits(operand, width), width);
        case Operand::Kind::symbol: return lower_symbol(operand.name, operand.offset, width);
        case Operand::Kind::sink: return lower_constant(0, width);
        case Operand::Kind::address:
        case Operand::Kind::vector: break;
    }
    fail("an operand of this kind is not allowed here");
}

Slot FunctionLowering::lower_destination(const Operand& operand, Width width) {
    if (operand.is_sink()) return allocate_temporary(width);
    if (!operand.is_register()) fail("the destination is not a register");
    const Width actual_width = register_width(operand.reg);
    if (actual_width != width)
        fail("the width of the destination register differs from that of the instruction");
    return find_register_slot(operand.reg);
}

Slot FunctionLowering::convert_slot(Slot source_slot, Width actual_width, Width wanted_width) {
    if (actual_width == wanted_width) return source_slot;
    if (actual_width == Width::predicate || wanted_width == Width::predicate)
        fail("expected a number, not a predicate");
    if (actual_width == Width::w128 || wanted_width == Width::w128)
        fail("a 128-bit register is not allowed here");
    const Slot converted_slot = allocate_temporary(wanted_width);
    emit_lane_op(wanted_width == Width::w64 ? "cvt.u64.u32" : "cvt.u32.u64", converted_slot,
                 {source_slot}, current_value_class_);
    return converted_slot;
}

Slot FunctionLowering::lower_special_register(const std::string& name, Width width) {
    const SpecialRegister* special_register = find_special_register(name);
    if (!special_register) fail("unknown special register " + name);
    kernel_code_.uses_reserved_shared |= special_register->is_in_reserved_shared;
    if (special_register->scope == ValueScope::every_read || !is_kernel_ || is_plain_) {
        const Slot slot = allocate_temporary(special_register->width);
        emit({.run = run_read_special_register,
              .d = slot,
              .immediate = reinterpret_cast<i64>(special_register)});
        if (special_register->is_order_sensitive()) kernel_code_.is_order_sensitive = true;
        return convert_slot(slot, special_register->width, width);
    }
    const auto [entry, is_new] = special_slots_.try_emplace(name);
    if (is_new) {
        auto& special_slots =
            special_register->scope == ValueScope::launch  ? kernel_code_.launch_special_slots
            : special_register->scope == ValueScope::block ? kernel_code_.block_special_slots
                                                           : kernel_code_.position_special_slots;
        entry->second = special_register->scope == ValueScope::thread
                            ? own_slots_.allocate_permanently(special_register->width)
                            : uniform_file_.allocate(special_register->width);
        special_slots.push_back({special_register, entry->second});
    }
    return convert_slot(entry->second, special_register->width, width);
}

std::optional<u64> FunctionLowering::find_symbol_address(const std::string& name) {
    for (std::size_t k = 0; is_kernel_ && k < function_.parameters.size(); ++k)
        if (function_.parameters[k].name == name) return kernel_.parameter_offsets[k];
    const auto local_entry = local_offsets_.find(name);
    if (local_entry != local_offsets_.end()) return local_entry->second;
    const auto shared_entry = kernel_.shared_offsets.find(name);
    if (shared_entry != kernel_.shared_offsets.end()) return shared_entry->second;
    const auto address_entry = kernel_.module->variable_addresses.find(name);
    if (address_entry != kernel_.module->variable_addresses.end()) return address_entry->second;
    const std::optional<u64> function = find_function_address(*kernel_.module->ast, name);
    if (function) used_functions_.insert(name);
    return function;
}

std::optional<u64> find_function_address(const ptx::Module& module, const std::string& name) {
    const auto found = module.functions.find(name);
    if (found == module.functions.end()) return std::nullopt;
    return function_window() +
           16 * static_cast<u64>(std::distance(module.functions.begin(), found));
}

Slot FunctionLowering::lower_shared_address(i64 offset, Width width) {
    const auto [entry, is_new] = shared_address_slots_.try_emplace({offset, width});
    if (is_new) {
        entry->second = uniform_file_.allocate(width);
        emit({.run = width == Width::w64 ? op_shared_address_64 : op_shared_address_32,
              .d = entry->second,
              .immediate = offset},
             ValueClass::block);
    }
    return entry->second;
}

/// Returns a slot that holds the value of a symbol, which is an address in the symbol's state
/// space.
Slot FunctionLowering::lower_symbol(const std::string& name, i64 offset, Width width) {
    if (name == "WARP_SZ") return lower_constant(kLanes, width);
    const std::optional<u64> address = find_symbol_address(name);
    if (!address) fail("unknown name " + name);
    if (kernel_code_.is_clustered && kernel_.shared_offsets.contains(name))
        return lower_shared_address(static_cast<i64>(*address) + offset, width);
    const bool is_in_frame = !is_kernel_ && local_offsets_.contains(name);
    if (!is_in_frame) return lower_constant(*address + static_cast<u64>(offset), width);
    // The address of a local variable in a device function depends on the stack, so compute it at
    // run time.
    const Slot slot = allocate_temporary(Width::w64);
    emit({.run = op_frame_address, .d = slot, .immediate = static_cast<i64>(*address) + offset});
    return convert_slot(slot, Width::w64, width);
}

}  // namespace coalesce::simulator

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

Slot UniformFile::take(Width width) {
    const Slot slot{top_, kUniformFile};
    top_ += bytes_of(width);
    return slot;
}

Slot UniformFile::constant(u64 bits, Width width, std::vector<Kernel::Code::Constant>& constants) {
    const auto [entry, is_new] = constants_.try_emplace({bits, width});
    if (is_new) {
        entry->second = take(width);
        const u32 bytes = width == Width::w64 ? 8 : width == Width::w32 ? 4 : 0;
        constants.push_back({entry->second, bits, bytes});
    }
    return entry->second;
}

Width FunctionLowering::width_of_register(u32 reg) const {
    return width_of_type(function_.registers[reg].type);
}

Width FunctionLowering::width_of(const Operand& operand) const {
    if (!operand.is_register()) fail("expected a register");
    return width_of_register(operand.reg);
}

/// Returns the slot of a register. The slot is allocated at the start of the register's lifetime,
/// or at its first mention.
Slot FunctionLowering::slot_of_register(u32 reg) {
    const u32 root = registers_.root[reg];
    std::optional<Slot>& slot = slots_[root];
    if (slot) return *slot;
    const Width width = width_of_register(root);
    switch (registers_.value_class[root]) {
        case ValueClass::launch:
        case ValueClass::block: slot = uniform_.take(width); break;
        case ValueClass::position: slot = own_slots_.take_permanently(width); break;
        case ValueClass::thread:
            slot = own_slots_.take(width);
            code_.placed.push_back({root, slot->offset, bytes_of(width)});
            ends_.emplace(std::max(lifetimes_[root].end, at_), root);
            break;
    }
    return *slot;
}

/// Frees the slots of registers that are dead at instruction `at`.
void FunctionLowering::free_expired_slots(u32 at) {
    while (!ends_.empty() && ends_.begin()->first < at) {
        const u32 root = ends_.begin()->second;
        own_slots_.give_back(*slots_[root], width_of_register(root));
        slots_[root].reset();
        ends_.erase(ends_.begin());
    }
    for (const auto& [slot, width] : temporaries_) own_slots_.give_back(slot, width);
    temporaries_.clear();
}

/// Allocates the slots of registers whose lifetimes begin at `at`. If a later branch leads back to
/// `at`, a register may be live long before its first mention in the text. No other register may
/// use its slot from `at` onwards.
void FunctionLowering::allocate_starting_slots(u32 at) {
    const auto [first, last] = begins_.equal_range(at);
    for (auto entry = first; entry != last; ++entry) {
        if (registers_.value_class[entry->second] == ValueClass::thread)
            slot_of_register(entry->second);
    }
}

/// Returns a temporary slot. The slot is freed after the current instruction, unless the
/// instruction runs in a prologue.
Slot FunctionLowering::take_temporary(Width width) {
    if (current_class_ == ValueClass::launch || current_class_ == ValueClass::block)
        return uniform_.take(width);
    if (current_class_ == ValueClass::position) return own_slots_.take_permanently(width);
    const Slot slot = own_slots_.take(width);
    temporaries_.emplace_back(slot, width);
    return slot;
}

Slot FunctionLowering::constant(u64 bits, Width width) {
    if (width == Width::w32) bits &= 0xffffffffu;
    if (width == Width::predicate) bits = bits ? kAllLanes : 0;
    return uniform_.constant(bits, width, kernel_code_.constants);
}

u64 FunctionLowering::immediate_bits(const Operand& operand, Width width) const {
    if (operand.kind == Operand::Kind::f64_bits && width == Width::w32)
        return std::bit_cast<u32>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    if (operand.kind == Operand::Kind::f32_bits && width == Width::w64)
        return std::bit_cast<u64>(
            static_cast<double>(std::bit_cast<float>(static_cast<u32>(operand.bits))));
    if (width == Width::w32 && size_of(type_of(now())) == 2 && operand.is_immediate())
        return operand.bits & 0xffff;
    return operand.bits;
}

Slot FunctionLowering::source(const Operand& operand, Width width) {
    switch (operand.kind) {
        case Operand::Kind::reg: {
            const Slot slot =
                convert_slot(slot_of_register(operand.reg), width_of_register(operand.reg), width);
            if (!operand.negated) return slot;
            const Slot negated = take_temporary(width);
            emit_lane(width == Width::predicate ? "not.pred"
                      : width == Width::w64     ? "neg.s64"
                                                : "neg.s32",
                      negated, {slot}, current_class_);
            return negated;
        }
        case Operand::Kind::special: return special_slot(operand.name, width);
        case Operand::Kind::immediate:
        case Operand::Kind::f32_bits:
        case Operand::Kind::f64_bits: return constant(immediate_bits(operand, width), width);
        case Operand::Kind::symbol: return symbol_slot(operand.name, operand.offset, width);
        case Operand::Kind::sink: return constant(0, width);
        case Operand::Kind::address:
        case Operand::Kind::vector: break;
    }
    fail("an operand of this kind is not allowed here");
}

Slot FunctionLowering::destination(const Operand& operand, Width width) {
    if (operand.is_sink()) return take_temporary(width);
    if (!operand.is_register()) fail("the destination is not a register");
    const Width have = width_of_register(operand.reg);
    if (have != width)
        fail("the width of the destination register differs from that of the instruction");
    return slot_of_register(operand.reg);
}

Slot FunctionLowering::convert_slot(Slot from, Width have, Width want) {
    if (have == want) return from;
    if (have == Width::predicate || want == Width::predicate)
        fail("expected a number, not a predicate");
    if (have == Width::w128 || want == Width::w128) fail("a 128-bit register is not allowed here");
    const Slot to = take_temporary(want);
    emit_lane(want == Width::w64 ? "cvt.u64.u32" : "cvt.u32.u64", to, {from}, current_class_);
    return to;
}

Slot FunctionLowering::special_slot(const std::string& name, Width width) {
    const SpecialRegister* special = find_special_register(name);
    if (!special) fail("unknown special register " + name);
    kernel_code_.reserved_shared |= special->is_in_reserved_shared;
    if (special->varies == Varies::always || !is_kernel_ || plain_) {
        const Slot slot = take_temporary(special->width);
        emit({.run = run_read_special, .d = slot, .immediate = reinterpret_cast<i64>(special)});
        if (special->order_sensitive()) kernel_code_.order_sensitive = true;
        return convert_slot(slot, special->width, width);
    }
    const auto [entry, is_new] = specials_.try_emplace(name);
    if (is_new) {
        auto& list = special->varies == Varies::launch  ? kernel_code_.launch_specials
                     : special->varies == Varies::block ? kernel_code_.block_specials
                                                        : kernel_code_.position_specials;
        entry->second = special->varies == Varies::thread
                            ? own_slots_.take_permanently(special->width)
                            : uniform_.take(special->width);
        list.push_back({special, entry->second});
    }
    return convert_slot(entry->second, special->width, width);
}

std::optional<u64> FunctionLowering::symbol_address(const std::string& name) {
    for (std::size_t k = 0; is_kernel_ && k < function_.parameters.size(); ++k)
        if (function_.parameters[k].name == name) return kernel_.parameter_offsets[k];
    const auto local = local_offsets_.find(name);
    if (local != local_offsets_.end()) return local->second;
    const auto shared = kernel_.shared_offsets.find(name);
    if (shared != kernel_.shared_offsets.end()) return shared->second;
    const auto placed = kernel_.module->variable_addresses.find(name);
    if (placed != kernel_.module->variable_addresses.end()) return placed->second;
    const std::optional<u64> function = address_of_function(*kernel_.module->ast, name);
    if (function) functions_used_.insert(name);
    return function;
}

std::optional<u64> address_of_function(const ptx::Module& module, const std::string& name) {
    const auto found = module.functions.find(name);
    if (found == module.functions.end()) return std::nullopt;
    return function_window() +
           16 * static_cast<u64>(std::distance(module.functions.begin(), found));
}

Slot FunctionLowering::shared_address_slot(i64 offset, Width width) {
    const auto [entry, is_new] = shared_addresses_.try_emplace({offset, width});
    if (is_new) {
        entry->second = uniform_.take(width);
        emit({.run = width == Width::w64 ? op_shared_address_64 : op_shared_address_32,
              .d = entry->second,
              .immediate = offset},
             ValueClass::block);
    }
    return entry->second;
}

/// Returns a slot that holds the value of a symbol, which is an address in the symbol's state
/// space.
Slot FunctionLowering::symbol_slot(const std::string& name, i64 offset, Width width) {
    if (name == "WARP_SZ") return constant(kLanes, width);
    const std::optional<u64> address = symbol_address(name);
    if (!address) fail("unknown name " + name);
    if (kernel_code_.clustered && kernel_.shared_offsets.contains(name))
        return shared_address_slot(static_cast<i64>(*address) + offset, width);
    const bool in_frame = !is_kernel_ && local_offsets_.contains(name);
    if (!in_frame) return constant(*address + static_cast<u64>(offset), width);
    // The address of a local variable in a device function depends on the stack, so compute it at
    // run time.
    const Slot slot = take_temporary(Width::w64);
    emit({.run = op_frame_address, .d = slot, .immediate = static_cast<i64>(*address) + offset});
    return convert_slot(slot, Width::w64, width);
}

}  // namespace coalesce::simulator

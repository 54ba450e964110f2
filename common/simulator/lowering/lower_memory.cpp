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

u8 strength_bits(const ptx::Instruction& i) {
    const bool strong = i.has("volatile") || i.has("relaxed") || i.has("acquire") ||
                        i.has("release") || i.has("mmio");
    if (!strong) return 0;
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
        return i.opcode == "mov" && contains_any(is_compared, registers_written(i)) &&
               add_all_to(is_compared, registers_read(i));
    });
    for (std::size_t at = 0; at < function_.body.size(); ++at) {
        const ptx::Instruction& i = function_.body[at];
        if (i.opcode != "ld" || i.operands.size() < 2 ||
            !contains_any(is_compared, registers_written(i)))
            continue;
        const Operand& address = i.operands[1];
        is_first_read_of_cas_loop_[at] =
            address.has_base_register && addresses.contains(registers_.root[address.reg]);
    }
}

u32 FunctionLowering::add_site(const MemoryUse& use) {
    Site site{use, {}, at_, &function_, now().where};
    if (const auto merged = merged_.find(at_); merged != merged_.end())
        site.machine = merged->second;
    site.has_block_scope = now().has("cta");
    kernel_.sites.push_back(std::move(site));
    return static_cast<u32>(kernel_.sites.size() - 1);
}

bool FunctionLowering::address_operand(Op& op, const Operand& address, StateSpace space,
                                       bool allow_narrow) {
    if (!address.is_address()) fail("expected an address in [ ]");
    op.immediate = address.offset;
    if (address.has_base_register) {
        const Slot base = slot_of_register(address.reg);
        const Width width = width_of_register(address.reg);
        const bool narrow = width == Width::w32;
        if (!narrow && width != Width::w64) fail("an address has 32 or 64 bits");
        if (narrow && allow_narrow && space == StateSpace::shared) {
            op.a = base;
            return true;
        }
        op.a = convert_slot(base, narrow ? Width::w32 : Width::w64, Width::w64);
        return false;
    }
    if (address.name.empty()) {
        op.a = constant(0, Width::w64);
        return false;
    }
    const bool narrow = allow_narrow && space == StateSpace::shared;
    op.a = symbol_slot(address.name, 0, narrow ? Width::w32 : Width::w64);
    return narrow;
}

Slot FunctionLowering::whole_address(const Operand& address, StateSpace space) {
    Op base;
    address_operand(base, address, space, false);
    if (base.immediate == 0) return base.a;
    const Slot sum = take_temporary(Width::w64);
    emit_lane("add.s64", sum, {base.a, constant(static_cast<u64>(base.immediate), Width::w64)},
              current_class_);
    return sum;
}

/// Returns the slots from which a store reads its elements, or into which a load writes its
/// elements before extending them.
std::vector<Slot> FunctionLowering::slots_of_elements(const std::vector<Operand>& elements,
                                                      Width width, bool store) {
    std::vector<Slot> slots;
    for (const Operand& element : elements) {
        const bool direct =
            !store && element.is_register() && width_of_register(element.reg) == width;
        slots.push_back(store    ? source(element, width)
                        : direct ? slot_of_register(element.reg)
                                 : take_temporary(width));
    }
    return slots;
}

void FunctionLowering::lower_load_store() {
    const bool store = now().opcode == "st";
    StateSpace space = access_space(now());
    const Operand& address = now().operands.at(store ? 0 : 1);
    const Operand& value = now().operands.at(store ? 1 : 0);
    const std::vector<Operand> elements = value.is_vector() ? value.elements : std::vector{value};
    const Type type = type_of(now());
    if (type == Type::none || elements.size() != vector_length(now()))
        fail("the number of elements does not match the type");
    const bool lies_in_local = space == StateSpace::param && local_offsets_.contains(address.name);
    if (space == StateSpace::param && !lies_in_local) {
        const bool of_kernel = is_kernel_ && !parameter_offsets_.contains(address.name);
        if (of_kernel && !store)
            lower_kernel_parameter(address, elements, type);
        else
            lower_parameter_access(store, elements, type);
        return;
    }

    if (lies_in_local) space = StateSpace::local;
    MemoryAccessKind kind{.space = space,
                          .store = store,
                          .bytes = size_of(type),
                          .count = static_cast<u32>(elements.size())};
    if (kind.bytes == 16) fail("128-bit registers are not simulated");
    kind.plain = plain_ && !kernel_code_.recorded;
    kind.cluster = kernel_code_.clustered;
    kind.own = !now().has("shared::cluster");
    Op op;
    const bool narrow = address_operand(op, address, space, true);
    const bool stable = !address.has_base_register ||
                        class_of_register(address.reg) == ValueClass::position ||
                        class_of_register(address.reg) == ValueClass::launch;
    op.detail = strength_bits(now()) | (is_first_read_of_cas_loop_[at_] ? kStrong | kAcquires : 0) |
                (stable ? kStableAddress : 0) | (narrow ? kNarrowAddress : 0) |
                (merged_.contains(at_) ? kCountsMachineAccesses : 0) |
                (now().has("nc") ? kReadOnlyPath : 0);
    kind.strong = (op.detail & kStrong) != 0;
    if (kind.strong) {
        kernel_code_.order_sensitive |= !store;
        kernel_code_.reads_other_blocks |= !store && !(space == StateSpace::shared && kind.own);
        kernel_code_.has_repeatable_shared_steps = false;
    }
    if (space == StateSpace::generic) {
        kernel_code_.has_repeatable_shared_steps = false;
        op.b = take_temporary(Width::w64);
    }
    const Width width = kind.bytes == 8 ? Width::w64 : Width::w32;
    const std::vector<Slot> slots = slots_of_elements(elements, width, store);
    for (std::size_t k = 0; k < slots.size() && k < 4; ++k) op.v[k] = slots[k];
    op.run = memory_handler(kind);
    if (!op.run) fail("an access of this size is not supported");
    op.load_bit = load_waits_.bit[at_];
    op.site = add_site({.space = space,
                        .load = !store,
                        .store = store,
                        .bytes_per_lane = kind.bytes * kind.count});
    emit(op);
    if (!store) extend_loaded(elements, type, slots);
}

/// Extends loaded elements to the width of their registers. A load already zero-extends to 32 bits,
/// so only signed elements and elements in 64-bit registers need more.
void FunctionLowering::extend_loaded(const std::vector<Operand>& elements, Type type,
                                     const std::vector<Slot>& loaded) {
    for (std::size_t k = 0; k < elements.size(); ++k) {
        if (!elements[k].is_register() || width_of_register(elements[k].reg) == Width::predicate)
            continue;
        const Slot d = slot_of_register(elements[k].reg);
        const bool has_sign = is_signed(type) && size_of(type) < 4;
        const bool is_there = d.offset == loaded[k].offset && d.uniform == loaded[k].uniform;
        if (is_there && !has_sign) continue;
        const bool wide = width_of_register(elements[k].reg) == Width::w64;
        if (!is_there && (size_of(type) == 8 || !wide))
            fail("the register is narrower than the loaded value");
        const std::string from =
            is_signed(type) ? ".s" + std::to_string(8 * size_of(type)) : ".u32";
        emit_lane((is_signed(type) ? "cvt.s" : "cvt.u") + std::string(wide ? "64" : "32") + from, d,
                  {loaded[k]}, ValueClass::thread);
    }
}

/// Lowers ld.param in a kernel. The loaded value is the same for the whole launch.
void FunctionLowering::lower_kernel_parameter(const Operand& address,
                                              const std::vector<Operand>& elements, Type type) {
    const ValueClass value_class = destination_class(now().operands[0]);
    if (size_of(type) > 8) fail("a parameter of this size is not supported");
    Op op{.run = op_load_kernel_parameter, .count = static_cast<u8>(size_of(type))};
    i64 offset = address.offset;
    if (address.has_base_register) {
        op.a =
            convert_slot(slot_of_register(address.reg), width_of_register(address.reg), Width::w64);
    } else {
        const std::optional<u64> start = symbol_address(address.name);
        if (!start) fail("unknown parameter " + address.name);
        offset += static_cast<i64>(*start);
        op.a = constant(0, Width::w64);
    }
    for (std::size_t k = 0; k < elements.size(); ++k) {
        if (!elements[k].is_register()) continue;
        const Width width = width_of_register(elements[k].reg);
        op.detail =
            (is_signed(type) ? kSignedParameter : 0) | (width == Width::w64 ? kWideRegister : 0);
        op.d = destination(elements[k], width);
        op.immediate = offset + static_cast<i64>(k) * size_of(type);
        emit(op, value_class);
    }
}

/// Lowers accesses to the parameters and results of device functions. The frame's parameter memory
/// contains a copy of them for each lane.
void FunctionLowering::lower_parameter_access(bool store, const std::vector<Operand>& elements,
                                              Type type) {
    const Operand& address = now().operands.at(store ? 0 : 1);
    const auto start = parameter_offsets_.find(address.name);
    if (start == parameter_offsets_.end()) fail("unknown parameter " + address.name);
    const u32 bytes = size_of(type);
    const Width width = bytes == 8 ? Width::w64 : Width::w32;
    const i64 end = i64{start->second} + static_cast<i64>(elements.size() * bytes);
    if (address.offset < -i64{start->second} || address.offset > i64{code_.parameter_bytes} - end)
        fail("the access lies outside the parameter");
    for (std::size_t k = 0; k < elements.size(); ++k) {
        if (elements[k].is_sink()) continue;
        Op op{.run = parameter_handler(store, bytes),
              .immediate = start->second + address.offset + static_cast<i64>(k * bytes)};
        if (!op.run) fail("a parameter of this size is not supported");
        op.v[0] = store                            ? source(elements[k], width)
                  : width_of(elements[k]) == width ? slot_of_register(elements[k].reg)
                                                   : take_temporary(width);
        emit(op);
        if (!store) extend_loaded({elements[k]}, type, {op.v[0]});
    }
}

}  // namespace coalesce::simulator

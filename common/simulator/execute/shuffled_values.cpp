#include "simulator/execute/shuffled_values.h"

#include <algorithm>
#include <bit>

#include "simulator/analysis/register_use.h"
#include "simulator/code/opcodes.h"
#include "simulator/execute/block.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/scheduler.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/report/text.h"

namespace coalesce::simulator {
namespace {

/// The number of consecutive instructions without an undefined value after which the simulator
/// stops following the shuffled value.
constexpr u32 kMaxIdleSteps = 256;

const FunctionCode& code_of_frame(const Warp& w) {
    return w.frame ? *w.frame->code : w.block->launch->code->kernel_function;
}

Mask executing_lanes(const Warp& w, const Op* op) {
    if (op->run != op_guarded) return w.active;
    const Mask p = w.predicate(op->guard);
    return (op->is_guard_negated ? ~p : p) & w.active;
}

bool yields_different_values(const ptx::Instruction& i) {
    const OpcodeEntry* opcode = find_opcode(i.opcode);
    return opcode && (opcode->group == OpcodeGroup::lanes || opcode->group == OpcodeGroup::move);
}

/// Reports whether the handler of this Op may also execute the next Op.
bool executes_next(const FunctionCode& code, const Op* op) {
    return op != &code.ops.back() && op->run != op_guarded &&
           yields_different_values(code.ast->body[op->source]);
}

bool is_visible_store(const ptx::Instruction& i) {
    return i.opcode == "st" || i.opcode == "red" || i.opcode == "atom";
}

/// Returns the lanes that access global memory.
Mask lanes_in_global(const Warp& w, const Op* op, const ptx::Instruction& i, Mask lanes) {
    const ptx::StateSpace space = access_space(i);
    if (space == ptx::StateSpace::global) return lanes;
    if (space != ptx::StateSpace::generic) return 0;
    return select_lanes(lanes, [&](int l) {
        const u64 address = w.lanes<u64>(op->a)[l] + static_cast<u64>(op->immediate);
        return find_space_of_address(address) == ptx::StateSpace::global;
    });
}

}  // namespace

Mask ShuffledValues::undefined_lanes_of_register(u32 reg) const {
    const auto entry = undefined_lanes_.find(reg);
    return entry == undefined_lanes_.end() ? 0 : entry->second;
}

void ShuffledValues::set_undefined(u32 reg, Mask lanes, Mask undefined_lanes) {
    const Mask undefined_now =
        (undefined_lanes_of_register(reg) & ~lanes) | (undefined_lanes & lanes);
    if (undefined_now)
        undefined_lanes_[reg] = undefined_now;
    else
        undefined_lanes_.erase(reg);
}

void ShuffledValues::note_shuffle(const Warp& w, const Op* op,
                                  const std::array<int, kLanes>& sources, Mask outside_lanes) {
    if (!is_tracking_) {
        undefined_lanes_.clear();
        frame_ = w.frame;
        idle_steps_ = 0;
    }
    if (w.frame != frame_) return;
    if (outside_lanes) {
        shuffle_ = op;
        sources_ = sources;
    }
    const FunctionCode& code = code_of_frame(w);
    const ptx::Instruction& i = code.ast->body[op->source];
    const auto find_undefined_lanes = [&](const ptx::Operand& operand) {
        return operand.is_register() ? undefined_lanes_of_register(code.roots[operand.reg]) : 0;
    };
    const Mask value = find_undefined_lanes(i.operands.at(1)),
               index = find_undefined_lanes(i.operands.at(2));
    const Mask result = outside_lanes | index | select_lanes(w.active, [&](int l) {
                            return (value >> sources[l] & 1) != 0;
                        });
    for (const u32 reg : list_written_registers(i)) {
        const bool is_value = ptx::size_of(code.ast->registers[reg].type) == 4;
        set_undefined(code.roots[reg], w.active, is_value ? result : 0);
    }
}

void ShuffledValues::report_store(Warp& w, const Op* store, Mask lanes) {
    const int lane = std::countr_zero(lanes);
    const Kernel& kernel = *w.block->launch->kernel;
    Report report = w.describe(
        shuffle_, "synccheck", "shuffle from outside", lane,
        "Reads from lane " + std::to_string(sources_[lane]) +
            ", which does not take part in this shuffle, so the value is undefined. The "
            "thread stores this value, or a result computed from it, to global memory.",
        "The mask must include all lanes that are read, and these lanes must execute the "
        "shuffle. Store the result only in lanes whose value is defined.");
    report.other = kernel.place(store);
    report.other_block = report.block;
    report.other_thread = report.thread;
    reports().add(report);
    for (auto& [reg, undefined_lanes] : undefined_lanes_) undefined_lanes &= ~lanes;
    std::erase_if(undefined_lanes_, [](const auto& entry) { return entry.second == 0; });
}

void ShuffledValues::update_for_op(Warp& w, const Op* op, bool is_next) {
    const FunctionCode& code = code_of_frame(w);
    // An instruction may have several Ops, of which only the last has all operands.
    const bool is_last = op == &code.ops.back() || (op + 1)->source != op->source;
    const ptx::Instruction& i = code.ast->body[op->source];
    if (!is_last || !i.label.empty() || i.opcode == "shfl") return;  // shuffles call note_shuffle()
    // The guard of a later Op may not have been computed yet. In that case, assume that all active
    // lanes execute the Op.
    const bool is_guard_unknown = op->run == op_guarded && !is_next;
    const Mask lanes = is_guard_unknown ? w.active : executing_lanes(w, op);
    Mask read_lanes = 0;
    for (const u32 reg : list_read_registers(i))
        read_lanes |= undefined_lanes_of_register(code.roots[reg]);
    read_lanes &= lanes;
    idle_steps_ = read_lanes ? 0 : idle_steps_ + 1;
    if (read_lanes && is_visible_store(i) && !is_guard_unknown) {
        const Mask stored_lanes = lanes_in_global(w, op, i, read_lanes);
        if (stored_lanes) report_store(w, op, stored_lanes);
    }
    const auto is_undefined_source = [&](std::size_t k) {
        const ptx::Operand& operand = i.operands.at(k);
        return operand.is_register() ? undefined_lanes_of_register(code.roots[operand.reg]) : 0;
    };
    Mask result = yields_different_values(i) || i.opcode == "ld" ? read_lanes : 0;
    // Either source may be selected, so the result is certainly undefined only if both sources are.
    if (i.opcode == "selp") result = is_undefined_source(1) & is_undefined_source(2);
    for (const u32 reg : list_written_registers(i)) {
        const u32 root_register = code.roots[reg];
        set_undefined(
            root_register, lanes,
            is_guard_unknown ? undefined_lanes_of_register(root_register) & result : result);
    }
}

const Op* ShuffledValues::run_with_tracking(Warp& w, const Op* op) {
    is_tracking_ = true;
    const Op *executed_op = nullptr, *last_op = nullptr;
    while (op && !undefined_lanes_.empty() && idle_steps_ < kMaxIdleSteps) {
        const bool is_new = !executed_op || op <= executed_op || op > last_op;
        if (w.frame == frame_ && is_new) {
            update_for_op(w, last_op = op, true);
            // The handler of a lane-wise instruction also executes the next Op.
            while (executes_next(code_of_frame(w), last_op)) update_for_op(w, ++last_op, false);
        }
        executed_op = op;
        op = op->run(w, op);
    }
    is_tracking_ = false;
    w.shuffled_values = nullptr;
    return op;
}

void note_shuffle_slowly(Warp& w, const Op* op, const std::array<int, kLanes>& sources,
                         Mask outside_lanes) {
    if (!w.shuffled_values) {
        const bool is_observed = w.step_listener || w.block->watch->is_on();
        if (op->run != op_warp_sync || is_observed || !w.checks.runs_synccheck) return;
        // A worker runs one warp at a time, and stops following values before it runs another warp.
        // Each thread therefore needs only one object.
        thread_local ShuffledValues values;
        w.shuffled_values = &values;
    }
    w.shuffled_values->note_shuffle(w, op, sources, outside_lanes);
}

}  // namespace coalesce::simulator

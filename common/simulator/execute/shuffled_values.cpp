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
    return w.frame ? *w.frame->code : w.block->launch->code->main;
}

Mask executing_lanes(const Warp& w, const Op* op) {
    if (op->run != op_guarded) return w.active;
    const Mask p = w.predicate(op->guard);
    return (op->guard_negated ? ~p : p) & w.active;
}

bool yields_lane_values(const ptx::Instruction& i) {
    const OpcodeEntry* opcode = find_opcode(i.opcode);
    return opcode && (opcode->group == OpcodeGroup::lanes || opcode->group == OpcodeGroup::move);
}

/// Reports whether the handler of this Op may also execute the next Op.
bool executes_next(const FunctionCode& code, const Op* op) {
    return op != &code.ops.back() && op->run != op_guarded &&
           yields_lane_values(code.ast->body[op->source]);
}

bool is_visible_store(const ptx::Instruction& i) {
    return i.opcode == "st" || i.opcode == "red" || i.opcode == "atom";
}

/// Returns the lanes that access global memory.
Mask lanes_in_global(const Warp& w, const Op* op, const ptx::Instruction& i, Mask lanes) {
    const ptx::StateSpace space = access_space(i);
    if (space == ptx::StateSpace::global) return lanes;
    if (space != ptx::StateSpace::generic) return 0;
    return lanes_where(lanes, [&](int l) {
        const u64 address = w.lanes<u64>(op->a)[l] + static_cast<u64>(op->immediate);
        return space_at(address) == ptx::StateSpace::global;
    });
}

}  // namespace

Mask ShuffledValues::undefined(u32 reg) const {
    const auto found = undefined_.find(reg);
    return found == undefined_.end() ? 0 : found->second;
}

void ShuffledValues::set_undefined(u32 reg, Mask lanes, Mask undefined_lanes) {
    const Mask now = (undefined(reg) & ~lanes) | (undefined_lanes & lanes);
    if (now)
        undefined_[reg] = now;
    else
        undefined_.erase(reg);
}

void ShuffledValues::note_shuffle(const Warp& w, const Op* op,
                                  const std::array<int, kLanes>& sources, Mask outside) {
    if (!is_following_) {
        undefined_.clear();
        frame_ = w.frame;
        idle_steps_ = 0;
    }
    if (w.frame != frame_) return;
    if (outside) {
        shuffle_ = op;
        sources_ = sources;
    }
    const FunctionCode& code = code_of_frame(w);
    const ptx::Instruction& i = code.ast->body[op->source];
    const auto in_register = [&](const ptx::Operand& operand) {
        return operand.is_register() ? undefined(code.roots[operand.reg]) : 0;
    };
    const Mask value = in_register(i.operands.at(1)), index = in_register(i.operands.at(2));
    const Mask result = outside | index | lanes_where(w.active, [&](int l) {
                            return (value >> sources[l] & 1) != 0;
                        });
    for (const u32 reg : registers_written(i)) {
        const bool is_value = ptx::size_of(code.ast->registers[reg].type) == 4;
        set_undefined(code.roots[reg], w.active, is_value ? result : 0);
    }
}

void ShuffledValues::report(Warp& w, const Op* store, Mask lanes) {
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
    for (auto& [reg, undefined_lanes] : undefined_) undefined_lanes &= ~lanes;
    std::erase_if(undefined_, [](const auto& entry) { return entry.second == 0; });
}

void ShuffledValues::step(Warp& w, const Op* op, bool is_next) {
    const FunctionCode& code = code_of_frame(w);
    // An instruction may have several Ops, of which only the last has all operands.
    const bool is_last = op == &code.ops.back() || (op + 1)->source != op->source;
    const ptx::Instruction& i = code.ast->body[op->source];
    if (!is_last || !i.label.empty() || i.opcode == "shfl") return;  // shuffles call note_shuffle()
    // The guard of a later Op may not have been computed yet. In that case, assume that all active
    // lanes execute the Op.
    const bool is_guard_unknown = op->run == op_guarded && !is_next;
    const Mask lanes = is_guard_unknown ? w.active : executing_lanes(w, op);
    Mask read = 0;
    for (const u32 reg : registers_read(i)) read |= undefined(code.roots[reg]);
    read &= lanes;
    idle_steps_ = read ? 0 : idle_steps_ + 1;
    if (read && is_visible_store(i) && !is_guard_unknown) {
        const Mask stored = lanes_in_global(w, op, i, read);
        if (stored) report(w, op, stored);
    }
    const auto in_source = [&](std::size_t k) {
        const ptx::Operand& operand = i.operands.at(k);
        return operand.is_register() ? undefined(code.roots[operand.reg]) : 0;
    };
    Mask result = yields_lane_values(i) || i.opcode == "ld" ? read : 0;
    // Either source may be selected, so the result is certainly undefined only if both sources are.
    if (i.opcode == "selp") result = in_source(1) & in_source(2);
    for (const u32 reg : registers_written(i)) {
        const u32 root = code.roots[reg];
        set_undefined(root, lanes, is_guard_unknown ? undefined(root) & result : result);
    }
}

const Op* ShuffledValues::follow(Warp& w, const Op* op) {
    is_following_ = true;
    const Op *executed = nullptr, *stepped = nullptr;
    while (op && !undefined_.empty() && idle_steps_ < kMaxIdleSteps) {
        const bool is_new = !executed || op <= executed || op > stepped;
        if (w.frame == frame_ && is_new) {
            step(w, stepped = op, true);
            // The handler of a lane-wise instruction also executes the next Op.
            while (executes_next(code_of_frame(w), stepped)) step(w, ++stepped, false);
        }
        executed = op;
        op = op->run(w, op);
    }
    is_following_ = false;
    w.shuffled = nullptr;
    return op;
}

void note_shuffle_slowly(Warp& w, const Op* op, const std::array<int, kLanes>& sources,
                         Mask outside) {
    if (!w.shuffled) {
        const bool is_observed = w.step_listener || w.block->watch->on();
        if (op->run != op_warp_sync || is_observed || !w.checks.sync) return;
        // A worker runs one warp at a time, and stops following values before it runs another warp.
        // Each thread therefore needs only one object.
        thread_local ShuffledValues values;
        w.shuffled = &values;
    }
    w.shuffled->note_shuffle(w, op, sources, outside);
}

}  // namespace coalesce::simulator

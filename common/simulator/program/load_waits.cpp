// See load_waits.h.
#include "program/load_waits.h"

#include "analysis/register_use.h"
#include "program/machine_instruction.h"
#include "ptx/instruction_parts.h"

namespace coalesce::sim {

using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;

namespace {

bool may_be_global(const Instruction& i) {
    const StateSpace space = space_of(i);
    return space == StateSpace::global || (space == StateSpace::generic && !i.has("param"));
}

bool is_global_load(const Instruction& i) {
    const bool loads =
        i.opcode == "ld" || i.opcode == "ldu" || (i.opcode == "wmma" && i.has("load"));
    return loads && may_be_global(i);
}

/// What puts an order into memory accesses, so that no load is moved above it. A function's end is
/// among them: its caller knows nothing of its loads.
bool stops_all_loads(const Instruction& i, bool is_kernel) {
    return is_one_of(i.opcode, {"bar", "barrier", "membar", "fence", "atom", "red", "call"}) ||
           (i.opcode == "ret" && !is_kernel);
}

bool branches_back(const ptx::Function& function, const ControlFlow& flow, u32 at) {
    for (u32 to : branch_targets(function, function.body[at]))
        if (to <= at && flow.block_at(to).loop == flow.block_at(at).loop) return true;
    return false;
}

}  // namespace

LoadWaits::LoadWaits(const ptx::Function& function, const ControlFlow& flow)
    : steps_(function.body.size()),
      waits_(function.body.size(), 0),
      carried_(function.registers.size(), 0) {
    number_loads(function);
    follow_copies(function);
    describe_steps(function, flow);
    follow_the_graph(flow);
}

void LoadWaits::number_loads(const ptx::Function& function) {
    u32 loads = 0;
    for (u32 at = 0; at < steps_.size(); ++at) {
        if (!is_global_load(function.body[at])) continue;
        steps_[at].is_load = true;
        steps_[at].bit = static_cast<u8>(loads++ % 64);
    }
}

u64 LoadWaits::loads_in(const Operand& operand) const {
    u64 loads = 0;
    if (operand.kind == Operand::Kind::reg || operand.has_base_register)
        loads |= carried_[operand.reg];
    for (const Operand& element : operand.elements) loads |= loads_in(element);
    return loads;
}

void LoadWaits::follow_copies(const ptx::Function& function) {
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 at = 0; at < steps_.size(); ++at) {
            const Instruction& i = function.body[at];
            u64 loads = steps_[at].is_load ? u64{1} << steps_[at].bit : 0;
            if (i.opcode == "mov" && i.operands.size() > 1) loads = loads_in(i.operands[1]);
            if (loads == 0) continue;
            for (u32 r : registers_written(i)) {
                changed |= (loads & ~carried_[r]) != 0;
                carried_[r] |= loads;
            }
        }
    }
}

void LoadWaits::describe_steps(const ptx::Function& function, const ControlFlow& flow) {
    for (const BasicBlock& block : flow.blocks())
        taken_.push_back(branch_targets(function, function.body[block.end - 1]).size());
    for (u32 at = 0; at < steps_.size(); ++at) {
        const Instruction& i = function.body[at];
        Step& step = steps_[at];
        step.guarded = i.guard.has_value();
        step.needs_all = stops_all_loads(i, function.is_entry);
        step.needs_stored = branches_back(function, flow, at);
        step.may_read_store = step.is_load && !i.has("nc");
        if (i.opcode == "mov") continue;
        if (i.opcode == "st" && i.operands.size() > 1) {
            step.stores = loads_in(i.operands[1]);
            step.computes = loads_in(i.operands[0]);
            step.is_global_store = may_be_global(i);
        } else {
            for (u32 r : registers_read(i)) step.computes |= carried_[r];
        }
    }
}

u64 LoadWaits::State::needed_by(const Step& step) const {
    u64 needed = step.computes;
    if (step.needs_all) needed = ~u64{0};
    if (step.needs_stored) needed |= stored;
    if (step.may_read_store) needed |= stored_global;
    return needed & pending;
}

/// A wait is for all loads that are pending. Whether there is one is certain if one of those that are
/// needed is certainly pending.
void LoadWaits::State::wait_for(u64 loads, bool guarded) {
    if (loads == 0) return;
    const bool is_certain = (loads & certain) != 0 && !guarded;
    certain = 0;
    if (guarded) return;
    const u64 left = is_certain ? 0 : ~loads;
    pending &= left;
    stored &= left;
    stored_global &= left;
}

void LoadWaits::State::pass(const Step& step) {
    wait_for(needed_by(step), step.guarded);
    stored |= step.stores & pending;
    if (step.is_global_store) stored_global |= step.stores & pending;
    if (!step.is_load) return;
    const u64 bit = u64{1} << step.bit;
    pending |= bit;
    if (!step.guarded) certain |= bit;
}

bool LoadWaits::State::join(const State& other) {
    const State before = *this;
    pending |= other.pending;
    certain &= other.certain;
    stored |= other.stored;
    stored_global |= other.stored_global;
    return pending != before.pending || certain != before.certain || stored != before.stored ||
           stored_global != before.stored_global;
}

void LoadWaits::follow_the_graph(const ControlFlow& flow) {
    const std::vector<BasicBlock>& blocks = flow.blocks();
    if (blocks.empty()) return;
    std::vector<State> begins(blocks.size());
    begins[0].certain = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            State state = begins[b];
            for (u32 at = blocks[b].begin; at < blocks[b].end; ++at) {
                waits_[at] = state.needed_by(steps_[at]);
                if (at + 1 < blocks[b].end) state.pass(steps_[at]);
            }
            // A branch waits, if at all, on the way that it takes.
            const Step& last = steps_[blocks[b].end - 1];
            State taken = state;
            taken.wait_for(state.needed_by(last), false);
            state.pass(last);
            for (std::size_t k = 0; k < blocks[b].next.size(); ++k)
                changed |= begins[blocks[b].next[k]].join(k < taken_[b] ? taken : state);
        }
    }
}

}  // namespace coalesce::sim

// See load_waits.h.
#include "simulator/ptxas/load_waits.h"

#include "simulator/analysis/register_use.h"
#include "simulator/ptx/instruction_parts.h"
#include "simulator/ptxas/machine_instruction.h"

namespace coalesce::simulator {

using ptx::Instruction;
using ptx::Operand;
using ptx::StateSpace;

namespace {

bool may_be_global(const Instruction& i) {
    const StateSpace space = find_space(i);
    return space == StateSpace::global || (space == StateSpace::generic && !i.has("param"));
}

bool is_global_load(const Instruction& i) {
    const bool is_wanted_load =
        i.opcode == "ld" || i.opcode == "ldu" || (i.opcode == "wmma" && i.has("load"));
    return is_wanted_load && may_be_global(i);
}

/// Reports whether the instruction orders memory accesses, so that no load may move above it. The
/// end of a device function also counts, because its caller does not know which loads are pending.
bool stops_all_loads(const Instruction& i, bool is_kernel) {
    return is_one_of(i.opcode, {"bar", "barrier", "membar", "fence", "atom", "red", "call"}) ||
           (i.opcode == "ret" && !is_kernel);
}

bool branches_back(const ptx::Function& function, const ControlFlow& flow, u32 instruction_index) {
    for (u32 branch_target : branch_targets(function, function.body[instruction_index]))
        if (branch_target <= instruction_index &&
            flow.block_at(branch_target).loop_id == flow.block_at(instruction_index).loop_id)
            return true;
    return false;
}

class LoadWaitFinder {
public:
    LoadWaitFinder(const ptx::Function& function, const ControlFlow& flow)
        : function_(function),
          flow_(flow),
          steps_(function.body.size()),
          carried_loads_(function.registers.size(), 0) {
        result_.load_bit.resize(steps_.size());
        result_.loads_to_wait_for.resize(steps_.size());
    }

    LoadWaits find_waits() {
        number_loads();
        follow_copies();
        describe_steps();
        propagate_along_graph();
        return std::move(result_);
    }

private:
    /// The effect of one instruction on pending loads.
    struct LoadEffect {
        bool is_load = false;
        bool is_guarded = false;
        bool waits_for_all_loads = false;     ///< waits for all pending loads
        bool waits_for_stored_loads = false;  ///< whether a backward branch waits for stored values
        bool may_read_store = false;  ///< whether a load may read a value from a global store
        bool is_global_store = false;
        u8 load_bit = 0;
        u64 loads_for_result = 0;  ///< the loads whose values the instruction uses for its result
        u64 loads_for_store = 0;   ///< the loads whose values the instruction stores
    };
    /// The state of all loads at one point of the function. Each member is a mask of loads.
    struct LoadState {
        u64 pending_loads = 0;        ///< loads that are pending on at least one path
        u64 certain_loads = ~u64{0};  ///< loads that are pending on every path to this point
        u64 stored_loads = 0;  ///< loads that may be pending, and whose values may have been stored
        u64 globally_stored_loads = 0;  ///< like `stored_loads`, for values stored to global memory

        bool operator==(const LoadState&) const = default;

        u64 loads_needed_by(const LoadEffect& step) const {
            u64 needed_loads = step.loads_for_result;
            if (step.waits_for_all_loads) needed_loads = ~u64{0};
            if (step.waits_for_stored_loads) needed_loads |= stored_loads;
            if (step.may_read_store) needed_loads |= globally_stored_loads;
            return needed_loads & pending_loads;
        }
        /// Waits for all pending loads if any of `loads` is pending. The wait is certain if one of
        /// `loads` is certain to be pending.
        void wait_for_loads(u64 loads, bool is_guarded) {
            if (loads == 0) return;
            const bool is_certain = (loads & certain_loads) != 0 && !is_guarded;
            certain_loads = 0;
            if (is_guarded) return;
            const u64 kept_loads = is_certain ? 0 : ~loads;
            pending_loads &= kept_loads;
            stored_loads &= kept_loads;
            globally_stored_loads &= kept_loads;
        }
        void apply_effect(const LoadEffect& step) {
            wait_for_loads(loads_needed_by(step), step.is_guarded);
            stored_loads |= step.loads_for_store & pending_loads;
            if (step.is_global_store) globally_stored_loads |= step.loads_for_store & pending_loads;
            if (!step.is_load) return;
            const u64 bit = u64{1} << step.load_bit;
            pending_loads |= bit;
            if (!step.is_guarded) certain_loads |= bit;
        }
        /// Merges the state of another path to the same point. Returns true if this changes the
        /// state.
        bool merge_state(const LoadState& other) {
            const LoadState old_state = *this;
            pending_loads |= other.pending_loads;
            certain_loads &= other.certain_loads;
            stored_loads |= other.stored_loads;
            globally_stored_loads |= other.globally_stored_loads;
            return *this != old_state;
        }
    };

    void number_loads() {
        u32 loads = 0;
        for (u32 instruction_index = 0; instruction_index < steps_.size(); ++instruction_index) {
            if (!is_global_load(function_.body[instruction_index])) continue;
            steps_[instruction_index].is_load = true;
            steps_[instruction_index].load_bit = result_.load_bit[instruction_index] =
                static_cast<u8>(loads++ % 64);
        }
    }

    void follow_copies() {
        for (bool changed = true; changed;) {
            changed = false;
            for (u32 instruction_index = 0; instruction_index < steps_.size();
                 ++instruction_index) {
                const Instruction& i = function_.body[instruction_index];
                u64 loads = steps_[instruction_index].is_load
                                ? u64{1} << steps_[instruction_index].load_bit
                                : 0;
                if (i.opcode == "mov" && i.operands.size() > 1)
                    loads = loads_of_operand(i.operands[1]);
                if (loads == 0) continue;
                for (u32 r : list_written_registers(i)) {
                    changed |= (loads & ~carried_loads_[r]) != 0;
                    carried_loads_[r] |= loads;
                }
            }
        }
    }

    void describe_steps() {
        for (const BasicBlock& block : flow_.blocks())
            taken_successors_.push_back(
                branch_targets(function_, function_.body[block.end - 1]).size());
        for (u32 instruction_index = 0; instruction_index < steps_.size(); ++instruction_index) {
            const Instruction& i = function_.body[instruction_index];
            LoadEffect& step = steps_[instruction_index];
            step.is_guarded = i.guard.has_value();
            step.waits_for_all_loads = stops_all_loads(i, function_.is_entry);
            step.waits_for_stored_loads = branches_back(function_, flow_, instruction_index);
            step.may_read_store = step.is_load && !i.has("nc");
            if (i.opcode == "mov") continue;
            if (i.opcode == "st" && i.operands.size() > 1) {
                step.loads_for_store = loads_of_operand(i.operands[1]);
                step.loads_for_result = loads_of_operand(i.operands[0]);
                step.is_global_store = may_be_global(i);
            } else {
                for (u32 r : list_read_registers(i)) step.loads_for_result |= carried_loads_[r];
            }
        }
    }

    void propagate_along_graph() {
        const std::vector<BasicBlock>& blocks = flow_.blocks();
        if (blocks.empty()) return;
        std::vector<LoadState> states_at_begin(blocks.size());
        states_at_begin[0].certain_loads = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t b = 0; b < blocks.size(); ++b) {
                LoadState state = states_at_begin[b];
                for (u32 instruction_index = blocks[b].begin; instruction_index < blocks[b].end;
                     ++instruction_index) {
                    result_.loads_to_wait_for[instruction_index] =
                        state.loads_needed_by(steps_[instruction_index]);
                    if (instruction_index + 1 < blocks[b].end)
                        state.apply_effect(steps_[instruction_index]);
                }
                // A conditional branch waits only on its taken path.
                const LoadEffect& last_step = steps_[blocks[b].end - 1];
                LoadState state_if_taken = state;
                state_if_taken.wait_for_loads(state.loads_needed_by(last_step), false);
                state.apply_effect(last_step);
                for (std::size_t k = 0; k < blocks[b].successors.size(); ++k)
                    changed |= states_at_begin[blocks[b].successors[k]].merge_state(
                        k < taken_successors_[b] ? state_if_taken : state);
            }
        }
    }

    u64 loads_of_operand(const Operand& operand) const {
        u64 loads = 0;
        if (operand.is_register() || operand.has_base_register)
            loads |= carried_loads_[operand.reg];
        for (const Operand& element : operand.elements) loads |= loads_of_operand(element);
        return loads;
    }

    const ptx::Function& function_;
    const ControlFlow& flow_;
    LoadWaits result_;
    std::vector<LoadEffect> steps_;  ///< by index into the body
    /// for each register, the loads from which its value may come
    std::vector<u64> carried_loads_;
    /// For each block, the number of successors that its last branch targets.
    std::vector<std::size_t> taken_successors_;
};

}  // namespace

LoadWaits load_waits(const ptx::Function& function, const ControlFlow& flow) {
    return LoadWaitFinder(function, flow).find_waits();
}

}  // namespace coalesce::simulator

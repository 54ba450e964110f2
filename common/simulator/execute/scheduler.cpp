#include "simulator/execute/scheduler.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "simulator/execute/access_listener.h"
#include "simulator/execute/barriers.h"
#include "simulator/execute/calls.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/shuffled_values.h"

namespace coalesce::simulator {
namespace {

/// The number of backward branches that a warp may take before the next warp runs.
constexpr i64 kBranchesPerSlice = 50'000;
/// The number of backward branches that a warp may take in a dry run before the next warp runs. The
/// number is smaller than kBranchesPerSlice, because a dry run may abandon a block before the block
/// ends.
constexpr i64 kBranchesPerDryRunSlice = 500;
/// The weights of an iteration of a waiting loop: the first applies if the iteration has changed
/// memory, and the second if it has not.
constexpr u32 kProgressIterationWeight = 1, kIdleIterationWeight = 16;
/// The total weight of the iterations of a waiting loop after which other lanes of the warp may
/// run. The limit is high, because the other lanes wait at the point where the paths join. If they
/// continued without the spinning lanes, the warp would lose its convergence. The limit is halved
/// each time it is reached, so that passing a lock from lane to lane does not become slow.
constexpr u32 kMaxSpinWeightWithinWarp = 256 * kIdleIterationWeight;
/// The total weight of the iterations of a waiting loop after which other warps may run.
constexpr u32 kMaxSpinWeight = 4 * kIdleIterationWeight;
/// The number of times in a row that a spinning warp lets other warps run before other lanes of the
/// same warp.
constexpr u32 kMaxYieldsToWarps = 64;
/// If some of a block's warps are in waiting loops, other blocks run after this number of passes
/// over the warps: kIdlePasses if no other warp makes progress, and kMaxPasses in any case.
constexpr u32 kIdlePasses = 16, kMaxPasses = 1024;
/// A warp that has used up this many consecutive slices without an iteration of a waiting loop is
/// considered to be computing.
constexpr u32 kMinFullSlices = 2;

/// Returns the position of a fragment as a path of calls that starts in the kernel's body.
std::vector<const Op*> call_path(const Op* next_op, const Frame* frame) {
    std::vector<const Op*> path{next_op};
    for (; frame; frame = frame->caller) path.push_back(frame->call_op);
    std::reverse(path.begin(), path.end());
    return path;
}

bool runs_before(const Fragment& a, const Fragment& b) {
    if (a.is_resting != b.is_resting) return b.is_resting;
    if (a.frame == b.frame) return a.next_op < b.next_op;
    return call_path(a.next_op, a.frame) < call_path(b.next_op, b.frame);
}

void make_running(Warp& w, const Fragment& fragment) {
    w.update_lane_instructions();
    w.active = fragment.lanes;
    w.enter_frame(fragment.frame);
}

bool is_any_ready(const Warp& w, bool includes_resting) {
    return std::any_of(w.other_fragments.begin(), w.other_fragments.end(), [=](const Fragment& f) {
        return f.state == Fragment::State::ready && (includes_resting || !f.is_resting);
    });
}

/// The lanes that run after an iteration of a waiting loop: those of the loop itself (none), other
/// lanes of the same warp, or other warps.
enum class Yield : u8 { none, to_lanes, to_warps };

/// Reports whether other warps should run although other lanes of this warp are ready. These lanes
/// usually wait at the point where the paths join, for example if one lane of each warp waits at a
/// barrier. Other warps can help only if memory has changed since they last had their turn.
bool should_yield_to_warps(const Warp& w) {
    return w.block->warps.size() > 1 && w.yields_to_warps < kMaxYieldsToWarps &&
           (w.yields_to_warps == 0 || w.changes_at_yield != w.block->watch->change_count());
}

/// Handles an iteration of a waiting loop. If other lanes, warps or blocks must run first, moves
/// the running lanes to `w.other_fragments`.
Yield yield_if_waiting(Warp& w, const Op* next_op) {
    const u64 changes = w.block->watch->change_count();
    const bool notes_progress = std::exchange(w.last_seen_changes, changes) != changes;
    ++w.waiting_iterations;
    w.spin_count += notes_progress ? kProgressIterationWeight : kIdleIterationWeight;
    if (w.spin_count < kMaxSpinWeight) return Yield::none;
    const bool has_ready_fragment = is_any_ready(w, false);
    if (has_ready_fragment && w.spin_count < w.spin_limit) {
        if (!should_yield_to_warps(w)) return Yield::none;
        ++w.yields_to_warps;
        w.changes_at_yield = changes;
        w.spin_count = 0;
        w.update_lane_instructions();
        add_or_merge_fragment(w, {.next_op = next_op, .lanes = w.active, .frame = w.frame});
        return Yield::to_warps;
    }
    w.spin_count = w.yields_to_warps = 0;
    if (has_ready_fragment) w.spin_limit = std::max(w.spin_limit / 2, kMaxSpinWeight);
    w.update_lane_instructions();
    Fragment self{.next_op = next_op, .lanes = w.active, .frame = w.frame};
    self.is_resting = true;
    if (w.polling_frame == w.frame) self.polling_op = w.polling_op;
    w.other_fragments.push_back(self);
    w.has_ended_slice_spinning = !has_ready_fragment;
    return has_ready_fragment ? Yield::to_lanes : Yield::to_warps;
}

inline const Op* jump_to(Warp& w, const Op* op, const Op* target) {
    if (target <= op) {  // one iteration of a loop
        if (op->is_spin_branch) {
            const Yield yield = yield_if_waiting(w, target);
            if (yield != Yield::none)
                return yield == Yield::to_warps ? nullptr : switch_to_next_fragment(w);
        }
        if (--w.branches_left < 0) {
            w.update_lane_instructions();
            add_or_merge_fragment(w, {.next_op = target, .lanes = w.active, .frame = w.frame});
            return nullptr;
        }
    }
    // Skip the label at the target, because no other fragment could join this one there.
    if (w.other_fragments.empty()) return target + 1;
    return continue_at(w, target);
}

Mask guarded_lanes(const Warp& w, const Op* op) {
    const Mask p = w.predicate(op->guard);
    return (op->is_guard_negated ? ~p : p) & w.active;
}

}  // namespace

void add_or_merge_fragment(Warp& w, const Fragment& fragment) {
    for (Fragment& other_fragment : w.other_fragments) {
        if (other_fragment.state == fragment.state && other_fragment.next_op == fragment.next_op &&
            other_fragment.frame == fragment.frame) {
            other_fragment.lanes |= fragment.lanes;
            return;
        }
    }
    w.other_fragments.push_back(fragment);
}

const Op* switch_to_next_fragment(Warp& w) {
    int best_index = -1;
    for (int k = 0; k < static_cast<int>(w.other_fragments.size()); ++k) {
        if (w.other_fragments[k].state != Fragment::State::ready) continue;
        if (best_index < 0 || runs_before(w.other_fragments[k], w.other_fragments[best_index]))
            best_index = k;
    }
    if (best_index < 0) return nullptr;
    const Fragment chosen_fragment = w.other_fragments[best_index];
    w.other_fragments.erase(w.other_fragments.begin() + best_index);
    make_running(w, chosen_fragment);
    return chosen_fragment.next_op;
}

const Op* continue_at(Warp& w, const Op* next_op) {
    w.update_lane_instructions();
    add_or_merge_fragment(w, {.next_op = next_op, .lanes = w.active, .frame = w.frame});
    return switch_to_next_fragment(w);
}

// ---- control flow ----

const Op* op_branch(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    ++w.branches;
    return jump_to(w, op, op->target);
}

const Op* op_endless_loop(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    return w.fail_with_report(
        Status::launch_timeout,
        w.describe(op, "synccheck", "endless loop", w.first_active(),
                   "These threads loop forever: nothing in the loop can end it. If the loop "
                   "waits for a variable that another thread sets, the compiler has read the "
                   "variable only once, before the loop.",
                   "Read the variable again in each iteration: declare it volatile, or read and "
                   "write it through cuda::atomic_ref."));
}

const Op* op_branch_if(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    const Mask taken_lanes = guarded_lanes(w, op);
    if (op->detail == kProgramBranch) ++w.branches;
    if (taken_lanes == w.active) return jump_to(w, op, op->target);
    // Lanes that left the loop in an earlier iteration may be waiting after the branch. A loop with
    // a single exit has no label there.
    if (taken_lanes == 0) return w.other_fragments.empty() ? op + 1 : continue_at(w, op + 1);
    if (op->detail == kProgramBranch) ++w.divergent_branches;
    w.update_lane_instructions();
    add_or_merge_fragment(w,
                          {.next_op = op + 1, .lanes = w.active & ~taken_lanes, .frame = w.frame});
    w.active = taken_lanes;
    return jump_to(w, op, op->target);
}

const Op* op_branch_indexed(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    ++w.branches;
    const u32* index = w.lanes<u32>(op->a);
    const u32 target_index = index[w.first_active()];
    const Mask same_target_lanes =
        select_lanes(w.active, [&](int l) { return index[l] == target_index; });
    if (target_index >= op->targets->size())
        return w.fail_launch(op, Status::launch_failure, "execution", "bad jump",
                             "the index of a jump table is outside the table", w.first_active());
    if (same_target_lanes != w.active) {
        ++w.divergent_branches;
        w.update_lane_instructions();
        add_or_merge_fragment(
            w, {.next_op = op, .lanes = w.active & ~same_target_lanes, .frame = w.frame});
        w.active = same_target_lanes;
    }
    return jump_to(w, op, (*op->targets)[target_index]);
}

const Op* op_label(Warp& w, const Op* op) {
    if (w.other_fragments.empty()) return op + 1;
    // Some fragments may be waiting at this label to join this fragment. Fragments that have not
    // reached the label yet must run first.
    const Op* next_op = continue_at(w, op);
    return next_op == op ? op + 1 : next_op;
}

const Op* op_exit(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    w.update_lane_instructions();
    w.live_lanes &= ~w.active;
    w.active = 0;
    if (w.pending_loads && !w.live_lanes) w.wait_for_loads();
    return w.other_fragments.empty() ? nullptr : switch_to_next_fragment(w);
}

const Op* op_guarded(Warp& w, const Op* op) {
    const Mask lanes = guarded_lanes(w, op);
    if (lanes == 0) return op + 1;
    const Mask active_lanes = w.active;
    w.active = lanes;
    const Op* next_op = op->guarded_handler(w, op);
    w.active = active_lanes;
    return next_op;
}

// ---- instructions that make lanes of a warp wait for each other ----

namespace {

/// Returns the lanes among `candidates` that use the mask `named_lanes`.
Mask lanes_with_mask(const Warp& w, const Op* op, Mask named_lanes, Mask candidates) {
    const u32* members = w.lanes<u32>(op->members);
    return select_lanes(candidates, [&](int l) { return members[l] == named_lanes; });
}

/// Removes from `other_fragments` the fragment that waits here with the same mask, and returns the
/// lanes of that fragment.
Mask take_lanes_waiting_with_mask(Warp& w, const Op* op, Mask named_lanes) {
    for (auto f = w.other_fragments.begin(); f != w.other_fragments.end(); ++f) {
        if (f->state != Fragment::State::at_warp_sync || f->next_op != op || f->frame != w.frame ||
            f->awaited_lanes != named_lanes)
            continue;
        const Mask lanes = f->lanes;
        w.other_fragments.erase(f);
        return lanes;
    }
    return 0;
}

/// Wakes all fragments for which `should_wake` returns true. They continue after the instruction at
/// which they waited.
template <class ShouldWake>
void wake_fragments(Warp& w, ShouldWake should_wake) {
    for (Fragment& f : w.other_fragments) {
        if (!should_wake(f)) continue;
        f.state = Fragment::State::ready;
        ++f.next_op;
    }
}

/// Releases lanes that have reached a __syncwarp on different paths. The paths may lead through
/// different calls of the function that contains the __syncwarp, as in code built for a debugger,
/// or to a __syncwarp on a different line.
void release_complete_warp_barriers(Warp& w) {
    for (const Fragment& f : w.other_fragments) {
        const auto should_wake = [awaited_lanes = f.awaited_lanes](const Fragment& other) {
            return other.state == Fragment::State::at_warp_sync &&
                   other.next_op->guarded_handler == op_warp_barrier &&
                   other.awaited_lanes == awaited_lanes;
        };
        if (!should_wake(f)) continue;
        Mask met_lanes = 0;
        for (const Fragment& other : w.other_fragments)
            met_lanes |= should_wake(other) ? other.lanes : 0;
        if (f.awaited_lanes & w.live_lanes & ~met_lanes) continue;
        w.active = met_lanes;
        op_warp_barrier(w, f.next_op);
        wake_fragments(w, should_wake);
        return;
    }
}

/// Executes an instruction whose missing lanes have reached it in a different call of the same
/// function. These lanes have their own registers, so their values are copied to this call's
/// registers while the instruction is executed.
bool run_across_calls(Warp& w, const Op* op, Mask named_lanes, Mask lane_group) {
    const auto should_wake = [&](const Fragment& f) {
        return f.state == Fragment::State::at_warp_sync && f.next_op == op && f.frame != w.frame &&
               f.awaited_lanes == named_lanes;
    };
    Mask met_lanes = lane_group;
    for (const Fragment& f : w.other_fragments) met_lanes |= should_wake(f) ? f.lanes : 0;
    if (!w.frame || (named_lanes & w.live_lanes & ~met_lanes)) return false;
    const FunctionCode& code = *w.frame->code;
    u8* const call_registers = w.frame->registers;
    const std::vector<u8> saved_registers(call_registers,
                                          call_registers + code.register_file_bytes);
    const auto for_each_visiting_lane = [&](auto body) {
        for (const Fragment& f : w.other_fragments)
            for (const int l : LaneRange{should_wake(f) ? f.lanes : 0}) body(f.frame->registers, l);
    };
    for_each_visiting_lane([&](u8* own_registers, int lane) {
        copy_registers(code, call_registers, own_registers, lane);
    });
    w.active = met_lanes;
    op->guarded_handler(w, op);
    for_each_visiting_lane([&](u8* own_registers, int lane) {
        copy_registers(code, own_registers, call_registers, lane);
        copy_registers(code, call_registers, saved_registers.data(), lane);
    });
    wake_fragments(w, should_wake);
    return true;
}

/// Gathers lanes whose masks may specify several groups, such as four tiles of 8 lanes. Each group
/// waits only for its own lanes.
[[gnu::noinline]] const Op* gather_lane_groups(Warp& w, const Op* op) {
    w.update_lane_instructions();
    Mask finished_lanes = 0;
    for (Mask remaining_lanes = w.active; remaining_lanes;) {
        const Mask named_lanes = w.lanes<u32>(op->members)[std::countr_zero(remaining_lanes)];
        Mask lane_group = lanes_with_mask(w, op, named_lanes, remaining_lanes);
        remaining_lanes &= ~lane_group;
        check_mask(w, op, named_lanes, lane_group);
        lane_group |= take_lanes_waiting_with_mask(w, op, named_lanes);
        if ((named_lanes & w.live_lanes & ~lane_group) == 0) {
            w.active = lane_group;
            if (!op->guarded_handler(w, op)) return nullptr;
            finished_lanes |= lane_group;
        } else if (op->guarded_handler != op_warp_barrier &&
                   run_across_calls(w, op, named_lanes, lane_group)) {
            if (w.block->launch->has_failed()) return nullptr;
            finished_lanes |= lane_group;
        } else {
            Fragment waiting_fragment{.next_op = op,
                                      .lanes = lane_group,
                                      .frame = w.frame,
                                      .state = Fragment::State::at_warp_sync};
            waiting_fragment.awaited_lanes = named_lanes;
            w.other_fragments.push_back(waiting_fragment);
            if (op->guarded_handler == op_warp_barrier) release_complete_warp_barriers(w);
        }
    }
    w.active = finished_lanes;
    return finished_lanes ? op + 1 : switch_to_next_fragment(w);
}

}  // namespace

const Op* op_warp_sync(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    const u32* members = w.lanes<u32>(op->members);
    const Mask named_lanes = members[w.first_active()];
    if ((named_lanes & w.existing_lanes) == w.active &&
        lanes_with_mask(w, op, named_lanes, w.active) == w.active)
        return continue_after_shuffle(w, op->guarded_handler(w, op));
    return continue_after_shuffle(w, gather_lane_groups(w, op));
}

void release_complete_warp_syncs(Warp& w) {
    for (Fragment& f : w.other_fragments) {
        if (f.state == Fragment::State::at_warp_sync &&
            (f.awaited_lanes & w.live_lanes & ~f.lanes) == 0)
            f.state = Fragment::State::ready;
    }
}

const Op* op_warp_barrier(Warp& w, const Op* op) {
    note_warp_barrier(w);
    return op + 1;
}

// ---- a block ----

namespace {

void run_fragments(Warp& w) {
    Watch& watch = *w.block->watch;
    w.is_observed = w.listener || watch.is_on();
    w.is_shared_observed = watch.is_on() || (w.listener && w.listener->receives_shared());
    if (!watch.is_on()) w.polling_op = nullptr;
    const Op* op = switch_to_next_fragment(w);
    if (!w.step_listener && !watch.is_on()) {
        while (op) op = op->run(w, op);
        return;
    }
    while (op) {
        // Record the step at the Op that counts the instruction, just before the Op that executes
        // it.
        if (w.step_listener && op->run == op_nothing) w.step_listener->note_step(w, op);
        if (watch.is_on()) watch.note_execution(w, op);
        op = op->run(w, op);
    }
}

void run_slice(Warp& w) {
    // If the warp has used up its previous slice, keep its count of spins, so that the iterations
    // of a long waiting loop are added up.
    if (w.branches_left >= 0) w.spin_count = 0;
    Watch& watch = *w.block->watch;
    Launch& launch = *w.block->launch;
    const u64 branches_left = launch.is_dry_run ? kBranchesPerDryRunSlice : kBranchesPerSlice,
              instruction_limit = launch.instruction_limit;
    // Each branch executes at least one instruction, so a slice never needs more branches than the
    // instruction limit.
    w.branches_left = static_cast<i64>(
        instruction_limit ? std::min(branches_left, instruction_limit) : branches_left);
    w.waiting_iterations = 0;
    w.last_seen_changes = watch.change_count();
    w.has_ended_slice_spinning = false;
    const Mask live_lanes_before = w.live_lanes;
    for (Fragment& f : w.other_fragments) f.is_resting = false;
    const u64 executed_before = w.executed_instructions;
    w.uncounted_instructions = 0;
    run_fragments(w);
    w.update_lane_instructions();
    if (launch.instruction_limit)
        charge_instructions(w,
                            w.executed_instructions - executed_before + w.uncounted_instructions);
    w.full_slices = w.branches_left < 0 && w.waiting_iterations == 0 ? w.full_slices + 1 : 0;
    if (w.full_slices >= kMinFullSlices) watch.note_progress();
    if (w.live_lanes != live_lanes_before) {
        handle_ended_lanes(w);
        watch.note_progress();
    }
}

/// Reports lanes that wait for other lanes that will never arrive, and lets the waiting lanes
/// continue. Returns true if there were any.
bool release_warp_syncs(Block& block) {
    bool any_released = false;
    for (Warp& w : block.warps) {
        for (Fragment& f : w.other_fragments) {
            if (f.state != Fragment::State::at_warp_sync) continue;
            report_missing_lanes(w, f);
            w.update_lane_instructions();
            make_running(w, f);
            const Op* op = f.next_op;
            f = w.other_fragments.back();
            w.other_fragments.pop_back();
            const Op* next_op = op->guarded_handler(w, op);
            if (next_op)
                add_or_merge_fragment(w, {.next_op = next_op, .lanes = w.active, .frame = w.frame});
            any_released = true;
            break;
        }
    }
    return any_released;
}

std::vector<u32> make_warp_order(const Block& block, u64 seed) {
    std::vector<u32> order(block.warps.size());
    std::iota(order.begin(), order.end(), 0u);
    if (seed)
        std::shuffle(order.begin(), order.end(),
                     std::mt19937_64(seed * 0x9e3779b97f4a7c15ull + block.linear_index));
    return order;
}

}  // namespace

void reset_spin_limit(Warp& w) {
    w.spin_limit = kMaxSpinWeightWithinWarp;
    w.yields_to_warps = 0;
    w.branches_left = 0;
    w.full_slices = 0;
}

BlockOutcome run_block(Block& block, u64 seed) {
    const std::vector<u32> order = seed ? make_warp_order(block, seed) : std::vector<u32>{};
    const u32 warps = static_cast<u32>(block.warps.size());
    const Mask all_finished = mask_of_first_lanes(warps);
    u32 passes_with_waits = 0, idle_passes = 0;
    for (;;) {
        bool has_run = false, have_all_spun = true, is_waiting = false;
        const u64 progress = block.watch->progress_count();
        for (u32 k = 0; k < warps; ++k) {
            Warp& w = block.warps[seed ? order[k] : k];
            if (!is_any_ready(w, true)) continue;
            run_slice(w);
            has_run = true;
            have_all_spun &= w.has_ended_slice_spinning;
            is_waiting |= w.waiting_iterations != 0;
            if (block.launch->has_failed()) return BlockOutcome::failed;
            if (block.is_abandoned) return BlockOutcome::finished;
        }
        if (block.finished_warps == all_finished) return BlockOutcome::finished;
        if (has_run && have_all_spun) return BlockOutcome::waits_for_others;
        if (has_run) {
            passes_with_waits += is_waiting;
            idle_passes = block.watch->progress_count() == progress ? idle_passes + 1 : 0;
            if (passes_with_waits &&
                (idle_passes >= kIdlePasses || passes_with_waits >= kMaxPasses))
                return BlockOutcome::waits_for_others;
            continue;
        }
        const bool has_released = release_warp_syncs(block);
        if (block.launch->has_failed()) return BlockOutcome::failed;
        if (has_released) continue;
        if (waits_at_cluster_barrier(block)) return BlockOutcome::waits_for_others;
        report_deadlock(block);
        return BlockOutcome::failed;
    }
}

}  // namespace coalesce::simulator

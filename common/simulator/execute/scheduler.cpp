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
constexpr i64 kSliceFuel = 50'000;
/// The number of backward branches that a warp may take in a dry run before the next warp runs. The
/// number is smaller than kSliceFuel, because a dry run may abandon a block before the block ends.
constexpr i64 kSliceFuelInDryRun = 500;
/// The weights of an iteration of a waiting loop: the first applies if the iteration has changed
/// memory, and the second if it has not.
constexpr u32 kProgressIterationWeight = 1, kIdleIterationWeight = 16;
/// The total weight of the iterations of a waiting loop after which other lanes of the warp may
/// run. The limit is high, because the other lanes wait at the point where the paths join. If they
/// continued without the spinning lanes, the warp would lose its convergence. The limit is halved
/// each time it is reached, so that passing a lock from lane to lane does not become slow.
constexpr u32 kMaxSpinWeightWithinWarp = 256 * kIdleIterationWeight;
/// Other warps may run once the iterations of a waiting loop have this total weight.
constexpr u32 kMaxSpinWeight = 4 * kIdleIterationWeight;
/// If some of a block's warps are in waiting loops, other blocks run after this number of passes
/// over the warps: kIdlePasses if no other warp makes progress, and kPasses in any case.
constexpr u32 kIdlePasses = 16, kPasses = 1024;
/// A warp that has used up this many consecutive slices without an iteration of a waiting loop is
/// considered to be computing.
constexpr u32 kFullSlices = 2;

/// Returns the position of a fragment as a path of calls that starts in the kernel's body.
std::vector<const Op*> call_path(const Op* at, const Frame* frame) {
    std::vector<const Op*> path{at};
    for (; frame; frame = frame->caller) path.push_back(frame->called_from);
    std::reverse(path.begin(), path.end());
    return path;
}

bool runs_before(const Fragment& a, const Fragment& b) {
    if (a.resting != b.resting) return b.resting;
    if (a.frame == b.frame) return a.at < b.at;
    return call_path(a.at, a.frame) < call_path(b.at, b.frame);
}

void make_running(Warp& w, const Fragment& fragment) {
    w.update_lane_instructions();
    w.active = fragment.lanes;
    w.enter(fragment.frame);
}

bool is_any_ready(const Warp& w, bool include_resting) {
    return std::any_of(w.others.begin(), w.others.end(), [=](const Fragment& f) {
        return f.state == Fragment::State::ready && (include_resting || !f.resting);
    });
}

/// Handles an iteration of a waiting loop. If other lanes, warps or blocks must run first, moves
/// the fragment to `others` and returns true.
bool should_yield(Warp& w, const Op* next) {
    const u64 changes = w.block->watch->changes();
    const bool note_progress = std::exchange(w.changes_seen, changes) != changes;
    ++w.waiting_iterations;
    w.spins += note_progress ? kProgressIterationWeight : kIdleIterationWeight;
    const bool others = is_any_ready(w, false);
    if (w.spins < (others ? w.spin_limit : kMaxSpinWeight)) return false;
    w.spins = 0;
    if (others) w.spin_limit = std::max(w.spin_limit / 2, kMaxSpinWeight);
    w.update_lane_instructions();
    Fragment self{.at = next, .lanes = w.active, .frame = w.frame};
    self.resting = true;
    if (w.polling_frame == w.frame) self.polling_op = w.polling_op;
    w.others.push_back(self);
    w.slice_ended_spinning = !others;
    return true;
}

inline const Op* jump(Warp& w, const Op* op, const Op* target) {
    if (target <= op) {  // one iteration of a loop
        if (op->spins && should_yield(w, target))
            return w.slice_ended_spinning ? nullptr : next_fragment(w);
        if (--w.fuel < 0) {
            w.update_lane_instructions();
            join_others(w, {.at = target, .lanes = w.active, .frame = w.frame});
            return nullptr;
        }
    }
    // Skip the label at the target, because no other fragment could join this one there.
    if (w.others.empty()) return target + 1;
    return continue_at(w, target);
}

Mask guarded_lanes(const Warp& w, const Op* op) {
    const Mask p = w.predicate(op->guard);
    return (op->guard_negated ? ~p : p) & w.active;
}

}  // namespace

void join_others(Warp& w, const Fragment& fragment) {
    for (Fragment& other : w.others) {
        if (other.state == fragment.state && other.at == fragment.at &&
            other.frame == fragment.frame) {
            other.lanes |= fragment.lanes;
            return;
        }
    }
    w.others.push_back(fragment);
}

const Op* next_fragment(Warp& w) {
    int best = -1;
    for (int k = 0; k < static_cast<int>(w.others.size()); ++k) {
        if (w.others[k].state != Fragment::State::ready) continue;
        if (best < 0 || runs_before(w.others[k], w.others[best])) best = k;
    }
    if (best < 0) return nullptr;
    const Fragment chosen = w.others[best];
    w.others.erase(w.others.begin() + best);
    make_running(w, chosen);
    return chosen.at;
}

const Op* continue_at(Warp& w, const Op* next) {
    w.update_lane_instructions();
    join_others(w, {.at = next, .lanes = w.active, .frame = w.frame});
    return next_fragment(w);
}

// ---- control flow ----

const Op* op_branch(Warp& w, const Op* op) {
    w.count(op);
    ++w.branches;
    return jump(w, op, op->target);
}

const Op* op_endless_loop(Warp& w, const Op* op) {
    w.count(op);
    return w.fail(
        Status::launch_timeout,
        w.describe(op, "synccheck", "endless loop", w.first_active(),
                   "These threads loop forever: nothing in the loop can end it. If the loop "
                   "waits for a variable that another thread sets, the compiler has read the "
                   "variable only once, before the loop.",
                   "Read the variable again in each iteration: declare it volatile, or read and "
                   "write it through cuda::atomic_ref."));
}

const Op* op_branch_if(Warp& w, const Op* op) {
    w.count(op);
    const Mask taken = guarded_lanes(w, op);
    if (op->detail == kCountedBranch) ++w.branches;
    if (taken == w.active) return jump(w, op, op->target);
    if (taken == 0) return op + 1;
    if (op->detail == kCountedBranch) ++w.divergent_branches;
    w.update_lane_instructions();
    join_others(w, {.at = op + 1, .lanes = w.active & ~taken, .frame = w.frame});
    w.active = taken;
    return jump(w, op, op->target);
}

const Op* op_branch_indexed(Warp& w, const Op* op) {
    w.count(op);
    ++w.branches;
    const u32* index = w.lanes<u32>(op->a);
    const u32 first = index[w.first_active()];
    const Mask same = lanes_where(w.active, [&](int l) { return index[l] == first; });
    if (first >= op->targets->size())
        return w.fail(op, Status::launch_failure, "execution", "bad jump",
                      "the index of a jump table is outside the table", w.first_active());
    if (same != w.active) {
        ++w.divergent_branches;
        w.update_lane_instructions();
        join_others(w, {.at = op, .lanes = w.active & ~same, .frame = w.frame});
        w.active = same;
    }
    return jump(w, op, (*op->targets)[first]);
}

const Op* op_label(Warp& w, const Op* op) {
    if (w.others.empty()) return op + 1;
    // Some fragments may be waiting at this label to join this fragment. Fragments that have not
    // reached the label yet must run first.
    const Op* next = continue_at(w, op);
    return next == op ? op + 1 : next;
}

const Op* op_exit(Warp& w, const Op* op) {
    w.count(op);
    w.update_lane_instructions();
    w.live &= ~w.active;
    w.active = 0;
    if (w.pending_loads && !w.live) w.wait_for_loads();
    return w.others.empty() ? nullptr : next_fragment(w);
}

const Op* op_guarded(Warp& w, const Op* op) {
    const Mask lanes = guarded_lanes(w, op);
    if (lanes == 0) return op + 1;
    const Mask all = w.active;
    w.active = lanes;
    const Op* next = op->inner(w, op);
    w.active = all;
    return next;
}

// ---- instructions that make lanes of a warp wait for each other ----

namespace {

/// Returns the lanes among `candidates` that use the mask `named`.
Mask lanes_with_mask(const Warp& w, const Op* op, Mask named, Mask candidates) {
    const u32* members = w.lanes<u32>(op->members);
    return lanes_where(candidates, [&](int l) { return members[l] == named; });
}

/// Removes from `others` the fragment that waits here with the same mask, and returns the lanes of
/// that fragment.
Mask take_lanes_waiting_with_mask(Warp& w, const Op* op, Mask named) {
    for (auto f = w.others.begin(); f != w.others.end(); ++f) {
        if (f->state != Fragment::State::at_warp_sync || f->at != op || f->frame != w.frame ||
            f->wanted != named)
            continue;
        const Mask lanes = f->lanes;
        w.others.erase(f);
        return lanes;
    }
    return 0;
}

/// Lets all fragments for which `meets` returns true continue after the instruction at which they
/// waited.
template <class Meets>
void wake_fragments(Warp& w, Meets meets) {
    for (Fragment& f : w.others) {
        if (!meets(f)) continue;
        f.state = Fragment::State::ready;
        ++f.at;
    }
}

/// Releases lanes that have reached a __syncwarp on different paths. The paths may lead through
/// different calls of the function that contains the __syncwarp, as in code built for a debugger,
/// or to a __syncwarp on a different line.
void release_complete_warp_barriers(Warp& w) {
    for (const Fragment& f : w.others) {
        const auto meets = [wanted = f.wanted](const Fragment& other) {
            return other.state == Fragment::State::at_warp_sync &&
                   other.at->inner == op_warp_barrier && other.wanted == wanted;
        };
        if (!meets(f)) continue;
        Mask met = 0;
        for (const Fragment& other : w.others) met |= meets(other) ? other.lanes : 0;
        if (f.wanted & w.live & ~met) continue;
        w.active = met;
        op_warp_barrier(w, f.at);
        wake_fragments(w, meets);
        return;
    }
}

/// Executes an instruction whose missing lanes have reached it in a different call of the same
/// function. These lanes have their own registers, so their values are copied to this call's
/// registers while the instruction is executed.
bool run_across_calls(Warp& w, const Op* op, Mask named, Mask group) {
    const auto meets = [&](const Fragment& f) {
        return f.state == Fragment::State::at_warp_sync && f.at == op && f.frame != w.frame &&
               f.wanted == named;
    };
    Mask met = group;
    for (const Fragment& f : w.others) met |= meets(f) ? f.lanes : 0;
    if (!w.frame || (named & w.live & ~met)) return false;
    const FunctionCode& code = *w.frame->code;
    u8* const here = w.frame->registers;
    const std::vector<u8> before(here, here + code.register_file_bytes);
    const auto for_each_guest = [&](auto body) {
        for (const Fragment& f : w.others)
            for (const int l : LanesIn{meets(f) ? f.lanes : 0}) body(f.frame->registers, l);
    };
    for_each_guest([&](u8* own, int lane) { copy_registers(code, here, own, lane); });
    w.active = met;
    op->inner(w, op);
    for_each_guest([&](u8* own, int lane) {
        copy_registers(code, own, here, lane);
        copy_registers(code, here, before.data(), lane);
    });
    wake_fragments(w, meets);
    return true;
}

/// Gathers lanes whose masks may specify several groups, such as four tiles of 8 lanes. Each group
/// waits only for its own lanes.
[[gnu::noinline]] const Op* gather_groups(Warp& w, const Op* op) {
    w.update_lane_instructions();
    Mask done = 0;
    for (Mask rest = w.active; rest;) {
        const Mask named = w.lanes<u32>(op->members)[std::countr_zero(rest)];
        Mask group = lanes_with_mask(w, op, named, rest);
        rest &= ~group;
        check_mask(w, op, named, group);
        group |= take_lanes_waiting_with_mask(w, op, named);
        if ((named & w.live & ~group) == 0) {
            w.active = group;
            if (!op->inner(w, op)) return nullptr;
            done |= group;
        } else if (op->inner != op_warp_barrier && run_across_calls(w, op, named, group)) {
            if (w.block->launch->failed()) return nullptr;
            done |= group;
        } else {
            Fragment waits{
                .at = op, .lanes = group, .frame = w.frame, .state = Fragment::State::at_warp_sync};
            waits.wanted = named;
            w.others.push_back(waits);
            if (op->inner == op_warp_barrier) release_complete_warp_barriers(w);
        }
    }
    w.active = done;
    return done ? op + 1 : next_fragment(w);
}

}  // namespace

const Op* op_warp_sync(Warp& w, const Op* op) {
    w.count(op);
    const u32* members = w.lanes<u32>(op->members);
    const Mask named = members[w.first_active()];
    if ((named & w.existing) == w.active && lanes_with_mask(w, op, named, w.active) == w.active)
        return after_shuffle(w, op->inner(w, op));
    return after_shuffle(w, gather_groups(w, op));
}

void release_complete_warp_syncs(Warp& w) {
    for (Fragment& f : w.others) {
        if (f.state == Fragment::State::at_warp_sync && (f.wanted & w.live & ~f.lanes) == 0)
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
    w.observed = w.listener || watch.on();
    w.observed_shared = watch.on() || (w.listener && w.listener->receives_shared());
    if (!watch.on()) w.polling_op = nullptr;
    const Op* op = next_fragment(w);
    if (!w.step_listener && !watch.on()) {
        while (op) op = op->run(w, op);
        return;
    }
    while (op) {
        // Record the step at the Op that counts the instruction, just before the Op that executes
        // it.
        if (w.step_listener && op->run == op_nothing) w.step_listener->step(w, op);
        if (watch.on()) watch.note_execution(w, op);
        op = op->run(w, op);
    }
}

void run_slice(Warp& w) {
    // If the warp has used up its previous slice, keep its count of spins, so that the iterations
    // of a long waiting loop are added up.
    if (w.fuel >= 0) w.spins = 0;
    Watch& watch = *w.block->watch;
    Launch& launch = *w.block->launch;
    const u64 fuel = launch.is_dry_run ? kSliceFuelInDryRun : kSliceFuel,
              most = launch.instruction_limit;
    // Each iteration executes at least one instruction, so more fuel than the instruction limit is
    // never needed.
    w.fuel = static_cast<i64>(most ? std::min(fuel, most) : fuel);
    w.waiting_iterations = 0;
    w.changes_seen = watch.changes();
    w.slice_ended_spinning = false;
    const Mask live_before = w.live;
    for (Fragment& f : w.others) f.resting = false;
    const u64 executed_before = w.executed;
    w.uncounted_instructions = 0;
    run_fragments(w);
    w.update_lane_instructions();
    if (launch.instruction_limit)
        charge_instructions(w, w.executed - executed_before + w.uncounted_instructions);
    w.full_slices = w.fuel < 0 && w.waiting_iterations == 0 ? w.full_slices + 1 : 0;
    if (w.full_slices >= kFullSlices) watch.note_progress();
    if (w.live != live_before) {
        handle_ended_lanes(w);
        watch.note_progress();
    }
}

/// Reports lanes that wait for other lanes that will never arrive, and lets the waiting lanes
/// continue. Returns true if there were any.
bool release_warp_syncs(Block& block) {
    bool any = false;
    for (Warp& w : block.warps) {
        for (Fragment& f : w.others) {
            if (f.state != Fragment::State::at_warp_sync) continue;
            report_missing_lanes(w, f);
            w.update_lane_instructions();
            make_running(w, f);
            const Op* op = f.at;
            f = w.others.back();
            w.others.pop_back();
            const Op* next = op->inner(w, op);
            if (next) join_others(w, {.at = next, .lanes = w.active, .frame = w.frame});
            any = true;
            break;
        }
    }
    return any;
}

std::vector<u32> warp_order(const Block& block, u64 seed) {
    std::vector<u32> order(block.warps.size());
    std::iota(order.begin(), order.end(), 0u);
    if (seed)
        std::shuffle(order.begin(), order.end(),
                     std::mt19937_64(seed * 0x9e3779b97f4a7c15ull + block.linear));
    return order;
}

}  // namespace

void reset_spin_limit(Warp& w) {
    w.spin_limit = kMaxSpinWeightWithinWarp;
    w.fuel = 0;
    w.full_slices = 0;
}

BlockOutcome run_block(Block& block, u64 seed) {
    const std::vector<u32> order = seed ? warp_order(block, seed) : std::vector<u32>{};
    const u32 warps = static_cast<u32>(block.warps.size());
    const Mask all_finished = first_lanes(warps);
    u32 passes_with_waits = 0, idle_passes = 0;
    for (;;) {
        bool ran = false, all_spun = true, waits = false;
        const u64 progress = block.watch->progress();
        for (u32 k = 0; k < warps; ++k) {
            Warp& w = block.warps[seed ? order[k] : k];
            if (!is_any_ready(w, true)) continue;
            run_slice(w);
            ran = true;
            all_spun &= w.slice_ended_spinning;
            waits |= w.waiting_iterations != 0;
            if (block.launch->failed()) return BlockOutcome::failed;
            if (block.is_abandoned) return BlockOutcome::finished;
        }
        if (block.finished_warps == all_finished) return BlockOutcome::finished;
        if (ran && all_spun) return BlockOutcome::waits_for_others;
        if (ran) {
            passes_with_waits += waits;
            idle_passes = block.watch->progress() == progress ? idle_passes + 1 : 0;
            if (passes_with_waits && (idle_passes >= kIdlePasses || passes_with_waits >= kPasses))
                return BlockOutcome::waits_for_others;
            continue;
        }
        const bool released = release_warp_syncs(block);
        if (block.launch->failed()) return BlockOutcome::failed;
        if (released) continue;
        if (waits_at_cluster_barrier(block)) return BlockOutcome::waits_for_others;
        report_deadlock(block);
        return BlockOutcome::failed;
    }
}

}  // namespace coalesce::simulator

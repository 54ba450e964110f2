// barrier.cluster.arrive and barrier.cluster.wait.
//
// Idea   A warp stores two bits for each lane: whether it has arrived in this phase, and whether it
//        still has to wait for an earlier phase that is already complete. When all live lanes of
//        the cluster have arrived, the phase is complete. A lane that has exited counts as arrived,
//        as on hardware.
// Order  An arrival that is not .relaxed releases the warp's own accesses, and those that the warp
//        has acquired. A warp that has waited acquires everything that was released. Accesses
//        between arrival and wait are not ordered with the accesses of other warps.
#include <utility>

#include "simulator/execute/cluster.h"
#include "simulator/execute/scheduler.h"

namespace coalesce::simulator {
namespace {

/// Calls `use(block)` for every block of the cluster. If there is no cluster, calls it for this
/// block alone.
template <class Use>
void for_each_block(Block& block, Use use) {
    if (!block.cluster) return use(block);
    for (Block* other : block.cluster->blocks) use(*other);
}

bool have_all_arrived(Block& block) {
    bool all = true, any = false;
    for_each_block(block, [&](const Block& b) {
        for (const Warp& w : b.warps) {
            all &= (w.live & ~w.cluster_arrived) == 0;
            any |= (w.live & w.cluster_arrived) != 0;
        }
    });
    return all && any;
}

void note_wait_done(Warp& w) {
    Block& block = *w.block;
    if (block.shared_race) block.shared_race->cluster_wait_done(race_warp(w));
    if (GlobalRace* race = block.launch->global_race) race->acquire(block.global_race, w.index);
}

void release_waiting_lanes(Warp& w) {
    for (Fragment& f : w.others) {
        if (f.state != Fragment::State::at_cluster_barrier) continue;
        f.state = Fragment::State::ready;
        ++f.at;
        w.cluster_completed &= ~f.lanes;
        note_wait_done(w);
    }
}

void complete_if_all_arrived(Block& block) {
    if (!have_all_arrived(block)) return;
    if (block.shared_race) block.shared_race->cluster_complete();
    for_each_block(block, [](Block& b) {
        for (Warp& w : b.warps) {
            w.cluster_completed |= std::exchange(w.cluster_arrived, 0) & w.live;
            release_waiting_lanes(w);
        }
    });
    block.watch->memory_changed();
}

void report_misuse(const Warp& w, const Op* op, Mask lanes, const char* kind, const char* message,
                   const char* cure) {
    if (!lanes || !w.block->launch->checks.sync) return;
    reports().add(w.describe(op, "synccheck", kind, std::countr_zero(lanes), message, cure));
}

}  // namespace

const Op* op_cluster_arrive(Warp& w, const Op* op) {
    w.count(op);
    Block& block = *w.block;
    const bool releases = !(op->detail & kRelaxedArrival);
    report_misuse(w, op, w.active & (w.cluster_arrived | w.cluster_completed), "missing wait",
                  "arrives at the cluster's barrier again without having waited for the phase of "
                  "its last arrival",
                  "Each barrier_arrive() needs a barrier_wait() before the next barrier_arrive().");
    w.cluster_arrived |= w.active & ~w.cluster_completed;
    w.cluster_arrival = op;
    for_each_block(block, [](Block& b) { b.uses_cluster_barrier = true; });
    if (GlobalRace* race = block.launch->global_race; race && releases)
        race->cluster_arrive(block.global_race, w.index);
    if (block.shared_race) block.shared_race->cluster_arrive(race_warp(w), releases);
    block.watch->memory_changed();
    complete_if_all_arrived(block);
    return op + 1;
}

const Op* op_cluster_wait(Warp& w, const Op* op) {
    w.count(op);
    w.update_lane_instructions();
    const Mask waiting = w.active & w.cluster_arrived, passing = w.active & ~waiting;
    report_misuse(w, op, passing & ~w.cluster_completed, "missing arrival",
                  "waits at the cluster's barrier without having arrived there",
                  "Each barrier_wait() needs a barrier_arrive() before it.");
    w.cluster_completed &= ~passing;
    if (passing) note_wait_done(w);
    if (!waiting) return op + 1;
    if (passing) join_others(w, {.at = op + 1, .lanes = passing, .frame = w.frame});
    join_others(w, {.at = op,
                    .lanes = waiting,
                    .frame = w.frame,
                    .state = Fragment::State::at_cluster_barrier});
    return next_fragment(w);
}

void cluster_lanes_ended(Warp& w) {
    if (!w.block->uses_cluster_barrier) return;
    const Mask gone = w.existing & ~w.live;
    if (const Mask owing = gone & (w.cluster_arrived | w.cluster_completed)) {
        report_misuse(
            w, w.cluster_arrival, owing, "missing wait",
            "arrives at the cluster's barrier here, but ends without having waited",
            "Each barrier_arrive() needs a barrier_wait(), including the last barrier_arrive().");
        w.cluster_arrived &= ~gone;
        w.cluster_completed &= ~gone;
    }
    complete_if_all_arrived(*w.block);
}

bool waits_at_cluster_barrier(const Block& block) {
    for (const Warp& w : block.warps)
        for (const Fragment& f : w.others)
            if (f.state == Fragment::State::at_cluster_barrier) return true;
    return false;
}

}  // namespace coalesce::simulator

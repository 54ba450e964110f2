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
    for (Block* block_in_cluster : block.cluster->blocks) use(*block_in_cluster);
}

bool have_all_arrived(Block& block) {
    bool all_have_arrived = true, has_arrivals = false;
    for_each_block(block, [&](const Block& b) {
        for (const Warp& w : b.warps) {
            all_have_arrived &= (w.live_lanes & ~w.cluster_arrived) == 0;
            has_arrivals |= (w.live_lanes & w.cluster_arrived) != 0;
        }
    });
    return all_have_arrived && has_arrivals;
}

void note_wait_done(Warp& w) {
    Block& block = *w.block;
    if (block.shared_race) block.shared_race->record_cluster_wait(race_check_warp(w));
    if (GlobalRace* race = block.launch->global_race) race->acquire(block.global_race, w.index);
}

void release_waiting_lanes(Warp& w) {
    for (Fragment& f : w.other_fragments) {
        if (f.state != Fragment::State::at_cluster_barrier) continue;
        f.state = Fragment::State::ready;
        ++f.next_op;
        w.cluster_completed &= ~f.lanes;
        note_wait_done(w);
    }
}

void complete_if_all_arrived(Block& block) {
    if (!have_all_arrived(block)) return;
    if (block.shared_race) block.shared_race->complete_cluster_barrier();
    for_each_block(block, [](Block& b) {
        for (Warp& w : b.warps) {
            w.cluster_completed |= std::exchange(w.cluster_arrived, 0) & w.live_lanes;
            release_waiting_lanes(w);
        }
    });
    block.watch->note_memory_change();
}

void report_misuse(const Warp& w, const Op* op, Mask lanes, const char* kind, const char* message,
                   const char* advice) {
    if (!lanes || !w.block->launch->checks.runs_synccheck) return;
    reports().add(w.describe(op, "synccheck", kind, std::countr_zero(lanes), message, advice));
}

}  // namespace

const Op* op_cluster_arrive(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
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
        race->record_cluster_arrival(block.global_race, w.index);
    if (block.shared_race) block.shared_race->record_cluster_arrival(race_check_warp(w), releases);
    block.watch->note_memory_change();
    complete_if_all_arrived(block);
    return op + 1;
}

const Op* op_cluster_wait(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    w.update_lane_instructions();
    const Mask waiting_lanes = w.active & w.cluster_arrived,
               passing_lanes = w.active & ~waiting_lanes;
    report_misuse(w, op, passing_lanes & ~w.cluster_completed, "missing arrival",
                  "waits at the cluster's barrier without having arrived there",
                  "Each barrier_wait() needs a barrier_arrive() before it.");
    w.cluster_completed &= ~passing_lanes;
    if (passing_lanes) note_wait_done(w);
    if (!waiting_lanes) return op + 1;
    if (passing_lanes)
        add_or_merge_fragment(w, {.next_op = op + 1, .lanes = passing_lanes, .frame = w.frame});
    add_or_merge_fragment(w, {.next_op = op,
                              .lanes = waiting_lanes,
                              .frame = w.frame,
                              .state = Fragment::State::at_cluster_barrier});
    return switch_to_next_fragment(w);
}

void note_cluster_lanes_ended(Warp& w) {
    if (!w.block->uses_cluster_barrier) return;
    const Mask exited_lanes = w.existing_lanes & ~w.live_lanes;
    if (const Mask lanes_without_wait = exited_lanes & (w.cluster_arrived | w.cluster_completed)) {
        report_misuse(
            w, w.cluster_arrival, lanes_without_wait, "missing wait",
            "arrives at the cluster's barrier here, but ends without having waited",
            "Each barrier_arrive() needs a barrier_wait(), including the last barrier_arrive().");
        w.cluster_arrived &= ~exited_lanes;
        w.cluster_completed &= ~exited_lanes;
    }
    complete_if_all_arrived(*w.block);
}

bool waits_at_cluster_barrier(const Block& block) {
    for (const Warp& w : block.warps)
        for (const Fragment& f : w.other_fragments)
            if (f.state == Fragment::State::at_cluster_barrier) return true;
    return false;
}

}  // namespace coalesce::simulator

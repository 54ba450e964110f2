#include "simulator/execute/barriers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "simulator/execute/cluster.h"
#include "simulator/execute/scheduler.h"
#include "simulator/execute/shared_checks.h"

namespace coalesce::simulator {
namespace {

constexpr u32 kBarriersPerBlock = 16;

bool is_waiting_at(const Fragment& f, u32 id) {
    return f.state == Fragment::State::at_barrier && f.barrier == id;
}

/// Returns the lanes of the warp that wait at a barrier.
Mask find_waiting_lanes(const Warp& w, u32 id) {
    Mask lanes = 0;
    for (const Fragment& f : w.other_fragments)
        if (is_waiting_at(f, id)) lanes |= f.lanes;
    return lanes;
}

/// Returns the number of threads that have reached a barrier. As on hardware, a warp whose live
/// lanes all wait counts as 32 threads.
u32 count_arrived_threads(const Block& block, u32 id) {
    u32 threads = block.barriers[id].nonwaiting_arrivals;
    for (const Warp& w : block.warps) {
        const Mask lanes = find_waiting_lanes(w, id);
        threads += lanes && lanes == w.live_lanes ? kLanes : static_cast<u32>(std::popcount(lanes));
    }
    return threads;
}

bool is_barrier_complete(const Block& block, u32 id) {
    const Barrier& barrier = block.barriers[id];
    if (!barrier.is_in_use) return false;
    if (barrier.expected_threads)
        return count_arrived_threads(block, id) >= barrier.expected_threads;
    const Mask all_warps = mask_of_first_lanes(static_cast<u32>(block.warps.size()));
    return (barrier.waiting_warps | block.finished_warps) == all_warps &&
           barrier.waiting_warps != 0;
}

/// Reports whether a thread of the warp is missing at a barrier of the whole block. A warp whose
/// threads exited without doing anything does not count as missing.
bool exits_before_barrier(const Warp& w) {
    const bool has_exited_early =
        w.live_lanes == 0 && !w.has_met_barrier && w.block->launch->kernel->ends_early_without_work;
    return w.live_lanes != w.existing_lanes && !has_exited_early;
}

void report_exited_threads(const Block& block, const Warp& waiting_warp, const Fragment& fragment) {
    for (const Warp& w : block.warps) {
        if (!exits_before_barrier(w)) continue;
        const Mask exited_lanes = w.existing_lanes & ~w.live_lanes;
        const Dim3 t = w.thread_index(std::countr_zero(exited_lanes));
        reports().add(waiting_warp.describe(
            fragment.next_op, "synccheck", "exit before barrier", std::countr_zero(fragment.lanes),
            "thread (" + std::to_string(t.x) + "," + std::to_string(t.y) + "," +
                std::to_string(t.z) +
                ") has not reached this barrier, which waits for every thread of the block",
            "Put only the work into an if, so that all threads of the block reach "
            "__syncthreads()."));
        return;
    }
}

/// Checks a completed barrier of the whole block: all threads must be at the same instruction, and
/// none may be missing.
void check_barrier(const Block& block, u32 id) {
    const Warp* first_warp = nullptr;
    const Fragment* first_fragment = nullptr;
    bool has_exited_threads = false;
    for (const Warp& w : block.warps) {
        has_exited_threads |= exits_before_barrier(w);
        for (const Fragment& f : w.other_fragments) {
            if (!is_waiting_at(f, id)) continue;
            if (!first_fragment) {
                first_fragment = &f;
                first_warp = &w;
            } else if (f.next_op != first_fragment->next_op) {
                Report report = first_warp->describe(
                    first_fragment->next_op, "synccheck", "divergent barrier",
                    std::countr_zero(first_fragment->lanes),
                    "threads of one block wait at two different barriers",
                    "Every thread of the block must reach the same __syncthreads(): move it out "
                    "of the branch.");
                report.other = block.launch->kernel->place(f.next_op);
                report.other_block = block.index;
                report.other_thread = w.thread_index(std::countr_zero(f.lanes));
                reports().add(report);
                return;
            }
        }
    }
    if (has_exited_threads && first_fragment)
        report_exited_threads(block, *first_warp, *first_fragment);
}

void write_reduction(Warp& w, const Fragment& f, const Barrier& barrier) {
    const Mask active = std::exchange(w.active, f.lanes);
    Frame* const frame = w.frame;
    w.enter_frame(f.frame);
    const bool reduction_result = f.next_op->detail == kReduceAnd
                                      ? barrier.true_votes == barrier.votes
                                      : barrier.true_votes > 0;
    if (f.next_op->detail == kReducePopc)
        w.write<u32>(f.next_op->d, [&](int) { return barrier.true_votes; });
    else
        w.write_predicate(f.next_op->d, reduction_result ? kAllLanes : 0);
    w.active = active;
    w.enter_frame(frame);
}

void release_barrier(Block& block, u32 id) {
    Barrier& barrier = block.barriers[id];
    if (block.launch->checks.runs_synccheck && barrier.expected_threads == 0)
        check_barrier(block, id);
    Mask waiting_warps = 0;
    for (Warp& w : block.warps) {
        for (Fragment& f : w.other_fragments) {
            if (!is_waiting_at(f, id)) continue;
            if (f.next_op->run == op_barrier_reduce) write_reduction(w, f, barrier);
            waiting_warps |= 1u << w.index;
            w.has_met_barrier = true;
            f.state = Fragment::State::ready;
            ++f.next_op;
        }
    }
    note_barrier_complete(block, id, waiting_warps, barrier.expected_threads == 0);
    barrier = {};
}

/// Adds the running lanes to the lanes that wait at barrier `id`.
void wait_at_barrier(Warp& w, const Op* op, u32 id) {
    w.update_lane_instructions();
    add_or_merge_fragment(w, {.next_op = op,
                              .lanes = w.active,
                              .frame = w.frame,
                              .state = Fragment::State::at_barrier,
                              .barrier = static_cast<u8>(id)});
}

/// Returns the reason why the warp must not use this barrier with this number of threads, or "" if
/// the use is valid.
std::string find_barrier_misuse(const Warp& w, const Op* op, u32 id, u32 threads) {
    if (id >= kBarriersPerBlock) return "the index of a barrier must be from 0 to 15";
    if (threads % kLanes != 0) return "the thread count of a barrier must be a multiple of 32";
    if (threads == 0 && op->run == op_barrier_arrive)
        return "barrier.arrive must specify the number of threads that the barrier waits for";
    const Block& block = *w.block;
    const Barrier& barrier = block.barriers[id];
    const auto block_threads = static_cast<u32>(block.warps.size()) * kLanes;
    const u32 expected_threads =
        barrier.expected_threads ? barrier.expected_threads : block_threads;
    if (!barrier.is_in_use || expected_threads == (threads ? threads : block_threads)) return "";
    return "this warp waits for " + std::to_string(threads ? threads : block_threads) +
           " threads at a barrier where other warps wait for " + std::to_string(expected_threads);
}

/// Records an arrival at a barrier and returns the barrier's ID. If the operands are invalid, fails
/// the launch and returns nothing.
std::optional<u32> arrive_at_barrier(Warp& w, const Op* op) {
    w.count_straight_line_run(op);
    const u32 id = w.lanes<u32>(op->a)[w.first_active()],
              threads = w.lanes<u32>(op->b)[w.first_active()];
    if (const std::string problem = find_barrier_misuse(w, op, id, threads); !problem.empty()) {
        w.fail_launch(op, Status::launch_failure, "synccheck", "bad barrier", problem,
                      w.first_active());
        return std::nullopt;
    }
    Barrier& barrier = w.block->barriers[id];
    barrier.is_in_use = true;
    if (threads) barrier.expected_threads = threads;
    note_barrier_arrive(w, id);
    return id;
}

}  // namespace

const Op* op_barrier_sync(Warp& w, const Op* op) {
    const std::optional<u32> id = arrive_at_barrier(w, op);
    if (!id) return nullptr;
    Block& block = *w.block;
    wait_at_barrier(w, op, *id);
    if (find_waiting_lanes(w, *id) == w.live_lanes)
        block.barriers[*id].waiting_warps |= 1u << w.index;
    if (is_barrier_complete(block, *id)) release_barrier(block, *id);
    return switch_to_next_fragment(w);
}

const Op* op_barrier_arrive(Warp& w, const Op* op) {
    const std::optional<u32> id = arrive_at_barrier(w, op);
    if (!id) return nullptr;
    Block& block = *w.block;
    note_barrier_passed(w, *id);
    block.barriers[*id].nonwaiting_arrivals +=
        w.active == w.live_lanes ? kLanes : static_cast<u32>(std::popcount(w.active));
    block.watch->note_memory_change();
    if (is_barrier_complete(block, *id)) release_barrier(block, *id);
    return op + 1;
}

const Op* op_barrier_reduce(Warp& w, const Op* op) {
    const u32 id = w.lanes<u32>(op->a)[w.first_active()];
    if (id < kBarriersPerBlock) {
        Barrier& barrier = w.block->barriers[id];
        const Mask true_votes = w.predicate(op->c) & w.active;
        barrier.votes += static_cast<u32>(std::popcount(w.active));
        barrier.true_votes += static_cast<u32>(std::popcount(true_votes));
    }
    return op_barrier_sync(w, op);
}

void release_barriers(Block& block) {
    for (u32 id = 0; id < kBarriersPerBlock; ++id) {
        if (!block.barriers[id].is_in_use) continue;
        for (const Warp& w : block.warps)
            if (w.live_lanes && find_waiting_lanes(w, id) == w.live_lanes)
                block.barriers[id].waiting_warps |= 1u << w.index;
        if (is_barrier_complete(block, id)) release_barrier(block, id);
    }
}

void handle_ended_lanes(Warp& w) {
    if (w.live_lanes == 0) {
        w.block->finished_warps |= 1u << w.index;
        note_warp_end(w);
    }
    release_complete_warp_syncs(w);
    release_barriers(*w.block);
    note_cluster_lanes_ended(w);
}

// ---- the instruction limit, and reports ----

void charge_instructions(Warp& w, u64 count) {
    Launch& launch = *w.block->launch;
    const u64 total_instructions =
        launch.instructions_spent.fetch_add(count, std::memory_order_relaxed) + count;
    if (total_instructions <= launch.instruction_limit || launch.has_failed()) return;
    const Op* next_op = w.other_fragments.empty() ? launch.code->kernel_function.ops.data()
                                                  : w.other_fragments.front().next_op;
    const Mask lanes =
        w.other_fragments.empty() ? w.existing_lanes : w.other_fragments.front().lanes;
    w.fail_launch(next_op, Status::launch_timeout, "execution", "instruction budget",
                  "the launch has used up its " + std::to_string(launch.instruction_limit) +
                      " warp instructions. Is there a loop here that never ends?",
                  std::countr_zero(lanes));
}

namespace {

void report_mask(Warp& w, const Op* op, Mask calling_lanes, const char* format, Mask first_mask,
                 Mask second_mask) {
    if (!w.block->launch->checks.runs_synccheck) return;
    char text[160];
    std::snprintf(text, sizeof text, format, first_mask, second_mask);
    reports().add(w.describe(op, "synccheck", "invalid warp mask", std::countr_zero(calling_lanes),
                             text,
                             "Move the call to a place that all lanes of the mask reach, or "
                             "compute the mask with __ballot_sync() before the branch."));
}

}  // namespace

void check_mask(Warp& w, const Op* op, Mask named_lanes, Mask calling_lanes) {
    if (calling_lanes & ~named_lanes)
        report_mask(
            w, op, calling_lanes & ~named_lanes,
            "the mask 0x%08x does not include all lanes that execute this instruction: 0x%08x",
            named_lanes, calling_lanes);
    const ptx::Function& function = w.frame ? *w.frame->code->ast : *w.block->launch->kernel->ast;
    const Mask exited_lanes = named_lanes & w.existing_lanes & ~w.live_lanes;
    // Other instructions may name lanes that have exited, but a shuffle would read registers that
    // no longer exist.
    if (exited_lanes && function.body[op->source].opcode == "shfl")
        report_mask(w, op, calling_lanes, "the mask 0x%08x includes lanes that have exited: 0x%08x",
                    named_lanes, exited_lanes);
}

void report_missing_lanes(Warp& w, const Fragment& fragment) {
    if (fragment.next_op->matrix) return;  // is_whole_warp reports this error
    report_mask(w, fragment.next_op, fragment.lanes,
                "the mask includes lanes 0x%08x, but only lanes 0x%08x reached this instruction",
                fragment.awaited_lanes, fragment.lanes);
}

const Warp& find_deadlocked_warp(const Block& block) {
    const auto is_waiting = [](const Warp& w) { return !w.other_fragments.empty(); };
    return *std::find_if(block.warps.begin(), block.warps.end(), is_waiting);
}

void report_deadlock(Block& block) {
    const Warp& deadlocked_warp = find_deadlocked_warp(block);
    const Fragment& f = deadlocked_warp.other_fragments.front();
    reports().add(
        deadlocked_warp.describe(f.next_op, "synccheck", "deadlock", std::countr_zero(f.lanes),
                                 "no warp of the block can continue:\n" + describe_waiting(block),
                                 "All threads that a barrier counts must reach it."));
    block.launch->fail(Status::launch_timeout);
}

}  // namespace coalesce::simulator

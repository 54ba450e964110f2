#include "simulator/execute/shared_checks.h"

#include "simulator/base/device_model.h"
#include "simulator/execute/barriers.h"
#include "simulator/execute/scheduler.h"

namespace coalesce::simulator {
namespace {

/// Returns the index of the ledger's row for barriers, which comes after the rows of the warps. A
/// barrier completes for the block as a whole, so its steps do not belong to any warp.
u32 ledger_row_of_barriers(const Block& block) {
    return static_cast<u32>(block.warps.size());
}

/// Handles a step that is not an access, such as a barrier. If the clean block has the same step,
/// does nothing. Otherwise, calls `check`, which passes the step to the checker, and records the
/// step in the ledger if the ledger is recording.
template <class Check>
void record_step(Block& block, u32 ledger_row, u32 event_code, Mask mask, Check check) {
    if (block.ledger.mode() == SharedLedger::Mode::comparing) {
        if (block.ledger.match_next_step(ledger_row, event_code, mask, nullptr)) return;
        stop_using_ledger(block);
    }
    if (block.shared_race) check(*block.shared_race);
    if (block.ledger.mode() == SharedLedger::Mode::recording)
        block.ledger.record(ledger_row, {.event_code = event_code, .active = mask}, nullptr);
}

/// Reports whether `warps` contains all warps that the block had at its start. Returns false once a
/// warp has ended, because an ended warp does not arrive at barriers.
bool are_all_warps(const Block& block, Mask warps) {
    return std::popcount(warps) == static_cast<int>(block.warps.size());
}

void replay_step(Block& block, u32 ledger_row, const SharedLedger::Step& step,
                 const u32* addresses) {
    SharedRace& race = *block.shared_race;
    if (ledger_row == ledger_row_of_barriers(block)) {
        race.complete_barrier(0, step.active, true);
    } else if (step.event_code == SharedLedger::kBlockBarrier) {
        race.record_barrier_arrival(0, ledger_row);
    } else if (step.event_code == SharedLedger::kWarpBarrier) {
        race.record_syncwarp(ledger_row, step.active, block.warps[ledger_row].live_lanes);
    } else {
        const Site& site = block.launch->kernel->sites[step.event_code];
        SharedAccess access{.warp = ledger_row,
                            .site = step.event_code,
                            .active = step.active,
                            .addresses = addresses,
                            .bytes_per_lane = site.bytes_per_lane};
        if (!site.is_store) return race.check_read(access);
        race.check_write(access);
        race.mark_unwritten(access, block.ledger.undefined_bytes(step));
    }
}

}  // namespace

void begin_shared_checks(Block& block) {
    block.shared_race->begin_block(block.linear_index, block.shared_end(), block.shared);
    if (block.uses_reserved_shared)
        block.shared_race->mark_written(DeviceModel::shared_reserved_begin,
                                        DeviceModel::shared_reserved_used);
}

void stop_using_ledger(Block& block) {
    if (block.shared_race) begin_shared_checks(block);
    block.ledger.stop_comparing(
        [&](u32 ledger_row, const SharedLedger::Step& step, const u32* addresses) {
            if (block.shared_race) replay_step(block, ledger_row, step, addresses);
        });
}

void note_barrier_arrive(Warp& w, u32 id) {
    record_step(*w.block, w.index, SharedLedger::kBlockBarrier, w.active,
                [&](SharedRace& race) { race.record_barrier_arrival(id, race_check_warp(w)); });
}

void note_barrier_passed(Warp& w, u32 id) {
    if (GlobalRace* race = w.block->launch->global_race)
        race->record_barrier_arrival(w.block->global_race, id, w.index);
}

void note_barrier_complete(Block& block, u32 id, Mask waiting_warps, bool is_whole_block) {
    if (GlobalRace* race = block.launch->global_race) {
        if (is_whole_block || are_all_warps(block, waiting_warps))
            race->complete_block_barrier(block.global_race);
        else
            race->complete_partial_barrier(block.global_race, id, waiting_warps);
    }
    record_step(block, ledger_row_of_barriers(block), SharedLedger::kBlockBarrier, waiting_warps,
                [&](SharedRace& race) {
                    race.complete_barrier(id, waiting_warps, is_whole_block, block.first_warp);
                });
}

void note_warp_barrier(Warp& w) {
    record_step(*w.block, w.index, SharedLedger::kWarpBarrier, w.active, [&](SharedRace& race) {
        race.record_syncwarp(race_check_warp(w), w.active, w.live_lanes);
    });
}

/// Handles the end of a warp. If the same warp of the clean block had more steps, this block
/// differs from the clean block.
void note_warp_end(Warp& w) {
    Block& block = *w.block;
    if (block.ledger.mode() == SharedLedger::Mode::comparing && !block.ledger.is_at_end(w.index))
        stop_using_ledger(block);
}

}  // namespace coalesce::simulator

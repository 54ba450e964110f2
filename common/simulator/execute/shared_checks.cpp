#include "simulator/execute/shared_checks.h"

#include "simulator/base/device_model.h"
#include "simulator/execute/barriers.h"
#include "simulator/execute/scheduler.h"

namespace coalesce::simulator {
namespace {

/// Returns the index of the ledger's row for barriers, which comes after the rows of the warps. A
/// barrier completes for the block as a whole, so its steps do not belong to any warp.
u32 block_row(const Block& block) {
    return static_cast<u32>(block.warps.size());
}

/// Handles a step that is not an access. If the clean block has the same step, does nothing.
/// Otherwise, `check` passes the step to the checker, and the ledger records the step.
template <class Check>
void note_step(Block& block, u32 row, u32 what, Mask mask, Check check) {
    if (block.ledger.mode() == SharedLedger::Mode::comparing) {
        if (block.ledger.match_next_step(row, what, mask, nullptr)) return;
        stop_using_ledger(block);
    }
    if (block.shared_race) check(*block.shared_race);
    if (block.ledger.mode() == SharedLedger::Mode::recording)
        block.ledger.record(row, {.what = what, .active = mask}, nullptr);
}

/// Reports whether `warps` contains all warps that the block had at its start. Returns false once a
/// warp has ended, because an ended warp does not arrive at barriers.
bool are_all_warps(const Block& block, Mask warps) {
    return std::popcount(warps) == static_cast<int>(block.warps.size());
}

void replay_step(Block& block, u32 row, const SharedLedger::Step& step, const u32* addresses) {
    SharedRace& race = *block.shared_race;
    if (row == block_row(block)) {
        race.barrier_complete(0, step.active, true);
    } else if (step.what == SharedLedger::kBlockBarrier) {
        race.barrier_arrive(0, row);
    } else if (step.what == SharedLedger::kWarpBarrier) {
        race.syncwarp(row, step.active, block.warps[row].live);
    } else {
        const Site& site = block.launch->kernel->sites[step.what];
        SharedAccess access{.warp = row,
                            .site = step.what,
                            .active = step.active,
                            .addresses = addresses,
                            .bytes_per_lane = site.bytes_per_lane};
        if (!site.store) return race.read(access);
        race.write(access);
        race.mark_unwritten(access, block.ledger.undefined(step));
    }
}

}  // namespace

void begin_shared_checks(Block& block) {
    block.shared_race->begin_block(block.linear, block.shared_end(), block.shared);
    if (block.reserved_shared)
        block.shared_race->mark_written(DeviceModel::shared_reserved_begin,
                                        DeviceModel::shared_reserved_used);
}

void stop_using_ledger(Block& block) {
    if (block.shared_race) begin_shared_checks(block);
    block.ledger.stop_comparing([&](u32 row, const SharedLedger::Step& step, const u32* addresses) {
        if (block.shared_race) replay_step(block, row, step, addresses);
    });
}

void note_barrier_arrive(Warp& w, u32 id) {
    note_step(*w.block, w.index, SharedLedger::kBlockBarrier, w.active,
              [&](SharedRace& race) { race.barrier_arrive(id, race_warp(w)); });
}

void note_barrier_passed(Warp& w, u32 id) {
    if (GlobalRace* race = w.block->launch->global_race)
        race->barrier_arrive(w.block->global_race, id, w.index);
}

void note_barrier_complete(Block& block, u32 id, Mask waited, bool whole_block) {
    if (GlobalRace* race = block.launch->global_race) {
        if (whole_block || are_all_warps(block, waited))
            race->barrier(block.global_race);
        else
            race->barrier_complete(block.global_race, id, waited);
    }
    note_step(block, block_row(block), SharedLedger::kBlockBarrier, waited, [&](SharedRace& race) {
        race.barrier_complete(id, waited, whole_block, block.first_warp);
    });
}

void note_warp_barrier(Warp& w) {
    note_step(*w.block, w.index, SharedLedger::kWarpBarrier, w.active,
              [&](SharedRace& race) { race.syncwarp(race_warp(w), w.active, w.live); });
}

/// Handles the end of a warp. If the same warp of the clean block had more steps, this block
/// differs from the clean block.
void note_warp_end(Warp& w) {
    Block& block = *w.block;
    if (block.ledger.mode() == SharedLedger::Mode::comparing && !block.ledger.at_end(w.index))
        stop_using_ledger(block);
}

}  // namespace coalesce::simulator

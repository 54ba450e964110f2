// cp.async.bulk: the pending copies and their completion.
//
// Idea  Copies that report to the same mbarrier complete one after the other. When the announced
//       bytes have arrived, the phase is over, even if more copies are pending.
#include "simulator/execute/async_copy.h"
#include "simulator/execute/bulk_copies.h"
#include "simulator/execute/describe.h"

namespace coalesce::simulator {
namespace bulk {

Block::BulkCopies& pending_copies(Block& block) {
    if (!block.bulk_copies) {
        block.bulk_copies = std::make_shared<Block::BulkCopies>();
        block.bulk_copies->committed_groups.resize(block.warps.size());
    }
    return *block.bulk_copies;
}

namespace {

void execute_copy(const Copy& copy) {
    for (const Piece& piece : copy.pieces) {
        u8* shared = copy.owner_block->shared + piece.shared_offset;
        if (!copy.writes_shared) {
            if (!copy.owner_block->launch->is_dry_run)
                std::memcpy(piece.host, shared, piece.bytes_inside_array);
            continue;
        }
        if (piece.host) std::memcpy(shared, piece.host, piece.bytes_inside_array);
        for (u32 offset = piece.host ? piece.bytes_inside_array : 0; offset < piece.size; ++offset)
            shared[offset] = static_cast<u8>(copy.fill_value >> offset % 4 * 8);
    }
}

/// Counts a wait for the copies that report to this mbarrier, if there are any (see async_copy.h).
void count_wait(Block& block, u32 mbarrier) {
    for (const Copy& copy : block.bulk_copies->pending) {
        if (!copy.writes_shared || copy.mbarrier != mbarrier) continue;
        ++copy.issuer->warps[copy.warp].site_counters[copy.shared_site()].wait_count;
        return;
    }
}

void finish_copy(Block& block, Copy& copy) {
    execute_copy(copy);
    block.watch->note_memory_change();
    if (block.shared_race) {
        if (copy.reads_shared) block.shared_race->end_bulk_copy(copy.source_copy_id, false, 0);
        block.shared_race->end_bulk_copy(copy.race_copy_id, copy.writes_shared,
                                         make_shared_address(block, copy.mbarrier));
    }
    if (copy.writes_shared) {
        if (GlobalRace* race = block.launch->global_race; race && copy.issuer == &block)
            race->record_copy_completion(block.global_race, copy.mbarrier, copy.warp,
                                         copy.issue_time);
        add_arrived_bytes(block, copy.mbarrier, copy.bytes);
        block.copy_bytes_in_flight -= copy.bytes;
    }
    copy.bytes = 0;
}

/// Completes and removes the copies for which `is_due_copy` returns true. `is_due_copy` is called
/// for each copy after all earlier copies are complete.
template <class F>
void finish_copies_if(Block& block, F is_due_copy) {
    auto& pending = block.bulk_copies->pending;
    for (Copy& copy : pending)
        if (is_due_copy(copy)) finish_copy(block, copy);
    std::erase_if(pending, [](const Copy& copy) { return copy.bytes == 0; });
}

}  // namespace

const Op* run_commit_group(Warp& w, const Op* op) {
    Block::BulkCopies& copies = pending_copies(*w.block);
    auto& committed_groups = copies.committed_groups[w.index];
    for (const int l : LaneRange{w.active}) ++committed_groups[l];
    if (!copies.pending.empty()) w.block->watch->note_memory_change();
    return op + 1;
}

/// Executes wait_group. With `.read`, the instruction waits only until shared memory has been read,
/// which makes no difference here.
const Op* run_wait_group(Warp& w, const Op* op) {
    const u32 groups_left = static_cast<u32>(op->immediate);
    const auto& committed_groups = pending_copies(*w.block).committed_groups[w.index];
    finish_copies_if(*w.block, [&](const Copy& copy) {
        return !copy.writes_shared && copy.warp == w.index && w.is_active(copy.lane) &&
               u64{copy.group} + groups_left < committed_groups[copy.lane];
    });
    return op + 1;
}

}  // namespace bulk

void complete_bulk_copies(Block& block, u32 mbarrier) {
    if (!block.bulk_copies || !waits_for_bytes(block, mbarrier)) return;
    bulk::count_wait(block, mbarrier);
    bulk::finish_copies_if(block, [&](const bulk::Copy& copy) {
        return copy.writes_shared && copy.mbarrier == mbarrier && waits_for_bytes(block, mbarrier);
    });
}

u64 pending_bulk_bytes(const Block& block, u32 mbarrier) {
    u64 bytes = 0;
    if (!block.bulk_copies) return bytes;
    for (const bulk::Copy& copy : block.bulk_copies->pending)
        if (copy.writes_shared && copy.mbarrier == mbarrier) bytes += copy.bytes;
    return bytes;
}

namespace {

/// If the reason why no phase of the mbarrier waits for the copy is known, adds this reason to the
/// report.
void note_wait_without_effect(const Block& block, u32 mbarrier, Report& report) {
    const auto found = block.phase_bytes.find(mbarrier);
    const PhaseBytes bytes = found == block.phase_bytes.end() ? PhaseBytes{} : found->second;
    if (bytes.has_ended_wait_at_once) {
        report.message +=
            " A thread has waited on the mbarrier for parity 1, but the first phase has parity 0, "
            "so the wait ended at once.";
        report.cure =
            "Wait for parity 0 in the first phase, for parity 1 in the next one, and so "
            "on.";
        return;
    }
    if (bytes.announced_bytes > 0) return;
    const std::string pending_bytes_text = std::to_string(pending_bulk_bytes(block, mbarrier));
    report.message += bytes.last_announced_bytes == 0
                          ? " No bytes were announced to its mbarrier, so no phase waits for the " +
                                pending_bytes_text + " bytes of the copies that report to it."
                          : " The phase of the mbarrier ended after the " +
                                std::to_string(bytes.last_announced_bytes) +
                                " announced bytes had arrived. Copies of " + pending_bytes_text +
                                " more bytes were started, but no phase waits for them.";
    report.cure = "Announce the bytes of all the copies that report to this mbarrier.";
}

}  // namespace

void end_bulk_copies(Block& block) {
    if (!block.bulk_copies) return;
    for (const bulk::Copy& copy : block.bulk_copies->pending) {
        Warp& warp = copy.issuer->warps[copy.warp];
        if (!warp.checks.runs_synccheck || block.launch->has_failed()) break;
        Report report = warp.describe(
            copy.op, "synccheck", "copy not waited for", copy.lane,
            std::string("The block ends while this copy may still be ") +
                (copy.writes_shared ? "writing to" : "reading") +
                " its shared memory, which the next block will use.",
            copy.writes_shared ? "Wait on the mbarrier that the copy reports to."
                               : "Commit the copy, and wait with cp.async.bulk.wait_group "
                                 "(.read is enough) before the thread ends.");
        if (copy.writes_shared) note_wait_without_effect(block, copy.mbarrier, report);
        reports().add(report);
    }
    bulk::finish_copies_if(block, [](const bulk::Copy&) { return true; });
}

void end_copies_that_read(Block& block) {
    for (Block* block_in_cluster : block.cluster->blocks) {
        if (block_in_cluster == &block || !block_in_cluster->bulk_copies) continue;
        for (const bulk::Copy& copy : block_in_cluster->bulk_copies->pending) {
            Warp& warp = block.warps[copy.warp];
            if (copy.issuer != &block || !copy.reads_shared || !warp.checks.runs_synccheck)
                continue;
            reports().add(warp.describe(copy.op, "synccheck", "copy not waited for", copy.lane,
                                        "The block ends while this copy may still be reading its "
                                        "shared memory, which the next block will use.",
                                        "Make the destination block wait for the copy, and then "
                                        "synchronize both blocks: cluster.sync()."));
        }
        bulk::finish_copies_if(*block_in_cluster, [&](const bulk::Copy& copy) {
            return copy.issuer == &block && copy.reads_shared;
        });
    }
}

}  // namespace coalesce::simulator

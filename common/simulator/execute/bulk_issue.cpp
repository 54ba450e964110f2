// Issues cp.async.bulk copies: checks, counts and queues them.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "simulator/execute/access_listener.h"
#include "simulator/execute/async_copy.h"
#include "simulator/execute/bulk_copies.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator::bulk {

using ptx::StateSpace;

Issue begin(Warp& w, const Op* op, int lane) {
    const bool to_shared = op->detail & kToShared;
    Issue issue{.w = w,
                .copy = {.op = op,
                         .to_shared = to_shared,
                         .from_shared = (op->detail & kFromShared) != 0,
                         .issuer = w.block,
                         .owner_block = w.block,
                         .warp = w.index,
                         .lane = lane,
                         .pieces = {},
                         .values = {}}};
    issue.shared = address_in_space(w.lanes<u64>(op->a)[lane]);
    if (to_shared) issue.mbarrier = address_in_space(w.lanes<u64>(op->c)[lane]);
    return issue;
}

// ---- checks ----

bool is_multiple(Issue& issue, u64 value, u32 of, const char* what) {
    if (value % of == 0) return true;
    return issue.fail(Status::misaligned_address, "misaligned",
                      std::string(what) + " is not a multiple of " + std::to_string(of) + " bytes",
                      value);
}

bool find_global(Issue& issue, Piece& piece, const Allocation*& near) {
    if (issue.w.block->launch->is_dry_run) return true;
    const AllocationTable& table = *issue.w.block->launch->allocations;
    if (!near || !near->contains(piece.global, piece.inside)) near = table.find(piece.global);
    if (near && near->contains(piece.global, piece.inside)) {
        piece.host = reinterpret_cast<u8*>(piece.global + near->to_host);
        return true;
    }
    return bad_address(issue.w, issue.copy.op, piece.global, issue.copy.lane, piece.inside,
                       StateSpace::global, load_or_store(!issue.copy.to_shared));
}

bool find_shared(Issue& issue, u64 address, u64 bytes) {
    const Block& owner_block = *issue.copy.owner_block;
    const u64 within = offset_in_block(address);
    if (!owner_block.has_ended && rank_of_address(address) == owner_block.rank &&
        within <= owner_block.shared_bytes && bytes <= owner_block.shared_bytes - within)
        return true;
    return bad_address(issue.w, issue.copy.op, address, issue.copy.lane,
                       static_cast<u32>(std::min<u64>(bytes, ~u32{0})), StateSpace::shared,
                       load_or_store(issue.copy.to_shared));
}

bool find_mbarrier(Issue& issue) {
    const Block& block = *issue.copy.owner_block;
    if (!is_multiple(issue, issue.mbarrier, 8, "the mbarrier's address")) return false;
    if (rank_of_address(issue.mbarrier) != rank_of_address(issue.shared))
        return issue.fail(Status::launch_failure, "mbarrier of another block",
                          "the mbarrier is in the shared memory of the block with rank " +
                              std::to_string(rank_of_address(issue.mbarrier)) +
                              ", but the data goes to the block with rank " +
                              std::to_string(rank_of_address(issue.shared)) +
                              ": both must be in the same block",
                          issue.mbarrier);
    if (!find_shared(issue, issue.mbarrier, 8)) return false;
    issue.copy.mbarrier = offset_in_block(issue.mbarrier);
    if (!is_mbarrier(block, issue.copy.mbarrier))
        return issue.w.fail(issue.copy.op, Status::launch_failure, "synccheck",
                            "mbarrier not initialised",
                            "the mbarrier that this copy reports to was never initialised; in one "
                            "thread, initialise it and execute a fence before the first copy",
                            issue.copy.lane, issue.mbarrier);
    // The initialization of the mbarrier must be visible to the thread that issues the copy, so
    // check the copy as an access to the mbarrier.
    if (block.shared_race) {
        const OneLane use(issue, static_cast<u32>(issue.mbarrier), 8);
        block.shared_race->use_mbarrier(use.access);
        block.shared_race->check_proxy(use.access, false);
    }
    return true;
}

// ---- counters and checks ----

namespace {

/// Counts a copy. `again` is true for every destination of a multicast except the first.
void count(Issue& issue, bool again) {
    if (issue.copy.from_shared) {
        SiteCounters& remote = issue.w.counters[issue.copy.shared_site()];
        if (issue.copy.owner_block == issue.w.block) return;
        ++remote.remote_requests;
        remote.remote_sectors += (issue.shared % 32 + issue.copy.bytes + 31) / 32;
        remote.remote_useful_bytes += issue.copy.bytes;
        return;
    }
    SiteCounters& counters = issue.w.counters[issue.copy.global_site()];
    counters.requests += !again;
    std::unordered_set<u64> sectors;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.inside) continue;
        sectors.insert(piece.global / 32);
        counters.useful_bytes += piece.inside;
    }
    counters.sectors += sectors.size();
}

/// Passes a copy's accesses to global memory to the checks. The checks expect at most 16 bytes per
/// lane, so they receive up to 32 pieces at a time, one per lane.
void note_global(Issue& issue) {
    Warp& w = issue.w;
    Resolved where;
    const auto hand_over = [&](u32 bytes) {
        if (!where.in_global) return;
        notify_listener(w, issue.copy.op, where,
                        {.kind = load_or_store(!issue.copy.to_shared),
                         .bulk = true,
                         .asynchronous = true,
                         .bytes = bytes});
        issue.is_defined &= note_bulk(w, issue.copy.op, issue.copy.global_site(), where, bytes,
                                      issue.copy.to_shared);
        where.in_global = 0;
    };
    int next = 0;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.inside) continue;
        if (piece.inside < kCopyChunkBytes) {
            hand_over(kCopyChunkBytes);
            where.address[issue.copy.lane] = piece.global;
            where.in_global = 1u << issue.copy.lane;
            hand_over(piece.inside);
            next = 0;
            continue;
        }
        where.address[next] = piece.global;
        where.in_global |= 1u << next++;
        if (next == kLanes || !(w.existing >> next & 1)) {
            hand_over(kCopyChunkBytes);
            next = 0;
        }
    }
    hand_over(kCopyChunkBytes);
}

void note_shared(Issue& issue) {
    SharedRace* race = issue.w.block->shared_race;
    if (!race) return;
    const OneLane copy(issue, static_cast<u32>(issue.shared), issue.copy.bytes);
    race->check_proxy(copy.access, issue.copy.to_shared);
    issue.copy.race_ticket = race->begin_bulk_copy(copy.access, issue.copy.to_shared);
}

/// Marks bytes at the destination as uninitialized if the bytes at the source are uninitialized and
/// have not been reported.
void propagate_undefined(Issue& issue) {
    Block& block = *issue.w.block;
    SharedRace* race = block.shared_race;
    if (!race || !issue.w.checks.init || (issue.copy.to_shared && issue.is_defined)) return;
    DeviceMemory& memory = *block.launch->memory;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.inside || !memory.is_device_range(piece.global)) continue;
        const u32 address = shared_address(*issue.copy.owner_block, piece.shared);
        const u32 undefined = issue.copy.to_shared
                                  ? memory.unwritten_bytes(piece.global, piece.inside)
                                  : race->unwritten_bytes(address, piece.inside);
        if (undefined == (1u << piece.inside) - 1) continue;
        if (issue.copy.to_shared)
            race->mark_unwritten({.active = 1, .addresses = &address}, &undefined);
        else
            memory.mark_bytes_unwritten(piece.global, undefined);
    }
}

}  // namespace

void pass_source_to_race_check(Issue& issue, u32 from) {
    SharedRace* race = issue.w.block->shared_race;
    if (!race) return;
    const OneLane source(issue, from, issue.copy.bytes);
    race->check_proxy(source.access, false);
    issue.copy.source_ticket = race->begin_bulk_copy(source.access, false);
}

namespace {

void note_copy(Issue& issue, bool again) {
    count(issue, again);
    if (!issue.copy.from_shared) note_global(issue);
    note_shared(issue);
    if (!issue.copy.from_shared) propagate_undefined(issue);
    Block& block = *issue.copy.owner_block;
    if (GlobalRace* race = block.launch->global_race; race && issue.copy.to_shared)
        issue.copy.issued = race->copy_issued(block.global_race);
    Block::BulkCopies& copies = pending_copies(block);
    issue.copy.group = copies.committed[issue.w.index][issue.copy.lane];
    if (issue.copy.to_shared) block.copy_bytes_under_way += issue.copy.bytes;
    copies.pending.push_back(std::move(issue.copy));
}

/// Issues a copy to one block. `again` is true for every destination of a multicast except the
/// first.
bool issue_to_one_block(Issue& issue, u64 bytes, const SplitCopy& cut, bool again) {
    if (!find_shared(issue, issue.shared, bytes)) return false;
    issue.copy.bytes = static_cast<u32>(bytes);
    if (issue.copy.to_shared && !find_mbarrier(issue)) return false;
    if (!issue.w.has_recorded_enough && !cut(issue, offset_in_block(issue.shared))) return false;
    note_copy(issue, again);
    return true;
}

}  // namespace

bool issue_copy(Issue& issue, u64 bytes, const SplitCopy& cut) {
    Block& block = *issue.w.block;
    const Op* op = issue.copy.op;
    if (!(op->detail & kMulticast)) {
        if (Block* owner = owner_of(block, issue.shared); owner && issue.copy.to_shared)
            issue.copy.owner_block = owner;
        return issue_to_one_block(issue, bytes, cut, false);
    }
    bool again = false;
    const u32 ranks = issue.w.lanes<u32>(op->members)[issue.copy.lane] & 0xffff;
    for (const int rank : LanesIn{ranks}) {
        const u64 at = static_cast<u64>(rank) * kWindowBytes;
        Issue each = issue;
        each.shared = at + offset_in_block(issue.shared);
        each.mbarrier = at + offset_in_block(issue.mbarrier);
        if (Block* owner = owner_of(block, at)) each.copy.owner_block = owner;
        if (!issue_to_one_block(each, bytes, cut, std::exchange(again, true))) return false;
    }
    return true;
}

}  // namespace coalesce::simulator::bulk

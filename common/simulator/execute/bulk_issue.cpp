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

Issue begin_bulk_copy(Warp& w, const Op* op, int lane) {
    const bool writes_shared = op->detail & kToShared;
    Issue issue{.w = w,
                .copy = {.op = op,
                         .writes_shared = writes_shared,
                         .reads_shared = (op->detail & kFromShared) != 0,
                         .issuer = w.block,
                         .owner_block = w.block,
                         .warp = w.index,
                         .lane = lane,
                         .pieces = {},
                         .values = {}}};
    issue.shared = address_in_space(w.lanes<u64>(op->a)[lane]);
    if (writes_shared) issue.mbarrier = address_in_space(w.lanes<u64>(op->c)[lane]);
    return issue;
}

// ---- checks ----

bool is_multiple(Issue& issue, u64 value, u32 divisor, const char* operand_name) {
    if (value % divisor == 0) return true;
    return issue.fail_copy(
        Status::misaligned_address, "misaligned",
        std::string(operand_name) + " is not a multiple of " + std::to_string(divisor) + " bytes",
        value);
}

bool find_global(Issue& issue, Piece& piece, const Allocation*& last_allocation) {
    if (issue.w.block->launch->is_dry_run) return true;
    const AllocationTable& table = *issue.w.block->launch->allocations;
    if (!last_allocation ||
        !last_allocation->contains(piece.global_address, piece.bytes_inside_array))
        last_allocation = table.find(piece.global_address);
    if (last_allocation &&
        last_allocation->contains(piece.global_address, piece.bytes_inside_array)) {
        piece.host = reinterpret_cast<u8*>(piece.global_address + last_allocation->host_offset);
        return true;
    }
    return fail_bad_address(issue.w, issue.copy.op, piece.global_address, issue.copy.lane,
                            piece.bytes_inside_array, StateSpace::global,
                            load_or_store(!issue.copy.writes_shared));
}

bool find_shared(Issue& issue, u64 address, u64 bytes) {
    const Block& owner_block = *issue.copy.owner_block;
    const u64 offset = offset_in_block(address);
    if (!owner_block.has_ended && rank_of_address(address) == owner_block.rank &&
        offset <= owner_block.shared_bytes && bytes <= owner_block.shared_bytes - offset)
        return true;
    return fail_bad_address(issue.w, issue.copy.op, address, issue.copy.lane,
                            static_cast<u32>(std::min<u64>(bytes, ~u32{0})), StateSpace::shared,
                            load_or_store(issue.copy.writes_shared));
}

/// Reports whether cuda::memcpy_async of libcu++ makes the copy. It chooses a bulk copy where the
/// size and the alignment permit one. The program cannot know this, so it needs no fence after the
/// initialization of its cuda::barrier.
bool is_copy_of_libcu(const Issue& issue) {
    const Warp& w = issue.w;
    const Launch& launch = *w.block->launch;
    const FunctionCode& code = w.frame ? *w.frame->code : launch.code->main;
    return is_inlined_from("cuda/__memcpy_async", *launch.kernel, code, *issue.copy.op);
}

bool find_mbarrier(Issue& issue) {
    const Block& block = *issue.copy.owner_block;
    if (!is_multiple(issue, issue.mbarrier, 8, "the mbarrier's address")) return false;
    if (rank_of_address(issue.mbarrier) != rank_of_address(issue.shared))
        return issue.fail_copy(Status::launch_failure, "mbarrier of another block",
                               "the mbarrier is in the shared memory of the block with rank " +
                                   std::to_string(rank_of_address(issue.mbarrier)) +
                                   ", but the data goes to the block with rank " +
                                   std::to_string(rank_of_address(issue.shared)) +
                                   ": both must be in the same block",
                               issue.mbarrier);
    if (!find_shared(issue, issue.mbarrier, 8)) return false;
    issue.copy.mbarrier = offset_in_block(issue.mbarrier);
    if (!is_mbarrier(block, issue.copy.mbarrier))
        return issue.w.fail_launch(
            issue.copy.op, Status::launch_failure, "synccheck", "mbarrier not initialised",
            "the mbarrier that this copy reports to was never initialised; in one "
            "thread, initialise it and execute a fence before the first copy",
            issue.copy.lane, issue.mbarrier);
    // The initialization of the mbarrier must be visible to the thread that issues the copy, so
    // check the copy as an access to the mbarrier.
    if (block.shared_race) {
        const OneLaneAccess mbarrier_access(issue, static_cast<u32>(issue.mbarrier), 8);
        block.shared_race->check_mbarrier_use(mbarrier_access.access);
        if (!is_copy_of_libcu(issue))
            block.shared_race->check_proxy_fence(mbarrier_access.access, false);
    }
    return true;
}

// ---- counters and checks ----

namespace {

/// Counts a copy. `is_repeated` is true for every destination of a multicast except the first.
void count_copy(Issue& issue, bool is_repeated) {
    if (issue.copy.reads_shared) {
        SiteCounters& remote_counters = issue.w.counters[issue.copy.shared_site()];
        if (issue.copy.owner_block == issue.w.block) return;
        ++remote_counters.remote_requests;
        remote_counters.remote_sectors += (issue.shared % 32 + issue.copy.bytes + 31) / 32;
        remote_counters.remote_useful_bytes += issue.copy.bytes;
        return;
    }
    SiteCounters& counters = issue.w.counters[issue.copy.global_site()];
    counters.requests += !is_repeated;
    std::unordered_set<u64> sectors;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.bytes_inside_array) continue;
        sectors.insert(piece.global_address / 32);
        counters.useful_bytes += piece.bytes_inside_array;
    }
    counters.sectors += sectors.size();
}

/// Passes a copy's accesses to global memory to the checks. The checks expect at most 16 bytes per
/// lane, so they receive up to 32 pieces at a time, one per lane.
void note_global(Issue& issue) {
    Warp& w = issue.w;
    Resolved resolved;
    const auto pass_on = [&](u32 bytes) {
        if (!resolved.global_lanes) return;
        notify_listener(w, issue.copy.op, resolved,
                        {.kind = load_or_store(!issue.copy.writes_shared),
                         .is_bulk = true,
                         .is_asynchronous = true,
                         .bytes = bytes});
        issue.is_defined &= note_bulk_access(w, issue.copy.op, issue.copy.global_site(), resolved,
                                             bytes, issue.copy.writes_shared);
        resolved.global_lanes = 0;
    };
    int next_lane = 0;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.bytes_inside_array) continue;
        if (piece.bytes_inside_array < kCopyChunkBytes) {
            pass_on(kCopyChunkBytes);
            resolved.address[issue.copy.lane] = piece.global_address;
            resolved.global_lanes = 1u << issue.copy.lane;
            pass_on(piece.bytes_inside_array);
            next_lane = 0;
            continue;
        }
        resolved.address[next_lane] = piece.global_address;
        resolved.global_lanes |= 1u << next_lane++;
        if (next_lane == kLanes || !(w.existing_lanes >> next_lane & 1)) {
            pass_on(kCopyChunkBytes);
            next_lane = 0;
        }
    }
    pass_on(kCopyChunkBytes);
}

void note_shared(Issue& issue) {
    SharedRace* race = issue.w.block->shared_race;
    if (!race) return;
    const OneLaneAccess copy(issue, static_cast<u32>(issue.shared), issue.copy.bytes);
    race->check_proxy_fence(copy.access, issue.copy.writes_shared);
    issue.copy.race_ticket = race->begin_bulk_copy(copy.access, issue.copy.writes_shared);
}

/// Marks bytes at the destination as uninitialized if the bytes at the source are uninitialized and
/// have not been reported.
void propagate_undefined(Issue& issue) {
    Block& block = *issue.w.block;
    SharedRace* race = block.shared_race;
    if (!race || !issue.w.checks.init || (issue.copy.writes_shared && issue.is_defined)) return;
    DeviceMemory& memory = *block.launch->memory;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.bytes_inside_array || !memory.is_device_range(piece.global_address)) continue;
        const u32 address = make_shared_address(*issue.copy.owner_block, piece.shared);
        const u32 undefined =
            issue.copy.writes_shared
                ? memory.unwritten_bytes(piece.global_address, piece.bytes_inside_array)
                : race->find_unwritten_bytes(address, piece.bytes_inside_array);
        if (undefined == (1u << piece.bytes_inside_array) - 1) continue;
        if (issue.copy.writes_shared)
            race->mark_unwritten({.active = 1, .addresses = &address}, &undefined);
        else
            memory.mark_bytes_unwritten(piece.global_address, undefined);
    }
}

}  // namespace

void pass_source_to_race_check(Issue& issue, u32 source_address) {
    SharedRace* race = issue.w.block->shared_race;
    if (!race) return;
    const OneLaneAccess source(issue, source_address, issue.copy.bytes);
    race->check_proxy_fence(source.access, false);
    issue.copy.source_ticket = race->begin_bulk_copy(source.access, false);
}

namespace {

void note_issued_copy(Issue& issue, bool is_repeated) {
    count_copy(issue, is_repeated);
    if (!issue.copy.reads_shared) note_global(issue);
    note_shared(issue);
    if (!issue.copy.reads_shared) propagate_undefined(issue);
    Block& block = *issue.copy.owner_block;
    if (GlobalRace* race = block.launch->global_race; race && issue.copy.writes_shared)
        issue.copy.issue_time = race->record_copy_issue(block.global_race);
    Block::BulkCopies& copies = pending_copies(block);
    issue.copy.group = copies.committed_groups[issue.w.index][issue.copy.lane];
    if (issue.copy.writes_shared) block.copy_bytes_in_flight += issue.copy.bytes;
    copies.pending.push_back(std::move(issue.copy));
}

/// Issues a copy to one block. `is_repeated` is true for every destination of a multicast except
/// the first.
bool issue_to_one_block(Issue& issue, u64 bytes, const SplitCopy& split, bool is_repeated) {
    if (!find_shared(issue, issue.shared, bytes)) return false;
    issue.copy.bytes = static_cast<u32>(bytes);
    if (issue.copy.writes_shared && !find_mbarrier(issue)) return false;
    if (!issue.w.has_recorded_enough && !split(issue, offset_in_block(issue.shared))) return false;
    note_issued_copy(issue, is_repeated);
    return true;
}

}  // namespace

bool issue_copy(Issue& issue, u64 bytes, const SplitCopy& split) {
    Block& block = *issue.w.block;
    const Op* op = issue.copy.op;
    if (!(op->detail & kMulticast)) {
        if (Block* owner = find_owner_block(block, issue.shared); owner && issue.copy.writes_shared)
            issue.copy.owner_block = owner;
        return issue_to_one_block(issue, bytes, split, false);
    }
    bool is_repeated = false;
    const u32 ranks = issue.w.lanes<u32>(op->members)[issue.copy.lane] & 0xffff;
    for (const int rank : LaneRange{ranks}) {
        const u64 block_window = static_cast<u64>(rank) * kWindowBytes;
        Issue copy_to_block = issue;
        copy_to_block.shared = block_window + offset_in_block(issue.shared);
        copy_to_block.mbarrier = block_window + offset_in_block(issue.mbarrier);
        if (Block* owner = find_owner_block(block, block_window))
            copy_to_block.copy.owner_block = owner;
        if (!issue_to_one_block(copy_to_block, bytes, split, std::exchange(is_repeated, true)))
            return false;
    }
    return true;
}

}  // namespace coalesce::simulator::bulk

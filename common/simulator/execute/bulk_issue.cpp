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

CopyIssue begin_bulk_copy(Warp& w, const Op* op, int lane) {
    const bool writes_shared = op->detail & kToShared;
    CopyIssue issue{.w = w,
                    .copy = {.op = op,
                             .writes_shared = writes_shared,
                             .reads_shared = (op->detail & kFromShared) != 0,
                             .issuer = w.block,
                             .owner_block = w.block,
                             .warp = w.index,
                             .lane = lane,
                             .pieces = {},
                             .stored_values = {}}};
    issue.shared_address = address_in_space(w.lanes<u64>(op->a)[lane]);
    if (writes_shared) issue.mbarrier_address = address_in_space(w.lanes<u64>(op->c)[lane]);
    return issue;
}

// ---- checks ----

bool check_is_multiple(CopyIssue& issue, u64 value, u32 divisor, const char* operand_name) {
    if (value % divisor == 0) return true;
    return issue.fail_copy(
        Status::misaligned_address, "misaligned",
        std::string(operand_name) + " is not a multiple of " + std::to_string(divisor) + " bytes",
        value);
}

bool find_host_of_piece(CopyIssue& issue, Piece& piece, const Allocation*& last_allocation) {
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

bool check_shared_range(CopyIssue& issue, u64 address, u64 bytes) {
    const Block& owner_block = *issue.copy.owner_block;
    const u64 offset = offset_in_block(address);
    if (!owner_block.has_ended && rank_of_address(address) == owner_block.rank &&
        offset <= owner_block.shared_bytes && bytes <= owner_block.shared_bytes - offset)
        return true;
    return fail_bad_address(issue.w, issue.copy.op, address, issue.copy.lane,
                            static_cast<u32>(std::min<u64>(bytes, ~u32{0})), StateSpace::shared,
                            load_or_store(issue.copy.writes_shared));
}

/// Reports whether cuda::memcpy_async of libcu++ has issued the copy. This function uses a bulk
/// copy whenever size and alignment allow it. The program cannot know that, so it is not expected
/// to execute a fence after the initialization of its cuda::barrier.
bool is_copy_of_libcu(const CopyIssue& issue) {
    const Warp& w = issue.w;
    const Launch& launch = *w.block->launch;
    const FunctionCode& code = w.frame ? *w.frame->code : launch.code->kernel_function;
    return is_inlined_from("cuda/__memcpy_async", *launch.kernel, code, *issue.copy.op);
}

bool find_mbarrier(CopyIssue& issue) {
    const Block& block = *issue.copy.owner_block;
    if (!check_is_multiple(issue, issue.mbarrier_address, 8, "the mbarrier's address"))
        return false;
    if (rank_of_address(issue.mbarrier_address) != rank_of_address(issue.shared_address))
        return issue.fail_copy(Status::launch_failure, "mbarrier of another block",
                               "the mbarrier is in the shared memory of the block with rank " +
                                   std::to_string(rank_of_address(issue.mbarrier_address)) +
                                   ", but the data goes to the block with rank " +
                                   std::to_string(rank_of_address(issue.shared_address)) +
                                   ": both must be in the same block",
                               issue.mbarrier_address);
    if (!check_shared_range(issue, issue.mbarrier_address, 8)) return false;
    issue.copy.mbarrier = offset_in_block(issue.mbarrier_address);
    if (!is_mbarrier(block, issue.copy.mbarrier))
        return issue.w.fail_launch(
            issue.copy.op, Status::launch_failure, "synccheck", "mbarrier not initialised",
            "the mbarrier that this copy reports to was never initialised; in one "
            "thread, initialise it and execute a fence before the first copy",
            issue.copy.lane, issue.mbarrier_address);
    // The initialization of the mbarrier must be visible to the thread that issues the copy, so
    // check the copy as an access to the mbarrier.
    if (block.shared_race) {
        const OneLaneAccess mbarrier_access(issue, static_cast<u32>(issue.mbarrier_address), 8);
        block.shared_race->check_mbarrier_use(mbarrier_access.access);
        if (!is_copy_of_libcu(issue))
            block.shared_race->check_proxy_fence(mbarrier_access.access, false);
    }
    return true;
}

// ---- counters and checks ----

namespace {

/// Counts a copy. `is_repeated` is true for every destination of a multicast except the first.
void count_copy(CopyIssue& issue, bool is_repeated) {
    if (issue.copy.reads_shared) {
        SiteCounters& remote_counters = issue.w.site_counters[issue.copy.shared_site()];
        if (issue.copy.owner_block == issue.w.block) return;
        ++remote_counters.remote_requests;
        remote_counters.remote_sectors += (issue.shared_address % 32 + issue.copy.bytes + 31) / 32;
        remote_counters.remote_useful_bytes += issue.copy.bytes;
        return;
    }
    SiteCounters& counters = issue.w.site_counters[issue.copy.global_site()];
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
void note_global_accesses(CopyIssue& issue) {
    Warp& w = issue.w;
    ResolvedAddresses resolved;
    const auto pass_pieces = [&](u32 bytes) {
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
            pass_pieces(kCopyChunkBytes);
            resolved.address[issue.copy.lane] = piece.global_address;
            resolved.global_lanes = 1u << issue.copy.lane;
            pass_pieces(piece.bytes_inside_array);
            next_lane = 0;
            continue;
        }
        resolved.address[next_lane] = piece.global_address;
        resolved.global_lanes |= 1u << next_lane++;
        if (next_lane == kLanes || !(w.existing_lanes >> next_lane & 1)) {
            pass_pieces(kCopyChunkBytes);
            next_lane = 0;
        }
    }
    pass_pieces(kCopyChunkBytes);
}

void note_shared_accesses(CopyIssue& issue) {
    SharedRace* race = issue.w.block->shared_race;
    if (!race) return;
    const OneLaneAccess copy(issue, static_cast<u32>(issue.shared_address), issue.copy.bytes);
    race->check_proxy_fence(copy.access, issue.copy.writes_shared);
    issue.copy.race_copy_id = race->begin_bulk_copy(copy.access, issue.copy.writes_shared);
}

/// Marks bytes at the destination as uninitialized if the bytes at the source are uninitialized and
/// have not been reported.
void propagate_undefined(CopyIssue& issue) {
    Block& block = *issue.w.block;
    SharedRace* race = block.shared_race;
    if (!race || !issue.w.checks.runs_initcheck || (issue.copy.writes_shared && issue.is_defined))
        return;
    DeviceMemory& memory = *block.launch->memory;
    for (const Piece& piece : issue.copy.pieces) {
        if (!piece.bytes_inside_array || !memory.is_device_range(piece.global_address)) continue;
        const u32 address = make_shared_address(*issue.copy.owner_block, piece.shared_offset);
        const u32 undefined_bytes =
            issue.copy.writes_shared
                ? memory.unwritten_bytes(piece.global_address, piece.bytes_inside_array)
                : race->find_unwritten_bytes(address, piece.bytes_inside_array);
        if (undefined_bytes == (1u << piece.bytes_inside_array) - 1) continue;
        if (issue.copy.writes_shared)
            race->mark_unwritten({.active = 1, .addresses = &address}, &undefined_bytes);
        else
            memory.mark_bytes_unwritten(piece.global_address, undefined_bytes);
    }
}

}  // namespace

void pass_source_to_race_check(CopyIssue& issue, u32 source_address) {
    SharedRace* race = issue.w.block->shared_race;
    if (!race) return;
    const OneLaneAccess source(issue, source_address, issue.copy.bytes);
    race->check_proxy_fence(source.access, false);
    issue.copy.source_copy_id = race->begin_bulk_copy(source.access, false);
}

namespace {

void note_issued_copy(CopyIssue& issue, bool is_repeated) {
    count_copy(issue, is_repeated);
    if (!issue.copy.reads_shared) note_global_accesses(issue);
    note_shared_accesses(issue);
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
bool issue_to_one_block(CopyIssue& issue, u64 bytes, const SplitCopy& split, bool is_repeated) {
    if (!check_shared_range(issue, issue.shared_address, bytes)) return false;
    issue.copy.bytes = static_cast<u32>(bytes);
    if (issue.copy.writes_shared && !find_mbarrier(issue)) return false;
    if (!issue.w.has_recorded_enough && !split(issue, offset_in_block(issue.shared_address)))
        return false;
    note_issued_copy(issue, is_repeated);
    return true;
}

}  // namespace

bool issue_copy(CopyIssue& issue, u64 bytes, const SplitCopy& split) {
    Block& block = *issue.w.block;
    const Op* op = issue.copy.op;
    if (!(op->detail & kMulticast)) {
        if (Block* owner = find_owner_block(block, issue.shared_address);
            owner && issue.copy.writes_shared)
            issue.copy.owner_block = owner;
        return issue_to_one_block(issue, bytes, split, false);
    }
    bool is_repeated = false;
    const u32 ranks = issue.w.lanes<u32>(op->members)[issue.copy.lane] & 0xffff;
    for (const int rank : LaneRange{ranks}) {
        const u64 block_window = static_cast<u64>(rank) * kWindowBytes;
        CopyIssue copy_to_block = issue;
        copy_to_block.shared_address = block_window + offset_in_block(issue.shared_address);
        copy_to_block.mbarrier_address = block_window + offset_in_block(issue.mbarrier_address);
        if (Block* owner = find_owner_block(block, block_window))
            copy_to_block.copy.owner_block = owner;
        if (!issue_to_one_block(copy_to_block, bytes, split, std::exchange(is_repeated, true)))
            return false;
    }
    return true;
}

}  // namespace coalesce::simulator::bulk

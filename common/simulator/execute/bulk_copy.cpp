// cp.async.bulk: copies of runs of bytes, or of boxes of an array. One thread issues a copy, and
// the hardware executes it on its own. This file describes the instructions and copies runs of
// bytes.
//
// Builds on  bulk_copies.h, which lists the other files.
// Idea       A copy is cut into pieces of 16 bytes when it is issued. At that time, the bounds,
//            alignment and initialization of its bytes are checked, and its sectors are counted.
//            The bytes move as late as the program allows: in a copy to shared memory, when a
//            thread tests the copy's mbarrier and all threads have arrived there; in a copy to
//            global memory, when the issuing thread waits for its group. A program that forgets to
//            wait therefore reads old bytes, as may happen on hardware.
// Counters   Each thread that issues a copy counts as one request, with the sectors that the copy
//            accesses in global memory. It takes no wavefronts of shared memory's load and store
//            unit. On hardware these are smsp__sass_inst_executed_op_tma_{ld,st} and
//            l1tex__m_{xbar2l1tex_read,l1tex2xbar_write}_sectors_mem_global_op_tma_{ld,st}.
#include <algorithm>

#include "simulator/execute/async_copy.h"
#include "simulator/execute/bulk_copies.h"
#include "simulator/execute/describe.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace bulk {
namespace {

bool split_run(CopyIssue& issue, u64 global_address, u32 shared, u32 bytes) {
    const Allocation* last_allocation = nullptr;
    for (u32 byte = 0; byte < bytes; byte += kCopyChunkBytes) {
        Piece piece{.global_address = global_address + byte, .shared_offset = shared + byte};
        if (!find_host_of_piece(issue, piece, last_allocation)) return false;
        issue.copy.pieces.push_back(piece);
    }
    return true;
}

/// Copies a run of bytes. Op::b is the address in global memory, and Op::v[0] is the size.
bool copy_run(Warp& w, const Op* op, int lane) {
    CopyIssue issue = begin_bulk_copy(w, op, lane);
    const u64 global_address = w.lanes<u64>(op->b)[lane];
    const u32 bytes = w.lanes<u32>(op->v[0])[lane];
    if (!check_is_multiple(issue, bytes, kCopyChunkBytes, "the size of a bulk copy") ||
        !check_is_multiple(issue, global_address, kCopyChunkBytes,
                           "the address of a bulk copy in global memory") ||
        !check_is_multiple(issue, issue.shared_address, kCopyChunkBytes,
                           "the address of a bulk copy in shared memory"))
        return false;
    if (bytes == 0) return true;
    return issue_copy(issue, bytes, [&](CopyIssue& issue, u32 shared) {
        return split_run(issue, global_address, shared, bytes);
    });
}

/// Copies bytes from the shared memory of the issuing block to the shared memory of any block in
/// the cluster.
bool copy_between_blocks(Warp& w, const Op* op, int lane) {
    CopyIssue issue = begin_bulk_copy(w, op, lane);
    const u64 source_address = address_in_space(w.lanes<u64>(op->b)[lane]);
    const u32 bytes = w.lanes<u32>(op->v[0])[lane];
    if (!check_is_multiple(issue, bytes, kCopyChunkBytes, "the size of a bulk copy") ||
        !check_is_multiple(issue, source_address, kCopyChunkBytes,
                           "the address that a bulk copy reads") ||
        !check_is_multiple(issue, issue.shared_address, kCopyChunkBytes,
                           "the address that a bulk copy writes"))
        return false;
    if (bytes == 0) return true;
    if (!check_shared_range(issue, source_address, bytes)) return false;
    return issue_copy(issue, bytes, [&](CopyIssue& block_issue, u32 shared) {
        for (u32 byte = 0; byte < bytes; byte += kCopyChunkBytes)
            block_issue.copy.pieces.push_back(
                {.shared_offset = shared + byte,
                 .host = w.block->shared + offset_in_block(source_address) + byte});
        pass_source_to_race_check(block_issue, static_cast<u32>(source_address));
        return true;
    });
}

}  // namespace
}  // namespace bulk

namespace {

// ---- descriptions ----

/// Describes these operands:
///   [shared], [map, {coordinates}], [mbarrier]   or   [map, {coordinates}], [shared]
///   [shared], [global], size, [mbarrier]   or   [global], [shared], size
Description describe_run_or_box(const ptx::Instruction& i, bool to_shared, bool from_shared) {
    const bool is_box = i.has("tensor");
    std::size_t rank = 0;
    if (is_box) {
        const std::size_t map_index = to_shared ? 1 : 0;
        if (i.operands.size() <= map_index || i.operands[map_index].elements.size() != 1)
            return std::nullopt;
        rank = i.operands[map_index].elements[0].elements.size();
        if (rank == 0 || rank > kMaxDimensions || !i.has(std::to_string(rank) + "d"))
            return std::nullopt;
    }
    std::vector<OperandRole> roles = {
        {Role::address_a, Width::w64},
        is_box ? OperandRole{Role::tensor, Width::w32} : OperandRole{Role::address_b, Width::w64}};
    if (!to_shared) std::swap(roles[0], roles[1]);
    if (!is_box) roles.push_back({Role::v0, Width::w32});
    if (to_shared) roles.push_back({Role::address_c, Width::w64});
    const bool is_multicast = i.has("multicast::cluster");
    if (is_multicast) roles.push_back({Role::members, Width::w32});
    const u8 detail = to_shared ? bulk::kToShared : 0;
    return describe(
        i, {.run = from_shared ? bulk::run_lanes<bulk::copy_between_blocks>
                   : is_box    ? bulk::run_lanes<bulk::copy_box>
                               : bulk::run_lanes<bulk::copy_run>,
            .operands = std::move(roles),
            .memory_uses = {{.space = from_shared ? StateSpace::shared : StateSpace::global,
                             .is_load = to_shared,
                             .is_store = !to_shared,
                             .bytes_per_lane = kCopyChunkBytes},
                            {.space = StateSpace::shared,
                             .is_load = !to_shared,
                             .is_store = to_shared,
                             .bytes_per_lane = kCopyChunkBytes}},
            .detail = static_cast<u8>(detail | (from_shared ? bulk::kFromShared : 0) |
                                      (is_multicast ? bulk::kMulticast : 0)),
            .count = static_cast<u8>(rank),
            .has_side_effects = true});
}

}  // namespace

/// Reports whether a modifier is simulated. Other modifiers would make the copy reduce or gather
/// elements, or report to other mbarriers.
static bool is_known(const std::string& modifier) {
    constexpr std::string_view kKnownModifiers[] = {"async",
                                                    "bulk",
                                                    "tensor",
                                                    "1d",
                                                    "2d",
                                                    "3d",
                                                    "4d",
                                                    "5d",
                                                    "tile",
                                                    "global",
                                                    "shared::cta",
                                                    "shared::cluster",
                                                    "mbarrier::complete_tx::bytes",
                                                    "bulk_group",
                                                    "multicast::cluster",
                                                    "L2::cache_hint"};
    return std::find(std::begin(kKnownModifiers), std::end(kKnownModifiers), modifier) !=
           std::end(kKnownModifiers);
}

// Describes these instructions (cp.async.bulk.prefetch does nothing):
//   cp.async.bulk{.tensor.Nd}.shared::cluster.global.mbarrier::complete_tx::bytes, and back:
//   ....global.shared::cta.bulk_group;  cp.async.bulk.commit_group;
//   cp.async.bulk.wait_group{.read} N;  cp.async.bulk.prefetch...
Description describe_bulk_copy(const ptx::Instruction& i) {
    if (i.has("prefetch")) return describe_hint(i, {});
    if (i.has("commit_group"))
        return describe(i, {.run = bulk::run_commit_group, .has_side_effects = true});
    if (i.has("wait_group"))
        return describe(i, {.run = bulk::run_wait_group,
                            .operands = {{Role::constant}},
                            .has_side_effects = true});
    if (!std::all_of(i.modifiers.begin(), i.modifiers.end(), is_known)) return std::nullopt;
    const auto first_direction = std::ranges::find_if(i.modifiers, [](const std::string& m) {
        return m == "global" || m == "shared::cta" || m == "shared::cluster";
    });
    if (first_direction == i.modifiers.end() || first_direction + 1 == i.modifiers.end())
        return std::nullopt;
    const bool to_shared = *first_direction != "global";
    const std::string& from = *(first_direction + 1);
    const bool is_between_blocks = *first_direction == "shared::cluster" && from == "shared::cta";
    if (to_shared ? from != "global" && !is_between_blocks : from != "shared::cta")
        return std::nullopt;
    if (is_between_blocks && i.has("tensor")) return std::nullopt;
    return describe_run_or_box(i, to_shared, is_between_blocks);
}

}  // namespace coalesce::simulator

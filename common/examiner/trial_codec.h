// Lists the fields of a trial once, for both reading and writing with codec.h.
#pragma once

#include "examiner/trial.h"
#include "examiner/verdict_codec.h"

namespace coalesce {

constexpr Watch last_of(Watch) {
    return Watch::result_alone;
}

void describe(auto& codec, TracedWarp& traced_warp) {
    fields(codec, "block", traced_warp.block, "warp", traced_warp.warp, "limit", traced_warp.limit);
}

void describe(auto& codec, TrialRequest& request) {
    fields(codec, "shape", request.shape, "watch", request.watch, "wants_counters",
           request.needs_counters, "traced", request.traced, "seed", request.seed, "block",
           request.block, "shared_bytes", request.shared_bytes, "more_instructions",
           request.more_instructions, "max_instructions", request.max_instructions);
}

/// Describes all fields of an array except its bytes, which are binary.
void describe(auto& codec, ArrayAfter& array) {
    fields(codec, "address", array.address, "is_written_before", array.is_written_before,
           "is_written_after", array.is_written_after);
}

void describe(auto& codec, BulkCopies& copies) {
    fields(codec, "load_requests", copies.load_requests, "load_sectors", copies.load_sectors,
           "store_requests", copies.store_requests, "store_sectors", copies.store_sectors);
}

void describe(auto& codec, Trial& trial) {
    fields(codec, "launch", trial.launch, "refused", trial.launch_failure, "is_launched",
           trial.is_launched, "error", trial.error, "reports", trial.reports, "out_address",
           trial.out_address, "in_address", trial.in_address, "accesses", trial.accesses,
           "store_line", trial.store_line, "counters", trial.counters, "lines", trial.lines,
           "arrays", trial.arrays, "instructions", trial.instructions, "print_calls",
           trial.print_call_count, "bulk_copies", trial.bulk_copies);
}

namespace simulated {

void describe(auto& codec, Thread& thread) {
    fields(codec, "block", thread.block, "thread", thread.thread);
}

void describe(auto& codec, Report& report) {
    fields(codec, "check", report.check, "kind", report.kind, "message", report.message, "cure",
           report.cure, "place", report.place, "other_place", report.other_place, "thread",
           report.thread, "other_thread", report.other_thread, "address", report.address);
}

void describe(auto& codec, Access& access) {
    fields(codec, "line", access.line, "is_shared", access.is_shared, "is_store", access.is_store,
           "bytes_per_lane", access.bytes_per_lane, "active", access.active, "addresses",
           access.addresses, "cost", access.cost, "ideal", access.ideal);
}

}  // namespace simulated

}  // namespace coalesce

// Converts predictions to JSON and back.
#pragma once

#include "base/codec.h"
#include "timing/prediction.h"

namespace coalesce::timing {

void describe(auto& codec, UnitUtilization& b) {
    fields(codec, "memory", b.memory, "l2_read", b.l2_read, "l2_write", b.l2_write, "shared",
           b.shared, "issue", b.issue);
}

void describe(auto& codec, WarpLife& l) {
    fields(codec, "start", l.start, "issue", l.issue, "loads", l.loads, "shared", l.shared,
           "barrier", l.barrier, "stores", l.stores, "other", l.other);
}

void describe(auto& codec, Moment& m) {
    fields(codec, "bytes_on_their_way", m.bytes_in_flight, "bytes_stored", m.bytes_stored,
           "at_barrier", m.warps_at_barrier, "waiting_for_loads", m.warps_waiting_for_loads,
           "at_work", m.warps_working);
}

void describe(auto& codec, TimeLine::BlockInterval& l) {
    fields(codec, "place", l.slot, "begin", l.begin, "end", l.end);
}

void describe(auto& codec, TimeLine& t) {
    fields(codec, "cycles_a_moment", t.cycles_per_moment, "moments", t.moments, "blocks", t.blocks);
}

void describe(auto& codec, Saving& s) {
    fields(codec, "inefficiency", s.inefficiency, "line", s.line, "ms", s.ms);
}

void describe(auto& codec, Prediction& p) {
    fields(codec, "gpu", p.gpu, "measured_gpu", p.is_gpu_measured, "kernel", p.kernel, "ms", p.ms,
           "error_band", p.error_band, "unknown", p.unknown, "binds", p.bottleneck, "memory_bytes",
           p.memory_bytes, "run_bytes_read", p.run_bytes_read, "run_bytes_written",
           p.run_bytes_written, "resident_blocks", p.resident_blocks, "warps_of_block",
           p.warps_per_block, "registers", p.registers, "occupied", p.occupancy_limit, "rounds",
           p.rounds, "bytes_on_their_way", p.bytes_in_flight, "bytes_needed", p.bytes_needed,
           "nothing_on_its_way", p.fraction_without_loads, "latency_cycles", p.latency_cycles,
           "busy", p.utilization, "life", p.warp_life, "time_line", p.time_line);
    // Older predictions lack these fields.
    if (codec.has("shared_bytes")) codec("shared_bytes", p.shared_bytes);
    if (codec.has("ms_without_conflicts")) codec("ms_without_conflicts", p.ms_without_conflicts);
}

void describe(auto& codec, Predictions& p) {
    fields(codec, "launches", p.launches);
}

}  // namespace coalesce::timing

// What calibrate measured, before anything follows from it: what `--json` writes and `--from` reads.
//
// Cycles are those of a multiprocessor, by its own counter or by clock_ghz. gbps are bytes that memory (or the
// second-level cache) moves, 10^9 a second: for a copy, those that are read and those that are written.
#pragma once

#include <string>
#include <vector>

namespace coalesce::timing {

struct Machine {
    std::string name, compute, driver, date;
    int multiprocessors = 0, warps = 0, blocks = 0, registers = 0;
    int shared_bytes = 0, shared_bytes_of_system = 0;
    double peak_gbps = 0, l2_bytes = 0;
    double clock_ghz = 0;          ///< while all multiprocessors copy
    double clock_ghz_at_rest = 0;  ///< while they only wait
    double buffer_bytes = 0;       ///< each of the two that are copied
    double copy_engine_gbps = 0;   ///< what cudaMemcpy says for comparison
};

/// Loads of which each needs the one before.
struct Chase {
    std::string of;  ///< "memory", "second level", these with ", lines", "first level", "shared"
    double bytes = 0, cycles = 0, ns = 0;
};

/// Blocks that stay, all of whose threads have so many loads on their way.
struct Flight {
    std::string what;  ///< "read" or "copy"
    int bytes_of_load = 0, loads = 0, threads = 0;
    double kib_on_their_way = 0;  ///< of a multiprocessor
    double gbps = 0;
    // Of single loads of a warp, clocks around each; 0 where none was timed.
    double mean = 0, p1 = 0, p10 = 0, p50 = 0, p90 = 0, p99 = 0;
};

/// One long run after the other.
struct LongRuns {
    std::string what, how;  ///< "copy", "read", "write"
    double gbps = 0;
};

/// Copies whose reads, writes or both lie in runs.
struct ShortRuns {
    std::string what;    ///< "copy reads", "copy writes", "copy both", "copy none", "read", "write"
    std::string strips;  ///< "next" to each other one after the other, or "far" from each other
    double pitch = 0, run = 0, gbps = 0;
};

/// Stores of groups of lanes, each group a row further down, the warps of a block side by side.
struct Stores {
    int bytes_of_lane = 0, lanes = 0;  ///< of a group: bytes_of_lane * lanes lie side by side
    int threads = 0;                   ///< of a block
    double pitch = 0, footprint = 0;
    double cycles_a_sector = 0;  ///< of a multiprocessor's share; sectors that a request touches
    double gbps = 0;             ///< bytes that lanes gave
};

/// Blocks that come and go.
struct Turns {
    int resident = 0, warps = 0;
    double wait = 0;         ///< cycles that each warp waits; 0: empty blocks
    double interval = 0;     ///< cycles of a multiprocessor for a block
    double gap = 0;          ///< from the end of a block to the first instruction of the next
    double gap_of_last = 0;  ///< the same, to the first instruction of the next one's last warp
};

struct Barrier {
    int warps = 0;
    double cycles = 0;
};

struct Issue {
    std::string what;
    int threads = 0;
    double cycles = 0;          ///< of a scheduler for a warp's instruction
    double latency_cycles = 0;  ///< when each needs the one before, one warp
};

/// Requests that shared memory or the first-level cache answers, all alike.
struct Requests {
    std::string what;  ///< "shared load", "shared store", "first level"
    int bytes_of_lane = 0, stride = 0;
    double cycles = 0;  ///< a request
};

/// The way between multiprocessors and the second-level cache.
struct ToCache {
    std::string what;  ///< "read", "write"
    int multiprocessors = 0;
    double footprint = 0;      ///< bytes that all of them together touch again and again
    double bytes_a_cycle = 0;  ///< of one multiprocessor
};

// ---- what no parameter follows from yet ----

/// A kernel that reads rows and writes 4 bytes down columns, and its stores alone.
struct Scatter {
    int block_x = 0, block_y = 0;
    int rows = 0;  ///< of a block: fewer than block_y where the others lie to the right of them
    int side = 0;
    double pitch = 0;  ///< of what is written, in bytes
    double ms = 0, ms_of_stores = 0;
};
struct AsyncCopy {
    std::string how;   ///< "load", "cp.async 4", "cp.async 16", "bulk", "bulk store", ...
    std::string from;  ///< "memory", "second level"
    double bytes = 0;  ///< of one
    double cycles = 0;
};
/// Bulk copies between shared memory and the second-level cache, many under way.
struct BulkRate {
    std::string how;    ///< "rows", "rows, one thread", "boxes", each also "stored"
    int warps = 0;      ///< that ask: for rows all lanes of each, for boxes one
    double bytes = 0;   ///< of a row
    double cycles = 0;  ///< of a multiprocessor for a row
};
struct Dirty {
    double mib = 0, ms = 0, ms_after_dirty = 0;
};
struct Reread {
    double mib = 0, ms_first = 0, ms_second = 0;
};
struct FewBlocks {
    int blocks = 0, threads = 0;
    double bytes_of_block = 0, ms = 0;
};

/// A copy by blocks that load all that they copy, wait for each other's threads, and store it.
struct Rounds {
    int threads = 0, resident = 0;
    double bytes_of_block = 0;
    double bytes_of_run = 0;  ///< fewer than of the block: its rows lie in as many rows of a matrix
    double shared_bytes =
        0;  ///< of a block, which nobody uses: with the same blocks resident, what the first-level
            ///< cache has less
    double mib = 0, ms = 0;
};

/// Reads or writes of single sectors: "random read" in groups of `bytes`, "strided read" or "strided write" of a sector
/// every `bytes`.
struct Sectors {
    std::string how;
    double bytes = 0;
    double mib = 0;   ///< over which they are spread
    double gbps = 0;  ///< of sectors
};

/// Atomic additions by all threads, in turn at so many addresses.
struct Atomics {
    std::string what;
    double addresses = 0, stride = 0;  ///< words between two addresses
    double cycles = 0;                 ///< of a multiprocessor, for a warp's request
};

struct Raw {
    Machine machine;
    std::vector<Chase> chases;
    std::vector<LongRuns> long_runs;
    std::vector<Flight> flights;
    std::vector<ShortRuns> short_runs;
    std::vector<Stores> stores;
    std::vector<Turns> turns;
    std::vector<Barrier> barriers;
    std::vector<Issue> issues;
    std::vector<Requests> requests;
    std::vector<ToCache> to_cache;
    double launch_us = 0;
    std::vector<Scatter> scatters;
    std::vector<AsyncCopy> async_copies;
    std::vector<BulkRate> bulk_rates;
    std::vector<Dirty> dirty;
    std::vector<Reread> rereads;
    std::vector<FewBlocks> few_blocks;
    std::vector<Rounds> rounds;
    std::vector<Sectors> sectors;
    std::vector<Atomics> atomics;
    double seconds = 0;
};

// For base/codec.h, which the kernels have no use for.

void describe(auto& codec, Machine& m) {
    fields(codec, "name", m.name, "compute", m.compute, "driver", m.driver, "date", m.date,
           "multiprocessors", m.multiprocessors, "warps", m.warps, "blocks", m.blocks, "registers",
           m.registers, "shared_bytes", m.shared_bytes, "shared_bytes_of_system",
           m.shared_bytes_of_system, "peak_gbps", m.peak_gbps, "l2_bytes", m.l2_bytes, "clock_ghz",
           m.clock_ghz, "clock_ghz_at_rest", m.clock_ghz_at_rest, "buffer_bytes", m.buffer_bytes,
           "copy_engine_gbps", m.copy_engine_gbps);
}
void describe(auto& codec, Chase& c) {
    fields(codec, "of", c.of, "bytes", c.bytes, "cycles", c.cycles, "ns", c.ns);
}
void describe(auto& codec, Flight& f) {
    fields(codec, "what", f.what, "bytes_of_load", f.bytes_of_load, "loads", f.loads, "threads",
           f.threads, "kib_on_their_way", f.kib_on_their_way, "gbps", f.gbps, "mean", f.mean, "p1",
           f.p1, "p10", f.p10, "p50", f.p50, "p90", f.p90, "p99", f.p99);
}
void describe(auto& codec, LongRuns& r) {
    fields(codec, "what", r.what, "how", r.how, "gbps", r.gbps);
}
void describe(auto& codec, ShortRuns& r) {
    fields(codec, "what", r.what, "strips", r.strips, "pitch", r.pitch, "run", r.run, "gbps",
           r.gbps);
}
void describe(auto& codec, Stores& s) {
    fields(codec, "bytes_of_lane", s.bytes_of_lane, "lanes", s.lanes, "threads", s.threads, "pitch",
           s.pitch, "footprint", s.footprint, "cycles_a_sector", s.cycles_a_sector, "gbps", s.gbps);
}
void describe(auto& codec, Turns& t) {
    fields(codec, "resident", t.resident, "warps", t.warps, "wait", t.wait, "interval", t.interval,
           "gap", t.gap, "gap_of_last", t.gap_of_last);
}
void describe(auto& codec, Barrier& b) {
    fields(codec, "warps", b.warps, "cycles", b.cycles);
}
void describe(auto& codec, Issue& i) {
    fields(codec, "what", i.what, "threads", i.threads, "cycles", i.cycles, "latency_cycles",
           i.latency_cycles);
}
void describe(auto& codec, Requests& r) {
    fields(codec, "what", r.what, "bytes_of_lane", r.bytes_of_lane, "stride", r.stride, "cycles",
           r.cycles);
}
void describe(auto& codec, ToCache& t) {
    fields(codec, "what", t.what, "multiprocessors", t.multiprocessors, "footprint", t.footprint,
           "bytes_a_cycle", t.bytes_a_cycle);
}
void describe(auto& codec, Scatter& s) {
    fields(codec, "block_x", s.block_x, "block_y", s.block_y, "rows", s.rows, "side", s.side,
           "pitch", s.pitch, "ms", s.ms, "ms_of_stores", s.ms_of_stores);
}
void describe(auto& codec, AsyncCopy& a) {
    fields(codec, "how", a.how, "from", a.from, "bytes", a.bytes, "cycles", a.cycles);
}
void describe(auto& codec, BulkRate& b) {
    fields(codec, "how", b.how, "warps", b.warps, "bytes", b.bytes, "cycles", b.cycles);
}
void describe(auto& codec, Dirty& d) {
    fields(codec, "mib", d.mib, "ms", d.ms, "ms_after_dirty", d.ms_after_dirty);
}
void describe(auto& codec, Reread& r) {
    fields(codec, "mib", r.mib, "ms_first", r.ms_first, "ms_second", r.ms_second);
}
void describe(auto& codec, FewBlocks& f) {
    fields(codec, "blocks", f.blocks, "threads", f.threads, "bytes_of_block", f.bytes_of_block,
           "ms", f.ms);
}
void describe(auto& codec, Rounds& r) {
    fields(codec, "threads", r.threads, "resident", r.resident, "bytes_of_block", r.bytes_of_block,
           "bytes_of_run", r.bytes_of_run, "shared_bytes", r.shared_bytes, "mib", r.mib, "ms",
           r.ms);
}
void describe(auto& codec, Sectors& s) {
    fields(codec, "how", s.how, "bytes", s.bytes, "mib", s.mib, "gbps", s.gbps);
}
void describe(auto& codec, Atomics& a) {
    fields(codec, "what", a.what, "addresses", a.addresses, "stride", a.stride, "cycles", a.cycles);
}
void describe(auto& codec, Raw& r) {
    version(codec, "file of calibrate's measurements", 2);
    fields(codec, "machine", r.machine, "seconds", r.seconds, "launch_us", r.launch_us, "chases",
           r.chases, "long_runs", r.long_runs, "flights", r.flights, "short_runs", r.short_runs,
           "stores", r.stores, "turns", r.turns, "barriers", r.barriers, "issues", r.issues,
           "requests", r.requests, "to_cache", r.to_cache, "scatters", r.scatters, "async_copies",
           r.async_copies, "dirty", r.dirty, "rereads", r.rereads, "few_blocks", r.few_blocks,
           "rounds", r.rounds);
    // What was measured earlier lacks them.
    if (codec.has("bulk_rates")) codec("bulk_rates", r.bulk_rates);
    if (codec.has("sectors")) codec("sectors", r.sectors);
    if (codec.has("atomics")) codec("atomics", r.atomics);
}

}  // namespace coalesce::timing

// The raw measurements of calibrate. The option `--json` writes them, and `--from` reads them.
//
// Cycles are cycles of a multiprocessor. gbps is the rate at which memory (or the L2 cache) moves
// data, in 10^9 bytes per second. For a copy, it counts both the bytes read and the bytes written.
#pragma once

#include <string>
#include <vector>

namespace coalesce::timing {

struct MeasuredGpu {
    std::string name, compute_capability, driver_version, measurement_date;
    int multiprocessors = 0, warps_per_multiprocessor = 0, blocks_per_multiprocessor = 0,
        registers_per_multiprocessor = 0;
    int shared_bytes_per_multiprocessor = 0, system_shared_bytes_per_block = 0;
    double peak_gbps = 0, l2_bytes = 0;
    double clock_ghz = 0;  ///< clock while all multiprocessors copy
    /// The clock rate while all multiprocessors wait and none accesses memory.
    double idle_memory_clock_ghz = 0;
    double buffer_bytes = 0;      ///< size of each of the two buffers
    double copy_engine_gbps = 0;  ///< bandwidth of cudaMemcpy, for comparison
};

/// The latency of dependent loads, each of which needs the result of the previous load.
struct PointerChase {
    /// The level of memory, such as "first level" or "shared". The suffix ", lines" means that each
    /// load of a warp reads a whole cache line.
    std::string memory_level;
    double bytes = 0, cycles = 0, ns = 0;
};

/// The latency and bandwidth of loads. Each thread of the persistent blocks keeps a fixed number of
/// loads in flight.
struct LoadsInFlight {
    std::string access;  ///< "read" or "copy"
    int bytes_per_load = 0, loads_in_flight = 0, threads_per_multiprocessor = 0;
    double kib_in_flight = 0;  ///< KiB in flight per multiprocessor
    double gbps = 0;
    // The latency, in cycles, of a single load by one warp: its mean and its percentiles. All of
    // them are 0 if the latency was not measured.
    double mean_cycles = 0, p1_cycles = 0, p10_cycles = 0, p50_cycles = 0, p90_cycles = 0,
           p99_cycles = 0;
};

/// The memory bandwidth of blocks that access long contiguous runs.
struct LongRunBandwidth {
    std::string access, method;  ///< `access` is "copy", "read" or "write"
    double gbps = 0;
};

/// The bandwidth of copies, reads or writes whose accesses form short runs.
struct ShortRunBandwidth {
    /// The accesses that form short runs. For a copy: "copy reads", "copy writes", "copy both" or
    /// "copy none". For a kernel that only reads or only writes: "read" or "write".
    std::string access;
    /// "next" if consecutive blocks take adjacent strips, "far" if their strips are far apart.
    std::string strip_distance;
    double pitch_bytes = 0, run_bytes = 0, gbps = 0;
};

/// The cost of starting and ending blocks.
struct BlockTurnover {
    int resident_blocks = 0, warps = 0;
    double wait_cycles = 0;       ///< cycles that each warp waits; 0 for an empty kernel
    double cycles_per_block = 0;  ///< multiprocessor cycles per block
    /// The cycles from the end of a block to the first instruction of the next block on that
    /// multiprocessor.
    double gap_cycles = 0;
    /// The cycles from the end of a block until all warps of the next block have started.
    double last_warp_gap_cycles = 0;
};

struct BarrierCost {
    int warps = 0;
    double cycles = 0;
};

struct IssueCost {
    std::string instruction;
    int threads = 0;
    double cycles = 0;  ///< cycles for which an instruction of one warp occupies the scheduler
    /// The cycles per instruction if each instruction needs the result of the previous one.
    double latency_cycles = 0;
};

/// Bandwidth between multiprocessors and the L2 cache.
struct CacheBandwidth {
    std::string access;  ///< "read" or "write"
    int multiprocessors = 0;
    double footprint_bytes = 0;  ///< total size of the accessed data, in bytes
    double bytes_per_cycle = 0;
};

/// The times of two kernels. In both, each lane stores 4 bytes, and the lanes of a warp store down
/// a column. The kernel that takes `ms` also reads rows. The kernel that takes `stores_only_ms`
/// reads nothing.
struct ScatteredStores {
    int block_width = 0, block_height = 0;
    int matrix_side = 0;
    double ms = 0, stores_only_ms = 0;
};

/// The rate of bulk copies from the L2 cache into shared memory.
struct BulkCopyRate {
    std::string method;  ///< "rows" or "boxes"
    /// The number of warps that issue copies. For "rows", all lanes of these warps issue copies.
    /// For "boxes", only one lane of each warp does.
    int copying_warps = 0;
    double bytes_per_row = 0;   ///< bytes of a row
    double cycles_per_row = 0;  ///< multiprocessor cycles per row
};

// ---- measurements for constants of the model; a GPU's file does not store these constants ----

/// The times of writing `written_mib` MiB of data: `ms_after_reads` if other data was read just
/// before, `ms_after_writes` if other data was written just before.
struct DirtyCacheWrites {
    double written_mib = 0, ms_after_reads = 0, ms_after_writes = 0;
};
/// The times of reading `mib` MiB of data: `ms_first` if other data was read just before,
/// `ms_second` if the same data was read just before.
struct RereadTimes {
    double mib = 0, ms_first = 0, ms_second = 0;
};
/// The bandwidth of accesses to scattered sectors. For random reads, `bytes` is the size of a group
/// of adjacent sectors. For strided accesses, `bytes` is the stride.
struct SectorBandwidth {
    std::string method;
    double bytes = 0;
    double mib = 0;   ///< size of the memory over which the sectors are spread
    double gbps = 0;  ///< bandwidth, counting whole sectors
};

struct RawMeasurements {
    MeasuredGpu machine;
    std::vector<PointerChase> pointer_chases;
    std::vector<LongRunBandwidth> long_runs;
    std::vector<LoadsInFlight> loads_in_flight;
    std::vector<ShortRunBandwidth> short_runs;
    std::vector<BlockTurnover> block_turnovers;
    std::vector<BarrierCost> barrier_costs;
    std::vector<IssueCost> issue_costs;
    std::vector<CacheBandwidth> cache_bandwidths;
    double launch_us = 0;
    /// The latency in cycles of a timed load of one line from the L2 cache, including the time for
    /// reading the clock.
    double timed_load_cycles = 0;
    std::vector<ScatteredStores> scattered_stores;
    std::vector<BulkCopyRate> bulk_rates;
    std::vector<DirtyCacheWrites> dirty_cache_writes;
    std::vector<RereadTimes> rereads;
    std::vector<SectorBandwidth> sector_bandwidths;
    double measuring_seconds = 0;
};

// Functions that base/codec.h calls to convert these types to JSON. CUDA files do not need them.

void describe(auto& codec, MeasuredGpu& m) {
    fields(codec, "name", m.name, "compute", m.compute_capability, "driver", m.driver_version,
           "date", m.measurement_date, "multiprocessors", m.multiprocessors, "warps",
           m.warps_per_multiprocessor, "blocks", m.blocks_per_multiprocessor, "registers",
           m.registers_per_multiprocessor, "shared_bytes", m.shared_bytes_per_multiprocessor,
           "shared_bytes_of_system", m.system_shared_bytes_per_block, "peak_gbps", m.peak_gbps,
           "l2_bytes", m.l2_bytes, "clock_ghz", m.clock_ghz, "clock_ghz_at_rest",
           m.idle_memory_clock_ghz, "buffer_bytes", m.buffer_bytes, "copy_engine_gbps",
           m.copy_engine_gbps);
}
void describe(auto& codec, PointerChase& c) {
    fields(codec, "of", c.memory_level, "bytes", c.bytes, "cycles", c.cycles, "ns", c.ns);
}
void describe(auto& codec, LoadsInFlight& f) {
    fields(codec, "what", f.access, "bytes_of_load", f.bytes_per_load, "loads", f.loads_in_flight,
           "threads", f.threads_per_multiprocessor, "kib_on_their_way", f.kib_in_flight, "gbps",
           f.gbps, "mean", f.mean_cycles, "p1", f.p1_cycles, "p10", f.p10_cycles, "p50",
           f.p50_cycles, "p90", f.p90_cycles, "p99", f.p99_cycles);
}
void describe(auto& codec, LongRunBandwidth& r) {
    fields(codec, "what", r.access, "how", r.method, "gbps", r.gbps);
}
void describe(auto& codec, ShortRunBandwidth& r) {
    fields(codec, "what", r.access, "strips", r.strip_distance, "pitch", r.pitch_bytes, "run",
           r.run_bytes, "gbps", r.gbps);
}
void describe(auto& codec, BlockTurnover& t) {
    fields(codec, "resident", t.resident_blocks, "warps", t.warps, "wait", t.wait_cycles,
           "interval", t.cycles_per_block, "gap", t.gap_cycles, "gap_of_last",
           t.last_warp_gap_cycles);
}
void describe(auto& codec, BarrierCost& b) {
    fields(codec, "warps", b.warps, "cycles", b.cycles);
}
void describe(auto& codec, IssueCost& i) {
    fields(codec, "what", i.instruction, "threads", i.threads, "cycles", i.cycles, "latency_cycles",
           i.latency_cycles);
}
void describe(auto& codec, CacheBandwidth& t) {
    fields(codec, "what", t.access, "multiprocessors", t.multiprocessors, "footprint",
           t.footprint_bytes, "bytes_a_cycle", t.bytes_per_cycle);
}
void describe(auto& codec, ScatteredStores& s) {
    fields(codec, "block_x", s.block_width, "block_y", s.block_height, "side", s.matrix_side, "ms",
           s.ms, "ms_of_stores", s.stores_only_ms);
}
void describe(auto& codec, BulkCopyRate& b) {
    fields(codec, "how", b.method, "warps", b.copying_warps, "bytes", b.bytes_per_row, "cycles",
           b.cycles_per_row);
}
void describe(auto& codec, DirtyCacheWrites& d) {
    fields(codec, "mib", d.written_mib, "ms", d.ms_after_reads, "ms_after_dirty",
           d.ms_after_writes);
}
void describe(auto& codec, RereadTimes& r) {
    fields(codec, "mib", r.mib, "ms_first", r.ms_first, "ms_second", r.ms_second);
}
void describe(auto& codec, SectorBandwidth& s) {
    fields(codec, "how", s.method, "bytes", s.bytes, "mib", s.mib, "gbps", s.gbps);
}
void describe(auto& codec, RawMeasurements& r) {
    version(codec, "file of calibrate's measurements", 3);
    fields(codec, "machine", r.machine, "seconds", r.measuring_seconds, "launch_us", r.launch_us,
           "timed_load", r.timed_load_cycles, "chases", r.pointer_chases, "long_runs", r.long_runs,
           "flights", r.loads_in_flight, "short_runs", r.short_runs, "turns", r.block_turnovers,
           "barriers", r.barrier_costs, "issues", r.issue_costs, "to_cache", r.cache_bandwidths,
           "scatters", r.scattered_stores, "bulk_rates", r.bulk_rates, "dirty",
           r.dirty_cache_writes, "rereads", r.rereads, "sectors", r.sector_bandwidths);
}

}  // namespace coalesce::timing

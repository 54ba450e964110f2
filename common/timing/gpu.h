// The description of a GPU for the time model. Each GPU has a file in gpus/, and programs in
// calibrate/ measure most of the numbers in it. Other numbers come from published documents, which
// the key `source` names, or are copied from the GPU that the key `like` names.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce::timing {

/// An error in one of the files in gpus/: "common/timing/gpus/NVIDIA-L4.toml:7: ...".
struct GpuError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The extra time that memory takes for short runs (contiguous ranges), as a fraction of the time
/// of a copy in long runs: `extra_read_time[k]` for reading runs of `bytes[k]` bytes, and
/// `extra_write_time[k]` for writing them.
struct RunCosts {
    std::vector<double> bytes, extra_read_time, extra_write_time;
};

/// The cost of a store that writes only part of a sector: the number of cycles for which this
/// sector occupies a multiprocessor's share of the L2 cache.
struct PartialSectorCosts {
    /// The costs of stores that write 4, 8 or 16 bytes of a sector.
    double cycles_for_4_bytes = 0, cycles_for_8_bytes = 0, cycles_for_16_bytes = 0;
};

/// The number of cycles that a multiprocessor's bulk copy unit needs for a row of `bytes[k]` bytes:
/// `row_cycles[k]` if the row is copied alone, and `box_row_cycles[k]` if the row is part of a box.
/// If the lists are empty, the model assumes 0 cycles.
struct BulkCopyCosts {
    std::vector<double> bytes, row_cycles, box_row_cycles;
};

struct Gpu {
    std::string name;    ///< such as "NVIDIA H200"
    std::string source;  ///< "measured 2026-11-23, driver 580.159", or names of documents
    /// Whether `calibrate` measured a GPU of this model. If not, predictions are unverified.
    bool is_measured = false;

    // The number of multiprocessors, and the resources of each.
    int multiprocessors = 0;
    int max_warps = 64, max_blocks = 32;  ///< maximum number of resident warps and blocks
    int registers = 65536;                ///< number of 32-bit registers
    /// Bytes of shared memory for all blocks together, including the bytes that the system uses in
    /// each block.
    int shared_bytes = 0;
    int system_shared_bytes = 1024;  ///< bytes that the system uses in each block's shared memory
    double clock_ghz = 0;            ///< the clock under load

    // The parameters of memory. Times are in nanoseconds, because memory has its own clock.
    double peak_gbps = 0;                                 ///< the bandwidth in the data sheet
    double copy_gbps = 0, read_gbps = 0, write_gbps = 0;  ///< the bandwidth for long runs
    double latency_ns = 0;  ///< the latency of a load if nothing else is in flight
    /// Loads take longer while memory is busy. The additional time is this value multiplied by u /
    /// (1 - u), where u is the utilization of memory.
    double queueing_ns = 0;
    /// Loads take longer because of writes. The additional time is this value multiplied by the
    /// fraction of the time that memory spends on writes.
    double write_delay_ns = 0;
    /// The latency of the fastest loads, as a fraction of latency_ns.
    double fastest_latency_fraction = 1;
    /// The maximum difference between the average latency of loads and the latency of the fastest
    /// loads.
    double latency_spread_ns = 0;
    double l2_bytes = 0, l2_latency_ns = 0;
    RunCosts run_costs;

    // The parameters of a multiprocessor. Times are in cycles of its clock.
    double l1_latency_cycles = 0, shared_latency_cycles = 0;
    /// The bandwidth between a multiprocessor and the L2 cache, in bytes per cycle.
    double l2_read_bytes_per_cycle = 0, l2_write_bytes_per_cycle = 0;
    PartialSectorCosts partial_sectors;
    BulkCopyCosts bulk_copies;
    double barrier_cycles = 0, barrier_cycles_per_warp = 0;
    /// The cycles for which a warp instruction occupies a scheduler.
    double add_issue_cycles = 1, multiply_issue_cycles = 1, divide_issue_cycles = 1;
    /// The scheduler cycles per warp instruction that computes a reciprocal, root, exponential or
    /// conversion.
    double special_issue_cycles = 8;
    /// The scheduler cycles per warp instruction that adds or multiplies doubles.
    double double_issue_cycles = 2;

    // The costs of launching a kernel, and of starting and ending its blocks.
    double launch_us = 0;  ///< the time of a kernel that does nothing
    double block_interval_cycles =
        0;  ///< cycles between the starts of two consecutive blocks on a multiprocessor
    /// Cycles from the end of a block to the first instruction of the next block, and cycles
    /// between the starts of two consecutive warps of a block.
    double block_start_cycles = 0, warp_start_cycles = 0;
};

/// Parses the text of one of the files in gpus/. `file` is the name of the file, for error
/// messages.
Gpu parse_gpu(std::string_view text, const std::string& file);
/// Returns the text of a file for gpus/ that describes this GPU. Every number in the text has a
/// comment. `calibrate` uses this function.
std::string format_gpu(const Gpu& gpu);

/// Returns the GPUs described in gpus/. The files are compiled into the program. The first GPU is
/// the default for predictions.
const std::vector<Gpu>& known_gpus();
/// Finds a GPU by its name or the end of its name, ignoring case: "H200", "nvidia h200". Throws a
/// GpuError that lists the known GPUs.
const Gpu& find_gpu(std::string_view name);

}  // namespace coalesce::timing

// What the model of time knows of a GPU: a few numbers, each of which a program in calibrate/ measures.
//
// gpus/*.toml have them, a file for each GPU. What nobody has measured there comes from documents, and the
// file says so (`source`); what no document says is that of the GPU that it is `like`.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace coalesce::timing {

/// What a file of gpus/ says wrongly: "common/timing/gpus/NVIDIA-L4.toml:7: ...".
struct GpuError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a share of memory's time costs more when bytes lie in short runs: in runs of `bytes`, memory takes
/// 1 + read (or + write) times as long as for a plain copy.
struct Runs {
    std::vector<double> bytes, read, write;
};

/// Cycles of a multiprocessor's share of the second-level cache for a sector of which a request writes part.
struct PartialSectors {
    double of_4 = 0, of_8 = 0, of_16 = 0;  ///< by bytes written at once
};

/// Cycles that a multiprocessor's unit of bulk copies takes for a row of so many bytes: copied for itself, or as one of
/// those of a box. Empty: nobody measured it, and it takes no time.
struct BulkCopies {
    std::vector<double> bytes, row, row_of_box;
};

struct Gpu {
    std::string name;       ///< "NVIDIA H200"
    std::string source;     ///< "measured 2026-11-23, driver 580.159" or the documents
    bool measured = false;  ///< by calibrate on such a GPU; else unverified

    // What a multiprocessor holds.
    int multiprocessors = 0;
    int warps = 64, blocks = 32;        ///< at a time
    int registers = 65536;              ///< of 32 bits
    int shared_bytes = 0;               ///< for blocks, the system's part of each included
    int shared_bytes_of_system = 1024;  ///< of each block
    double clock_ghz = 0;               ///< under load

    // Memory. Times in nanoseconds, since memory has a clock of its own.
    double peak_gbps = 0;                                 ///< what data sheets say
    double copy_gbps = 0, read_gbps = 0, write_gbps = 0;  ///< that long runs get
    double latency_ns = 0;         ///< of a load when nothing else is under way
    double queue_ns = 0;           ///< more, times u / (1 - u), where memory is busy u of the time
    double write_delay_ns = 0;     ///< more, times the share of the time that it writes
    double latency_floor = 1;      ///< the fastest loads, as a part of latency_ns
    double latency_spread_ns = 0;  ///< the most by which loads are slower, on average, than those
    double l2_bytes = 0, l2_latency_ns = 0;
    Runs runs;

    // A multiprocessor. Times in its cycles.
    double l1_latency = 0, shared_latency = 0;
    double l2_read_bytes = 0,
           l2_write_bytes = 0;  ///< a cycle, between one multiprocessor and the cache
    PartialSectors partial;
    BulkCopies bulk;
    double barrier = 0, barrier_of_warp = 0;
    double add_issue = 1, multiply_issue = 1,
           divide_issue = 1;   ///< cycles of a scheduler for a warp's instruction
    double special_issue = 8;  ///< the same: reciprocals, roots, exponentials, conversions
    double double_issue = 2;   ///< the same: sums and products of doubles

    // Blocks that come and go.
    double launch_us = 0;       ///< of a kernel that does nothing
    double block_interval = 0;  ///< cycles between two that start on a multiprocessor
    double block_start = 0,
           warp_start = 0;  ///< from the end of one to the first instruction of the next
};

/// Reads the text of a file of gpus/; `file` names it in errors.
Gpu read_gpu(std::string_view text, const std::string& file);
/// The opposite, with a comment for every number: what `calibrate` writes.
std::string write_gpu(const Gpu& gpu);

/// Those of gpus/, compiled in: the first is what predictions are for when nobody says.
const std::vector<Gpu>& known_gpus();
/// By name or the end of it, in any case: "H200", "nvidia h200". Throws GpuError with those that there are.
const Gpu& gpu_named(std::string_view name);

}  // namespace coalesce::timing

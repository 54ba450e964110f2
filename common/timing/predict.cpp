#include "timing/predict.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "timing/bands.h"
#include "timing/multiprocessor.h"
#include "timing/occupancy.h"
#include "timing/operations.h"
#include "timing/rounded.h"
#include "timing/tables.h"
#include "timing/traffic.h"
#include "timing/unknowns.h"

namespace coalesce::timing {

namespace {

/// The relative error that the register estimate does not exceed for two thirds of all kernels.
constexpr double kRegisterEstimateError = .06;

/// Returns the shared memory per block in bytes, including the bytes that the system reserves.
int shared_bytes_per_block(const Recording& recording, const Gpu& gpu) {
    return static_cast<int>(recording.shared_bytes) + gpu.system_shared_bytes;
}

}  // namespace

Occupancy compute_occupancy(const Recording& recording, const Gpu& gpu) {
    Occupancy o;
    o.warps = static_cast<int>((recording.threads + 31) / 32);
    o.blocks = gpu.max_warps / o.warps;
    const auto note_limit = [&](int blocks, OccupancyLimit limiting_resource) {
        if (blocks >= o.blocks) return;
        o.blocks = blocks;
        o.limiting_resource = limiting_resource;
    };
    const auto blocks_at_register_ratio = [&](double register_ratio) {
        return max_blocks_by_registers(
            static_cast<int>(std::lround(recording.registers * register_ratio)), o.warps,
            gpu.registers);
    };
    note_limit(gpu.max_blocks, OccupancyLimit::blocks);
    const int blocks_without_registers = o.blocks;
    note_limit(blocks_at_register_ratio(1), OccupancyLimit::registers);
    note_limit(max_blocks_by_shared_memory(static_cast<int>(recording.shared_bytes),
                                           gpu.system_shared_bytes, gpu.shared_bytes),
               OccupancyLimit::shared_memory);
    o.blocks = std::max(o.blocks, 1);
    const double blocks_per_multiprocessor =
        std::ceil(static_cast<double>(recording.blocks) / gpu.multiprocessors);
    note_limit(static_cast<int>(std::min(blocks_per_multiprocessor, 1e6)), OccupancyLimit::grid);
    const int max_blocks =
        o.limiting_resource == OccupancyLimit::registers ? blocks_without_registers : o.blocks;
    const auto clamped_blocks = [&](double register_ratio) {
        return std::clamp(blocks_at_register_ratio(register_ratio), 1, max_blocks);
    };
    o.is_uncertain = clamped_blocks(1 - kRegisterEstimateError) >=
                     1.5 * clamped_blocks(1 + kRegisterEstimateError);
    return o;
}

namespace {

// From sm_80 on, shared memory and the L1 cache share storage, which exceeds the maximum
// size of shared memory by this number of bytes. (From NVIDIA's documents)
constexpr int kCacheBytesBeyondShared = 28 << 10;

/// Returns a warp's share of the L1 cache, in lines. The cache is the part of the common
/// storage that shared memory does not need.
double cache_lines_per_warp(const Recording& recording, const Gpu& gpu, const Occupancy& o) {
    const double bytes = gpu.shared_bytes + kCacheBytesBeyondShared -
                         static_cast<double>(o.blocks) * shared_bytes_per_block(recording, gpu);
    return std::max(0.0, bytes) / kLineBytes / (o.blocks * o.warps);
}

/// Returns the size of a multiprocessor's L1 cache in bytes. Shared memory is set to the
/// smallest supported size that suffices for the resident blocks, and the cache gets the rest.
/// (From NVIDIA's documents)
double l1_capacity_bytes(const Recording& recording, const Gpu& gpu, int resident_blocks) {
    const int capacity_bytes = gpu.shared_bytes + kCacheBytesBeyondShared;
    if (recording.shared_bytes == 0) return capacity_bytes;
    const int needed_bytes = resident_blocks * shared_bytes_per_block(recording, gpu);
    for (const int kib : {8, 16, 32, 64, 100, 132, 164, 196})
        if (needed_bytes <= kib << 10 && kib << 10 < gpu.shared_bytes)
            return capacity_bytes - (kib << 10);
    return kCacheBytesBeyondShared;
}

/// Returns the excess cost of runs of `bytes` bytes, interpolated from the cost table
/// `excess_costs`. The excess cost is the time that such runs add to a plain copy, as a fraction of
/// the copy's time.
double interpolate_excess_cost(const RunCosts& run_costs, const std::vector<double>& excess_costs,
                               double bytes) {
    if (!(bytes > run_costs.bytes.front())) return excess_costs.front();
    for (std::size_t k = 1; k < run_costs.bytes.size(); ++k) {
        if (bytes > run_costs.bytes[k]) continue;
        const double part = round_to_float(std::log(bytes / run_costs.bytes[k - 1])) /
                            round_to_float(std::log(run_costs.bytes[k] / run_costs.bytes[k - 1]));
        return excess_costs[k - 1] + (excess_costs[k] - excess_costs[k - 1]) * part;
    }
    return excess_costs.back();
}

/// Returns the mean excess cost of runs of the given sizes (in sectors), weighted by size.
double interpolate_excess_cost(const RunCosts& run_costs, const std::vector<double>& excess_costs,
                               const std::vector<std::uint64_t>& run_lengths) {
    double cost_sum = 0, sector_sum = 0;
    for (const std::uint64_t run_length : run_lengths) {
        const auto sectors = static_cast<double>(run_length);
        cost_sum +=
            sectors * interpolate_excess_cost(run_costs, excess_costs, kSectorBytes * sectors);
        sector_sum += sectors;
    }
    return sector_sum > 0 ? cost_sum / sector_sum : 0;
}

/// Returns the fraction of the requested sectors that no neighbouring block has requested before.
double fraction_of_new_sectors(const Footprint& f) {
    return f.sectors_summed_over_blocks ? static_cast<double>(f.sectors.size()) /
                                              static_cast<double>(f.sectors_summed_over_blocks)
                                        : 1;
}

/// The amount of data that may pass through the L2 cache before earlier reads are
/// evicted, as a fraction of the cache's size. (An H200 with a 60 MB cache keeps data while the
/// next 32 MiB pass through, but not while 48 MiB do. calibrate/launches.cu)
constexpr double kRetainedReadFraction = .53;

/// Returns the fraction of new sectors among the sectors that the grid's next row of blocks
/// requests. A sector is new if no earlier row has requested it.
double next_row_new_fraction(const Recording& recording, const Gpu& gpu) {
    const std::uint64_t requested_sectors = recording.next_row_reads.size();
    if (requested_sectors == 0) return 1;
    const double bytes_per_block = static_cast<double>(recording.reads.sectors.size() +
                                                       recording.writes.sectors.size()) *
                                   kSectorBytes / static_cast<double>(recording.neighbour_blocks),
                 bytes_per_row = bytes_per_block * static_cast<double>(recording.blocks_per_row);
    if (bytes_per_row > kRetainedReadFraction * gpu.l2_bytes) return 1;
    return 1 - static_cast<double>(recording.next_row_reads.count_common(recording.reads.sectors)) /
                   static_cast<double>(requested_sectors);
}

/// Sums over the accesses of the recorded blocks. Each block is treated separately.
struct BlockAccessSums {
    double requested_sectors = 0,
           distinct_sectors = 0;  ///< the numbers of requested sectors, and of distinct ones
    double bytes = 0;             ///< sum of the bytes of all lanes
    double mean_run_bytes = 0;    ///< the average length of a run, in bytes

    /// Returns the fraction of its sectors' bytes that a block does not access.
    double incomplete_fraction() const {
        return distinct_sectors > 0 ? std::max(0.0, 1 - bytes / (kSectorBytes * distinct_sectors))
                                    : 0;
    }
};

BlockAccessSums sum_block_accesses(const Recording& recording, bool sums_reads) {
    BlockAccessSums o;
    double block_count = 0;
    for (const RecordedBlock& block : recording.recorded_blocks) {
        SectorSet sectors;
        for (const Access& access : block.accesses) {
            const bool is_read =
                access.kind == AccessKind::load || access.kind == AccessKind::copy_from;
            if (is_read != sums_reads) continue;
            if (access.runs > 0)
                o.bytes += static_cast<double>(access.lanes) * access.bytes_per_lane;
            for (std::uint32_t r = 0; r < access.runs; ++r) {
                sectors.add(block.runs[access.first_run + r]);
                o.requested_sectors += block.runs[access.first_run + r].count;
            }
        }
        if (sectors.empty()) continue;
        o.distinct_sectors += static_cast<double>(sectors.size());
        o.mean_run_bytes += average_run_bytes(sectors.run_lengths());
        ++block_count;
    }
    o.mean_run_bytes /= std::max(1.0, block_count);
    return o;
}

/// The additional cost of a sector that is never written completely, as a multiple of the cost of a
/// write: memory must read the sector before writing it. (Measured on an H200 by filling every
/// other 16-byte element.)
constexpr double kUnfinishedSectorCostRatio = 2.5;

/// Estimates, from the recorded neighbours, the fraction of written sectors that remain unfinished.
double unfinished_fraction(const Footprint& writes) {
    if (writes.sectors.empty()) return 0;
    const double covered_fraction = static_cast<double>(writes.bytes) /
                                    (kSectorBytes * static_cast<double>(writes.sectors.size()));
    return std::clamp((.9 - covered_fraction) * 5, 0.0, 1.0);
}

/// Returns the footprint of the writes. If a long block reads everything before it writes, only
/// its reads are recorded, and its writes are assumed to follow the same pattern.
const Footprint& select_written_footprint(const Recording& recording) {
    return recording.writes.sectors_summed_over_blocks > 0 ? recording.writes : recording.reads;
}

/// Returns the sectors that the recorded blocks read, except by instructions that read tables.
SectorSet collect_reads_outside_tables(const Recording& recording, const Tables& tables) {
    SectorSet sectors;
    for (const RecordedBlock& block : recording.recorded_blocks)
        for (const WarpPath& path : block.warps)
            for (const Step& step : path.steps) {
                if (tables.find_table(step.instruction)) continue;
                for (std::uint32_t a = 0; a < step.accesses; ++a) {
                    const Access& access = block.accesses[step.first_access + a];
                    const bool is_read =
                        access.kind == AccessKind::load || access.kind == AccessKind::copy_from;
                    for (std::uint32_t r = 0; is_read && r < access.runs; ++r)
                        sectors.add(block.runs[access.first_run + r]);
                }
            }
    return sectors;
}

/// Returns the fraction of new sectors among the sectors outside tables that a block requests. A
/// sector is new if no neighbour has requested it before.
double new_fraction_outside_tables(const Footprint& reads, double neighbour_blocks,
                                   const Tables& tables) {
    constexpr double min_outside_fraction = .05;
    const auto requested_sectors = static_cast<double>(reads.sectors_summed_over_blocks);
    const double outside_requests =
        requested_sectors - tables.count_requested_sectors(neighbour_blocks);
    if (tables.empty() || outside_requests < min_outside_fraction * requested_sectors)
        return fraction_of_new_sectors(reads);
    const double distinct_sectors =
        static_cast<double>(reads.sectors.size()) - tables.count_distinct_sectors(neighbour_blocks);
    return std::clamp(distinct_sectors / outside_requests, 0.0, 1.0);
}

/// Adds the sectors that memory reads, and their runs, to `t`.
void add_reads(const Recording& recording, const MultiprocessorWork& work, const Tables& tables,
               const Gpu& gpu, Traffic& t) {
    double requested_from_tables = 0, tables_from_memory = 0, sectors_loaded = 0;
    for (const BlockProgram& kind : work.programs_by_kind) {
        requested_from_tables += kind.table_sectors;
        tables_from_memory += kind.table_sectors_from_memory;
        sectors_loaded += kind.sectors_read;
    }
    // If a block reads a sector again, it comes from the L1 cache.
    t.read_fraction =
        new_fraction_outside_tables(recording.reads,
                                    static_cast<double>(recording.neighbour_blocks), tables) *
        next_row_new_fraction(recording, gpu);
    t.memory_reads =
        ((sectors_loaded - requested_from_tables) * t.read_fraction + tables_from_memory) /
        static_cast<double>(work.programs_by_kind.size());
    // If the caches hold the tables, memory reads only data outside the tables.
    const bool are_tables_cached =
        tables_from_memory < .5 * requested_from_tables && requested_from_tables < sectors_loaded;
    const SectorSet visible_reads = are_tables_cached
                                        ? collect_reads_outside_tables(recording, tables)
                                    : recording.neighbour_reads.empty() ? recording.reads.sectors
                                                                        : recording.neighbour_reads;
    const SectorSet sector_pairs = visible_reads.extend_to_pairs();
    t.read_run_lengths = visible_reads.run_lengths();
    t.pair_run_lengths = sector_pairs.dense_page_run_lengths();
    if (!visible_reads.empty())
        t.pair_ratio =
            static_cast<double>(sector_pairs.size()) / static_cast<double>(visible_reads.size());
    t.memory_reads *= t.pair_ratio;
}

Traffic compute_traffic(const Recording& recording, const MultiprocessorWork& work,
                        const Tables& tables, const Gpu& gpu) {
    Traffic t;
    const BlockAccessSums reads = sum_block_accesses(recording, true),
                          writes = sum_block_accesses(recording, false);
    t.block_run_bytes_read = reads.mean_run_bytes;
    if (reads.distinct_sectors > 0)
        t.requests_per_sector = reads.requested_sectors / reads.distinct_sectors;
    t.block_run_bytes_written = writes.mean_run_bytes;
    const Footprint& written_footprint = select_written_footprint(recording);
    t.unfinished_fraction =
        &written_footprint == &recording.writes ? unfinished_fraction(written_footprint) : 0;
    t.fraction_left_to_others = writes.incomplete_fraction();
    add_reads(recording, work, tables, gpu, t);
    if (writes.requested_sectors > 0)
        t.written_run_lengths = written_footprint.sectors.run_lengths();
    // The L2 cache combines a block's writes to the same sector.
    t.written_fraction =
        fraction_of_new_sectors(written_footprint) *
        (writes.requested_sectors > 0 ? writes.distinct_sectors / writes.requested_sectors : 1);
    for (const BlockProgram& kind : work.programs_by_kind)
        t.memory_writes += kind.sectors_written + kind.partial_sectors;
    t.memory_writes *= t.written_fraction / static_cast<double>(work.programs_by_kind.size());
    return t;
}

/// The fraction of the runs with partial sectors that memory moves too early: before a neighbour
/// requests the rest of those sectors.
constexpr double kEarlyEvictionFraction = .2;

double excess_cost_with_neighbours(const RunCosts& run_costs,
                                   const std::vector<double>& excess_costs,
                                   const std::vector<std::uint64_t>& neighbour_run_lengths,
                                   double own_run_bytes) {
    const double cost_with_neighbours =
                     interpolate_excess_cost(run_costs, excess_costs, neighbour_run_lengths),
                 cost_alone = interpolate_excess_cost(
                     run_costs, excess_costs,
                     std::min(own_run_bytes, average_run_bytes(neighbour_run_lengths)));
    return cost_with_neighbours + kEarlyEvictionFraction * (cost_alone - cost_with_neighbours);
}

/// The fraction of the L2 cache that, when a launch ends, still holds written data that
/// is not yet in memory. (Copies of 64 and 256 MiB on an H200 end about 2 microseconds before
/// memory could have accepted all data.)
constexpr double kUnflushedWriteFraction = .15;

/// Returns the memory bandwidth in GB/s for traffic in long runs, of which the fraction
/// `write_share` is written (0.5 for a copy).
double mixed_traffic_gbps(double write_share, const Gpu& gpu) {
    const double one_way_fraction = std::abs(2 * write_share - 1);
    return 1 / (one_way_fraction / (write_share < .5 ? gpu.read_gbps : gpu.write_gbps) +
                (1 - one_way_fraction) / gpu.copy_gbps);
}

/// Computes the number of cycles per requested sector if all multiprocessors share the memory
/// bandwidth equally.
void compute_sector_cycles(MultiprocessorWork& work, const Traffic& t, const Gpu& gpu,
                           double block_count) {
    const double multiprocessors = std::min<double>(gpu.multiprocessors, block_count);
    const bool has_reads = t.memory_reads > 0, has_writes = t.memory_writes > 0;
    const double write_share = work.write_fraction =
        t.memory_reads + t.memory_writes > 0 ? t.memory_writes / (t.memory_reads + t.memory_writes)
                                             : 0;
    // The costs of runs were measured with copies, whose traffic is half reads and half writes.
    // Scale the cost of each direction by twice its share of the traffic, but the cost of writes by
    // at most 1.
    const RunCosts& run_costs = gpu.run_costs;
    const double min_run_bytes = 2 * kSectorBytes;
    const double read_excess = has_reads
                                   ? excess_cost_with_neighbours(
                                         run_costs, run_costs.extra_read_time, t.pair_run_lengths,
                                         std::max(t.block_run_bytes_read, min_run_bytes)) *
                                         (2 - 2 * write_share)
                                   : 0,
                 write_excess = has_writes ? excess_cost_with_neighbours(
                                                 run_costs, run_costs.extra_write_time,
                                                 t.written_run_lengths, t.block_run_bytes_written) *
                                                 std::min(1.0, 2 * write_share)
                                           : 0;
    const double slowdown =
        1 + round_to_float(std::pow(round_to_float(std::pow(read_excess, 1.25)) +
                                        round_to_float(std::pow(write_excess, 1.25)),
                                    .8));
    const double gbps = mixed_traffic_gbps(write_share, gpu);
    const double sector_cycles = kSectorBytes * slowdown * multiprocessors * gpu.clock_ghz / gbps;
    work.read_fraction = t.read_fraction;
    work.read_cycles = sector_cycles * t.pair_ratio;
    // The data written last is still in the cache when the launch ends.
    const double written_bytes = t.memory_writes * kSectorBytes * block_count,
                 unflushed_bytes = std::min(written_bytes, kUnflushedWriteFraction * gpu.l2_bytes);
    work.write_cycles = sector_cycles * t.written_fraction *
                        (has_writes ? 1 - unflushed_bytes / written_bytes : 1) *
                        (1 + kUnfinishedSectorCostRatio * t.unfinished_fraction);
}

/// Estimates, from the recorded neighbours, how many partial sectors the running blocks leave
/// unfinished.
UnfinishedSectors estimate_unfinished_sectors(const Recording& recording,
                                              const MultiprocessorWork& work, const Traffic& t,
                                              const Gpu& gpu) {
    const SectorSet& written_sectors = select_written_footprint(recording).sectors;
    double line_count = 0, incomplete_lines = 0;
    for (const BlockProgram& kind : work.programs_by_kind) {
        line_count += static_cast<double>(kind.bytes_per_line.size());
        incomplete_lines += kind.lines_left_for_other_blocks;
    }
    UnfinishedSectors u;
    u.multiprocessors =
        std::min<double>(gpu.multiprocessors, static_cast<double>(recording.blocks));
    const double neighbour_blocks = std::max(1.0, static_cast<double>(recording.neighbour_blocks)),
                 concurrent_groups = u.multiprocessors * work.resident_blocks / neighbour_blocks;
    if (line_count > 0)
        u.lines_left_for_other_blocks = incomplete_lines / line_count *
                                        static_cast<double>(written_sectors.count_lines()) *
                                        std::max(1.0, concurrent_groups);
    u.pages = static_cast<double>(written_sectors.count_pages()) * concurrent_groups;
    u.read_cycles_per_write =
        t.memory_writes > 0 ? t.memory_reads / t.memory_writes * work.read_cycles : 0;
    return u;
}

Bottleneck find_bottleneck(const Prediction& p, const SimulatedOutcome& o, const Gpu& gpu) {
    const UnitUtilization& b = o.utilization;
    struct Candidate {
        double busy_fraction;
        Bottleneck bottleneck;
    };
    const Candidate candidates[] = {
        {b.memory, Bottleneck::memory},
        {o.partial_store_utilization > .5 * b.l2_write ? b.l2_write : 0, Bottleneck::stores},
        {std::max(b.l2_read, b.l2_write), Bottleneck::cache},
        {b.shared, Bottleneck::shared},
        {b.issue, Bottleneck::issue},
    };
    const Candidate* busiest = &candidates[0];
    for (const Candidate& c : candidates)
        if (c.busy_fraction > busiest->busy_fraction) busiest = &c;
    if (busiest->busy_fraction > .82) return busiest->bottleneck;
    if (p.rounds < 1) return Bottleneck::few_blocks;
    const double block_start_fraction =
        gpu.block_interval_cycles / std::max(1.0, o.cycles_per_block);
    if (block_start_fraction > .85) return Bottleneck::blocks;
    if (busiest->busy_fraction > .7 && busiest->bottleneck != Bottleneck::memory)
        return busiest->bottleneck;
    return o.warp_life.barrier > .3 * o.warp_life.loads ? Bottleneck::barrier : Bottleneck::flight;
}

/// Returns the error band of a prediction that has a time.
double compute_error_band(const Prediction& p, const Recording& recording, const Gpu& gpu,
                          const MultiprocessorWork& work, const Traffic& traffic,
                          const Tables& tables) {
    return error_band({.ms = p.ms,
                       .bottleneck = p.bottleneck,
                       .utilization = p.utilization,
                       .rounds = p.rounds,
                       .write_fraction = work.write_fraction,
                       .requests_per_sector = traffic.requests_per_sector,
                       .has_short_runs = has_short_runs(traffic),
                       .reads_tables = !tables.empty(),
                       .has_unfinished_sectors = traffic.unfinished_fraction > 0,
                       .uses_shared_memory = recording.shared_bytes > 0,
                       .is_in_place = is_in_place(recording),
                       .is_gpu_measured = gpu.is_measured});
}

}  // namespace

Gpu parse_or_find_gpu(const std::string& name_or_text) {
    const bool is_description = name_or_text.find('=') != std::string::npos;
    return is_description ? parse_gpu(name_or_text, "the GPU's description")
                          : find_gpu(name_or_text);
}

namespace {

/// The number of bytes of shared memory that one wavefront moves.
constexpr std::uint32_t kWavefrontBytes = 128;

/// Returns the number of wavefronts that an access would take without bank conflicts.
std::uint16_t count_wavefronts_without_conflicts(const Access& access) {
    const std::uint32_t bytes = std::uint32_t{access.lanes} * access.bytes_per_lane,
                        fewest_wavefronts = (bytes + kWavefrontBytes - 1) / kWavefrontBytes;
    return static_cast<std::uint16_t>(std::min<std::uint32_t>(access.passes, fewest_wavefronts));
}

bool uses_shared_memory(const Access& access) {
    return access.kind == AccessKind::shared_load || access.kind == AccessKind::shared_store;
}

/// Reports whether bank conflicts cause more than a twentieth of the recorded wavefronts.
bool has_many_conflicts(const Recording& recording) {
    std::uint64_t wavefronts = 0, fewest_wavefronts = 0;
    for (const RecordedBlock& block : recording.recorded_blocks)
        for (const Access& access : block.accesses) {
            if (!uses_shared_memory(access)) continue;
            wavefronts += access.passes;
            fewest_wavefronts += count_wavefronts_without_conflicts(access);
        }
    return 20 * (wavefronts - fewest_wavefronts) > wavefronts;
}

/// Returns the time in milliseconds that atomics on the most contended range of global memory take.
/// The L2 cache executes the atomics of a range one after another: each sector of a request, and
/// each lane. (Measured on an H200: 4 million warps that add to one address, and warps that count
/// in 16 or 256 bins.)
double contended_atomics_ms(const Recording& recording) {
    constexpr double ns_per_sector = .64, ns_per_lane = .145, max_new_fraction = .5;
    constexpr std::uint64_t sectors_per_range = 16;
    struct ContendedRange {
        double atomics_ns = 0;
        const RecordedBlock* last_block = nullptr;
        std::size_t blocks = 0;  ///< the number of recorded blocks that use the range
    };
    std::unordered_map<std::uint64_t, ContendedRange> ranges;
    for (const RecordedBlock& block : recording.recorded_blocks)
        for (const Access& access : block.accesses) {
            if (access.kind != AccessKind::atomic || access.runs == 0) continue;
            double sector_count = 0;
            for (std::uint32_t r = 0; r < access.runs; ++r)
                sector_count += block.runs[access.first_run + r].count;
            for (std::uint32_t r = 0; r < access.runs; ++r) {
                const SectorRun& run = block.runs[access.first_run + r];
                ContendedRange& range = ranges[run.first / sectors_per_range];
                range.atomics_ns +=
                    run.count * (ns_per_sector + ns_per_lane * access.lanes / sector_count);
                range.blocks += range.last_block != &block;
                range.last_block = &block;
            }
        }
    // The recorded blocks are far apart, so the whole grid shares a range that two of them use. If
    // only one block was recorded, its neighbours show whether blocks share their data.
    if (recording.recorded_blocks.size() < 2 &&
        fraction_of_new_sectors(recording.writes) > max_new_fraction)
        return 0;
    const std::size_t min_blocks = std::min<std::size_t>(2, recording.recorded_blocks.size());
    double max_atomics_ns = 0;
    for (const auto& [number, range] : ranges)
        if (range.blocks >= min_blocks) max_atomics_ns = std::max(max_atomics_ns, range.atomics_ns);
    return max_atomics_ns * 1e-6 * static_cast<double>(recording.blocks) /
           static_cast<double>(std::max<std::size_t>(1, recording.recorded_blocks.size()));
}

/// Returns a copy of the recording in which no access to shared memory has a bank conflict.
Recording remove_conflicts(Recording recording) {
    for (RecordedBlock& block : recording.recorded_blocks)
        for (Access& access : block.accesses)
            if (uses_shared_memory(access))
                access.passes = count_wavefronts_without_conflicts(access);
    return recording;
}

}  // namespace

Prediction predict_as_recorded(const Recording& recording, const Gpu& gpu) {
    Prediction p;
    p.gpu = gpu.name;
    p.is_gpu_measured = gpu.is_measured;
    p.kernel = recording.kernel;
    const Occupancy occupancy = compute_occupancy(recording, gpu);
    MultiprocessorWork work;
    work.resident_blocks = p.resident_blocks = occupancy.blocks;
    p.warps_per_block = occupancy.warps;
    p.registers = static_cast<int>(recording.registers);
    p.shared_bytes = static_cast<int>(recording.shared_bytes);
    p.occupancy_limit = occupancy.limiting_resource;
    const double blocks = static_cast<double>(recording.blocks);
    work.blocks = std::max(1.0, blocks / gpu.multiprocessors);
    work.has_uneven_blocks = are_blocks_uneven(recording);
    p.rounds = blocks / (occupancy.blocks * gpu.multiprocessors);
    const double lines = cache_lines_per_warp(recording, gpu, occupancy);
    const double l1_capacity = l1_capacity_bytes(recording, gpu, occupancy.blocks);
    const Tables tables(
        recording, gpu, l1_capacity,
        fraction_of_new_sectors(recording.reads) * next_row_new_fraction(recording, gpu));
    for (const RecordedBlock& block : recording.recorded_blocks) {
        work.programs_by_kind.push_back(build_block_program(recording, block, tables, lines));
        work.kind_by_block.push_back(static_cast<std::uint32_t>(work.programs_by_kind.size() - 1));
    }
    const Traffic traffic =
        work.programs_by_kind.empty() ? Traffic{} : compute_traffic(recording, work, tables, gpu);
    record_unknowns(p, recording, occupancy, work, traffic);
    if (work.programs_by_kind.empty()) return p;
    compute_sector_cycles(work, traffic, gpu, blocks);
    work.unfinished_sectors = estimate_unfinished_sectors(recording, work, traffic, gpu);
    work.l1_bytes = l1_capacity;
    const SimulatedOutcome outcome = simulate(work, gpu);

    p.ms = std::max(outcome.cycles / gpu.clock_ghz * 1e-6, contended_atomics_ms(recording)) +
           gpu.launch_us * 1e-3;
    p.memory_bytes = (traffic.memory_reads + traffic.memory_writes) * kSectorBytes * blocks;
    p.run_bytes_read = traffic.average_run_bytes_read();
    p.run_bytes_written = traffic.average_run_bytes_written();
    p.bytes_in_flight = outcome.bytes_in_flight;
    p.fraction_without_loads = outcome.fraction_without_loads;
    p.latency_cycles = outcome.latency_cycles;
    const double reads = traffic.memory_reads + traffic.memory_writes > 0
                             ? traffic.memory_reads / (traffic.memory_reads + traffic.memory_writes)
                             : 1;
    p.bytes_needed = .9 * gpu.copy_gbps * reads / gpu.multiprocessors *
                     (gpu.latency_ns + gpu.write_delay_ns * (1 - reads) + 9 * gpu.queueing_ns);
    p.utilization = outcome.utilization;
    p.warp_life = outcome.warp_life;
    p.time_line = outcome.time_line;
    p.bottleneck = find_bottleneck(p, outcome, gpu);
    p.error_band = compute_error_band(p, recording, gpu, work, traffic, tables);
    return p;
}

Prediction predict(const Recording& recording, const Gpu& gpu) {
    Prediction p = predict_as_recorded(recording, gpu);
    if (p.ms > 0 && has_many_conflicts(recording))
        p.ms_without_conflicts = predict_as_recorded(remove_conflicts(recording), gpu).ms;
    return p;
}

}  // namespace coalesce::timing

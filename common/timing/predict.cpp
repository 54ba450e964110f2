#include "timing/predict.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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
    o.blocks = gpu.warps / o.warps;
    const auto limit = [&](int blocks, OccupancyLimit by) {
        if (blocks >= o.blocks) return;
        o.blocks = blocks;
        o.limited_by = by;
    };
    const auto room = [&](double part) {
        return blocks_with_registers(static_cast<int>(std::lround(recording.registers * part)),
                                     o.warps, gpu.registers);
    };
    limit(gpu.blocks, OccupancyLimit::blocks);
    const int others = o.blocks;
    limit(room(1), OccupancyLimit::registers);
    limit(blocks_with_shared(static_cast<int>(recording.shared_bytes), gpu.system_shared_bytes,
                             gpu.shared_bytes),
          OccupancyLimit::shared_memory);
    o.blocks = std::max(o.blocks, 1);
    const double share = std::ceil(static_cast<double>(recording.blocks) / gpu.multiprocessors);
    limit(static_cast<int>(std::min(share, 1e6)), OccupancyLimit::grid);
    const int most = o.limited_by == OccupancyLimit::registers ? others : o.blocks;
    const auto fit = [&](double part) { return std::clamp(room(part), 1, most); };
    o.is_uncertain = fit(1 - kRegisterEstimateError) >= 1.5 * fit(1 + kRegisterEstimateError);
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
double first_level_bytes(const Recording& recording, const Gpu& gpu, int resident) {
    const int all = gpu.shared_bytes + kCacheBytesBeyondShared;
    if (recording.shared_bytes == 0) return all;
    const int needed = resident * shared_bytes_per_block(recording, gpu);
    for (const int kib : {8, 16, 32, 64, 100, 132, 164, 196})
        if (needed <= kib << 10 && kib << 10 < gpu.shared_bytes) return all - (kib << 10);
    return kCacheBytesBeyondShared;
}

/// Returns the excess cost of runs of `bytes` bytes, interpolated from the cost table `of`. The
/// excess cost is the time that such runs add to a plain copy, as a fraction of the copy's time.
double interpolate_excess_cost(const Runs& runs, const std::vector<double>& of, double bytes) {
    if (!(bytes > runs.bytes.front())) return of.front();
    for (std::size_t k = 1; k < runs.bytes.size(); ++k) {
        if (bytes > runs.bytes[k]) continue;
        const double part = rounded(std::log(bytes / runs.bytes[k - 1])) /
                            rounded(std::log(runs.bytes[k] / runs.bytes[k - 1]));
        return of[k - 1] + (of[k] - of[k - 1]) * part;
    }
    return of.back();
}

/// Returns the mean excess cost of runs of the given sizes (in sectors), weighted by size.
double interpolate_excess_cost(const Runs& runs, const std::vector<double>& of,
                               const std::vector<std::uint64_t>& sizes) {
    double sum = 0, all = 0;
    for (const std::uint64_t size : sizes) {
        const auto sectors = static_cast<double>(size);
        sum += sectors * interpolate_excess_cost(runs, of, kSectorBytes * sectors);
        all += sectors;
    }
    return all > 0 ? sum / all : 0;
}

/// Returns the fraction of the requested sectors that no neighbouring block has requested before.
double new_fraction(const Footprint& f) {
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
    const std::uint64_t requested = recording.next_row_reads.size();
    if (requested == 0) return 1;
    const double moved = static_cast<double>(recording.reads.sectors.size() +
                                             recording.writes.sectors.size()) *
                         kSectorBytes / static_cast<double>(recording.neighbours),
                 since = moved * static_cast<double>(recording.blocks_per_row);
    if (since > kRetainedReadFraction * gpu.l2_bytes) return 1;
    return 1 - static_cast<double>(recording.next_row_reads.count_common(recording.reads.sectors)) /
                   static_cast<double>(requested);
}

/// Sums over the accesses of the recorded blocks. Each block is treated separately.
struct BlockAccessSums {
    double requested = 0, distinct = 0;  ///< the numbers of requested sectors, and of distinct ones
    double bytes = 0;                    ///< sum of the bytes of all lanes
    double run = 0;                      ///< the average length of a run, in bytes

    /// Returns the fraction of its sectors' bytes that a block does not access.
    double left() const {
        return distinct > 0 ? std::max(0.0, 1 - bytes / (kSectorBytes * distinct)) : 0;
    }
};

BlockAccessSums sum_block_accesses(const Recording& recording, bool reads) {
    BlockAccessSums o;
    double blocks = 0;
    for (const RecordedBlock& block : recording.recorded) {
        SectorSet sectors;
        for (const Access& access : block.accesses) {
            const bool is_read =
                access.kind == AccessKind::load || access.kind == AccessKind::copy_from;
            if (is_read != reads) continue;
            if (access.runs > 0)
                o.bytes += static_cast<double>(access.lanes) * access.bytes_per_lane;
            for (std::uint32_t r = 0; r < access.runs; ++r) {
                sectors.add(block.runs[access.first_run + r]);
                o.requested += block.runs[access.first_run + r].count;
            }
        }
        if (sectors.empty()) continue;
        o.distinct += static_cast<double>(sectors.size());
        o.run += length_of(sectors.runs());
        ++blocks;
    }
    o.run /= std::max(1.0, blocks);
    return o;
}

/// The additional cost of a sector that is never written completely, as a multiple of the cost of a
/// write: memory must read the sector before writing it. (Measured on an H200 by filling every
/// other 16-byte element.)
constexpr double kUnfinishedSectorCostRatio = 2.5;

/// Estimates, from the recorded neighbours, the fraction of written sectors that remain unfinished.
double unfinished_fraction(const Footprint& writes) {
    if (writes.sectors.empty()) return 0;
    const double covered = static_cast<double>(writes.bytes) /
                           (kSectorBytes * static_cast<double>(writes.sectors.size()));
    return std::clamp((.9 - covered) * 5, 0.0, 1.0);
}

/// Returns the footprint of the writes. If a long block reads everything before it writes, only
/// its reads are recorded, and its writes are assumed to follow the same pattern.
const Footprint& select_written_footprint(const Recording& recording) {
    return recording.writes.sectors_summed_over_blocks > 0 ? recording.writes : recording.reads;
}

/// Returns the sectors that the recorded blocks read, except by instructions that read tables.
SectorSet collect_reads_outside_tables(const Recording& recording, const Tables& tables) {
    SectorSet sectors;
    for (const RecordedBlock& block : recording.recorded)
        for (const WarpPath& path : block.warps)
            for (const Step& step : path.steps) {
                if (tables.find(step.instruction)) continue;
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
double new_fraction_outside_tables(const Footprint& reads, double neighbours,
                                   const Tables& tables) {
    constexpr double few = .05;
    const auto requested = static_cast<double>(reads.sectors_summed_over_blocks);
    const double beside = requested - tables.count_requests(neighbours);
    if (tables.empty() || beside < few * requested) return new_fraction(reads);
    const double distinct =
        static_cast<double>(reads.sectors.size()) - tables.count_distinct(neighbours);
    return std::clamp(distinct / beside, 0.0, 1.0);
}

/// Adds the sectors that memory reads, and their runs, to `t`.
void add_reads(const Recording& recording, const MultiprocessorWork& work, const Tables& tables,
               const Gpu& gpu, Traffic& t) {
    double of_tables = 0, of_tables_from_memory = 0, all = 0;
    for (const BlockProgram& kind : work.kinds) {
        of_tables += kind.table_sectors;
        of_tables_from_memory += kind.table_sectors_from_memory;
        all += kind.sectors_read;
    }
    // If a block reads a sector again, it comes from the L1 cache.
    t.read_fraction = new_fraction_outside_tables(
                          recording.reads, static_cast<double>(recording.neighbours), tables) *
                      next_row_new_fraction(recording, gpu);
    t.read = ((all - of_tables) * t.read_fraction + of_tables_from_memory) /
             static_cast<double>(work.kinds.size());
    // If the caches hold the tables, memory reads only data outside the tables.
    const bool are_cached = of_tables_from_memory < .5 * of_tables && of_tables < all;
    const SectorSet seen = are_cached ? collect_reads_outside_tables(recording, tables)
                           : recording.neighbour_reads.empty() ? recording.reads.sectors
                                                               : recording.neighbour_reads;
    const SectorSet pairs = seen.extend_to_pairs();
    t.runs_read = seen.runs();
    t.runs_of_pairs = pairs.runs_in_dense_pages();
    if (!seen.empty())
        t.pairs = static_cast<double>(pairs.size()) / static_cast<double>(seen.size());
    t.read *= t.pairs;
}

Traffic compute_traffic(const Recording& recording, const MultiprocessorWork& work,
                        const Tables& tables, const Gpu& gpu) {
    Traffic t;
    const BlockAccessSums reads = sum_block_accesses(recording, true),
                          writes = sum_block_accesses(recording, false);
    t.own_run_read = reads.run;
    if (reads.distinct > 0) t.rereads = reads.requested / reads.distinct;
    t.own_run_written = writes.run;
    const Footprint& written = select_written_footprint(recording);
    t.unfinished = &written == &recording.writes ? unfinished_fraction(written) : 0;
    t.left_for_other_blocks = writes.left();
    add_reads(recording, work, tables, gpu, t);
    if (writes.requested > 0) t.runs_written = written.sectors.runs();
    // The L2 cache combines a block's writes to the same sector.
    t.written_fraction =
        new_fraction(written) * (writes.requested > 0 ? writes.distinct / writes.requested : 1);
    for (const BlockProgram& kind : work.kinds)
        t.written += kind.sectors_written + kind.sectors_partial;
    t.written *= t.written_fraction / static_cast<double>(work.kinds.size());
    return t;
}

/// The fraction of the runs with partial sectors that memory moves too early: before a neighbour
/// requests the rest of those sectors.
constexpr double kEarlyEvictionFraction = .2;

double excess_cost_with_neighbours(const Runs& runs, const std::vector<double>& of,
                                   const std::vector<std::uint64_t>& together, double own_run) {
    const double with_neighbours = interpolate_excess_cost(runs, of, together),
                 alone = interpolate_excess_cost(runs, of, std::min(own_run, length_of(together)));
    return with_neighbours + kEarlyEvictionFraction * (alone - with_neighbours);
}

/// The fraction of the L2 cache that, when a launch ends, still holds written data that
/// is not yet in memory. (Copies of 64 and 256 MiB on an H200 end about 2 microseconds before
/// memory could have accepted all data.)
constexpr double kUnflushedWriteFraction = .15;

/// Returns the memory bandwidth in GB/s for traffic in long runs, of which the fraction `share` is
/// written (0.5 for a copy).
double mixed_traffic_gbps(double share, const Gpu& gpu) {
    const double one_way = std::abs(2 * share - 1);
    return 1 / (one_way / (share < .5 ? gpu.read_gbps : gpu.write_gbps) +
                (1 - one_way) / gpu.copy_gbps);
}

/// Computes the number of cycles per requested sector if all multiprocessors share the memory
/// bandwidth equally.
void compute_sector_cycles(MultiprocessorWork& work, const Traffic& t, const Gpu& gpu,
                           double blocks) {
    const double multiprocessors = std::min<double>(gpu.multiprocessors, blocks);
    const bool reads = t.read > 0, writes = t.written > 0;
    const double share = work.write_fraction =
        t.read + t.written > 0 ? t.written / (t.read + t.written) : 0;
    // The costs of runs were measured with copies, whose traffic is half reads and half writes.
    // Scale the cost of each direction by twice its share of the traffic, but the cost of writes by
    // at most 1.
    const Runs& runs = gpu.runs;
    const double least_read = 2 * kSectorBytes;
    const double read = reads ? excess_cost_with_neighbours(runs, runs.read_excess, t.runs_of_pairs,
                                                            std::max(t.own_run_read, least_read)) *
                                    (2 - 2 * share)
                              : 0,
                 write = writes ? excess_cost_with_neighbours(runs, runs.write_excess,
                                                              t.runs_written, t.own_run_written) *
                                      std::min(1.0, 2 * share)
                                : 0;
    const double slower =
        1 + rounded(std::pow(rounded(std::pow(read, 1.25)) + rounded(std::pow(write, 1.25)), .8));
    const double gbps = mixed_traffic_gbps(share, gpu);
    const double cycles = kSectorBytes * slower * multiprocessors * gpu.clock_ghz / gbps;
    work.read_fraction = t.read_fraction;
    work.read_cycles = cycles * t.pairs;
    // The data written last is still in the cache when the launch ends.
    const double written = t.written * kSectorBytes * blocks,
                 stays = std::min(written, kUnflushedWriteFraction * gpu.l2_bytes);
    work.write_cycles = cycles * t.written_fraction * (writes ? 1 - stays / written : 1) *
                        (1 + kUnfinishedSectorCostRatio * t.unfinished);
}

/// Estimates, from the recorded neighbours, how many partial sectors the running blocks leave
/// unfinished.
Unfinished estimate_unfinished(const Recording& recording, const MultiprocessorWork& work,
                               const Traffic& t, const Gpu& gpu) {
    const SectorSet& written = select_written_footprint(recording).sectors;
    double lines = 0, left = 0;
    for (const BlockProgram& kind : work.kinds) {
        lines += static_cast<double>(kind.bytes_of_line.size());
        left += kind.lines_left_for_other_blocks;
    }
    Unfinished u;
    u.multiprocessors =
        std::min<double>(gpu.multiprocessors, static_cast<double>(recording.blocks));
    const double heard = std::max(1.0, static_cast<double>(recording.neighbours)),
                 at_a_time = u.multiprocessors * work.resident / heard;
    if (lines > 0)
        u.left_for_other_blocks =
            left / lines * static_cast<double>(written.lines()) * std::max(1.0, at_a_time);
    u.pages = static_cast<double>(written.pages()) * at_a_time;
    u.read_cycles_per_written_sector = t.written > 0 ? t.read / t.written * work.read_cycles : 0;
    return u;
}

Bottleneck find_bottleneck(const Prediction& p, const SimulatedOutcome& o, const Gpu& gpu) {
    const Busy& b = o.busy;
    struct Candidate {
        double busy;
        Bottleneck bottleneck;
    };
    const Candidate candidates[] = {
        {b.memory, Bottleneck::memory},
        {o.partial_stores_busy > .5 * b.l2_write ? b.l2_write : 0, Bottleneck::stores},
        {std::max(b.l2_read, b.l2_write), Bottleneck::cache},
        {b.shared, Bottleneck::shared},
        {b.issue, Bottleneck::issue},
    };
    const Candidate* most = &candidates[0];
    for (const Candidate& c : candidates)
        if (c.busy > most->busy) most = &c;
    if (most->busy > .82) return most->bottleneck;
    if (p.rounds < 1) return Bottleneck::few_blocks;
    const double interval = gpu.block_interval_cycles / std::max(1.0, o.cycles_per_block);
    if (interval > .85) return Bottleneck::blocks;
    if (most->busy > .7 && most->bottleneck != Bottleneck::memory) return most->bottleneck;
    return o.life.barrier > .3 * o.life.loads ? Bottleneck::barrier : Bottleneck::flight;
}

/// Returns the error band of a prediction that has a time.
double compute_error_band(const Prediction& p, const Recording& recording, const Gpu& gpu,
                          const MultiprocessorWork& work, const Traffic& traffic,
                          const Tables& tables) {
    return error_band({.ms = p.ms,
                       .bottleneck = p.bottleneck,
                       .busy = p.busy,
                       .rounds = p.rounds,
                       .write_fraction = work.write_fraction,
                       .rereads = traffic.rereads,
                       .has_short_runs = has_short_runs(traffic),
                       .reads_tables = !tables.empty(),
                       .has_unfinished_sectors = traffic.unfinished > 0,
                       .shares_memory = recording.shared_bytes > 0,
                       .writes_where_it_reads = writes_where_it_reads(recording),
                       .measured_gpu = gpu.measured});
}

}  // namespace

Gpu parse_or_find_gpu(const std::string& name_or_text) {
    const bool is_text = name_or_text.find('=') != std::string::npos;
    return is_text ? read_gpu(name_or_text, "the GPU's description") : gpu_named(name_or_text);
}

namespace {

/// The number of bytes of shared memory that one wavefront moves.
constexpr std::uint32_t kWavefrontBytes = 128;

/// Returns the number of wavefronts that an access would take without bank conflicts.
std::uint16_t count_wavefronts_without_conflicts(const Access& access) {
    const std::uint32_t bytes = std::uint32_t{access.lanes} * access.bytes_per_lane,
                        fewest = (bytes + kWavefrontBytes - 1) / kWavefrontBytes;
    return static_cast<std::uint16_t>(std::min<std::uint32_t>(access.passes, fewest));
}

bool uses_shared_memory(const Access& access) {
    return access.kind == AccessKind::shared_load || access.kind == AccessKind::shared_store;
}

/// Reports whether bank conflicts cause more than a twentieth of the recorded wavefronts.
bool has_many_conflicts(const Recording& recording) {
    std::uint64_t wavefronts = 0, fewest = 0;
    for (const RecordedBlock& block : recording.recorded)
        for (const Access& access : block.accesses) {
            if (!uses_shared_memory(access)) continue;
            wavefronts += access.passes;
            fewest += count_wavefronts_without_conflicts(access);
        }
    return 20 * (wavefronts - fewest) > wavefronts;
}

/// Returns a copy of the recording in which no access to shared memory has a bank conflict.
Recording remove_conflicts(Recording recording) {
    for (RecordedBlock& block : recording.recorded)
        for (Access& access : block.accesses)
            if (uses_shared_memory(access))
                access.passes = count_wavefronts_without_conflicts(access);
    return recording;
}

Prediction predict_as_recorded(const Recording& recording, const Gpu& gpu) {
    Prediction p;
    p.gpu = gpu.name;
    p.measured_gpu = gpu.measured;
    p.kernel = recording.kernel;
    const Occupancy occupancy = compute_occupancy(recording, gpu);
    MultiprocessorWork work;
    work.resident = p.resident_blocks = occupancy.blocks;
    p.warps_per_block = occupancy.warps;
    p.registers = static_cast<int>(recording.registers);
    p.shared_bytes = static_cast<int>(recording.shared_bytes);
    p.occupancy_limit = occupancy.limited_by;
    const double blocks = static_cast<double>(recording.blocks);
    work.blocks = std::max(1.0, blocks / gpu.multiprocessors);
    work.has_uneven_blocks = are_blocks_uneven(recording);
    p.rounds = blocks / (occupancy.blocks * gpu.multiprocessors);
    const double lines = cache_lines_per_warp(recording, gpu, occupancy);
    const double first_level = first_level_bytes(recording, gpu, occupancy.blocks);
    const Tables tables(recording, gpu, first_level,
                        new_fraction(recording.reads) * next_row_new_fraction(recording, gpu));
    for (const RecordedBlock& block : recording.recorded) {
        work.kinds.push_back(build_block_program(recording, block, tables, lines));
        work.kind_of.push_back(static_cast<std::uint32_t>(work.kinds.size() - 1));
    }
    const Traffic traffic =
        work.kinds.empty() ? Traffic{} : compute_traffic(recording, work, tables, gpu);
    record_unknowns(p, recording, occupancy, work, traffic);
    if (work.kinds.empty()) return p;
    compute_sector_cycles(work, traffic, gpu, blocks);
    work.unfinished = estimate_unfinished(recording, work, traffic, gpu);
    work.first_level_bytes = first_level;
    const SimulatedOutcome outcome = simulate(work, gpu);

    p.ms = outcome.cycles / gpu.clock_ghz * 1e-6 + gpu.launch_us * 1e-3;
    p.memory_bytes = (traffic.read + traffic.written) * kSectorBytes * blocks;
    p.run_bytes_read = traffic.run_read();
    p.run_bytes_written = traffic.run_written();
    p.bytes_in_flight = outcome.bytes_in_flight;
    p.fraction_without_loads = outcome.fraction_without_loads;
    p.latency_cycles = outcome.latency;
    const double reads =
        traffic.read + traffic.written > 0 ? traffic.read / (traffic.read + traffic.written) : 1;
    p.bytes_needed = .9 * gpu.copy_gbps * reads / gpu.multiprocessors *
                     (gpu.latency_ns + gpu.write_delay_ns * (1 - reads) + 9 * gpu.queue_ns);
    p.busy = outcome.busy;
    p.life = outcome.life;
    p.time_line = outcome.time_line;
    p.bottleneck = find_bottleneck(p, outcome, gpu);
    p.error_band = compute_error_band(p, recording, gpu, work, traffic, tables);
    return p;
}

}  // namespace

Prediction predict(const Recording& recording, const Gpu& gpu) {
    Prediction p = predict_as_recorded(recording, gpu);
    if (p.ms > 0 && has_many_conflicts(recording))
        p.ms_without_conflicts = predict_as_recorded(remove_conflicts(recording), gpu).ms;
    return p;
}

}  // namespace coalesce::timing

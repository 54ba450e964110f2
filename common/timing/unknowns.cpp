#include "timing/unknowns.h"

#include <algorithm>

namespace coalesce::timing {

namespace {

/// Reports whether the blocks store so few sectors that the cost of the stores does not matter.
bool stores_few_sectors(const MultiprocessorWork& work) {
    constexpr double little = .05;
    double read = 0, written = 0;
    for (const BlockProgram& kind : work.kinds) {
        read += kind.sectors_read;
        written += kind.sectors_written + kind.sectors_partial;
    }
    return written < little * (read + written);
}

/// Reports whether partial sectors make the prediction uncertain. There are three cases:
/// - Stores along a row leave gaps, which other stores may or may not fill. The number of parts
///   that are combined on their way to the L2 cache differs between kernels by a factor
///   of three. (Counted on an H200.)
/// - Rows begin in the middle of a sector, so that requests end in partial sectors. For this
///   reason, a transpose on an H200 took 1.4 times as long, although memory moved the same number
///   of bytes.
/// - Other blocks complete the sectors, whereas the constants in parts.h were measured mostly with
///   sectors that the warps of one block fill. (On an H200, a transpose with 32 x 32 tiles took 2.9
///   times as long as predicted. Its rows begin anywhere in a sector, and its blocks leave a fifth
///   of their sectors' bytes to other blocks.)
bool stores_partial_sectors(const MultiprocessorWork& work, const Traffic& t) {
    constexpr double some = .2, some_left = .1;
    if (stores_few_sectors(work)) return false;
    double near = 0, edges = 0, partial = 0, all = 0;
    for (const BlockProgram& kind : work.kinds) {
        near += kind.sectors_partial_near;
        edges += kind.sectors_partial_edges;
        partial += kind.sectors_partial;
        all += kind.sectors_written + kind.sectors_partial;
    }
    return std::max(near, edges) > some * all || t.unfinished > some ||
           t.left_for_other_blocks * partial > some_left * all;
}

/// Reports whether half lines make the prediction uncertain. Copies that wrote runs of 64 bytes
/// took 1.4 times as long as other copies, and 11_any_shape's any_int16 took 1.8 times as long. The
/// error is as large if a block reads half of a line and a later block reads the other half,
/// because it is unknown whether the cache combines the halves (any_int16 at 8192 x 8192).
/// Predictions for short runs that are only read are accurate, because memory reads pairs of
/// sectors.
bool moves_half_lines(const MultiprocessorWork& work, const Traffic& t) {
    const auto is_half = [](double run) { return run > 0 && run < kLineBytes; };
    const bool halves_may_meet = !stores_few_sectors(work) && is_half(t.own_run_read) &&
                                 t.run_read() > 0 && t.run_read() <= kLineBytes;
    return (is_half(t.run_written()) && !stores_few_sectors(work)) || halves_may_meet;
}

/// Returns, for each register, whether its value may differ between lanes, because it depends on
/// thread indices or on memory.
std::vector<bool> find_lane_dependent_registers(const std::vector<Instruction>& instructions) {
    std::vector<bool> by_lane;  // for each register, whether it differs between lanes
    const auto is_by_lane = [&](std::uint32_t reg) { return reg < by_lane.size() && by_lane[reg]; };
    bool changes = true;
    while (changes) {
        changes = false;
        for (const Instruction& i : instructions) {
            const bool is_load =
                (i.opcode == "ld" && !i.has("param")) || i.opcode == "atom" || i.opcode == "shfl";
            const bool is_source =
                is_load || i.reads_special || std::any_of(i.read.begin(), i.read.end(), is_by_lane);
            if (!is_source) continue;
            for (const std::uint32_t reg : i.written) {
                if (is_by_lane(reg)) continue;
                if (reg >= by_lane.size()) by_lane.resize(reg + 1, false);
                by_lane[reg] = changes = true;
            }
        }
    }
    return by_lane;
}

/// Reports whether lanes read different addresses of constant memory. Such reads are served one
/// after the other, and the recording does not contain the number of different addresses.
bool reads_constants_by_lane(const Recording& recording) {
    const auto is_load = [](const Instruction& i) { return i.opcode == "ld" && i.has("const"); };
    const std::vector<Instruction>& all = recording.instructions;
    if (std::none_of(all.begin(), all.end(), is_load)) return false;
    const std::vector<bool> by_lane = find_lane_dependent_registers(all);
    return std::any_of(all.begin(), all.end(), [&](const Instruction& i) {
        return is_load(i) && std::any_of(i.read.begin(), i.read.end(), [&](std::uint32_t reg) {
                   return reg < by_lane.size() && by_lane[reg];
               });
    });
}

bool multiplies_matrices(const Recording& recording) {
    return std::any_of(recording.instructions.begin(), recording.instructions.end(),
                       [](const Instruction& i) { return i.opcode == "mma" || i.has("mma"); });
}

}  // namespace

bool writes_where_it_reads(const Recording& recording) {
    constexpr double nearly_all = .8;
    const SectorSet &reads = recording.reads.sectors, &writes = recording.writes.sectors;
    const auto most = static_cast<double>(std::max(reads.size(), writes.size()));
    return most > 0 && static_cast<double>(reads.count_common(writes)) > nearly_all * most;
}

bool has_short_runs(const Traffic& t) {
    const auto is_short = [](double run) { return run > 0 && run < kLineBytes; };
    return is_short(t.run_read()) || is_short(t.run_written());
}

void record_unknowns(Prediction& p, const Recording& recording, const Occupancy& occupancy,
                     const MultiprocessorWork& work, const Traffic& t) {
    if (occupancy.is_uncertain) p.unknown.push_back(Unknown::registers);
    if (recording.blocks_wait) p.unknown.push_back(Unknown::waits);
    if (recording.local_bytes > 0) p.unknown.push_back(Unknown::local_memory);
    if (work.has_uneven_blocks) p.unknown.push_back(Unknown::unlike_blocks);
    const auto has_atomics = [](const BlockProgram& b) { return b.has_atomics; };
    if (std::any_of(work.kinds.begin(), work.kinds.end(), has_atomics))
        p.unknown.push_back(Unknown::atomics);
    const auto is_doubtful = [](const BlockProgram& b) { return b.uncertain_lines > .4; };
    if (std::any_of(work.kinds.begin(), work.kinds.end(), is_doubtful))
        p.unknown.push_back(Unknown::first_level);
    if (stores_partial_sectors(work, t)) p.unknown.push_back(Unknown::parts);
    if (moves_half_lines(work, t)) p.unknown.push_back(Unknown::half_lines);
    if (multiplies_matrices(recording)) p.unknown.push_back(Unknown::tensor_cores);
    if (reads_constants_by_lane(recording)) p.unknown.push_back(Unknown::constants);
}

}  // namespace coalesce::timing

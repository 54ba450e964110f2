#include "timing/unknowns.h"

#include <algorithm>

namespace coalesce::timing {

namespace {

/// Reports whether the blocks store so few sectors that the cost of the stores does not matter.
bool stores_few_sectors(const MultiprocessorWork& work) {
    constexpr double max_written_fraction = .05;
    double read_sectors = 0, written_sectors = 0;
    for (const BlockProgram& kind : work.programs_by_kind) {
        read_sectors += kind.sectors_read;
        written_sectors += kind.sectors_written + kind.partial_sectors;
    }
    return written_sectors < max_written_fraction * (read_sectors + written_sectors);
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
    constexpr double min_partial_fraction = .2, min_left_fraction = .1;
    if (stores_few_sectors(work)) return false;
    double near_sectors = 0, edge_sectors = 0, partial_sectors = 0, stored_sectors = 0;
    for (const BlockProgram& kind : work.programs_by_kind) {
        near_sectors += kind.partial_sectors_along_row;
        edge_sectors += kind.partial_sectors_at_ends;
        partial_sectors += kind.partial_sectors;
        stored_sectors += kind.sectors_written + kind.partial_sectors;
    }
    return std::max(near_sectors, edge_sectors) > min_partial_fraction * stored_sectors ||
           t.unfinished_fraction > min_partial_fraction ||
           t.fraction_left_to_others * partial_sectors > min_left_fraction * stored_sectors;
}

/// Reports whether half lines make the prediction uncertain. Copies that wrote runs of 64 bytes
/// took 1.4 times as long as other copies, and 11_any_shape's any_int16 took 1.8 times as long. The
/// error is as large if a block reads half of a line and a later block reads the other half,
/// because it is unknown whether the cache combines the halves (any_int16 at 8192 x 8192).
/// Predictions for short runs that are only read are accurate, because memory reads pairs of
/// sectors.
bool moves_half_lines(const MultiprocessorWork& work, const Traffic& t) {
    const auto is_shorter_than_line = [](double run_bytes) {
        return run_bytes > 0 && run_bytes < kLineBytes;
    };
    const bool may_combine_halves =
        !stores_few_sectors(work) && is_shorter_than_line(t.block_run_bytes_read) &&
        t.average_run_bytes_read() > 0 && t.average_run_bytes_read() <= kLineBytes;
    return (is_shorter_than_line(t.average_run_bytes_written()) && !stores_few_sectors(work)) ||
           may_combine_halves;
}

/// Returns, for each register, whether its value may differ between lanes, because it depends on
/// thread indices or on memory.
std::vector<bool> find_lane_dependent_registers(const std::vector<Instruction>& instructions) {
    std::vector<bool> differs_by_lane;  // for each register, whether it differs between lanes
    const auto is_lane_dependent = [&](std::uint32_t reg) {
        return reg < differs_by_lane.size() && differs_by_lane[reg];
    };
    bool has_changed = true;
    while (has_changed) {
        has_changed = false;
        for (const Instruction& i : instructions) {
            const bool is_load =
                (i.opcode == "ld" && !i.has("param")) || i.opcode == "atom" || i.opcode == "shfl";
            const bool yields_lane_values =
                is_load || i.reads_special_register ||
                std::any_of(i.read_registers.begin(), i.read_registers.end(), is_lane_dependent);
            if (!yields_lane_values) continue;
            for (const std::uint32_t reg : i.written_registers) {
                if (is_lane_dependent(reg)) continue;
                if (reg >= differs_by_lane.size()) differs_by_lane.resize(reg + 1, false);
                differs_by_lane[reg] = has_changed = true;
            }
        }
    }
    return differs_by_lane;
}

/// Reports whether lanes read different addresses of constant memory. Such reads are served one
/// after the other, and the recording does not contain the number of different addresses.
bool reads_constants_by_lane(const Recording& recording) {
    const auto is_load = [](const Instruction& i) { return i.opcode == "ld" && i.has("const"); };
    const std::vector<Instruction>& instructions = recording.instructions;
    if (std::none_of(instructions.begin(), instructions.end(), is_load)) return false;
    const std::vector<bool> differs_by_lane = find_lane_dependent_registers(instructions);
    return std::any_of(instructions.begin(), instructions.end(), [&](const Instruction& i) {
        return is_load(i) && std::any_of(i.read_registers.begin(), i.read_registers.end(),
                                         [&](std::uint32_t reg) {
                                             return reg < differs_by_lane.size() &&
                                                    differs_by_lane[reg];
                                         });
    });
}

bool multiplies_matrices(const Recording& recording) {
    return std::any_of(recording.instructions.begin(), recording.instructions.end(),
                       [](const Instruction& i) { return i.opcode == "mma" || i.has("mma"); });
}

}  // namespace

bool is_in_place(const Recording& recording) {
    constexpr double min_common_fraction = .8;
    const SectorSet &reads = recording.reads.sectors, &writes = recording.writes.sectors;
    const auto larger_size = static_cast<double>(std::max(reads.size(), writes.size()));
    return larger_size > 0 &&
           static_cast<double>(reads.count_common(writes)) > min_common_fraction * larger_size;
}

bool has_short_runs(const Traffic& t) {
    const auto is_shorter_than_line = [](double run_bytes) {
        return run_bytes > 0 && run_bytes < kLineBytes;
    };
    return is_shorter_than_line(t.average_run_bytes_read()) ||
           is_shorter_than_line(t.average_run_bytes_written());
}

void record_unknowns(Prediction& p, const Recording& recording, const Occupancy& occupancy,
                     const MultiprocessorWork& work, const Traffic& t) {
    if (occupancy.is_uncertain) p.unknown.push_back(Unknown::registers);
    if (recording.has_waiting_blocks) p.unknown.push_back(Unknown::waits);
    if (recording.local_bytes > 0) p.unknown.push_back(Unknown::local_memory);
    if (work.has_uneven_blocks) p.unknown.push_back(Unknown::unlike_blocks);
    const auto has_atomics = [](const BlockProgram& b) { return b.has_atomics; };
    if (std::any_of(work.programs_by_kind.begin(), work.programs_by_kind.end(), has_atomics))
        p.unknown.push_back(Unknown::atomics);
    const auto has_uncertain_lines = [](const BlockProgram& b) {
        return b.uncertain_line_fraction > .4;
    };
    if (std::any_of(work.programs_by_kind.begin(), work.programs_by_kind.end(),
                    has_uncertain_lines))
        p.unknown.push_back(Unknown::first_level);
    if (stores_partial_sectors(work, t)) p.unknown.push_back(Unknown::parts);
    if (moves_half_lines(work, t)) p.unknown.push_back(Unknown::half_lines);
    if (multiplies_matrices(recording)) p.unknown.push_back(Unknown::tensor_cores);
    if (reads_constants_by_lane(recording)) p.unknown.push_back(Unknown::constants);
}

}  // namespace coalesce::timing

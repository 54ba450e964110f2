#include "timing/unknowns.h"

#include <algorithm>

namespace coalesce::timing {

namespace {

/// Reports whether blocks store so few of the sectors that they touch that it does not matter how.
bool stores_little(const Work& work) {
    constexpr double little = .05;
    double read = 0, written = 0;
    for (const BlockProgram& kind : work.kinds) {
        read += kind.sectors_read;
        written += kind.sectors_written + kind.sectors_partial;
    }
    return written < little * (read + written);
}

/// Stores along a row that leave gaps for others to fill, or for nobody: what is put together before the second-level
/// cache differs by a factor of three from kernel to kernel. (Counted on an H200.) And rows that begin anywhere in a
/// sector, so that requests end in parts: on an H200 a transposition took 1.4 times as long for them, where memory moved
/// the same. And parts whose rest other blocks write: what is known of parts (parts.h) is mostly of sectors that the
/// warps of a block fill. (A transposition of 32 x 32 elements whose rows begin anywhere in a sector
/// leaves a fifth of its sectors' bytes to others: on an H200 it took 2.9 times as long as predicted.)
bool stores_parts(const Work& work, const Traffic& t) {
    constexpr double some = .2, some_left = .1;
    if (stores_little(work)) return false;
    double near = 0, edges = 0, partial = 0, all = 0;
    for (const BlockProgram& kind : work.kinds) {
        near += kind.sectors_partial_near;
        edges += kind.sectors_partial_edges;
        partial += kind.sectors_partial;
        all += kind.sectors_written + kind.sectors_partial;
    }
    return std::max(near, edges) > some * all || t.unfinished > some ||
           t.left_to_others * partial > some_left * all;
}

/// Copies that wrote runs of 64 bytes took 1.4 times as long as others, and 1.8 in 11_any_shape's any_int16. So much is in
/// doubt, too, where a block reads half a line and one that comes later the other half, and nobody more beside it: do the
/// halves meet? (any_int16 at 8192 x 8192.) Short runs that are read alone are known: memory reads pairs of sectors.
bool moves_half_lines(const Work& work, const Traffic& t) {
    const auto is_half = [](double run) { return run > 0 && run < kLineBytes; };
    const bool halves_may_meet = !stores_little(work) && is_half(t.own_run_read) &&
                                 t.run_read() > 0 && t.run_read() <= kLineBytes;
    return (is_half(t.run_written()) && !stores_little(work)) || halves_may_meet;
}

/// Which instructions lanes may execute with different values: those that read a register that thread numbers or memory
/// lead to.
std::vector<bool> values_by_lane(const std::vector<Instruction>& instructions) {
    std::vector<bool> by_lane;  // by register
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

/// Lanes that read different addresses of constant memory are served one after the other, and how many do is not recorded.
bool reads_constants_by_lane(const Recording& recording) {
    const auto is_load = [](const Instruction& i) { return i.opcode == "ld" && i.has("const"); };
    const std::vector<Instruction>& all = recording.instructions;
    if (std::none_of(all.begin(), all.end(), is_load)) return false;
    const std::vector<bool> by_lane = values_by_lane(all);
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
    return most > 0 && static_cast<double>(reads.common_with(writes)) > nearly_all * most;
}

bool has_short_runs(const Traffic& t) {
    const auto is_short = [](double run) { return run > 0 && run < kLineBytes; };
    return is_short(t.run_read()) || is_short(t.run_written());
}

void note_unknown(Prediction& p, const Recording& recording, const Occupancy& occupancy,
                  const Work& work, const Traffic& t) {
    if (occupancy.in_doubt) p.unknown.push_back(Unknown::registers);
    if (recording.blocks_wait) p.unknown.push_back(Unknown::waits);
    if (recording.local_bytes > 0) p.unknown.push_back(Unknown::local_memory);
    if (work.unlike) p.unknown.push_back(Unknown::unlike_blocks);
    const auto has_atomics = [](const BlockProgram& b) { return b.has_atomics; };
    if (std::any_of(work.kinds.begin(), work.kinds.end(), has_atomics))
        p.unknown.push_back(Unknown::atomics);
    const auto is_doubtful = [](const BlockProgram& b) { return b.doubtful_lines > .4; };
    if (std::any_of(work.kinds.begin(), work.kinds.end(), is_doubtful))
        p.unknown.push_back(Unknown::first_level);
    if (stores_parts(work, t)) p.unknown.push_back(Unknown::parts);
    if (moves_half_lines(work, t)) p.unknown.push_back(Unknown::half_lines);
    if (multiplies_matrices(recording)) p.unknown.push_back(Unknown::tensor_cores);
    if (reads_constants_by_lane(recording)) p.unknown.push_back(Unknown::constants);
}

}  // namespace coalesce::timing

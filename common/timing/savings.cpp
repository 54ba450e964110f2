// See savings.h.
#include "timing/savings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "timing/occupancy.h"
#include "timing/predict.h"

namespace coalesce::timing {

namespace {

/// A line is examined if it causes at least this fraction of the waste of a resource.
constexpr double kMinFractionOfResource = .03;
/// The sector at which the rearranged data of a block begins. No program uses such addresses.
constexpr std::uint64_t kFirstFreeSector = std::uint64_t{1} << 40;
/// The number of loads that a thread should have in flight.
constexpr double kLoadsInFlight = 8;
/// The number of warps in a block of a usual size.
constexpr std::uint32_t kWarpsOfUsualBlock = 8;

std::uint64_t count_bytes(const Access& access) {
    return std::uint64_t{access.lanes} * access.bytes_per_lane;
}
std::uint64_t count_ideal_sectors(const Access& access) {
    return (count_bytes(access) + kSectorBytes - 1) / kSectorBytes;
}
std::uint64_t count_sectors(const RecordedBlock& block, const Access& access) {
    std::uint64_t sectors = 0;
    for (std::uint32_t r = 0; r < access.runs; ++r)
        sectors += block.runs[access.first_run + r].count;
    return sectors;
}

/// Calls `visit` with every access of a block and the source line of its instruction.
template <class Block, class Visit>
void for_each_access(const Recording& recording, Block& block, Visit visit) {
    std::vector<std::uint32_t> lines(block.accesses.size(), 0);
    for (const WarpPath& path : block.warps)
        for (const Step& step : path.steps)
            for (std::uint32_t k = 0; k < step.accesses; ++k)
                lines[step.first_access + k] = recording.instructions[step.instruction].line;
    // Visit the accesses in the order in which they were executed.
    for (std::size_t k = 0; k < block.accesses.size(); ++k) visit(block.accesses[k], lines[k]);
}

bool is_shared_access(AccessKind kind) {
    return kind == AccessKind::shared_load || kind == AccessKind::shared_store ||
           kind == AccessKind::shared_atomic;
}

std::uint16_t count_ideal_passes(const Access& access) {
    constexpr std::uint64_t bytes_per_pass = 128;
    const std::uint64_t min_passes = (count_bytes(access) + bytes_per_pass - 1) / bytes_per_pass;
    return static_cast<std::uint16_t>(std::min<std::uint64_t>(access.passes, min_passes));
}

/// The accesses of one kind in one source line, and what they waste.
struct LineWaste {
    AccessKind kind = AccessKind::load;
    std::uint32_t line = 0;
    double used = 0, wasted = 0;  ///< in sectors, or in passes through shared memory
    double waste_ratio() const { return used / std::max(1.0, used - wasted); }
};

/// Returns the lines whose accesses waste a noticeable fraction of the sectors or passes.
std::vector<LineWaste> find_wasteful_lines(const Recording& recording) {
    std::map<std::pair<AccessKind, std::uint32_t>, LineWaste> wastes;
    double sectors = 0, passes = 0;
    for (const RecordedBlock& block : recording.recorded_blocks)
        for_each_access(recording, block, [&](const Access& access, std::uint32_t line) {
            LineWaste& waste = wastes[{access.kind, line}];
            waste.kind = access.kind;
            waste.line = line;
            const bool is_shared = is_shared_access(access.kind);
            const double used_units =
                is_shared ? access.passes : static_cast<double>(count_sectors(block, access));
            const double ideal_units = is_shared ? count_ideal_passes(access)
                                                 : static_cast<double>(count_ideal_sectors(access));
            (is_shared ? passes : sectors) += used_units;
            waste.used += used_units;
            waste.wasted += std::max(0.0, used_units - ideal_units);
        });
    std::vector<LineWaste> found;
    for (const auto& [key, waste] : wastes)
        if (waste.line > 0 && waste.wasted > kMinFractionOfResource *
                                                 (is_shared_access(waste.kind) ? passes : sectors))
            found.push_back(waste);
    return found;
}

void replace_runs(RecordedBlock& block, Access& access, const std::vector<SectorRun>& runs) {
    constexpr std::uint64_t sectors_of_line = 4;
    access.first_run = static_cast<std::uint32_t>(block.runs.size());
    access.runs = static_cast<std::uint32_t>(runs.size());
    std::set<std::uint64_t> lines;
    for (const SectorRun& run : runs) {
        block.runs.push_back(run);
        for (std::uint64_t s = run.first; s < run.first + run.count; ++s)
            lines.insert(s / sectors_of_line);
    }
    access.passes = static_cast<std::uint16_t>(lines.size());
}

/// Replaces a footprint by contiguous data of `fraction` of its size.
void make_contiguous(Recording& recording, bool changes_reads, double fraction) {
    Footprint& footprint = changes_reads ? recording.reads : recording.writes;
    const auto shrink_set = [&](SectorSet& sectors) {
        if (sectors.empty()) return;
        const double size = fraction * static_cast<double>(sectors.size());
        sectors = {};
        sectors.add({kFirstFreeSector, static_cast<std::uint32_t>(std::max(1.0, size))});
    };
    shrink_set(footprint.sectors);
    footprint.sectors_summed_over_blocks =
        std::max(footprint.sectors.size(),
                 static_cast<std::uint64_t>(
                     fraction * static_cast<double>(footprint.sectors_summed_over_blocks)));
    if (!changes_reads) return;
    shrink_set(recording.neighbour_reads);
    recording.next_row_reads = {};
}

/// Makes the lanes of a line's accesses load or store neighbouring elements.
Recording make_coalesced(Recording recording, const LineWaste& waste) {
    double sector_count_before = 0, sector_count_after = 0;
    for (RecordedBlock& block : recording.recorded_blocks) {
        SectorSet changed_sectors, other_sectors;
        std::uint64_t bytes = 0;
        const auto is_wasteful_access = [&](const Access& access, std::uint32_t line) {
            return access.kind == waste.kind && line == waste.line && access.runs > 0;
        };
        for_each_access(recording, block, [&](const Access& access, std::uint32_t line) {
            if (access.kind != waste.kind) return;
            for (std::uint32_t r = 0; r < access.runs; ++r)
                (line == waste.line ? changed_sectors : other_sectors)
                    .add(block.runs[access.first_run + r]);
            if (line == waste.line) bytes += count_bytes(access);
        });
        if (changed_sectors.empty()) continue;
        // Data that is requested again is still requested again.
        const std::uint64_t sectors = std::clamp<std::uint64_t>(
            (bytes + kSectorBytes - 1) / kSectorBytes, 1, changed_sectors.size());
        sector_count_before += static_cast<double>(changed_sectors.size() + other_sectors.size());
        sector_count_after += static_cast<double>(sectors + other_sectors.size());
        const std::uint64_t first_sector = kFirstFreeSector + block.number * sectors;
        std::uint64_t next_sector = 0;
        for_each_access(recording, block, [&](Access& access, std::uint32_t line) {
            if (!is_wasteful_access(access, line)) return;
            const std::uint64_t needed_sectors = std::min(sectors, count_ideal_sectors(access));
            if (next_sector + needed_sectors > sectors) next_sector = 0;
            replace_runs(
                block, access,
                {{first_sector + next_sector, static_cast<std::uint32_t>(needed_sectors)}});
            next_sector += needed_sectors;
        });
    }
    if (sector_count_before > 0)
        make_contiguous(recording, waste.kind == AccessKind::load,
                        sector_count_after / sector_count_before);
    return recording;
}

/// Makes the rows of a line's accesses begin at a sector. Each row then ends a sector earlier.
Recording make_aligned(Recording recording, const LineWaste& waste) {
    double sector_count_before = 0, sector_count_after = 0;
    for (RecordedBlock& block : recording.recorded_blocks) {
        SectorSet sectors_before, sectors_after;
        for_each_access(recording, block, [&](Access& access, std::uint32_t line) {
            if (access.kind != waste.kind) return;
            std::vector<SectorRun> runs;
            for (std::uint32_t r = 0; r < access.runs; ++r)
                runs.push_back(block.runs[access.first_run + r]);
            for (const SectorRun& run : runs) sectors_before.add(run);
            if (line == waste.line) {
                std::uint64_t sectors_to_remove = count_sectors(block, access);
                sectors_to_remove -= std::min(sectors_to_remove, count_ideal_sectors(access));
                for (SectorRun& run : runs) {
                    if (sectors_to_remove == 0 || run.count < 2) continue;
                    --run.count;
                    --sectors_to_remove;
                }
                replace_runs(block, access, runs);
            }
            for (const SectorRun& run : runs) sectors_after.add(run);
        });
        sector_count_before += static_cast<double>(sectors_before.size());
        sector_count_after += static_cast<double>(sectors_after.size());
    }
    const bool changes_reads = waste.kind == AccessKind::load;
    Footprint& footprint = changes_reads ? recording.reads : recording.writes;
    if (sector_count_before == 0 || sector_count_after == sector_count_before) return recording;
    // The neighbours' rows end a sector earlier, too.
    const auto drop_last_sectors = [](SectorSet& sectors) {
        SectorSet trimmed_set;
        for (SectorRun run : sectors.contiguous_runs()) {
            if (run.count > 1) --run.count;
            trimmed_set.add(run);
        }
        sectors = std::move(trimmed_set);
    };
    drop_last_sectors(footprint.sectors);
    footprint.sectors_summed_over_blocks = std::max(
        footprint.sectors.size(),
        static_cast<std::uint64_t>(sector_count_after / sector_count_before *
                                   static_cast<double>(footprint.sectors_summed_over_blocks)));
    if (changes_reads) drop_last_sectors(recording.neighbour_reads);
    return recording;
}

/// Removes the bank conflicts, or the waits for other lanes' atomics, of a line.
Recording remove_conflicts(Recording recording, const LineWaste& waste) {
    for (RecordedBlock& block : recording.recorded_blocks)
        for_each_access(recording, block, [&](Access& access, std::uint32_t line) {
            if (access.kind == waste.kind && line == waste.line)
                access.passes = count_ideal_passes(access);
        });
    return recording;
}

/// A loop: the branch at its end, and the instruction to which the branch jumps.
using LoopBranch = std::pair<std::uint32_t, std::uint32_t>;

/// Calls `visit` with the positions at which the iterations of a loop begin, once for each time the
/// warp runs the loop. The last position is that of the first step after the loop.
template <class Visit>
void for_each_run_of_loop(const std::vector<Step>& steps, const LoopBranch& loop, Visit visit) {
    const auto [branch, target] = loop;
    std::vector<std::size_t> iteration_begins;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        const std::uint32_t instruction = steps[k].instruction;
        if (instruction == target) {
            iteration_begins.push_back(k);
        } else if (!iteration_begins.empty() && (instruction < target || instruction > branch)) {
            iteration_begins.push_back(k);
            visit(iteration_begins);
            iteration_begins.clear();
        }
    }
    if (iteration_begins.empty()) return;
    iteration_begins.push_back(steps.size());
    visit(iteration_begins);
}

/// Returns the number of iterations of a loop if all lanes executed equally many.
std::size_t count_balanced_iterations(const std::vector<Step>& steps,
                                      const std::vector<std::size_t>& iteration_begins) {
    double lane_iterations = 0;
    const double lanes = steps[iteration_begins.front()].lanes;
    for (std::size_t k = 0; k + 1 < iteration_begins.size(); ++k)
        lane_iterations += steps[iteration_begins[k]].lanes;
    return static_cast<std::size_t>(std::ceil(lane_iterations / std::max(1.0, lanes)));
}

/// Returns the loops in which lanes idle because other lanes execute more iterations.
std::set<LoopBranch> find_divergent_loops(const Recording& recording) {
    constexpr double min_idle_fraction = .05;
    std::set<LoopBranch> loops;
    for (const RecordedBlock& block : recording.recorded_blocks)
        for (const WarpPath& path : block.warps)
            for (std::size_t k = 0; k + 1 < path.steps.size(); ++k) {
                const std::uint32_t from = path.steps[k].instruction,
                                    to = path.steps[k + 1].instruction;
                if (to <= from && recording.instructions[from].opcode == "bra")
                    loops.insert({from, to});
            }
    std::set<LoopBranch> divergent_loops;
    for (const LoopBranch& loop : loops) {
        double executed_iterations = 0, balanced_iterations = 0;
        for (const RecordedBlock& block : recording.recorded_blocks)
            for (const WarpPath& path : block.warps)
                for_each_run_of_loop(
                    path.steps, loop, [&](const std::vector<std::size_t>& iteration_begins) {
                        executed_iterations += static_cast<double>(iteration_begins.size() - 1);
                        balanced_iterations += static_cast<double>(
                            count_balanced_iterations(path.steps, iteration_begins));
                    });
        if (balanced_iterations < (1 - min_idle_fraction) * executed_iterations)
            divergent_loops.insert(loop);
    }
    return divergent_loops;
}

/// Makes all lanes of a warp execute the same number of iterations of a loop.
Recording balance_loop(Recording recording, const LoopBranch& loop) {
    for (RecordedBlock& block : recording.recorded_blocks)
        for (WarpPath& path : block.warps) {
            std::vector<Step> kept_steps;
            std::size_t next_step = 0;
            for_each_run_of_loop(
                path.steps, loop, [&](const std::vector<std::size_t>& iteration_begins) {
                    const std::size_t end =
                        iteration_begins[count_balanced_iterations(path.steps, iteration_begins)];
                    kept_steps.insert(kept_steps.end(),
                                      path.steps.begin() + static_cast<std::ptrdiff_t>(next_step),
                                      path.steps.begin() + static_cast<std::ptrdiff_t>(end));
                    next_step = iteration_begins.back();
                });
            kept_steps.insert(kept_steps.end(),
                              path.steps.begin() + static_cast<std::ptrdiff_t>(next_step),
                              path.steps.end());
            if (path.steps.empty()) continue;
            path.executed_steps = path.executed_steps * kept_steps.size() / path.steps.size();
            path.steps = std::move(kept_steps);
        }
    return recording;
}

/// Removes the barriers of a line.
Recording remove_barriers(Recording recording, std::uint32_t line) {
    for (Instruction& i : recording.instructions)
        if (i.opcode == "bar" && i.line == line) i.opcode.clear();
    return recording;
}

/// Returns the lines that have a barrier of the whole block.
std::set<std::uint32_t> find_barrier_lines(const Recording& recording) {
    std::set<std::uint32_t> lines;
    for (const Instruction& i : recording.instructions)
        if (i.opcode == "bar" && !i.has("warp") && i.line > 0) lines.insert(i.line);
    return lines;
}

/// Removes the accesses to local memory of a line, or of all lines.
Recording remove_local_accesses(Recording recording, std::uint32_t line) {
    for (RecordedBlock& block : recording.recorded_blocks)
        for_each_access(recording, block, [&](Access& access, std::uint32_t access_line) {
            if ((access.kind == AccessKind::local_load || access.kind == AccessKind::local_store) &&
                access_line == line)
                access.passes = 0;
        });
    return recording;
}

/// Makes each block's atomics of a line use memory of their own.
Recording spread_atomics(Recording recording, std::uint32_t line) {
    constexpr std::uint64_t distance = std::uint64_t{1} << 24;
    for (RecordedBlock& block : recording.recorded_blocks) {
        std::uint64_t next_offset = 0;
        for_each_access(recording, block, [&](const Access& access, std::uint32_t access_line) {
            if (access.kind != AccessKind::atomic || access_line != line) return;
            ++next_offset;
            for (std::uint32_t r = 0; r < access.runs; ++r)
                block.runs[access.first_run + r].first +=
                    (block.number + 1) * distance + next_offset * 16;
        });
    }
    return recording;
}

/// Combines `factor` blocks into one, whose warps access different memory.
Recording combine_blocks(Recording recording, std::uint32_t factor) {
    constexpr std::uint64_t distance = std::uint64_t{1} << 32;
    for (RecordedBlock& block : recording.recorded_blocks) {
        const RecordedBlock original = block;
        for (std::uint32_t k = 1; k < factor; ++k) {
            const auto first_access = static_cast<std::uint32_t>(block.accesses.size());
            const auto first_run = static_cast<std::uint32_t>(block.runs.size());
            for (WarpPath path : original.warps) {
                for (Step& step : path.steps) step.first_access += first_access;
                block.warps.push_back(std::move(path));
            }
            for (Access access : original.accesses) {
                access.first_run += first_run;
                block.accesses.push_back(access);
            }
            for (SectorRun run : original.runs) {
                run.first += k * distance;
                block.runs.push_back(run);
            }
        }
    }
    recording.blocks = std::max<std::uint64_t>(1, recording.blocks / factor);
    recording.neighbour_blocks = std::max<std::uint64_t>(1, recording.neighbour_blocks / factor);
    recording.blocks_per_row = std::max<std::uint64_t>(1, recording.blocks_per_row / factor);
    recording.threads *= factor;
    recording.shared_bytes *= factor;
    return recording;
}

/// Predicts changed recordings of a launch.
class SavingFinder {
public:
    SavingFinder(const Recording& recording, const Prediction& prediction, const Gpu& gpu)
        : recording_(recording), prediction_(prediction), gpu_(gpu) {}

    std::vector<Saving> find_savings() {
        for (const LineWaste& waste : find_wasteful_lines(recording_)) add_waste_saving(waste);
        for (const LoopBranch& loop : find_divergent_loops(recording_))
            add_saving_of("divergent_loop", recording_.instructions[loop.first].line,
                          balance_loop(recording_, loop));
        for (const std::uint32_t line : find_barrier_lines(recording_))
            add_saving_of("barriers", line, remove_barriers(recording_, line));
        for (const std::uint32_t line : find_lines_with_local_accesses())
            add_saving_of("local_memory", line, remove_local_accesses(recording_, line));
        for (const std::uint32_t line : find_lines_with_global_atomics())
            add_saving_of("contended_atomics", line, spread_atomics(recording_, line));
        if (recording_.spilled_registers > 0) {
            Recording changed = recording_;
            changed.spilled_registers = 0;
            add_saving_of("spilled_registers", 0, changed);
        }
        add_latency_saving();
        add_shared_memory_saving();
        add_occupancy_saving();
        return std::move(savings_);
    }

private:
    void add_saving(const char* inefficiency, std::uint32_t line, double ms) {
        if (ms > 0 && ms < prediction_.ms)
            savings_.push_back({inefficiency, line, prediction_.ms - ms});
    }
    void add_saving_of(const char* inefficiency, std::uint32_t line, const Recording& changed) {
        add_saving(inefficiency, line, predict_as_recorded(changed, gpu_).ms);
    }
    void add_waste_saving(const LineWaste& waste) {
        constexpr double uncoalesced_ratio = 2;
        switch (waste.kind) {
            case AccessKind::load:
            case AccessKind::store:
                return add_saving_of(
                    waste.kind == AccessKind::load ? "load_sectors" : "store_sectors", waste.line,
                    waste.waste_ratio() >= uncoalesced_ratio ? make_coalesced(recording_, waste)
                                                             : make_aligned(recording_, waste));
            case AccessKind::shared_load:
            case AccessKind::shared_store:
                return add_saving_of("bank_conflicts", waste.line,
                                     remove_conflicts(recording_, waste));
            case AccessKind::shared_atomic:
                return add_saving_of("contended_atomics", waste.line,
                                     remove_conflicts(recording_, waste));
            default: return;
        }
    }
    std::set<std::uint32_t> find_lines_with_local_accesses() const {
        std::set<std::uint32_t> lines;
        for (const RecordedBlock& block : recording_.recorded_blocks)
            for_each_access(recording_, block, [&](const Access& access, std::uint32_t line) {
                if (access.kind == AccessKind::local_load || access.kind == AccessKind::local_store)
                    lines.insert(line);
            });
        return lines;
    }
    std::set<std::uint32_t> find_lines_with_global_atomics() const {
        std::set<std::uint32_t> lines;
        for (const RecordedBlock& block : recording_.recorded_blocks)
            for_each_access(recording_, block, [&](const Access& access, std::uint32_t line) {
                if (access.kind == AccessKind::atomic && line > 0) lines.insert(line);
            });
        return lines;
    }
    /// Returns how often a warp loads from global memory, on average.
    double loads_per_warp() const {
        double load_count = 0, warp_count = 0;
        for (const RecordedBlock& block : recording_.recorded_blocks) {
            warp_count += static_cast<double>(block.warps.size());
            for (const Access& access : block.accesses)
                load_count += access.kind == AccessKind::load;
        }
        return load_count / std::max(1.0, warp_count);
    }
    /// More loads in flight hide more of the latency, as if the latency were shorter. If a thread
    /// has few loads, it must do the work of several threads, so there are fewer blocks to start.
    void add_latency_saving() {
        Gpu fast_gpu = gpu_;
        for (double* ns : {&fast_gpu.latency_ns, &fast_gpu.l2_latency_ns, &fast_gpu.write_delay_ns,
                           &fast_gpu.latency_spread_ns})
            *ns /= kLoadsInFlight;
        const double threads_in_one =
            std::clamp(kLoadsInFlight / std::max(1.0, loads_per_warp()), 1.0, kLoadsInFlight);
        for (double* cycles : {&fast_gpu.block_interval_cycles, &fast_gpu.block_start_cycles,
                               &fast_gpu.warp_start_cycles})
            *cycles /= threads_in_one;
        add_saving("waits_for_loads", 0, predict_as_recorded(recording_, fast_gpu).ms);
    }
    void add_shared_memory_saving() {
        if (recording_.used_shared_bytes >= recording_.shared_bytes) return;
        Recording changed = recording_;
        changed.shared_bytes = recording_.used_shared_bytes;
        add_saving_of("unused_shared", 0, changed);
    }
    void add_occupancy_saving() {
        const Occupancy occupancy = compute_occupancy(recording_, gpu_);
        if (2 * occupancy.blocks * occupancy.warps > gpu_.max_warps) return;
        Recording changed = recording_;
        switch (occupancy.limiting_resource) {
            case OccupancyLimit::threads: return;
            case OccupancyLimit::registers: changed.registers = kRegistersForFullOccupancy; break;
            case OccupancyLimit::shared_memory: changed.shared_bytes = 0; break;
            case OccupancyLimit::blocks:
                changed = combine_blocks(
                    std::move(changed),
                    kWarpsOfUsualBlock / static_cast<std::uint32_t>(occupancy.warps));
                break;
            case OccupancyLimit::grid: break;
        }
        if (compute_occupancy(changed, gpu_).limiting_resource == OccupancyLimit::grid)
            return add_larger_grid(changed, occupancy);
        add_saving_of("occupancy", 0, changed);
    }
    /// Divides the work among as many blocks as the GPU can run at once.
    void add_larger_grid(Recording changed, const Occupancy& occupancy) {
        changed.blocks = std::max<std::uint64_t>(
            1, static_cast<std::uint64_t>(gpu_.multiprocessors) *
                   static_cast<std::uint64_t>(gpu_.max_warps / occupancy.warps));
        const double launch_ms = gpu_.launch_us * 1e-3,
                     block_ratio = static_cast<double>(changed.blocks) /
                                   static_cast<double>(recording_.blocks),
                     ms = predict_as_recorded(changed, gpu_).ms;
        add_saving("occupancy", 0, launch_ms + (ms - launch_ms) / block_ratio);
    }

    const Recording& recording_;
    const Prediction& prediction_;
    const Gpu& gpu_;
    std::vector<Saving> savings_;
};

}  // namespace

std::vector<Saving> find_savings(const Recording& recording, const Prediction& prediction,
                                 const Gpu& gpu) {
    if (prediction.ms <= 0) return {};
    return SavingFinder(recording, prediction, gpu).find_savings();
}

}  // namespace coalesce::timing

// Long: one class handles a launch from its first step to its last.
#include "simulator/execute/recorder.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "simulator/analysis/register_use.h"
#include "simulator/base/options.h"
#include "simulator/counters/counters.h"
#include "simulator/execute/block.h"
#include "simulator/execute/calls.h"

namespace coalesce::simulator {

namespace {

/// The maximum number of steps to record for a warp. Fewer steps suffice to reveal the pattern of
/// any loop.
constexpr std::size_t kMaxRecordedSteps = 8000;
/// Accesses of neighbouring blocks to adjacent data can reach memory as a single run if the blocks
/// access at most this many sectors (3 MiB) between them. The L2 cache keeps written data for that
/// long, and writes it back together with adjacent data. (Measured on an H200: tiles of 128 bytes
/// per row, written column by column, are as slow as runs of 128 bytes if more than this is written
/// before the next row of tiles.) Reads do not wait for adjacent reads, so they form runs only
/// within two thirds of this window. (Measured with calibrate's runs.cu: if the next strip follows
/// after 2 MiB, reads of strips gain half as much as reads of strips twice as wide, and after 4 MiB
/// hardly anything.)
constexpr u64 kMergeDistanceSectors = u64{3} << 15;
/// The number of sectors that a long block must read, and write, before its access pattern is
/// considered known.
constexpr u64 kSectorsOfKnownPattern = 1024;

constexpr u32 kSectorBytes = timing::kSectorBytes;
constexpr u32 kSectorsOfLine = 4;

/// Reports whether all lanes are active and their addresses are consecutive.
bool is_contiguous(const ObservedAccess& access) {
    if (access.lanes != kAllLanes) return false;
    // Compare all addresses with the first address in a loop that the compiler vectorizes. The
    // addresses have just been stored as vectors, and the host's store forwarding works only for
    // loads of the same width.
    const u64 first = access.addresses[0];
    u64 differs = 0;
    for (int l = 0; l < kLanes; ++l)
        differs |= access.addresses[l] - (first + static_cast<u64>(l) * access.bytes);
    return differs == 0;
}

timing::SectorRun to_sector_run(u64 begin, u32 bytes) {
    const u64 first = begin / kSectorBytes,
              last_unit = (begin + u64{kLanes} * bytes - 1) / kSectorBytes;
    return {first, static_cast<u32>(last_unit - first) + 1};
}

/// Reports whether all lanes are active, each accesses one sector, and the addresses are
/// increasing.
bool is_increasing(const ObservedAccess& access) {
    if (access.lanes != kAllLanes) return false;
    u64 differs = 0, decreases = 0;
    for (int l = 0; l < kLanes; ++l)
        differs |= access.addresses[l] / kSectorBytes ^
                   (access.addresses[l] + access.bytes - 1) / kSectorBytes;
    for (int l = 1; l < kLanes; ++l) decreases |= access.addresses[l] - access.addresses[l - 1];
    return differs == 0 && decreases >> 63 == 0;
}

/// Calls `take` with each run of sectors that the lanes access, in ascending order.
template <class Take>
void for_each_run(const ObservedAccess& access, const Take& take) {
    if (is_contiguous(access)) return take(to_sector_run(access.addresses[0], access.bytes));
    if (is_increasing(access)) {
        timing::SectorRun run{access.addresses[0] / kSectorBytes, 1};
        for (int l = 1; l < kLanes; ++l) {
            const u64 sector = access.addresses[l] / kSectorBytes;
            if (sector > run.first + run.count) {
                take(run);
                run = {sector, 1};
            } else {
                run.count = static_cast<u32>(sector - run.first) + 1;
            }
        }
        return take(run);
    }
    u64 sectors[2 * kLanes];
    int count = 0;
    for (const int l : LaneRange{access.lanes}) {
        const u64 address = access.addresses[l];
        const u64 first = address / kSectorBytes,
                  last_unit = (address + access.bytes - 1) / kSectorBytes;
        if (count == 0 || sectors[count - 1] != first) sectors[count++] = first;
        if (last_unit != first) sectors[count++] = last_unit;
    }
    if (!std::is_sorted(sectors, sectors + count)) std::sort(sectors, sectors + count);
    for (int k = 0; k < count;) {
        timing::SectorRun run{sectors[k], 1};
        while (++k < count && sectors[k] <= run.first + run.count)
            run.count = static_cast<u32>(sectors[k] - run.first) + 1;
        take(run);
    }
}

bool is_read(const ObservedAccess& access) {
    return access.kind == Access::load;
}

u16 count_access_wavefronts(const ObservedAccess& access) {
    if (access.kind == Access::atomic) return static_cast<u16>(access.wavefronts);
    const LaneOffsets offsets = to_offsets(access.addresses, access.lanes);
    return static_cast<u16>(
        count_wavefronts(offsets.data(), access.bytes, access.lanes, to_shared_kind(access))
            .wavefront_count);
}

timing::AccessKind to_access_kind(const ObservedAccess& observed_access) {
    using timing::AccessKind;
    if (observed_access.is_asynchronous && observed_access.is_shared) return AccessKind::copy_to;
    if (observed_access.is_asynchronous && observed_access.kind == Access::load)
        return AccessKind::copy_from;
    if (observed_access.kind == Access::atomic)
        return observed_access.is_shared ? AccessKind::shared_atomic : AccessKind::atomic;
    if (observed_access.is_shared)
        return observed_access.kind == Access::store ? AccessKind::shared_store
                                                     : AccessKind::shared_load;
    return observed_access.kind == Access::store ? AccessKind::store : AccessKind::load;
}

void add_instructions(const ptx::Function& function, timing::Recording& recording) {
    const auto first = static_cast<u32>(recording.instructions.size());
    for (const ptx::Instruction& i : function.body) {
        timing::Instruction& destination = recording.instructions.emplace_back();
        destination.opcode = i.opcode;
        destination.modifiers = i.modifiers;
        destination.line = i.where.line;
        if (i.opcode.empty()) continue;
        destination.written_registers = list_written_registers(i);
        destination.read_registers = list_read_registers(i);
        for (const ptx::Operand& operand : i.operands) {
            destination.reads_special_register |= operand.kind == ptx::Operand::Kind::special;
            if (operand.kind == ptx::Operand::Kind::immediate)
                destination.immediate = static_cast<i64>(operand.bits);
            if (i.opcode != "bra") continue;
            const auto label = function.labels.find(operand.name);
            if (label != function.labels.end()) destination.target = first + label->second;
        }
    }
}

}  // namespace

// ---- neighbours ----

timing::Footprint* NeighbourLog::choose_footprint(Block& block, bool is_load) {
    if (block.linear_index != current_block_) {
        add_waiting_requests();
        current_block_ = block.linear_index;
        ++blocks_started_;
        recorded_read_sectors_ = recorded_write_sectors_ = 0;
    }
    if (has_recorded_enough() && !block.launch->is_dry_run) return nullptr;
    if (!block.launch->is_neighbour(block.linear_index))
        return is_load ? &footprint_below_ : nullptr;
    if (!is_load) return &write_footprint_;
    const bool is_first = 3 * (block.linear_index - block.launch->first_neighbour) <
                          2 * block.launch->neighbour_count;
    return is_first ? &early_read_footprint_ : &read_footprint_;
}

void NeighbourLog::count_sectors(Block& block, bool is_load, u32 sectors) {
    (is_load ? recorded_read_sectors_ : recorded_write_sectors_) += sectors;
    if (has_recorded_enough() && block.launch->is_dry_run) block.is_abandoned = true;
}

void NeighbourLog::note_access(const Warp& w, const Op*, const ObservedAccess& access) {
    if (access.is_shared) return;
    timing::Footprint* footprint = choose_footprint(*w.block, is_read(access));
    if (!footprint) return;
    footprint->bytes += u64{access.bytes} * static_cast<u32>(std::popcount(access.lanes));
    LastRequest& last_request = last_requests_[is_read(access)];
    if (!last_request.is_repeat(access, *footprint, blocks_started_)) {
        u32 count = 0, runs = 0;
        for_each_run(access, [&](timing::SectorRun run) {
            count += run.count;
            ++runs;
            // A run of at least one cache line often follows the previous run directly, so
            // adding it is fast. Other runs are prefetched first.
            if (run.count >= kSectorsOfLine) {
                footprint->sectors_summed_over_blocks +=
                    footprint->sectors.add(run, blocks_started_);
                return;
            }
            footprint->sectors.prefetch_slot(run);
            if (waiting_count_ == waiting_requests_.size()) add_waiting_requests();
            waiting_requests_[waiting_count_++] = {footprint, run};
        });
        last_request.remember_request(access, *footprint, blocks_started_, runs, count);
    }
    count_sectors(*w.block, is_read(access), last_request.sector_count);
}

void NeighbourLog::note_row(const Warp& w, const Op*, ObservedAccess access, u64 first) {
    timing::Footprint* footprint = choose_footprint(*w.block, is_read(access));
    if (!footprint) return;
    footprint->bytes += u64{access.bytes} * kLanes;
    const timing::SectorRun run = to_sector_run(first, access.bytes);
    footprint->sectors_summed_over_blocks += footprint->sectors.add(run, blocks_started_);
    count_sectors(*w.block, is_read(access), run.count);
}

bool NeighbourLog::LastRequest::is_repeat(const ObservedAccess& access,
                                          const timing::Footprint& footprint,
                                          u64 block_ordinal) const {
    if (last_footprint != &footprint || last_block_ordinal != block_ordinal ||
        lanes != access.lanes || bytes != access.bytes)
        return false;
    u64 differs = 0;
    for (const int l : LaneRange{lanes}) {
        const u64 a = access.addresses[l], b = addresses[l];
        differs |= (a / kSectorBytes) ^ (b / kSectorBytes);
        differs |= ((a + bytes - 1) / kSectorBytes) ^ ((b + bytes - 1) / kSectorBytes);
        if (differs != 0) return false;
    }
    return true;
}

void NeighbourLog::LastRequest::remember_request(const ObservedAccess& access,
                                                 const timing::Footprint& footprint,
                                                 u64 block_ordinal, u32 run_count, u32 sectors) {
    // Requests with fewer runs than this are not compared with the previous request, because adding
    // their runs is just as fast.
    constexpr u32 kMaxRequests = 8;
    sector_count = sectors;
    last_footprint = run_count >= kMaxRequests ? &footprint : nullptr;
    if (!last_footprint) return;
    last_block_ordinal = block_ordinal;
    lanes = access.lanes;
    bytes = access.bytes;
    std::copy_n(access.addresses, kLanes, addresses.begin());
}

bool NeighbourLog::has_recorded_enough() const {
    const bool has_recorded_tile_of_each = recorded_read_sectors_ >= kSectorsOfKnownPattern &&
                                           recorded_write_sectors_ >= kSectorsOfKnownPattern;
    return has_recorded_tile_of_each ||
           recorded_read_sectors_ + recorded_write_sectors_ >= 16 * kSectorsOfKnownPattern;
}

void NeighbourLog::add_waiting_requests() {
    for (std::size_t k = 0; k < waiting_count_; ++k)
        waiting_requests_[k].footprint->sectors_summed_over_blocks +=
            waiting_requests_[k].footprint->sectors.add(waiting_requests_[k].run, blocks_started_);
    waiting_count_ = 0;
}

void NeighbourLog::move_to(timing::Recording& recording) {
    add_waiting_requests();
    const auto move_runs = [](timing::Footprint& source, timing::Footprint& destination) {
        destination.sectors_summed_over_blocks += source.sectors_summed_over_blocks;
        destination.bytes += source.bytes;
        if (destination.sectors.empty()) std::swap(destination.sectors, source.sectors);
        destination.sectors.add(source.sectors);
    };
    recording.neighbour_reads.add(early_read_footprint_.sectors);
    move_runs(early_read_footprint_, recording.reads);
    move_runs(read_footprint_, recording.reads);
    move_runs(write_footprint_, recording.writes);
    recording.next_row_reads.add(footprint_below_.sectors);
    *this = {};
}

// ---- steps ----

StepLog::StepLog(const Kernel& kernel, const Kernel::Code& code, timing::Recording& recording)
    : recording_(recording) {
    first_instruction_[&code.kernel_function] = 0;
    add_instructions(*kernel.ast, recording_);
    for (std::size_t k = 0; k < recording_.instructions.size(); ++k) {
        recording_.instructions[k].schedule_position = kernel.estimated_code_addresses[k];
        recording_.instructions[k].unroll_factor = kernel.unroll_factors[k];
    }
    for (const auto& [name, function] : code.functions) {
        first_instruction_[function.get()] = static_cast<u32>(recording_.instructions.size());
        if (function->ast) add_instructions(*function->ast, recording_);
    }
    for (const Site& site : kernel.sites)
        if (site.machine_accesses && site.machine_accesses->list.empty())
            record_covered_access(code, site);
    for (const timing::Instruction& i : recording_.instructions)
        is_mbarrier_poll_.push_back(i.has("try_wait"));
}

/// Records that a load or store has no machine instruction of its own, because the machine
/// instruction of an earlier access also performs this access.
void StepLog::record_covered_access(const Kernel::Code& code, const Site& site) {
    u32 first = 0;
    for (const auto& [name, function] : code.functions)
        if (function->ast == site.function) first = first_instruction_.at(function.get());
    timing::Instruction& covered_instruction = recording_.instructions[first + site.instruction];
    const u32 covering_instruction = site.machine_accesses->covering_access;
    covered_instruction.is_eliminated = true;
    if (covering_instruction != MachineAccesses::kNoAccess)
        covered_instruction.covering_instruction = first + covering_instruction;
}

u32 StepLog::find_instruction(const Warp& w, const Op* op) {
    const FunctionCode* code = w.frame ? w.frame->code : &w.block->launch->code->kernel_function;
    if (code != code_) {
        code_ = code;
        first_instruction_of_code_ = first_instruction_.at(code);
    }
    return first_instruction_of_code_ + op->source;
}

timing::RecordedBlock& StepLog::recorded_block(const Warp& w) {
    std::vector<timing::RecordedBlock>& blocks = recording_.recorded_blocks;
    const u64 number = w.block->linear_index;
    if (block_index_ < blocks.size() && blocks[block_index_].number == number)
        return blocks[block_index_];
    // Blocks take turns if all of their warps wait, so this block may have begun before the last
    // recorded one.
    const auto found = std::ranges::find(blocks, number, &timing::RecordedBlock::number);
    block_index_ = static_cast<std::size_t>(found - blocks.begin());
    if (found != blocks.end()) return *found;
    timing::RecordedBlock& block = blocks.emplace_back();
    block.number = number;
    block.warps.resize(w.block->warps.size());
    return block;
}

void StepLog::note_step(const Warp& w, const Op* op) {
    timing::RecordedBlock& block = recorded_block(w);
    timing::WarpPath& path = block.warps[w.index];
    const u32 instruction = find_instruction(w, op);
    if (is_mbarrier_poll_[instruction]) remove_repeated_poll(path, instruction, w.index);
    if (path.executed_steps++ >= kMaxRecordedSteps) {
        if (w.block->launch->is_dry_run) w.has_recorded_enough = true;
        return;
    }
    path.steps.push_back({.instruction = instruction,
                          .first_access = static_cast<u32>(block.accesses.size()),
                          .lanes = static_cast<u8>(std::popcount(w.active))});
}

/// Removes repeated tests of an mbarrier from a warp's path. The number of tests depends on the
/// order in which the simulator runs warps, so only one test is recorded.
void StepLog::remove_repeated_poll(timing::WarpPath& path, u32 instruction, u32 warp) {
    constexpr u64 max_poll_steps = 6;
    polls_.resize(std::max<std::size_t>(polls_.size(), warp + 1));
    Poll& poll = polls_[warp];
    const bool is_repeated_poll =
        poll.instruction == instruction && path.executed_steps > poll.executed_instructions &&
        path.executed_steps - poll.executed_instructions <= max_poll_steps;
    if (is_repeated_poll) {
        path.executed_steps = poll.executed_instructions;
        if (path.steps.size() > path.executed_steps) path.steps.resize(path.executed_steps);
    }
    poll = {instruction, path.executed_steps};
}

void StepLog::note_access(const Warp& w, const Op*, const ObservedAccess& observed_access) {
    timing::RecordedBlock& block = recorded_block(w);
    timing::WarpPath& path = block.warps[w.index];
    if (path.steps.empty() || path.executed_steps > kMaxRecordedSteps) return;
    ++path.steps.back().accesses;
    timing::Access& access = block.accesses.emplace_back();
    access.kind = to_access_kind(observed_access);
    access.lanes = static_cast<u8>(std::popcount(observed_access.lanes));
    access.bytes_per_lane = static_cast<u8>(observed_access.bytes);
    if (observed_access.is_shared) {
        access.passes = count_access_wavefronts(observed_access);
        for (const int l : LaneRange{observed_access.lanes})
            recording_.used_shared_bytes =
                std::max(recording_.used_shared_bytes,
                         static_cast<u32>(observed_access.addresses[l]) + observed_access.bytes);
    } else {
        add_sector_runs(block, access, observed_access);
    }
}

void StepLog::note_local_access(const Warp& w, const LaneOffsets& offsets, Mask lanes, u32 bytes,
                                bool is_store) {
    timing::RecordedBlock& block = recorded_block(w);
    timing::WarpPath& path = block.warps[w.index];
    if (path.steps.empty() || path.executed_steps > kMaxRecordedSteps) return;
    ++path.steps.back().accesses;
    timing::Access& access = block.accesses.emplace_back();
    access.kind = is_store ? timing::AccessKind::local_store : timing::AccessKind::local_load;
    access.lanes = static_cast<u8>(std::popcount(lanes));
    access.bytes_per_lane = static_cast<u8>(bytes);
    // A line of local memory holds the same word of all lanes.
    constexpr u32 word_bytes = 4;
    std::array<u32, kLanes> words{};
    int count = 0;
    for (const int l : LaneRange{lanes}) words[count++] = offsets[l] / word_bytes;
    std::sort(words.begin(), words.begin() + count);
    const auto lines = std::unique(words.begin(), words.begin() + count) - words.begin();
    access.passes = static_cast<u16>(lines * ((bytes + word_bytes - 1) / word_bytes));
}

void StepLog::add_sector_runs(timing::RecordedBlock& block, timing::Access& access,
                              const ObservedAccess& observed_access) {
    access.first_run = static_cast<u32>(block.runs.size());
    u64 last_line = ~u64{0};
    for_each_run(observed_access, [&](timing::SectorRun run) {
        block.runs.push_back(run);
        const u64 first = run.first / kSectorsOfLine,
                  last_unit = (run.first + run.count - 1) / kSectorsOfLine;
        access.passes = static_cast<u16>(access.passes + last_unit - first + (first != last_line));
        last_line = last_unit;
    });
    access.runs = static_cast<u32>(block.runs.size()) - access.first_run;
}

// ---- launches ----

namespace {

/// The number of sampled blocks: `kSampledBlocks` normally, and `kSampledBlocksIfUneven` if some
/// blocks do far more work than others. The larger sample contains nearly the same proportion of
/// busy blocks as the grid.
constexpr u64 kSampledBlocks = 6, kSampledBlocksIfUneven = 32;
/// The number of sampled blocks if a seed selects them, so that the choice is unpredictable.
constexpr u64 kSampledBlocksWithSeed = 24;
/// The maximum number of neighbouring blocks to record if a seed selects the sampled blocks.
constexpr u64 kMaxNeighboursWithSeed = 2048;

/// Returns the position of the first sampled block, as a fraction of the grid.
double first_sample_position() {
    const u64 seed = options().sample_seed;
    // The high bits of the product depend on every bit of the seed.
    constexpr double unit = 0x1p-53;
    return seed == 0 ? .64 : static_cast<double>(seed * 0x9e3779b97f4a7c15 >> 11) * unit;
}

/// Returns element k of a sequence in [0, 1). For every n, the first n elements are spread evenly.
double spread_evenly(double step_ratio, u64 k) {
    return std::fmod(first_sample_position() + step_ratio * static_cast<double>(k), 1);
}

u64 scale_count(u64 count, double fraction) {
    return static_cast<u64>(static_cast<double>(count) * fraction);
}

void sort_and_deduplicate(std::vector<u64>& blocks) {
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
}

}  // namespace

Recorder& recorder() {
    static Recorder the_recorder;
    return the_recorder;
}

void Recorder::begin_recording(RecordMode new_mode) {
    mode_ = new_mode;
    recordings_.clear();
}

std::vector<u64> Recorder::choose_blocks(const LaunchConfig& config, u64 resident_blocks) {
    const u64 count = config.grid.count();
    // Spread the blocks over the grid, but do not put all of them in one line, and avoid the ends
    // of the grid. Each sampled block represents the same number of blocks.
    const u64 sample_count = options().sample_seed == 0 ? kSampledBlocks : kSampledBlocksWithSeed;
    const u64 block_count_to_choose =
        std::min<u64>(count, count <= resident_blocks ? 1 : sample_count);
    std::vector<u64> chosen_blocks;
    for (u64 k = 0; k < block_count_to_choose; ++k)
        chosen_blocks.push_back(scale_count(count, spread_evenly(.618034, k)));
    sort_and_deduplicate(chosen_blocks);
    return chosen_blocks;
}

std::vector<u64> Recorder::choose_blocks_near_first(const LaunchConfig& config,
                                                    const timing::Recording& recording,
                                                    bool shares_iterations) {
    if (recording.recorded_blocks.size() != 1 || !shares_iterations) return {};
    const auto is_long = [](const timing::WarpPath& path) {
        return path.executed_steps > kMaxRecordedSteps;
    };
    const std::vector<timing::WarpPath>& warps = recording.recorded_blocks.front().warps;
    if (std::any_of(warps.begin(), warps.end(), is_long)) return {};
    std::vector<u64> candidate_blocks = choose_blocks(config, 0);
    std::erase(candidate_blocks, recording.recorded_blocks.front().number);
    return candidate_blocks;
}

std::vector<u64> Recorder::choose_additional_blocks(const LaunchConfig& config,
                                                    const timing::Recording& recording) {
    if (!timing::are_blocks_uneven(recording)) return {};
    // Spread the blocks over the rows and columns of the grid, and evenly over both sides of its
    // diagonal. The work of a block may depend on its row, on its column, and on whether it is
    // above or below the diagonal.
    const auto& grid = config.grid;
    const u64 rows = u64{grid.y} * grid.z;
    std::vector<u64> added_blocks;
    for (u64 k = 0; k < kSampledBlocksIfUneven / 2; ++k) {
        const double column_fraction = spread_evenly(.754878, k),
                     row_fraction = spread_evenly(.569840, k);
        added_blocks.push_back(scale_count(rows, row_fraction) * grid.x +
                               scale_count(grid.x, column_fraction));
        added_blocks.push_back(scale_count(rows, column_fraction) * grid.x +
                               scale_count(grid.x, row_fraction));
    }
    sort_and_deduplicate(added_blocks);
    const auto is_recorded = [&](u64 number) {
        return std::any_of(recording.recorded_blocks.begin(), recording.recorded_blocks.end(),
                           [&](const timing::RecordedBlock& b) { return b.number == number; });
    };
    std::erase_if(added_blocks, is_recorded);
    return added_blocks;
}

/// Returns, in increasing order, the indices of the blocks that have at least half as many accesses
/// as the busiest block.
std::vector<u64> find_busy_blocks(const timing::Recording& recording) {
    std::size_t most_instructions = 0;
    for (const timing::RecordedBlock& block : recording.recorded_blocks)
        most_instructions = std::max(most_instructions, block.accesses.size());
    std::vector<u64> busy_blocks;
    for (const timing::RecordedBlock& block : recording.recorded_blocks)
        if (2 * block.accesses.size() >= most_instructions) busy_blocks.push_back(block.number);
    sort_and_deduplicate(busy_blocks);
    return busy_blocks;
}

std::pair<u64, u64> Recorder::choose_neighbours(const timing::Recording& recording,
                                                u64 resident_blocks) {
    // Count requested bytes instead of sectors, because a block shares partially needed sectors
    // with its neighbours.
    u64 bytes = 0;
    for (const timing::RecordedBlock& block : recording.recorded_blocks)
        for (const timing::Access& access : block.accesses)
            if (access.runs > 0) bytes += u64{access.lanes} * access.bytes_per_lane;
    const u64 sectors = bytes / kSectorBytes / std::max<u64>(1, recording.recorded_blocks.size());
    const u64 sectors_of_block = std::clamp<u64>(sectors, 1, 2 * kSectorsOfKnownPattern);
    const u64 blocks_seen_together = std::max<u64>(16, kMergeDistanceSectors / sectors_of_block);
    const u64 blocks = recording.blocks;
    u64 count =
        std::min({blocks_seen_together, blocks,
                  sectors_of_block < 2 * kSectorsOfKnownPattern ? blocks : resident_blocks});
    // Limit the number of neighbours. If blocks move hardly any data, nearly the whole grid would
    // otherwise be chosen.
    if (options().sample_seed != 0) count = std::min(count, kMaxNeighboursWithSeed);
    u64 middle_block = blocks / 2 + blocks / 7;
    // If the blocks are uneven, choose more neighbouring blocks, around a busy block, so that
    // enough busy blocks are included.
    if (timing::are_blocks_uneven(recording)) {
        const std::vector<u64> busy_blocks = find_busy_blocks(recording);
        middle_block = busy_blocks[busy_blocks.size() / 2];
        count = std::min(blocks, count * recording.recorded_blocks.size() / busy_blocks.size());
    }
    return {std::min(middle_block, blocks - count), count};
}

std::pair<u64, u64> Recorder::choose_blocks_below(const timing::Recording& recording,
                                                  std::pair<u64, u64> neighbours) {
    constexpr u64 kFewRows = 16;
    const auto [first, count] = neighbours;
    const u64 row = recording.blocks_per_row, number = std::min({kFewRows, count, row});
    const bool is_recorded_block = row >= count && first + row + number <= recording.blocks;
    return {first + row, is_recorded_block ? number : 0};
}

timing::Recording& Recorder::add_recording(const Kernel& kernel, const LaunchConfig& config) {
    timing::Recording& recording = recordings_.emplace_back();
    recording.kernel = kernel.display_name;
    recording.blocks = config.grid.count();
    recording.blocks_per_row = config.grid.x;
    recording.threads = static_cast<u32>(config.block.count());
    recording.shared_bytes = kernel.static_shared_bytes + config.dynamic_shared_bytes;
    recording.registers = kernel.estimated_registers;
    recording.spilled_registers = kernel.estimated_spilled_registers;
    recording.local_bytes = kernel.local_bytes;
    recording.has_waiting_blocks = may_blocks_wait(*kernel.code);
    return recording;
}

bool reads_grid_size(const ptx::Function& kernel) {
    const auto is_grid_size = [](const ptx::Operand& operand) {
        return operand.kind == ptx::Operand::Kind::special && operand.name.starts_with("%nctaid");
    };
    return std::any_of(kernel.body.begin(), kernel.body.end(), [&](const ptx::Instruction& i) {
        return std::any_of(i.operands.begin(), i.operands.end(), is_grid_size);
    });
}

bool may_blocks_wait(const Kernel::Code& code) {
    const auto has_spin_branch = [](const FunctionCode& function) {
        return std::any_of(function.ops.begin(), function.ops.end(),
                           [](const Op& op) { return op.is_spin_branch; });
    };
    // If blocks cannot read what other blocks write, a waiting loop can only wait for warps of its
    // own block, or for a clock.
    if (!code.reads_other_blocks) return false;
    if (has_spin_branch(code.kernel_function)) return true;
    return std::any_of(code.functions.begin(), code.functions.end(),
                       [&](const auto& entry) { return has_spin_branch(*entry.second); });
}

}  // namespace coalesce::simulator

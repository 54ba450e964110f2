// Converts a recording into operations.
// Long: one pass over a warp's steps handles every kind of step.
#include "timing/operations.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "timing/machine.h"
#include "timing/occupancy.h"
#include "timing/schedule.h"

namespace coalesce::timing {

namespace {

using Kind = Operation::Kind;

/// The number of sectors in a 1 KiB range of memory. All data of a range arrives at the same time.
constexpr std::uint32_t kSectorsPerRange = 32;
/// The latency of a read from constant memory, in cycles. (From Jia et al., Dissecting the NVIDIA
/// Volta GPU Architecture via Microbenchmarking, 2018.)
constexpr float kConstantLatencyCycles = 27;
/// Machine instructions per branch: setting the point of reconvergence, branching, and
/// reconverging.
constexpr float kBranchIssueSlots = 3;
constexpr std::uint32_t kBytesPerPass = 128;
/// The cycles that the L1 cache takes for each 128-byte line of an access to local memory, on
/// average over loads and stores. (Measured on an H200 with two kernels that spill registers, and
/// with an array that lanes index differently.)
constexpr float kCyclesPerLocalLine = 2.4f;
constexpr std::uint32_t kSectorsPerHalfLine = 2;  ///< the sectors of 64 bytes
constexpr std::uint32_t kHalfSectorBytes = kSectorBytes / 2;
/// The largest fraction of missed sectors at which a table counts as cached in the first-level
/// cache.
constexpr double kMaxCachedMissFraction = .3;
/// The maximum ratio of the sectors that a store spans to the sectors that it writes, at which the
/// store counts as storing along a row. Other stores along the row soon complete its partial
/// sectors.
constexpr std::uint32_t kMaxRowSpanRatio = 8;
/// The fraction of the partial sectors at the ends of runs that counts as unfinished. Other
/// accesses soon complete the rest. The only sector of a one-sector run always counts as
/// unfinished. (Measured as in parts.cpp, with rows that begin in the middle of a sector.)
constexpr float kUnfinishedEndFraction = .3f;

/// The contents of the L1 cache, which the warps of a block share.
struct BlockCacheState {
    SectorSet loaded_sectors, loaded_lines;
    std::unordered_map<std::uint64_t, std::uint32_t> memory_ranges;
    PartialLines partial_lines;
};

bool is_barrier(const Instruction& i) {
    return i.opcode == "bar" && !i.has("warp");
}

/// Converts the steps of one warp into operations.
class WarpLowering {
public:
    WarpLowering(const Recording& recording, const RecordedBlock& block, const Tables& tables,
                 BlockCacheState& state, std::uint32_t warp_index, double l1_lines)
        : recording_(recording),
          block_(block),
          tables_(tables),
          state_(state),
          warp_index_(warp_index),
          l1_lines_of_warp_(l1_lines) {}

    /// Returns the fraction of the requested lines that may or may not be in the L1 cache.
    double uncertain_line_fraction() const {
        return static_cast<double>(uncertain_lines_) /
               static_cast<double>(std::max<std::uint64_t>(1, lines_requested_));
    }
    void add_step(const WarpPath& path, std::size_t k) {
        if (drafts_.empty()) add_kernel_start();
        add_instruction(path, k);
    }
    std::vector<Draft> take_drafts() {
        if (drafts_.empty()) add_kernel_start();
        if (drafts_.back().operation.kind != Kind::exit) add_kernel_end();
        return std::move(drafts_);
    }

private:
    /// Adds the start of a kernel, which sets up the stack pointer and descriptors and reads the
    /// constant bank.
    void add_kernel_start() {
        Draft& first = append_draft();
        first.operation.issue_slots = 5;
        first.operation.latency_cycles = 30;
        first.priority = Priority::load;
    }
    void add_kernel_end() {
        Draft& last = append_draft();
        last.operation.kind = Kind::exit;
        last.is_scheduling_barrier = last.ends_iteration = true;
    }
    Draft& append_draft() {
        drafts_.emplace_back();
        return drafts_.back();
    }
    std::uint32_t find_writer(std::uint32_t reg) const {
        return reg < writers_.size() ? writers_[reg] : kNoInstruction;
    }
    std::uint32_t last_draft_index() const {
        return static_cast<std::uint32_t>(drafts_.size() - 1);
    }

    static void depend_on_latest(Operation& operation,
                                 const std::vector<std::uint32_t>& earlier_operations) {
        if (!earlier_operations.empty()) operation.dependences.push_back(earlier_operations.back());
    }

    void add_instruction(const WarpPath& path, std::size_t k);
    void add_access(Draft& draft, const Instruction& i, const Step& step);
    void add_load(Draft& draft, const Instruction& i, const Step& step);
    void add_store(Draft& draft, const Step& step);
    void add_shared_access(Draft& draft, const Step& step, bool is_load);
    void add_local_access(Draft& draft, const Step& step, bool is_load);
    void add_spill_accesses();
    void add_async_copy(Draft& draft, const Step& step);
    void add_bulk_copy(Draft& draft, const Instruction& i, const Step& step);
    bool is_in_l1(std::uint64_t line);
    /// Reports whether an access to this sector of a table misses the L1 cache. The choice
    /// is pseudo-random, and the same in every run.
    bool misses_l1(const Table& table, std::uint64_t sector) const {
        const std::uint64_t hash =
            (sector + 0x51ed2701 * warp_index_ + block_.number) * 0x9e3779b97f4a7c15ull;
        return static_cast<double>(hash >> 40) / (1 << 24) < table.l1_miss_fraction;
    }
    bool add_async_instruction(Draft& draft, const Instruction& i);
    void add_division(Operation& operation, const Instruction& i);
    void add_arithmetic(Draft& draft, const Instruction& i, std::uint32_t index);
    void forward_earlier_access(const Instruction& covered_access);
    void record_writer(std::uint32_t reg, std::uint32_t operation);
    std::uint32_t fetch_parameter(const Instruction& i, std::uint32_t index);
    /// Reports whether the iteration that ends at `branch` and the iteration that starts at `to`
    /// belong to the same pass of an unrolled loop.
    bool continues_unrolled_pass(std::uint32_t branch, std::uint32_t to);
    /// The extent of an access: the numbers of its sectors and half lines, and whether its lanes
    /// store along a row.
    struct AccessExtent {
        std::uint32_t sectors = 0, half_lines = 0;
        bool is_along_row = false;
    };
    void record_partial_sectors(Operation& operation, const Access& access,
                                std::uint32_t missing_bytes);
    AccessExtent measure_extent(const Access& access) const;
    void wait_for_groups(Operation& operation, const Instruction& i);
    void record_memory_ranges(Operation& operation, const Access& access);

    template <class Visit>
    void for_each_access(const Step& step, Visit visit) const {
        for (std::uint32_t k = 0; k < step.accesses; ++k)
            visit(block_.accesses[step.first_access + k]);
    }
    template <class Visit>
    void for_each_sector(const Access& access, Visit visit) const {
        for (std::uint32_t r = 0; r < access.runs; ++r) {
            const SectorRun& run = block_.runs[access.first_run + r];
            for (std::uint32_t s = 0; s < run.count; ++s) visit(run.first + s);
        }
    }

    const Recording& recording_;
    const RecordedBlock& block_;
    const Tables& tables_;
    BlockCacheState& state_;
    const std::uint32_t warp_index_;  ///< the index of the warp in its block
    double l1_lines_of_warp_;         ///< cache lines available to this warp
    struct LastRequest {
        std::uint64_t line_count = 0, wait_count = 0;  ///< the counts at that request
    };
    std::unordered_map<std::uint64_t, LastRequest> last_requests_;  ///< by line: its last request
    std::uint64_t lines_requested_ = 0, wait_count_ = 0, last_line_ = ~std::uint64_t{0};
    std::uint64_t uncertain_lines_ = 0;  ///< lines that may or may not be in the cache
    std::vector<Draft> drafts_;
    std::vector<std::uint32_t> writers_;  ///< for each register, its last writer, or kNoInstruction
    std::vector<std::uint32_t> store_indices_, shared_load_indices_, shared_store_indices_,
        local_load_indices_, local_store_indices_;
    std::vector<std::uint32_t> open_copy_group_;           ///< copies since the last commit
    std::vector<std::vector<std::uint32_t>> copy_groups_;  ///< groups of committed copies
    using RegisterValue = std::pair<std::uint32_t, std::uint32_t>;  ///< a register, and its writer
    std::set<RegisterValue> divisors_;
    std::set<std::pair<RegisterValue, RegisterValue>> divisions_;
    /// the current short branch, and the end of the code that it may skip
    std::uint32_t branch_operation_ = 0, branch_target_ = 0;
    /// For each 64-bit register, the condition under which it was last fetched.
    std::map<std::uint32_t, std::uint32_t> parameter_conditions_;
    std::vector<std::uint64_t> touched_ranges_;  ///< the ranges of an access
    struct Loop {
        /// Iterations per pass; 0 if the loop is not unrolled.
        std::uint32_t iterations_per_pass = 0;
        std::uint32_t iterations_done = 0;
    };
    /// The loops, keyed by the branch that ends an iteration.
    std::unordered_map<std::uint32_t, Loop> loops_;
};

std::uint32_t requested_bytes(const Access& access) {
    return std::uint32_t{access.lanes} * access.bytes_per_lane;
}

float passes_for_data(const Access& access) {
    return static_cast<float>((requested_bytes(access) + kBytesPerPass - 1) / kBytesPerPass);
}

void WarpLowering::record_memory_ranges(Operation& operation, const Access& access) {
    std::vector<std::uint64_t>& touched_ranges = touched_ranges_;
    touched_ranges.clear();
    for (std::uint32_t r = 0; r < access.runs; ++r) {
        const SectorRun& run = block_.runs[access.first_run + r];
        for (std::uint64_t p = run.first / kSectorsPerRange;
             p <= (run.first + run.count - 1) / kSectorsPerRange; ++p)
            if (touched_ranges.empty() || touched_ranges.back() != p) touched_ranges.push_back(p);
    }
    std::sort(touched_ranges.begin(), touched_ranges.end());
    touched_ranges.erase(std::unique(touched_ranges.begin(), touched_ranges.end()),
                         touched_ranges.end());
    operation.memory_ranges.reserve(operation.memory_ranges.size() + touched_ranges.size());
    for (const std::uint64_t memory_range : touched_ranges)
        operation.memory_ranges.push_back(
            state_.memory_ranges
                .try_emplace(memory_range, static_cast<std::uint32_t>(state_.memory_ranges.size()))
                .first->second);
}

/// Reports whether the L1 cache still contains a line. The probability decreases with the
/// number of lines that this warp has requested in the meantime, because the other warps have
/// probably requested as many. If the two requests for the line are in flight together, only about
/// half of the other warps' requests come between them. (Counted on an H200, with columns read by
/// 24 to 63 warps.)
bool WarpLowering::is_in_l1(std::uint64_t line) {
    constexpr double usable_fraction = .85;
    if (line == last_line_) return true;
    last_line_ = line;
    const LastRequest current_request{++lines_requested_, wait_count_};
    const auto [found, is_new] = last_requests_.try_emplace(line, current_request);
    const LastRequest earlier_request = std::exchange(found->second, current_request);
    if (is_new) return true;
    const double lines_since_request =
                     static_cast<double>(current_request.line_count - earlier_request.line_count),
                 kept_share = usable_fraction * l1_lines_of_warp_ *
                              (current_request.wait_count == earlier_request.wait_count ? 2 : 1) /
                              lines_since_request;
    uncertain_lines_ += kept_share > .1 && kept_share < 2;
    const auto random_fraction =
        static_cast<double>(line * 0x9e3779b97f4a7c15ull >> 40) / (1 << 24);
    return random_fraction < kept_share * kept_share;
}

void WarpLowering::add_load(Draft& draft, const Instruction& i, const Step& step) {
    Operation& operation = draft.operation;
    operation.kind = Kind::load;
    draft.priority = Priority::load;
    const Table* table = tables_.find_table(step.instruction);
    if (table) operation.memory_fraction = static_cast<float>(table->memory_fraction);
    for_each_access(step, [&](const Access& access) {
        std::uint32_t missing_sectors = 0;
        std::uint64_t last_line = ~std::uint64_t{0}, last_half_line = last_line;
        for_each_sector(access, [&](std::uint64_t sector) {
            const std::uint64_t line = sector / kSectorsOfLine,
                                half_line = sector / kSectorsPerHalfLine;
            const bool is_still_cached =
                (table && table->l1_miss_fraction < kMaxCachedMissFraction) || is_in_l1(line);
            const bool is_first_load = state_.loaded_sectors.add({sector, 1}, 0) > 0;
            const bool is_fetched = (is_first_load && (!table || misses_l1(*table, sector))) ||
                                    (!is_first_load && !is_still_cached);
            missing_sectors += is_fetched;
            if (is_fetched && std::exchange(last_half_line, half_line) != half_line)
                ++operation.half_lines;
            if (std::exchange(last_line, line) == line) return;
            operation.lines += state_.loaded_lines.add({line, 1}, 0) > 0 || !is_still_cached;
        });
        operation.sectors = static_cast<std::uint16_t>(operation.sectors + missing_sectors);
        operation.passes += std::max(static_cast<float>(access.passes), passes_for_data(access));
        record_memory_ranges(operation, access);
    });
    if (!i.has("nc"))
        depend_on_latest(operation, store_indices_);  // the load may read a value that a
                                                      // store has written
}

WarpLowering::AccessExtent WarpLowering::measure_extent(const Access& access) const {
    AccessExtent e;
    if (access.runs == 0) return e;
    std::uint64_t last_half_line = ~std::uint64_t{0};
    for_each_sector(access, [&](std::uint64_t sector) {
        ++e.sectors;
        e.half_lines += sector / kSectorsPerHalfLine != last_half_line;
        last_half_line = sector / kSectorsPerHalfLine;
    });
    const SectorRun &first = block_.runs[access.first_run],
                    &last = block_.runs[access.first_run + access.runs - 1];
    const std::uint64_t sector_span = last.first + last.count - first.first;
    e.is_along_row = sector_span <= std::uint64_t{kMaxRowSpanRatio} * e.sectors;
    return e;
}

void WarpLowering::add_store(Draft& draft, const Step& step) {
    Operation& operation = draft.operation;
    operation.kind = Kind::store;
    for_each_access(step, [&](const Access& access) {
        const auto [sectors, half_lines, is_along_row] = measure_extent(access);
        operation.passes += std::max(static_cast<float>(access.passes), passes_for_data(access));
        // The recording does not show which sectors lack bytes. Assume that each partial sector
        // lacks at least half of its bytes.
        const std::uint32_t bytes = std::min(requested_bytes(access), kSectorBytes * sectors),
                            missing_bytes = kSectorBytes * sectors - bytes,
                            partial_sectors = std::min(
                                sectors, (missing_bytes + kHalfSectorBytes - 1) / kHalfSectorBytes);
        operation.sectors =
            static_cast<std::uint16_t>(operation.sectors + sectors - partial_sectors);
        operation.partial_sectors =
            static_cast<std::uint16_t>(operation.partial_sectors + partial_sectors);
        if (partial_sectors == 0) return;
        if (is_along_row && (access.runs > 1 || (partial_sectors == sectors && sectors > 3))) {
            operation.partial_sectors_along_row =
                static_cast<std::uint16_t>(operation.partial_sectors_along_row + partial_sectors);
            return;
        }
        const bool is_run_end = access.runs == 1 || sectors > access.runs;
        if (is_run_end)
            operation.partial_sectors_at_ends =
                static_cast<std::uint16_t>(operation.partial_sectors_at_ends + partial_sectors);
        // A partial sector next to whole sectors costs no more than a whole sector.
        if (sectors <= 2 * access.runs)
            operation.partial_half_lines = static_cast<std::uint16_t>(
                operation.partial_half_lines + std::min(half_lines, partial_sectors));
        record_partial_sectors(operation, access, missing_bytes);
    });
    store_indices_.push_back(last_draft_index());
    ++wait_count_;
}

/// Records the partial sectors of an access. In a run of several sectors, only the first and the
/// last sector can be partial.
void WarpLowering::record_partial_sectors(Operation& operation, const Access& access,
                                          std::uint32_t missing_bytes) {
    std::uint32_t run_end_sectors = 0;
    for (std::uint32_t r = 0; r < access.runs; ++r)
        run_end_sectors += std::min(block_.runs[access.first_run + r].count, 2u);
    const float bytes = std::max(1.f, kSectorBytes - static_cast<float>(missing_bytes) /
                                                         static_cast<float>(run_end_sectors));
    operation.written_parts.reserve(operation.written_parts.size() + run_end_sectors);
    for (std::uint32_t r = 0; r < access.runs; ++r) {
        const SectorRun& run = block_.runs[access.first_run + r];
        const bool is_single_sector = run.count == 1;
        operation.unfinished_sectors +=
            bytes / kSectorBytes * (is_single_sector ? 1 : 2 * kUnfinishedEndFraction);
        operation.written_parts.push_back(
            state_.partial_lines.add_written_part(run.first, warp_index_, bytes));
        if (!is_single_sector)
            operation.written_parts.push_back(state_.partial_lines.add_written_part(
                run.first + run.count - 1, warp_index_, bytes));
    }
}

void WarpLowering::add_shared_access(Draft& draft, const Step& step, bool is_load) {
    Operation& operation = draft.operation;
    operation.kind = is_load ? Kind::shared_load : Kind::shared_store;
    if (is_load) draft.priority = Priority::shared_load;
    for_each_access(
        step, [&](const Access& access) { operation.passes += static_cast<float>(access.passes); });
    depend_on_latest(operation, is_load ? shared_store_indices_ : shared_load_indices_);
    (is_load ? shared_load_indices_ : shared_store_indices_).push_back(last_draft_index());
}

void WarpLowering::add_local_access(Draft& draft, const Step& step, bool is_load) {
    Operation& operation = draft.operation;
    operation.kind = is_load ? Kind::shared_load : Kind::shared_store;
    if (is_load) draft.priority = Priority::shared_load;
    for_each_access(step, [&](const Access& access) {
        operation.passes += kCyclesPerLocalLine * static_cast<float>(access.passes);
    });
    depend_on_latest(operation, is_load ? local_store_indices_ : local_load_indices_);
    (is_load ? local_load_indices_ : local_store_indices_).push_back(last_draft_index());
}

/// Adds the accesses to local memory that a kernel with too few registers makes in an iteration of
/// a loop: ptxas stores each excess value, and loads it before its next use.
void WarpLowering::add_spill_accesses() {
    const auto access_count = static_cast<float>(2 * recording_.spilled_registers);
    Operation& operation = append_draft().operation;
    operation.kind = Kind::shared_store;
    operation.issue_slots = access_count;
    operation.passes = kCyclesPerLocalLine * access_count;
}

void WarpLowering::add_async_copy(Draft& draft, const Step& step) {
    Operation& operation = draft.operation;
    operation.kind = Kind::async_copy;
    draft.priority = Priority::load;
    for_each_access(step, [&](const Access& access) {
        if (access.kind != AccessKind::copy_from) return;
        const AccessExtent extent = measure_extent(access);
        operation.sectors = static_cast<std::uint16_t>(operation.sectors + extent.sectors);
        operation.half_lines = static_cast<std::uint16_t>(operation.half_lines + extent.half_lines);
        operation.passes += static_cast<float>(std::max<std::uint16_t>(access.passes, 1));
        operation.passes += passes_for_data(access);
        record_memory_ranges(operation, access);
    });
    open_copy_group_.push_back(last_draft_index());
    depend_on_latest(operation, store_indices_);
}

void WarpLowering::add_bulk_copy(Draft& draft, const Instruction& i, const Step& step) {
    Operation& operation = draft.operation;
    operation.issue_slots = 4;
    operation.is_box = i.has("tensor");
    std::uint64_t next_sector =
        ~std::uint64_t{0};  // the end of the row, which may span several accesses
    for_each_access(step, [&](const Access& access) {
        const bool is_load = access.kind == AccessKind::copy_from;
        operation.kind = is_load ? Kind::bulk_load : Kind::bulk_store;
        for_each_sector(access, [&](std::uint64_t) { ++operation.sectors; });
        if (!is_load) return;
        record_memory_ranges(operation, access);
        for (std::uint32_t r = 0; r < access.runs; ++r) {
            const SectorRun& run = block_.runs[access.first_run + r];
            operation.rows =
                static_cast<std::uint16_t>(operation.rows + (run.first != next_sector));
            next_sector = run.first + run.count;
        }
    });
    depend_on_latest(operation, shared_store_indices_);
    depend_on_latest(operation, store_indices_);
}

void WarpLowering::add_access(Draft& draft, const Instruction& i, const Step& step) {
    draft.operation.issue_slots = 1;
    const bool is_copy = i.opcode == "cp";
    if (is_copy && i.has("bulk")) return add_bulk_copy(draft, i, step);
    if (is_copy) return add_async_copy(draft, step);
    switch (block_.accesses[step.first_access].kind) {
        case AccessKind::load: return add_load(draft, i, step);
        case AccessKind::store: return add_store(draft, step);
        case AccessKind::shared_load: return add_shared_access(draft, step, true);
        case AccessKind::shared_store: return add_shared_access(draft, step, false);
        case AccessKind::shared_atomic: return add_shared_access(draft, step, i.opcode == "atom");
        case AccessKind::local_load: return add_local_access(draft, step, true);
        case AccessKind::local_store: return add_local_access(draft, step, false);
        case AccessKind::atomic:
            return i.opcode == "atom" ? add_load(draft, i, step) : add_store(draft, step);
        default: return;
    }
}

void WarpLowering::wait_for_groups(Operation& operation, const Instruction& i) {
    const std::size_t pending_groups =
        i.has("wait_all") ? 0 : static_cast<std::size_t>(i.immediate);
    for (std::size_t k = 0; k + pending_groups < copy_groups_.size(); ++k) {
        operation.dependences.insert(operation.dependences.end(), copy_groups_[k].begin(),
                                     copy_groups_[k].end());
        copy_groups_[k].clear();
    }
}

/// Adds a load that fetches a 64-bit parameter from the constant bank, and returns its index. A
/// parameter is loaded once for each condition under which it is used. The loads for unconditional
/// uses are part of `add_kernel_start`. (ptxas for sm_90 also loads parameters in this way in
/// loops.)
std::uint32_t WarpLowering::fetch_parameter(const Instruction& i, std::uint32_t index) {
    const bool is_parameter_load =
                   i.opcode == "ld" && i.has("param") && (i.has("u64") || i.has("b64")),
               is_converted_parameter =
                   i.opcode == "cvta" && parameter_conditions_.count(i.read_registers.front()) > 0;
    if (is_parameter_load || is_converted_parameter)
        parameter_conditions_[i.written_registers.front()] = kNoInstruction;
    if (is_parameter_load || is_converted_parameter || index >= branch_target_)
        return kNoInstruction;
    for (const std::uint32_t reg : i.read_registers) {
        const auto found = parameter_conditions_.find(reg);
        if (found == parameter_conditions_.end() || found->second == branch_operation_) continue;
        found->second = branch_operation_;
        Draft& fetch = append_draft();
        fetch.operation.latency_cycles = kConstantLatencyCycles;
        return last_draft_index();
    }
    return kNoInstruction;
}

/// Adds the operation for an instruction that commits or waits for asynchronous copies, or uses an
/// mbarrier. Returns false for other instructions.
bool WarpLowering::add_async_instruction(Draft& draft, const Instruction& i) {
    Operation& operation = draft.operation;
    const bool is_bulk = i.has("bulk");
    if (i.opcode == "mbarrier" && i.has("try_wait")) {
        operation.kind = Kind::bulk_wait;
        draft.is_scheduling_barrier = true;
    } else if (i.opcode != "cp") {
        return false;
    } else if (is_bulk && (i.has("wait_group") || i.has("wait_all"))) {
        operation.kind = Kind::bulk_drain;
        operation.groups_in_flight = static_cast<std::uint16_t>(i.immediate);
        draft.is_scheduling_barrier = true;
    } else if (!is_bulk && i.has("commit_group")) {
        copy_groups_.push_back(std::move(open_copy_group_));
        open_copy_group_.clear();
    } else if (!is_bulk && (i.has("wait_group") || i.has("wait_all"))) {
        wait_for_groups(operation, i);
        draft.is_scheduling_barrier = true;
    }
    return true;
}

void WarpLowering::add_arithmetic(Draft& draft, const Instruction& i, std::uint32_t index) {
    Operation& operation = draft.operation;
    const InstructionCost cost = instruction_cost(i, index);
    operation.issue_slots = cost.issue_slots;
    operation.latency_cycles = cost.latency_cycles;
    operation.pipe = cost.pipe;
    if (cost.pipe == Pipe::divide && !i.read_registers.empty()) add_division(operation, i);
}

/// Sets the cost of a division. For the same operands, ptxas computes quotient and remainder only
/// once. It also reuses the reciprocal for other divisions by the same divisor.
void WarpLowering::add_division(Operation& operation, const Instruction& i) {
    const auto value = [&](std::uint32_t reg) { return RegisterValue{reg, find_writer(reg)}; };
    const RegisterValue dividend = value(i.read_registers.front()),
                        divisor = value(i.read_registers.back());
    const bool is_first_division = divisors_.insert(divisor).second;
    if (i.read_registers.size() == 2 && !divisions_.insert({dividend, divisor}).second) {
        operation.issue_slots = 2;
        operation.latency_cycles = 8;
        operation.pipe = Pipe::integer;
    } else if (!is_first_division) {
        operation.issue_slots *= .7f;
        operation.latency_cycles *= .4f;
        operation.pipe = Pipe::both;
    }
}

/// Handles a load that ptxas has merged into an earlier load. The earlier load writes the registers
/// of both loads.
void WarpLowering::forward_earlier_access(const Instruction& covered_access) {
    if (covered_access.covering_instruction == kNoInstruction) return;
    const Instruction& covering_access =
        recording_.instructions[covered_access.covering_instruction];
    if (covering_access.written_registers.empty()) return;
    const std::uint32_t writer = find_writer(covering_access.written_registers.front());
    for (const std::uint32_t reg : covered_access.written_registers) record_writer(reg, writer);
}

void WarpLowering::record_writer(std::uint32_t reg, std::uint32_t operation) {
    if (reg >= writers_.size()) writers_.resize(reg + 1, kNoInstruction);
    writers_[reg] = operation;
}

/// Returns the number of iterations per pass of the innermost loop from `to` to `branch`, or 0 if
/// ptxas does not unroll the loop. The model does not unroll loops that store to global memory,
/// because the path to memory limits their time anyway.
std::uint32_t find_unroll_factor(const std::vector<Instruction>& instructions, std::uint32_t branch,
                                 std::uint32_t to) {
    std::uint32_t iterations_per_pass = 0;
    for (std::uint32_t k = to; k < branch; ++k) {
        const Instruction& i = instructions[k];
        const bool is_inner_loop = i.opcode == "bra" && i.target <= k && i.target > to;
        if (is_inner_loop || (i.opcode == "st" && !i.has("shared"))) return 0;
        iterations_per_pass = std::max(iterations_per_pass, i.unroll_factor);
    }
    return iterations_per_pass;
}

bool WarpLowering::continues_unrolled_pass(std::uint32_t branch, std::uint32_t to) {
    const auto [found, is_new] = loops_.try_emplace(branch);
    Loop& loop = found->second;
    if (is_new) loop.iterations_per_pass = find_unroll_factor(recording_.instructions, branch, to);
    return loop.iterations_per_pass > 1 && ++loop.iterations_done % loop.iterations_per_pass != 0;
}

void WarpLowering::add_instruction(const WarpPath& path, std::size_t k) {
    const Step& step = path.steps[k];
    const Instruction& i = recording_.instructions[step.instruction];
    if (i.is_eliminated && step.accesses == 0) return forward_earlier_access(i);
    const bool jumps_back =
        k + 1 < path.steps.size() && path.steps[k + 1].instruction <= step.instruction;
    if (jumps_back && recording_.spilled_registers > 0) add_spill_accesses();
    const std::uint32_t fetch = fetch_parameter(i, step.instruction);
    Draft& draft = append_draft();
    draft.schedule_position = i.schedule_position;
    Operation& operation = draft.operation;
    operation.dependences.reserve(i.read_registers.size() + 2);
    if (fetch != kNoInstruction) operation.dependences.push_back(fetch);
    for (const std::uint32_t reg : i.read_registers)
        if (const std::uint32_t writer = find_writer(reg); writer != kNoInstruction)
            operation.dependences.push_back(writer);
    if (step.accesses > 0)
        add_access(draft, i, step);
    else if (!add_async_instruction(draft, i))
        add_arithmetic(draft, i, step.instruction);
    const bool accesses_memory = step.accesses > 0;
    if (accesses_memory && step.instruction < branch_target_)
        operation.dependences.push_back(branch_operation_);
    if (is_barrier(i)) {
        operation.kind = Kind::barrier;
        draft.is_scheduling_barrier = true;
    }
    if (i.opcode == "ret" || i.opcode == "exit") {
        const bool ends_path = k + 1 == path.executed_steps;
        if (ends_path) operation.kind = Kind::exit;
        draft.is_scheduling_barrier = draft.ends_iteration = ends_path;
    }
    if (i.opcode == "bra") {
        const bool is_predicated_branch = is_short_branch(i, step.instruction);
        if (is_predicated_branch) {
            branch_operation_ = last_draft_index();
            branch_target_ = i.target;
            const float body_slots =
                predicated_issue_slots(recording_.instructions, step.instruction);
            const bool is_taken =
                k + 1 < path.steps.size() && path.steps[k + 1].instruction >= i.target;
            operation.issue_slots = body_slots == 0 ? kBranchIssueSlots : is_taken ? body_slots : 0;
        }
        draft.ends_iteration = !is_predicated_branch;
    }
    draft.ends_iteration |= jumps_back;
    for (const std::uint32_t reg : i.written_registers) record_writer(reg, last_draft_index());
    if (jumps_back && continues_unrolled_pass(step.instruction, path.steps[k + 1].instruction)) {
        // An unrolled loop tests its condition only once per pass.
        draft.ends_iteration = false;
        operation.issue_slots = 0;
        for (const std::uint32_t reg : i.read_registers)
            if (const std::uint32_t writer = find_writer(reg); writer != kNoInstruction)
                drafts_[writer].operation.issue_slots = 0;
    }
}

/// Reports whether two operations are equal, including the memory ranges that they access.
bool are_same_operation(const Operation& a, const Operation& b) {
    return a.kind == b.kind && a.issue_slots == b.issue_slots && a.passes == b.passes &&
           a.sectors == b.sectors && a.memory_fraction == b.memory_fraction &&
           a.partial_sectors == b.partial_sectors && a.rows == b.rows &&
           a.dependences == b.dependences && a.memory_ranges == b.memory_ranges &&
           a.written_parts == b.written_parts;
}

bool are_same_operation(const Program& a, const Program& b) {
    return a.instructions_per_recorded == b.instructions_per_recorded &&
           std::equal(
               a.operations.begin(), a.operations.end(), b.operations.begin(), b.operations.end(),
               [](const Operation& x, const Operation& y) { return are_same_operation(x, y); });
}

void add_sector_counts(const Program& program, BlockProgram& block) {
    for (const Operation& o : program.operations) {
        const bool is_read =
            o.kind == Kind::load || o.kind == Kind::async_copy || o.kind == Kind::bulk_load;
        (is_read ? block.sectors_read : block.sectors_written) +=
            o.sectors * program.instructions_per_recorded;
        if (o.memory_fraction >= 0) {
            block.table_sectors += o.sectors * program.instructions_per_recorded;
            block.table_sectors_from_memory +=
                o.sectors * o.memory_fraction * program.instructions_per_recorded;
        }
        block.partial_sectors += o.partial_sectors * program.instructions_per_recorded;
        block.partial_sectors_along_row +=
            o.partial_sectors_along_row * program.instructions_per_recorded;
        block.partial_sectors_at_ends +=
            o.partial_sectors_at_ends * program.instructions_per_recorded;
    }
}

std::uint32_t count_operations(const Program& program, Kind kind) {
    std::uint32_t count = 0;
    for (const Operation& o : program.operations) count += o.kind == kind;
    return count;
}

/// Marks a warp's store of partial sectors if it is the warp's only one and touches few lines. Such
/// stores of all warps are combined on their way to the cache, which completes the sectors.
/// (Measured on an H200: stores are combined if each thread of a 16 x 16 block stores 4 bytes once,
/// and a warp stores to 16 lines. They are not combined with 32 lines per warp, or with several
/// stores per thread.)
void mark_simultaneous_stores(Program& program) {
    constexpr std::uint32_t max_half_lines = 16;
    Operation* partial_store = nullptr;
    std::size_t store_count = 0;
    for (Operation& o : program.operations) {
        if (o.written_parts.empty()) continue;
        partial_store = &o;
        ++store_count;
    }
    if (store_count != 1 || partial_store->partial_half_lines > max_half_lines) return;
    partial_store->is_simultaneous = true;
    partial_store->unfinished_sectors = 0;
}

/// Distributes the bulk loads evenly over the waits, because the recording does not show which load
/// signals which mbarrier.
void distribute_bulk_loads_over_waits(BlockProgram& block) {
    for (const std::uint32_t w : block.program_of_warp)
        block.bulk_loads += count_operations(block.programs[w], Kind::bulk_load);
    if (block.bulk_loads == 0) return;
    for (Program& program : block.programs)
        program.loads_per_wait = std::max(
            1u, block.bulk_loads / std::max(1u, count_operations(program, Kind::bulk_wait)));
}

/// Returns the number of steps to use for each warp. If the recordings of some warps end early, the
/// steps of each warp end at the last barrier that all warps have reached. If this would leave out
/// more than half of a warp's steps, because the code between two barriers is long, all of its
/// steps are used.
std::vector<std::size_t> usable_warp_steps(const Recording& recording, const RecordedBlock& block) {
    std::size_t common_barriers = ~std::size_t{0};  ///< barriers that all warps have passed
    std::vector<std::vector<std::size_t>> positions_after_barriers;
    for (const WarpPath& path : block.warps) {
        std::vector<std::size_t>& positions = positions_after_barriers.emplace_back();
        for (std::size_t k = 0; k < path.steps.size(); ++k)
            if (is_barrier(recording.instructions[path.steps[k].instruction]))
                positions.push_back(k + 1);
        if (path.executed_steps > path.steps.size())
            common_barriers = std::min(common_barriers, positions.size());
    }
    std::vector<std::size_t> steps;
    for (std::size_t w = 0; w < block.warps.size(); ++w) {
        const std::size_t step_count = block.warps[w].steps.size();
        const bool ends_at_barrier =
            common_barriers > 0 && common_barriers <= positions_after_barriers[w].size() &&
            2 * positions_after_barriers[w][common_barriers - 1] >= step_count;
        steps.push_back(ends_at_barrier ? positions_after_barriers[w][common_barriers - 1]
                                        : step_count);
    }
    return steps;
}

/// Converts all warps in parallel, step by step, so that a warp can find data in the cache that
/// another warp has requested before.
std::vector<WarpLowering> lower_warps(const Recording& recording, const RecordedBlock& block,
                                      const Tables& tables, const std::vector<std::size_t>& steps,
                                      BlockCacheState& state, double l1_lines_per_warp) {
    std::vector<WarpLowering> warps;
    std::size_t max_step_count = 0;
    for (std::size_t w = 0; w < steps.size(); ++w) {
        warps.emplace_back(recording, block, tables, state, static_cast<std::uint32_t>(w),
                           l1_lines_per_warp);
        max_step_count = std::max(max_step_count, steps[w]);
    }
    for (std::size_t k = 0; k < max_step_count; ++k)
        for (std::size_t w = 0; w < steps.size(); ++w)
            if (k < steps[w]) warps[w].add_step(block.warps[w], k);
    return warps;
}

}  // namespace

BlockProgram build_block_program(const Recording& recording, const RecordedBlock& block,
                                 const Tables& tables, double l1_lines_per_warp) {
    BlockProgram result;
    BlockCacheState state;
    const std::vector<std::size_t> steps = usable_warp_steps(recording, block);
    std::vector<WarpLowering> warps =
        lower_warps(recording, block, tables, steps, state, l1_lines_per_warp);
    for (std::size_t w = 0; w < block.warps.size(); ++w) {
        const WarpPath& path = block.warps[w];
        WarpLowering& warp = warps[w];
        Program program;
        // With exactly this number of registers, some loads wait until registers become free.
        // (Observed in the machine code of the course's kernels and of random kernels.)
        program.operations = schedule_operations(warp.take_drafts(),
                                                 recording.registers >= kRegistersForFullOccupancy);
        mark_simultaneous_stores(program);
        result.uncertain_line_fraction =
            std::max(result.uncertain_line_fraction, warp.uncertain_line_fraction());
        program.instructions_per_recorded =
            steps[w] == 0
                ? 1
                : static_cast<double>(path.executed_steps) / static_cast<double>(steps[w]);
        add_sector_counts(program, result);
        std::uint32_t kind = 0;
        while (kind < result.programs.size() && !are_same_operation(result.programs[kind], program))
            ++kind;
        if (kind == result.programs.size()) result.programs.push_back(std::move(program));
        result.program_of_warp.push_back(kind);
    }
    for (const Access& access : block.accesses)
        result.has_atomics |=
            access.kind == AccessKind::atomic || access.kind == AccessKind::shared_atomic;
    distribute_bulk_loads_over_waits(result);
    result.bytes_per_line = state.partial_lines.bytes_per_line();
    result.lines_left_for_other_blocks = state.partial_lines.lines_left_for_other_blocks();
    return result;
}

}  // namespace coalesce::timing

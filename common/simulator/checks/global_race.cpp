// The shadow of global memory, and the detection of races. See global_race.h for the idea.
//
// Inside  The clock that all blocks share; the shadow; then SlowPath, the slow path, which decides
//         whether two accesses are ordered and handles the whole access of a warp.
// Long: the fast path and the slow path read and write the same bits of a cell, and are checked
// against each other.
#include "simulator/checks/global_race.h"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "simulator/base/options.h"
#include "simulator/checks/access_report.h"

namespace coalesce::simulator {

namespace {

using Cell = GlobalRace::Cell;

constexpr u32 kWordsPerLine = GlobalRace::kLineBytes / kWordBytes;

/// Special values of the shift field, for cells that do not describe an access themselves.
/// kSplitMark: smaller cells describe the accesses to the parts of this cell's memory. kLockedMark:
/// a worker is creating those smaller cells.
constexpr u32 kSplitMark = 7, kLockedMark = 6;
/// The largest value of the shift field for an access, which is the shift for 16 bytes per lane.
constexpr u32 kMaxLaneShift = 4, kMaxLaneBytes = 1 << kMaxLaneShift;
/// A shift so large that all bytes of a cell belong to a single lane.
constexpr u32 kOneLaneShift = 31;

constexpr auto shift_of = cell_field<0, 3>, site_of = cell_field<GlobalRace::kSiteShift, 10>,
               epoch_of = cell_field<GlobalRace::kEpochShift, 10>,
               lane_of = cell_field<GlobalRace::kLaneShift, 5>,
               warp_of = cell_field<GlobalRace::kWarpShift, 5>,
               block_of = cell_field<GlobalRace::kBlockShift, 24>;

/// Returns `cell`, narrowed to the bytes that start at `offset`.
Cell skip_to_byte(Cell cell, u32 offset) {
    return cell + (u64{offset >> shift_of(cell)} << GlobalRace::kLaneShift);
}

}  // namespace

// ---- the clock that all blocks share ----

/// The releases of a block. They determine which of its accesses other blocks can see.
struct GlobalRace::Block::ReleaseHistory {
    /// A release at time `time` of the launch's clock. A warp that acquires at or after that time
    /// sees what `warp` did before `own_visible_before`, and what the block's other warps did
    /// before `others_visible_before`. `own_visible_before` and `others_visible_before` are times
    /// on the block's own clock.
    struct Release {
        u64 time;
        u32 warp;
        u64 own_visible_before, others_visible_before;
        bool has_block_scope;  ///< true if only warps of the same block see the release
        bool includes_access(u32 by_warp, u64 access_time) const {
            return access_time < (by_warp == warp ? own_visible_before : others_visible_before);
        }
    };
    std::mutex mutex;
    std::vector<Release> releases;

    /// The fences of one scope.
    struct ScopeFences {
        struct WarpFences {
            u64 fenced_before = 0;  ///< the time before which this warp's accesses are fenced
            u64 others_fenced_before =
                0;  ///< like `fenced_before`, but for accesses of the block's other warps
            /// The values of `fenced_before` and `others_fenced_before` at the last release.
            u64 released_before = 0, others_released_before = 0;
        } warps[kLanes];
        u64 all_fenced_before = 0;  ///< like `fenced_before`, but for all warps; set by a barrier
        u64 last_fence = 0;
    };
    /// State that is needed only while the block runs.
    struct WarpState {
        u64 acquired_time[kLanes] = {};  ///< the time of each warp's last acquire
        u64 all_acquired_time = 0;  ///< like `acquired_time`, but for all warps; set by a barrier
        /// The fences, indexed by Scope. A fence with device scope is also recorded as a fence with
        /// block scope.
        ScopeFences fences[2];

        void mark_all_fenced() {
            for (ScopeFences& scope_fences : fences)
                scope_fences.all_fenced_before = scope_fences.last_fence;
        }
    };
    std::unique_ptr<WarpState> warp_state = std::make_unique<WarpState>();
};

/// The order of accesses by different warps of one block, as far as barriers have established it. A
/// WarpOrder is created at the first barrier that involves only some of the warps.
struct GlobalRace::Block::WarpOrder {
    /// The accesses that a warp knows: those that are ordered before everything that it does from
    /// now on. A barrier passes the knowledge of each arriving warp to the warps that wait at it.
    struct Knowledge {
        /// for each warp, the time before which its accesses are known
        std::array<u64, kLanes> known_before{};
        /// the time up to which the releases of other blocks are known
        u64 acquired_time = 0;

        void merge_knowledge(const Knowledge& other) {
            for (u32 v = 0; v < kLanes; ++v)
                known_before[v] = std::max(known_before[v], other.known_before[v]);
            acquired_time = std::max(acquired_time, other.acquired_time);
        }
    };
    std::array<Knowledge, kLanes> knowledge_of_warps;
    std::unordered_map<u64, Knowledge>
        /// for each barrier or mbarrier, the knowledge of the warps that have arrived
        arrived_knowledge;
};

/// Block indices beyond the end of the grid. A block that has used up its epochs continues under
/// one of these indices.
struct GlobalRace::Renumberings {
    mutable std::shared_mutex mutex;
    u64 first_new_index = 0;  ///< the first index beyond the grid's blocks
    struct Renumbering {
        u64 block, epoch_rounds;
    };
    std::vector<Renumbering> entries;

    void clear(u64 blocks) {
        first_new_index = blocks;
        entries.clear();
    }
    /// Returns the index under which the block continues, or kNoBlock if no index is left.
    u64 add(Renumbering renumbering) {
        const std::unique_lock lock(mutex);
        const u64 block_index = first_new_index + entries.size();
        if (block_index >= kNoBlock) return kNoBlock;
        entries.push_back(renumbering);
        return block_index;
    }
    Renumbering find(u64 block_index) const {
        if (block_index < first_new_index) return {block_index, 0};
        const std::shared_lock lock(mutex);
        return block_index - first_new_index < entries.size()
                   ? entries[block_index - first_new_index]
                   : Renumbering{block_index, 0};
    }
};

struct GlobalRace::ReleaseClock {
    std::atomic<u64> release_count{0};  ///< number of releases so far
    struct Shard {
        std::mutex mutex;
        std::unordered_map<u64, std::unique_ptr<Block::ReleaseHistory>> history_of_block;
    };
    Shard shards[64];

    Shard& find_shard(u64 block) { return shards[block % std::size(shards)]; }
    void clear() {
        release_count = 0;
        for (Shard& shard : shards) shard.history_of_block.clear();
    }
    Block::ReleaseHistory* find(u64 block) {
        Shard& shard = find_shard(block);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.history_of_block.find(block);
        return found == shard.history_of_block.end() ? nullptr : found->second.get();
    }
    Block::ReleaseHistory& get_or_create_history(Block& block) {
        if (block.release_history == nullptr) {
            Shard& shard = find_shard(block.block_index);
            const std::lock_guard lock(shard.mutex);
            auto& release_history = shard.history_of_block[block.block_index];
            if (!release_history) release_history = std::make_unique<Block::ReleaseHistory>();
            block.release_history = release_history.get();
        }
        return *block.release_history;
    }
};

// ---- the shadow ----

template <class F>
void GlobalRace::for_each_shadow(F use_array) {
    for (const Level level : {kLines, kWords, kBytes})
        for (Cells& cells : shadow_[level]) use_array(cells, capacity_ / kBytesPerCell[level]);
}

GlobalRace::GlobalRace(u64 capacity)
    : capacity_(round_up(capacity, kLineBytes * 128)),
      release_clock_(std::make_unique<ReleaseClock>()),
      renumberings_(std::make_unique<Renumberings>()) {
    for_each_shadow(
        [this](Cells& cells, u64 count) { has_shadow_ = has_shadow_ && cells.reserve(count); });
}

GlobalRace::~GlobalRace() = default;

/// Makes every cell stale by using a new stamp. A cell has few bits for its stamp, so after the
/// last stamp has been used, all cells are cleared.
void GlobalRace::use_new_stamp() {
    if (++stamp_ > kMaxStamp) {
        for_each_shadow([](Cells& cells, u64) { cells.clear(); });
        stamp_ = 1;
    }
    stamp_bits_ = u64{stamp_} << kStampShift;
}

// ---- a launch ----

void GlobalRace::begin_launch(const Kernel& kernel, Dim3 grid, Dim3 block,
                              const AllocationTable& allocations, bool is_cooperative) {
    allocations_ = &allocations;
    ignores_read_only_ = false;
    had_unexpected_write_ = false;
    log_.begin_launch(kernel, grid, block, is_cooperative);
    release_clock_->clear();
    renumberings_->clear(grid.count());
    if (has_shadow_) use_new_stamp();

    Report report;
    report.check = "globalrace";
    report.kind = "not checked";
    report.kernel = kernel.display_name;
    if (!has_shadow_) {
        report.message = "The system refused to reserve the address space that this check needs.";
        report.cure =
            "Raise the limit (ulimit -v), or give the device less memory: COALESCE_SIM_MEMORY=4G.";
        reports().add(report);
    } else if (grid.count() > kNoBlock) {
        report.message = "The grid has more than " + std::to_string(kNoBlock) +
                         " blocks; blocks beyond this number are not checked for races.";
        report.cure = "Check a smaller grid of the same kernel.";
        reports().add(report);
    }
}

void GlobalRace::expect_writes(std::vector<const Allocation*> allocations) {
    writable_allocations_ = std::move(allocations);
    ignores_read_only_ = true;
}

bool GlobalRace::is_read_only(const Allocation& allocation) const {
    return ignores_read_only_ &&
           std::find(writable_allocations_.begin(), writable_allocations_.end(), &allocation) ==
               writable_allocations_.end();
}

/// Reports the store if it writes to a read-only allocation. `address` is the address that one of
/// its lanes writes. Otherwise, remembers the allocation as the one that the block writes.
void GlobalRace::check_allocation_is_writable(const Block& block, u32 site, u64 address) {
    const Allocation* found = allocations_->find(address);
    if (found == nullptr) return;
    if (!is_read_only(*found)) {
        block.writable_begin = found->begin;
        block.writable_end = found->end;
        return;
    }
    if (had_unexpected_write_.exchange(true)) return;
    Report report;
    report.check = "globalrace";
    report.kind = "not checked";
    const Kernel& kernel = log_.kernel();
    report.kernel = kernel.display_name;
    if (site < kernel.sites.size()) report.where = kernel.place(kernel.sites[site].where);
    report.block = log_.block_index(block.block_index);
    report.message =
        "Stores to " + describe_address(address, *allocations_) +
        ", through an address computed from a pointer to another allocation. Races between "
        "this store and earlier reads of this memory in the same launch were not checked.";
    report.cure = "Launch the kernel again: these races are checked in the next launch.";
    reports().add(report);
}

void GlobalRace::add_accessed_ranges(u64 begin, u64 end, AccessedRanges& ranges) const {
    if (!has_shadow_) return;
    const Cell split_marker = stamp_bits_ | kNoBlock << kBlockShift | kSplitMark;
    std::unordered_map<u32, u32> place_of_site;  // maps a site to its index in the result
    // Neighbouring cells usually have the same site.
    u32 last_site = ~0u, last_place = 0;
    const auto find_place = [&](u32 site) {
        const auto [found, is_new] = place_of_site.try_emplace(site, 0);
        const Kernel& kernel = log_.kernel();
        if (is_new && site < kernel.sites.size())
            found->second = ranges.add_place(kernel.place(kernel.sites[site].where));
        return found->second;
    };
    const auto place_of = [&](u32 site) {
        if (site != last_site) last_place = find_place(site);
        last_site = site;
        return last_place;
    };
    const auto add_cell = [&](Role role, Cell cell, u64 first_address, u64 bytes) {
        const bool is_strong = cell & kStrongBit;
        if (role == kRead && is_strong) return;
        ranges.add(role == kRead ? AccessedRanges::kReads
                   : is_strong   ? AccessedRanges::kAtomics
                                 : AccessedRanges::kWrites,
                   std::max(begin, first_address), std::min(end, first_address + bytes),
                   place_of(site_of(cell)));
    };
    // Adds the bytes of one cell, or of the smaller cells into which it was split.
    const auto visit_cell = [&](const auto& visit_self, u32 level, Role role, u64 first_address,
                                u64 index) -> void {
        const Cell cell = load(shadow_[level][role][index]);
        const u64 bytes = kBytesPerCell[level];
        if (!is_live(cell) || first_address >= end || first_address + bytes <= begin) return;
        if (level == kBytes || cell != split_marker)
            return add_cell(role, cell, first_address, bytes);
        const u64 part_count = bytes / kBytesPerCell[level + 1];
        for (u64 i = 0; i < part_count; ++i)
            visit_self(visit_self, level + 1, role, first_address + i * kBytesPerCell[level + 1],
                       index * part_count + i);
    };
    for (const Role role : {kWrite, kRead})
        for (u64 line = (begin - device_base()) / kLineBytes;
             device_base() + line * kLineBytes < end; ++line) {
            const u64 index = permute_line_index(line);
            // Most launches write only a part of an allocation.
            if (is_live(load(shadow_[kLines][role][index])))
                visit_cell(visit_cell, kLines, role, device_base() + line * kLineBytes, index);
        }
}

void GlobalRace::end_launch() {
    log_.end_launch();
    release_clock_->clear();
}

void GlobalRace::begin_block(Block& block, u64 block_index, StoreInFlight* store_in_flight) const {
    block = Block{};
    block.store_in_flight = store_in_flight;
    block.block_index = block_index;
    block.cell_bits = block_index << kBlockShift;
    block.is_checked = has_shadow_ && block_index < kNoBlock;
}

void GlobalRace::end_block(Block& block) {
    if (block.release_history != nullptr) block.release_history->warp_state.reset();
    block.release_history = nullptr;
    block.warp_order.reset();
}

// ---- barriers and fences, which order accesses ----

/// Starts a new epoch of the block, which distinguishes later accesses of the block from earlier
/// ones.
void GlobalRace::begin_epoch(Block& block) {
    const u64 epoch = (block.time + 1) % kMaxEpoch, epoch_rounds = (block.time + 1) / kMaxEpoch;
    if (!block.is_checked) return;
    if (epoch == 0 && !renumber_block(block, epoch_rounds)) return;
    ++block.time;
    block.cell_bits = (block.cell_bits & ~(u64{kMaxEpoch} << kEpochShift)) | epoch << kEpochShift;
}

/// Gives the block a new index, because the epochs of its current index are used up. If no index is
/// left, as can happen in a very large grid, returns false and leaves the block in an epoch that
/// never ends, in which accesses count as ordered with all others.
bool GlobalRace::renumber_block(Block& block, u64 epoch_rounds) {
    const u64 block_index = renumberings_->add({block.block_index, epoch_rounds});
    if (block_index == kNoBlock) {
        block.cell_bits |= u64{kMaxEpoch} << kEpochShift;
        return false;
    }
    block.cell_bits = block_index << kBlockShift;
    return true;
}

GlobalRace::AccessTime GlobalRace::find_access_time(Cell cell) const {
    const Renumberings::Renumbering found = renumberings_->find(block_of(cell));
    return {found.block, found.epoch_rounds * kMaxEpoch + epoch_of(cell)};
}

void GlobalRace::complete_block_barrier(Block& block) {
    begin_epoch(block);
    block.last_barrier = block.last_barrier_of_any_kind = block.time;
    if (block.release_history == nullptr) return;
    // After the barrier, all warps share everything that any of them had acquired or fenced.
    auto& warp_state = *block.release_history->warp_state;
    for (const u64 time : warp_state.acquired_time)
        warp_state.all_acquired_time = std::max(warp_state.all_acquired_time, time);
    warp_state.mark_all_fenced();
}

namespace {

GlobalRace::Block::WarpOrder& get_or_create_warp_order(GlobalRace::Block& block) {
    if (!block.warp_order) block.warp_order = std::make_shared<GlobalRace::Block::WarpOrder>();
    return *block.warp_order;
}

/// Returns the warp's current knowledge, including all of its own accesses.
GlobalRace::Block::WarpOrder::Knowledge collect_knowledge(GlobalRace::Block& block, u32 warp) {
    auto warp_knowledge = get_or_create_warp_order(block).knowledge_of_warps[warp];
    warp_knowledge.known_before[warp] = block.time;
    if (block.release_history != nullptr)
        warp_knowledge.acquired_time = std::max(
            warp_knowledge.acquired_time, block.release_history->warp_state->acquired_time[warp]);
    return warp_knowledge;
}

void add_knowledge(GlobalRace::Block& block, u32 warp,
                   const GlobalRace::Block::WarpOrder::Knowledge& knowledge) {
    get_or_create_warp_order(block).knowledge_of_warps[warp].merge_knowledge(knowledge);
    block.last_barrier_of_any_kind = block.time;
    if (block.release_history != nullptr) block.release_history->warp_state->mark_all_fenced();
}

}  // namespace

void GlobalRace::record_arrival(Block& block, u64 sync_object, u32 warp) {
    if (!block.is_checked) return;
    begin_epoch(block);
    get_or_create_warp_order(block).arrived_knowledge[sync_object].merge_knowledge(
        collect_knowledge(block, warp));
}

void GlobalRace::complete_partial_barrier(Block& block, u32 id, Mask waiting_warps) {
    if (!block.is_checked) return;
    begin_epoch(block);
    auto& joined_knowledge = get_or_create_warp_order(block).arrived_knowledge[id];
    for (Mask remaining_warps = waiting_warps; remaining_warps;
         remaining_warps &= remaining_warps - 1)
        joined_knowledge.merge_knowledge(
            collect_knowledge(block, static_cast<u32>(std::countr_zero(remaining_warps))));
    for (Mask remaining_warps = waiting_warps; remaining_warps;
         remaining_warps &= remaining_warps - 1)
        add_knowledge(block, static_cast<u32>(std::countr_zero(remaining_warps)), joined_knowledge);
    get_or_create_warp_order(block).arrived_knowledge.erase(id);
}

void GlobalRace::record_phase_end(Block& block, u32 address) {
    if (!block.is_checked) return;
    auto& arrived_knowledge = get_or_create_warp_order(block).arrived_knowledge;
    const auto joined_knowledge = arrived_knowledge[kFirstMbarrier + address];
    arrived_knowledge[kFirstPhase + address].merge_knowledge(joined_knowledge);
}

void GlobalRace::record_mbarrier_wait(Block& block, u32 address, u32 warp) {
    if (!block.is_checked) return;
    auto& arrived_knowledge = get_or_create_warp_order(block).arrived_knowledge;
    const auto joined_knowledge = arrived_knowledge.find(kFirstPhase + address);
    if (joined_knowledge != arrived_knowledge.end())
        add_knowledge(block, warp, joined_knowledge->second);
}

u64 GlobalRace::record_copy_issue(Block& block) {
    begin_epoch(block);
    return block.time;
}

void GlobalRace::record_copy_completion(Block& block, u32 mbarrier, u32 warp, u64 issue_time) {
    if (!block.is_checked) return;
    u64& known_time = get_or_create_warp_order(block)
                          .arrived_knowledge[kFirstMbarrier + mbarrier]
                          .known_before[warp];
    known_time = std::max(known_time, issue_time);
}

void GlobalRace::record_fence(Block& block, u32 warp, Scope scope) {
    if (!block.is_checked) return;
    auto& warp_state = *release_clock_->get_or_create_history(block).warp_state;
    begin_epoch(block);
    for (u32 reached_scope = 0; reached_scope <= static_cast<u32>(scope); ++reached_scope) {
        auto& fences = warp_state.fences[reached_scope];
        fences.last_fence = block.time;
        fences.warps[warp].fenced_before = block.time;
        fences.warps[warp].others_fenced_before = block.last_barrier_of_any_kind;
    }
}

void GlobalRace::acquire(Block& block, u32 warp) {
    // If nothing has been released yet, there is nothing to acquire.
    const u64 release_count = release_clock_->release_count.load(std::memory_order_acquire);
    if (release_count == 0 || !block.is_checked) return;
    release_clock_->get_or_create_history(block).warp_state->acquired_time[warp] = release_count;
}

/// Publishes the accesses that precede the last fence of each scope up to `widest_scope`, which is
/// the scope of the publishing access.
void GlobalRace::release(Block& block, u32 warp, Scope widest_scope) {
    if (block.release_history == nullptr) return;  // no fence, nothing to publish
    Block::ReleaseHistory& release_history = *block.release_history;
    u64 wider_own_time = 0, wider_others_time = 0;  // times already published with a wider scope
    for (u32 scope_index = static_cast<u32>(widest_scope) + 1; scope_index-- > 0;) {
        auto& fences = release_history.warp_state->fences[scope_index];
        auto& warp_fences = fences.warps[warp];
        const u64 own_visible_before =
            std::max(warp_fences.fenced_before, fences.all_fenced_before);
        const u64 others_visible_before =
            std::max(warp_fences.others_fenced_before, fences.all_fenced_before);
        if (own_visible_before == warp_fences.released_before &&
            others_visible_before == warp_fences.others_released_before)
            continue;  // already released
        warp_fences.released_before = own_visible_before;
        warp_fences.others_released_before = others_visible_before;
        if (own_visible_before <= wider_own_time && others_visible_before <= wider_others_time)
            continue;
        wider_own_time = own_visible_before;
        wider_others_time = others_visible_before;
        const std::lock_guard lock(release_history.mutex);
        const u64 time = release_clock_->release_count.fetch_add(1, std::memory_order_acq_rel) + 1;
        release_history.releases.push_back({time, warp, own_visible_before, others_visible_before,
                                            static_cast<Scope>(scope_index) == Scope::block});
    }
}

// ---- the slow path: one access of one warp ----

struct GlobalRace::SlowPath {
    GlobalRace& race;
    const Block& block;
    // Offsets are relative to device_base(). They are permuted (see permute_line_index), because
    // they select cells.
    const Cell warp_cell;  ///< this warp's cell, before lane and shift are set
    const bool is_write;
    const StoredValue* value;  ///< the value of a store, otherwise null
    const u32 bytes_per_lane;
    const u64* const addresses = nullptr;  ///< see WarpStore
    const u64 first_address = 0;           ///< see WarpStore

    static u64 permute_offset(u64 offset) {
        return permute_line_index(offset / kLineBytes) * kLineBytes + offset % kLineBytes;
    }
    Cell split_mark() const { return make_mark(kSplitMark); }
    Cell make_mark(u32 shift) const { return race.stamp_bits_ | kNoBlock << kBlockShift | shift; }
    bool is_live(Cell cell) const { return race.is_live(cell); }
    bool is_split(Cell cell) const { return cell == split_mark(); }
    Cell make_cell_for_lane(u32 lane, u32 shift) const {
        return warp_cell | u64{lane} << kLaneShift | shift;
    }

    // -- are two accesses ordered? --

    /// Reports whether the access that `earlier` describes is ordered before this access.
    bool is_ordered(Cell earlier) const {
        if (!is_by_other_warp(earlier, warp_cell) || epoch_of(earlier) == kMaxEpoch) return true;
        const AccessTime access_time = race.find_access_time(earlier);
        return (access_time.block == block.block_index &&
                is_ordered_in_block(warp_of(earlier), access_time.time)) ||
               is_published(access_time, warp_of(earlier));
    }

    /// Reports whether an access by the same block is ordered before this access. `warp` is the
    /// warp that made that access: another warp, or this one while its block had a different index.
    bool is_ordered_in_block(u32 warp, u64 time) const {
        if (time < block.last_barrier || warp == warp_of(warp_cell)) return true;
        return block.warp_order != nullptr &&
               time < block.warp_order->knowledge_of_warps[warp_of(warp_cell)].known_before[warp];
    }

    /// Reports whether the access was released by its block and then acquired by this warp.
    bool is_published(AccessTime access_time, u32 warp) const {
        const u64 acquired = acquired_time();
        if (acquired == 0) return false;
        Block::ReleaseHistory* release_history = race.release_clock_->find(access_time.block);
        if (release_history == nullptr) return false;
        const std::lock_guard lock(release_history->mutex);
        return std::any_of(
            release_history->releases.begin(), release_history->releases.end(),
            [&](const auto& release) {
                return release.time <= acquired &&
                       release.includes_access(warp, access_time.time) &&
                       (!release.has_block_scope || access_time.block == block.block_index);
            });
    }

    /// Returns the time of the latest release that this warp has acquired.
    u64 acquired_time() const {
        u64 acquired = block.warp_order != nullptr
                           ? block.warp_order->knowledge_of_warps[warp_of(warp_cell)].acquired_time
                           : 0;
        if (block.release_history == nullptr) return acquired;
        const auto& warp_state = *block.release_history->warp_state;
        return std::max(
            {acquired, warp_state.acquired_time[warp_of(warp_cell)], warp_state.all_acquired_time});
    }

    /// Reports whether two accesses are both strong and within each other's scope, and therefore
    /// cannot race. Block scope does not include other blocks.
    bool are_both_synchronizing(Cell earlier, Cell own_cell) const {
        if ((earlier & own_cell & kStrongBit) == 0) return false;
        if (!race.has_block_scope(site_of(earlier)) && !race.has_block_scope(site_of(own_cell)))
            return true;
        return find_block_of_cell(earlier) == find_block_of_cell(own_cell);
    }

    /// Checks this access against the earlier access in a cell, and reports a race if the accesses
    /// conflict. Both cells begin with the byte at `offset`; `own_cell` contains the lane and shift
    /// for that byte.
    void check_against(Cell earlier, Cell own_cell, u64 offset, u32 bytes,
                       bool earlier_wrote) const {
        if (!is_by_other_warp(earlier, own_cell) || are_both_synchronizing(earlier, own_cell) ||
            is_ordered(earlier))
            return;
        const std::optional<u32> differing_byte =
            earlier_wrote ? find_first_difference(earlier, own_cell, offset, bytes)
                          : find_first_change(own_cell, offset, bytes);
        // A store of the value that memory already contains does no harm in this run.
        if (!differing_byte && !options().checks.reports_equal_values) return;
        const u32 byte = differing_byte.value_or(0);
        report_collision(skip_to_byte(earlier, byte), skip_to_byte(own_cell, byte), offset + byte,
                         earlier_wrote, !differing_byte);
    }

    /// Returns the first of the `bytes` bytes at which this access may write a value other than
    /// the one that the earlier store wrote.
    std::optional<u32> find_first_difference(Cell earlier, Cell own_cell, u64 offset,
                                             u32 bytes) const {
        const std::optional<u32> first_changed_byte = find_first_change(own_cell, offset, bytes);
        if (!first_changed_byte || !has_value() || block.store_in_flight == nullptr)
            return first_changed_byte;
        // Memory may not contain the values of the earlier store yet.
        const WarpStore own_store{&race,  block.block_index, warp_of(warp_cell), bytes_per_lane,
                                  *value, addresses,         first_address};
        const StoreInFlight::StorePause pause(*block.store_in_flight, own_store);
        const WarpStore* const waiting_store =
            pause.find_waiting_store(&race, find_block_of_cell(earlier), warp_of(earlier));
        if (waiting_store == nullptr) return find_first_change(own_cell, offset, bytes);
        for (u32 i = 0; i < bytes; ++i) {
            const u64 address = device_base() + permute_offset(offset + i);
            const u32 lane = lane_of(skip_to_byte(earlier, i));
            // An earlier store of the waiting warp, which it has finished, wrote this byte.
            if (!waiting_store->writes_to(lane, address))
                return find_first_change(own_cell, offset, bytes);
            if (waiting_store->byte_at(lane, address) !=
                own_store.byte_at(lane_of(skip_to_byte(own_cell, i)), address))
                return i;
        }
        return std::nullopt;
    }

    bool has_value() const { return value != nullptr && value->copy_lane_value != nullptr; }

    /// Returns the offset of the first byte at which this access has an effect that another access
    /// could notice. Returns nothing if a store only repeats what the `bytes` bytes contain.
    std::optional<u32> find_first_change(Cell own_cell, u64 offset, u32 bytes) const {
        if (!has_value()) return 0;
        const u8* memory = host_pointer(offset);
        if (memory == nullptr) return 0;
        for (u32 i = 0; i < bytes; i += std::min(bytes_per_lane, bytes)) {
            // The bytes of each lane begin at a multiple of bytes_per_lane.
            const u32 bytes_before = (offset + i) % bytes_per_lane;
            if (value->changes_memory(lane_of(skip_to_byte(own_cell, i)), memory + i - bytes_before,
                                      bytes_per_lane))
                return i;
        }
        return std::nullopt;
    }

    const u8* host_pointer(u64 offset) const {
        const u64 address = device_base() + permute_offset(offset);
        const Allocation* allocation = race.allocations_->find(address);
        return allocation == nullptr
                   ? nullptr
                   : reinterpret_cast<const u8*>(address + allocation->host_offset);
    }

    RaceAccess make_race_access(Cell cell) const {
        const u32 site = site_of(cell);
        return {.site = site == kUnknownSite ? RaceAccess::kUnknownSite : site,
                .block = find_block_of_cell(cell),
                .thread = warp_of(cell) * kLanes + lane_of(cell)};
    }

    /// Reports a race. Blocks run in no particular order, so the block with the lower index counts
    /// as the earlier block. This makes the report independent of the number of workers.
    void report_collision(Cell earlier, Cell own_cell, u64 offset, bool earlier_wrote,
                          bool writes_equal_values) const {
        const bool needs_swap = find_block_of_cell(earlier) > find_block_of_cell(own_cell);
        const RaceKind kind = needs_swap ? find_race_kind(is_write, earlier_wrote)
                                         : find_race_kind(earlier_wrote, is_write);
        if (needs_swap) std::swap(earlier, own_cell);
        report_race(kind, make_race_access(own_cell), make_race_access(earlier),
                    RaceCause::unordered, offset, writes_equal_values);
    }

    void report_race(RaceKind kind, RaceAccess later, RaceAccess earlier, RaceCause cause,
                     u64 offset, bool writes_equal_values = false) const {
        if (race.log_.count_if_known(kind, later, earlier)) return;
        const u64 address = device_base() + permute_offset(offset);
        race.log_.add({kind, later, earlier, cause, address,
                       describe_address(address, *race.allocations_), writes_equal_values});
    }

    // -- splitting cells: lines into words, words into bytes --

    /// Waits until no other worker is splitting the cell, and returns the cell.
    Cell wait_until_unlocked(const Cell& cell) const {
        Cell current_cell = load(cell);
        while (current_cell == make_mark(kLockedMark)) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
            current_cell = load(cell);
        }
        return current_cell;
    }

    /// Copies the contents of the cell at `index` to the smaller cells, and marks the cell as
    /// split. The two arrays of reads are split together, under the lock of the first one.
    void split_cell(Level level, u64 index, bool is_for_reads) const {
        const Cells *coarse_cells = race.shadow_[level], *fine_cells = race.shadow_[level + 1];
        const u32 part_bytes = kBytesPerCell[level + 1],
                  part_count = kBytesPerCell[level] / part_bytes;
        Cell& cell = coarse_cells[is_for_reads ? kRead : kWrite][index];
        Cell old_cell = wait_until_unlocked(cell);
        while (!is_split(old_cell) &&
               !std::atomic_ref(cell).compare_exchange_weak(old_cell, make_mark(kLockedMark))) {
            old_cell = wait_until_unlocked(cell);
        }
        if (is_split(old_cell)) return;
        if (is_live(old_cell)) {
            const auto copy_to_parts = [&](Cell coarse_cell, Role role) {
                for (u32 i = 0; i < part_count; ++i) {
                    store(fine_cells[role][index * part_count + i],
                          is_live(coarse_cell)
                              ? narrow_to_part(coarse_cell, i * part_bytes, part_bytes)
                              : 0);
                }
            };
            copy_to_parts(old_cell, is_for_reads ? kRead : kWrite);
            if (is_for_reads) copy_to_parts(load(coarse_cells[kSecondRead][index]), kSecondRead);
        }
        std::atomic_ref(cell).store(split_mark(), std::memory_order_release);
    }
    static Cell narrow_to_part(Cell coarse_cell, u32 offset, u32 part_bytes) {
        const u32 shift = std::min<u32>(shift_of(coarse_cell), std::countr_zero(part_bytes));
        return (skip_to_byte(coarse_cell, offset) & ~Cell{7}) | shift;
    }

    // -- checking against earlier accesses --

    /// Checks this access against the earlier writes (or, if `is_for_reads` is true, the earlier
    /// reads) recorded in cells of this level and in smaller cells. The access covers the line,
    /// word or byte of `bytes` bytes at `offset`.
    void check_against_cells(Level level, u64 offset, u32 bytes, Cell own_cell,
                             bool is_for_reads) const {
        const Cells* cells = race.shadow_[level];
        const u64 index = offset / kBytesPerCell[level];
        const Role first_role = is_for_reads ? kRead : kWrite,
                   last_role = is_for_reads ? kSecondRead : kWrite;
        const Cell line_cell = wait_until_unlocked(cells[first_role][index]);
        if (!is_live(line_cell)) return;
        if (is_split(line_cell)) {
            const u32 step = std::min(bytes, kBytesPerCell[level + 1]);
            for (u32 i = 0; i < bytes; i += step)
                check_against_cells(finer_level(level), offset + i, step,
                                    narrow_to_part(own_cell, i, step), is_for_reads);
            return;
        }
        for (u32 role = first_role; role <= last_role; ++role) {
            const Cell cell = role == first_role ? line_cell : load(cells[role][index]);
            if (!is_live(cell)) continue;
            check_against(narrow_to_part(cell, offset % kBytesPerCell[level], bytes), own_cell,
                          offset, bytes, !is_for_reads);
        }
    }

    /// Returns the last write to the byte at `offset`, as a cell for only that byte. If no write is
    /// recorded, returns a stale cell.
    Cell find_last_write(u64 offset) const {
        for (const Level level : {kLines, kWords, kBytes}) {
            const Cell cell =
                wait_until_unlocked(race.shadow_[level][kWrite][offset / kBytesPerCell[level]]);
            if (is_split(cell)) continue;
            return is_live(cell) ? skip_to_byte(cell, offset % kBytesPerCell[level]) : cell;
        }
        return 0;
    }

    // -- recording this access --

    static Level finer_level(Level level) {
        return static_cast<Level>(level + 1);
    }
    /// Records the access in a cell of this level, or in smaller cells if that cell is split.
    void record_access(Level level, u64 offset, Cell own_cell) const {
        for (u32 coarser_level = kLines; coarser_level < level; ++coarser_level)
            split_cell(static_cast<Level>(coarser_level), offset / kBytesPerCell[coarser_level],
                       !is_write);
        const Cells* cells = race.shadow_[level];
        const u64 index = offset / kBytesPerCell[level];
        if (is_write) return store(cells[kWrite][index], own_cell);
        if (level == kBytes || !is_split(wait_until_unlocked(cells[kRead][index])))
            return record_read(cells, index, own_cell);
        const u32 step = kBytesPerCell[level + 1];
        for (u32 i = 0; i < kBytesPerCell[level]; i += step)
            record_access(finer_level(level), offset + i, narrow_to_part(own_cell, i, step));
    }

    /// Keeps two reads that are not ordered with each other, from different blocks if possible. A
    /// later write that is ordered after only one of them is then still reported.
    void record_read(const Cells* cells, u64 index, Cell own_cell) const {
        Cell& first_read = cells[kRead][index];
        Cell& second_read = cells[kSecondRead][index];
        const Cell first_cell = load(first_read);
        if (!is_by_other_warp(first_cell, warp_cell)) return store(first_read, own_cell);
        const Cell second_cell = load(second_read);
        // Two different blocks have already read these bytes, as is usual for an input that all
        // blocks read.
        const bool is_read_by_two_blocks =
            is_live(second_cell) &&
            find_block_of_cell(first_cell) != find_block_of_cell(second_cell);
        if (is_read_by_two_blocks && !is_from_own_block(first_cell) &&
            !is_from_own_block(second_cell) && block.release_history == nullptr)
            return;
        if (is_ordered(first_cell)) return store(first_read, own_cell);
        if (!is_live(second_cell) || is_ordered(second_cell) ||
            (!is_read_by_two_blocks && !is_from_own_block(first_cell)))
            store(second_read, own_cell);
    }
    bool is_from_own_block(Cell cell) const {
        return find_block_of_cell(cell) == block.block_index;
    }
    /// Returns the index in the grid of the block that made the cell's access.
    u64 find_block_of_cell(Cell cell) const {
        return race.find_access_time(cell).block;
    }

    // -- splitting a warp's access --

    void check_and_record(Level level, u64 offset, Cell own_cell) const {
        check_against_cells(kLines, offset, kBytesPerCell[level], own_cell, false);
        if (is_write) check_against_cells(kLines, offset, kBytesPerCell[level], own_cell, true);
        record_access(level, offset, own_cell);
    }

    /// A run of consecutive active lanes that access consecutive bytes, from `begin` to `end`.
    /// `lane` is the first of these lanes.
    struct LaneRun {
        u64 begin, end;
        u32 lane;
        u32 shift;  ///< byte b of the run belongs to lane `lane` + (b >> shift)
    };

    void check_and_record_in_run(const LaneRun& run, Level level, u64 offset) const {
        const u32 lane = run.lane + static_cast<u32>((offset - run.begin) >> run.shift);
        const u32 shift = std::min<u32>(run.shift, std::countr_zero(kBytesPerCell[level]));
        check_and_record(level, permute_offset(offset), make_cell_for_lane(lane, shift));
    }

    void check_run(const LaneRun& lane_run) const {
        for (u64 at = lane_run.begin; at < lane_run.end;) {
            const u64 remaining_bytes = lane_run.end - at;
            if (at % kLineBytes == 0 && remaining_bytes >= kLineBytes &&
                lane_run.shift <= kMaxLaneShift) {
                check_and_record_in_run(lane_run, kLines, at);
                at += kLineBytes;
            } else if (at % kWordBytes == 0 && remaining_bytes >= kWordBytes) {
                const u32 count = static_cast<u32>(
                    std::min(remaining_bytes, kLineBytes - at % kLineBytes) / kWordBytes);
                if (!try_check_words(lane_run, at, count)) {
                    for (u32 i = 0; i < count; ++i)
                        check_and_record_in_run(lane_run, kWords, at + i * kWordBytes);
                }
                at += count * kWordBytes;
            } else {
                check_and_record_in_run(lane_run, kBytes, at++);
            }
        }
    }

    /// Returns the shift that converts a byte's offset in a run to its lane.
    u32 find_lane_shift() const {
        return std::has_single_bit(bytes_per_lane) && bytes_per_lane <= kMaxLaneBytes
                   ? std::countr_zero(bytes_per_lane)
                   : kOneLaneShift;
    }

    /// Handles an access by 32 active lanes with consecutive addresses as a single run. Unlike
    /// try_read_lines, does not require whole lines. Returns false for all other accesses.
    bool try_check_row(const GlobalAccess& access) const {
        if (access.active != kAllLanes || find_lane_shift() == kOneLaneShift) return false;
        const u64 first_address = access.addresses[0];
        u64 address_difference = 0;
        for (u64 l = 0; l < kLanes; ++l)
            address_difference |= access.addresses[l] ^ (first_address + l * bytes_per_lane);
        if (address_difference != 0) return false;
        const u64 begin = first_address - device_base();
        if (begin < race.capacity_)
            check_run({begin, begin + bytes_per_lane * kLanes, 0, find_lane_shift()});
        return true;
    }

    /// Splits an access into runs and handles each run.
    void check_runs(const GlobalAccess& access) const {
        const u32 shift = find_lane_shift();
        for (Mask remaining_lanes = access.active; remaining_lanes;) {
            const u32 first_lane = std::countr_zero(remaining_lanes);
            const u64 begin = access.addresses[first_lane];
            u64 end = begin + bytes_per_lane;
            u32 last_lane = first_lane;
            remaining_lanes &= remaining_lanes - 1;
            while (last_lane + 1 < kLanes && (remaining_lanes >> (last_lane + 1) & 1) &&
                   access.addresses[last_lane + 1] == end && shift != kOneLaneShift) {
                ++last_lane;
                end += bytes_per_lane;
                remaining_lanes &= remaining_lanes - 1;
            }
            // If many lanes have the same address, as in a broadcast, the first lane stands for all
            // of them.
            while (last_lane == first_lane && remaining_lanes &&
                   access.addresses[std::countr_zero(remaining_lanes)] == begin) {
                remaining_lanes &= remaining_lanes - 1;
            }
            if (begin - device_base() >= race.capacity_) continue;  // host memory has no shadow
            check_run({begin - device_base(), end - device_base(), first_lane, shift});
        }
    }

    /// Handles words within one line in the usual case: no other warp has written the words or, if
    /// this access is a write, read them. Returns false if the slow path is needed.
    bool try_check_words(const LaneRun& run, u64 offset, u32 count) const {
        const u64 line = permute_line_index(offset / kLineBytes);
        const u64 first_word = line * kWordsPerLine + offset % kLineBytes / kWordBytes;
        const Cell line_read_cell = load(race.shadow_[kLines][kRead][line]);
        if (may_be_accessed_by_others(load(race.shadow_[kLines][kWrite][line]), kWrite, first_word,
                                      count))
            return false;
        if (is_write && may_be_accessed_by_others(line_read_cell, kRead, first_word, count))
            return false;
        if (is_write && is_live(line_read_cell) && has_second_reader(line, first_word, count))
            return false;
        split_cell(kLines, line, !is_write);
        Cell* cells = &race.shadow_[kWords][is_write ? kWrite : kRead][first_word];
        const Cell base_cell = warp_cell | std::min(run.shift, 2u);
        const u64 run_offset = offset - run.begin;
        const auto own_cell = [&](u32 i) {
            return base_cell | (run.lane + ((run_offset + i * kWordBytes) >> run.shift))
                                   << kLaneShift;
        };
        if (is_write || !has_foreign_access(cells, count)) {
            for (u32 i = 0; i < count; ++i) cells[i] = own_cell(i);
            return true;
        }
        for (u32 i = 0; i < count; ++i) {
            if (is_split(cells[i]))
                record_access(kWords, (first_word + i) * kWordBytes, own_cell(i));
            else
                record_read(race.shadow_[kWords], first_word + i, own_cell(i));
        }
        return true;
    }
    /// Reports whether another warp may have accessed any of `count` words of a line, beginning
    /// with `first_word`. `line_cell` contains the last access to the line.
    bool may_be_accessed_by_others(Cell line_cell, Role role, u64 first_word, u32 count) const {
        if (!is_by_other_warp(line_cell, warp_cell)) return false;
        return !is_split(line_cell) ||
               has_foreign_access(&race.shadow_[kWords][role][first_word], count);
    }
    bool has_second_reader(u64 line, u64 first_word, u32 count) const {
        return is_split(load(race.shadow_[kLines][kRead][line]))
                   ? has_foreign_access(&race.shadow_[kWords][kSecondRead][first_word], count)
                   : is_by_other_warp(load(race.shadow_[kLines][kSecondRead][line]), warp_cell);
    }
    bool has_foreign_access(const Cell* cells, u32 count) const {
        bool any_foreign = false;
        for (u32 i = 0; i < count; ++i) any_foreign |= is_by_other_warp(cells[i], warp_cell);
        return any_foreign;
    }

    /// Handles lanes whose words are far apart, such as a column of a matrix, in the same usual
    /// case as try_check_words. Each step is a loop over all 32 lanes that the compiler
    /// vectorizes. This takes half as long as handling the lanes one after the other. Returns false
    /// if the slow path is needed.
    bool try_check_scattered(const GlobalAccess& access) const {
        const u32 bytes = bytes_per_lane;
        if (bytes % kWordBytes != 0 || bytes > kMaxLaneBytes) return false;
        if (std::popcount(access.active) <= 2) return false;

        u64 words[kLanes];
        Cell own_cell[kLanes];
        if (!find_words(access, words, own_cell)) return false;
        const Cells& cells = race.shadow_[kWords][is_write ? kWrite : kRead];
        for (const u64 first_word : words) __builtin_prefetch(&cells[first_word], 1);
        const u32 words_per_lane = bytes / kWordBytes;
        if (conflicts_with_other_warps(words, words_per_lane) || !try_split_lines(words))
            return false;
        for (u32 k = 0; k < words_per_lane; ++k) {
            if (has_foreign_access_at(cells, words, k)) return false;
        }
        for (u32 k = 0; k < words_per_lane; ++k) {
            for (int l = 0; l < kLanes; ++l) cells[words[l] + k] = own_cell[l];
        }
        return true;
    }

    /// Computes the index of each lane's first word, and the cell to store there. Inactive lanes
    /// repeat the first active lane. Returns false if any address has no shadow.
    bool find_words(const GlobalAccess& access, u64* words, Cell* own_cell) const {
        const u32 first_lane = std::countr_zero(access.active);
        const u64 capacity = race.capacity_, first_address = access.addresses[first_lane];
        const Cell base_cell = make_cell_for_lane(0, 2);
        u64 outside_flags = 0;
        for (u32 l = 0; l < kLanes; ++l) {
            const bool is_active = access.active >> l & 1;
            const u64 offset = (is_active ? access.addresses[l] : first_address) - device_base();
            outside_flags |= offset >= capacity ? 1 : 0;
            words[l] = permute_offset(offset) / kWordBytes;
            own_cell[l] = base_cell | u64{is_active ? l : first_lane} << kLaneShift;
        }
        return outside_flags == 0;
    }

    /// Reports whether other warps have written words that this access reads, or have read words
    /// that it writes.
    bool conflicts_with_other_warps(const u64* words, u32 words_per_lane) const {
        const Role role = is_write ? kRead : kWrite;
        const Cells &line_cells = race.shadow_[kLines][role],
                    &second_read_cells = race.shadow_[kLines][kSecondRead];
        const Cell own_cell = warp_cell, split_cell = split_mark(), stamp = race.stamp_bits_;
        u64 any_live = 0, any_foreign = 0;
        for (int l = 0; l < kLanes; ++l) {
            const u64 line = words[l] / kWordsPerLine;
            const Cell line_cell = line_cells[line];
            any_live |= ((line_cell ^ stamp) >> kStampShift) == 0 ? 1 : 0;
            any_foreign |= line_cell != split_cell && is_by_other_warp(line_cell, own_cell) ? 1 : 0;
            any_foreign |= is_write && line_cell != split_cell &&
                                   is_by_other_warp(second_read_cells[line], own_cell)
                               ? 1
                               : 0;
        }
        if (any_live == 0 || any_foreign != 0) return any_foreign != 0;
        for (u32 k = 0; k < words_per_lane; ++k) {
            if (has_foreign_access_at(race.shadow_[kWords][role], words, k)) return true;
            if (is_write && has_foreign_access_at(race.shadow_[kWords][kSecondRead], words, k))
                return true;
        }
        return false;
    }

    /// Splits the lines that contain the words in `words`. Returns false, without splitting the
    /// lines, if another warp has accessed them.
    bool try_split_lines(const u64* words) const {
        const Cells& line_cells = race.shadow_[kLines][is_write ? kWrite : kRead];
        const Cell split_marker = split_mark();
        u64 unsplit_bits = 0;
        for (int l = 0; l < kLanes; ++l)
            unsplit_bits |= line_cells[words[l] / kWordsPerLine] ^ split_marker;
        for (int l = 0; unsplit_bits != 0 && l < kLanes; ++l) {
            const u64 line = words[l] / kWordsPerLine;
            if (is_split(line_cells[line])) continue;
            if (is_by_other_warp(line_cells[line], warp_cell)) return false;
            split_cell(kLines, line, !is_write);
        }
        return true;
    }
    bool has_foreign_access_at(const Cells& cells, const u64* words, u32 word_offset) const {
        const Cell own_cell = warp_cell;
        u64 any_foreign = 0;
        for (int l = 0; l < kLanes; ++l)
            any_foreign |= is_by_other_warp(cells[words[l] + word_offset], own_cell) ? 1 : 0;
        return any_foreign != 0;
    }

    void check_same_instruction(const GlobalAccess& access) const {
        const auto report_clash = [&](u32 lane, u32 other) {
            report_race(RaceKind::write_after_write, make_race_access(make_cell_for_lane(other, 0)),
                        make_race_access(make_cell_for_lane(lane, 0)), RaceCause::same_instruction,
                        permute_offset(access.addresses[lane] - device_base()));
        };
        find_conflicting_lanes(access, report_clash, [] {});
    }
};

void GlobalRace::check_read_only_path(const Block& block, const GlobalAccess& access) {
    if (!block.is_checked) return;
    const Cell warp_cell = make_cell(block, access.warp, access.site);
    const SlowPath slow_path{*this, block, warp_cell, false, nullptr, access.bytes_per_lane};
    for (const int lane : LaneRange{access.active}) {
        const u64 begin = access.addresses[lane] - device_base();
        if (begin >= capacity_) continue;
        for (u64 at = begin; at < begin + access.bytes_per_lane; ++at) {
            const u64 offset = SlowPath::permute_offset(at);
            const Cell earlier = slow_path.find_last_write(offset);
            if (!is_live(earlier)) continue;
            return slow_path.report_race(
                RaceKind::read_after_write,
                slow_path.make_race_access(slow_path.make_cell_for_lane(lane, 0)),
                slow_path.make_race_access(earlier), RaceCause::read_only_path, offset);
        }
    }
}

void GlobalRace::check_contested_line(const Block& block, u64 line, Cell own_cell, bool is_write,
                                      const StoredValue* value) {
    const u32 bytes_per_lane = 1u << shift_of(own_cell);
    const Cell warp_cell = own_cell & ~(Cell{31} << kLaneShift | 7);
    const u64 first_address = device_base() + permute_line_index(line) * kLineBytes -
                              u64{lane_of(own_cell)} * bytes_per_lane;
    SlowPath{*this, block, warp_cell, is_write, value, bytes_per_lane, nullptr, first_address}
        .check_and_record(kLines, line * kLineBytes, own_cell);
}

/// Like check_write_is_expected, but for lanes whose addresses may be in several allocations.
void GlobalRace::check_lane_writes_expected(const Block& block, const GlobalAccess& access) {
    u64 outside_flags = 0;
    for (u32 l = 0; l < kLanes; ++l) {
        const u64 active_mask = access.active >> l & 1 ? ~u64{0} : 0, address = access.addresses[l];
        outside_flags |= active_mask & (static_cast<u64>(address < block.writable_begin) |
                                        static_cast<u64>(address >= block.writable_end));
    }
    for (Mask remaining_lanes = outside_flags ? access.active : 0; remaining_lanes;
         remaining_lanes &= remaining_lanes - 1) {
        const u64 address = access.addresses[std::countr_zero(remaining_lanes)];
        check_write_is_expected(block, access.site, address, address);
    }
}

void GlobalRace::check_access(Block& block, const GlobalAccess& access) {
    if (!block.is_checked) return;
    const bool is_write = access.kind != GlobalAccess::Kind::read;
    const bool is_plain_write = access.kind == GlobalAccess::Kind::write && !access.is_strong;
    if (is_write && access.is_strong) {
        const Scope scope = has_block_scope(access.site) ? Scope::block : Scope::device;
        if (access.releases) record_fence(block, access.warp, scope);
        release(block, access.warp, scope);
    }
    if (is_write && ignores_read_only_) check_lane_writes_expected(block, access);
    const Cell warp_cell =
        make_cell(block, access.warp, access.site) | (access.is_strong ? kStrongBit : 0);
    const SlowPath slow_path{*this,
                             block,
                             warp_cell,
                             is_write,
                             is_write ? &access.value : nullptr,
                             access.bytes_per_lane,
                             access.addresses};
    if (is_plain_write && slow_path.has_value()) begin_store(block);

    if (slow_path.try_check_row(access)) return;
    if (is_plain_write && !are_ascending(access)) slow_path.check_same_instruction(access);
    if (!slow_path.try_check_scattered(access)) slow_path.check_runs(access);
}

}  // namespace coalesce::simulator

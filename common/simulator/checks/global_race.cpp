// The shadow of global memory, and the detection of races. See global_race.h for the idea.
//
// Inside  The clock that all blocks share; the shadow; then Detail, the slow path, which decides
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
/// The largest shift of an access: that of an access to 16 bytes per lane.
constexpr u32 kMaxLaneShift = 4, kMaxLaneBytes = 1 << kMaxLaneShift;
/// The shift that assigns all bytes to a single lane.
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
struct GlobalRace::Block::Sync {
    /// A release at time `time` of the launch's clock. A warp that acquires at or after that time
    /// sees what `warp` did before `own_time`, and what the block's other warps did before
    /// `others_time`. `own_time` and `others_time` are times on the block's own clock.
    struct Release {
        u64 time;
        u32 warp;
        u64 own_time, others_time;
        bool has_block_scope;  ///< true if only warps of the same block see the release
        bool covers(u32 by_warp, u64 at) const {
            return at < (by_warp == warp ? own_time : others_time);
        }
    };
    std::mutex mutex;
    std::vector<Release> releases;

    /// The fences of one scope.
    struct Fences {
        struct PerWarp {
            u64 fenced = 0;         ///< the time before which this warp's accesses are fenced
            u64 fenced_others = 0;  ///< like `fenced`, but for accesses of the block's other warps
            /// The values of `fenced` and `fenced_others` at the last release.
            u64 released = 0, released_others = 0;
        } warps[kLanes];
        u64 fenced_by_all = 0;  ///< like `fenced`, but for all warps; set by a barrier
        u64 last_fence = 0;
    };
    /// State that is needed only while the block runs.
    struct Running {
        u64 acquired_time[kLanes] = {};  ///< the time of each warp's last acquire
        u64 acquired_by_all = 0;  ///< like `acquired_time`, but for all warps; set by a barrier
        /// The fences, indexed by Scope. A fence with device scope is also recorded as a fence with
        /// block scope.
        Fences fences[2];

        void set_fenced_by_all() {
            for (Fences& of_scope : fences) of_scope.fenced_by_all = of_scope.last_fence;
        }
    };
    std::unique_ptr<Running> running = std::make_unique<Running>();
};

/// The order of accesses by different warps of one block, as far as barriers have established it.
/// An Order is created at the first barrier that involves only some of the warps.
struct GlobalRace::Block::Order {
    /// The accesses that a warp knows: those that are ordered before everything that it does from
    /// now on. A barrier passes the knowledge of each arriving warp to the warps that wait at it.
    struct Knowledge {
        /// for each warp, the time before which its accesses are known
        std::array<u64, kLanes> times{};
        /// the time up to which the releases of other blocks are known
        u64 acquired_time = 0;

        void join(const Knowledge& other) {
            for (u32 v = 0; v < kLanes; ++v) times[v] = std::max(times[v], other.times[v]);
            acquired_time = std::max(acquired_time, other.acquired_time);
        }
    };
    std::array<Knowledge, kLanes> warps;
    std::unordered_map<u64, Knowledge>
        /// for each barrier or mbarrier, the knowledge of the warps that have arrived
        arrived_knowledge;
};

/// Block indices beyond the end of the grid. A block that has used up its epochs continues under
/// one of these indices.
struct GlobalRace::Renumberings {
    mutable std::shared_mutex mutex;
    u64 first = 0;  ///< the first index beyond the grid's blocks
    struct Renumbering {
        u64 block, rounds;
    };
    std::vector<Renumbering> entries;

    void clear(u64 blocks) {
        first = blocks;
        entries.clear();
    }
    /// Returns the index under which the block continues, or kNoBlock if no index is left.
    u64 add(Renumbering renumbering) {
        const std::unique_lock lock(mutex);
        const u64 number = first + entries.size();
        if (number >= kNoBlock) return kNoBlock;
        entries.push_back(renumbering);
        return number;
    }
    Renumbering find(u64 number) const {
        if (number < first) return {number, 0};
        const std::shared_lock lock(mutex);
        return number - first < entries.size() ? entries[number - first] : Renumbering{number, 0};
    }
};

struct GlobalRace::Clock {
    std::atomic<u64> now{0};  ///< number of releases so far
    struct Shard {
        std::mutex mutex;
        std::unordered_map<u64, std::unique_ptr<Block::Sync>> blocks;
    };
    Shard shards[64];

    Shard& shard_of(u64 block) { return shards[block % std::size(shards)]; }
    void clear() {
        now = 0;
        for (Shard& shard : shards) shard.blocks.clear();
    }
    Block::Sync* find(u64 block) {
        Shard& shard = shard_of(block);
        const std::lock_guard lock(shard.mutex);
        const auto found = shard.blocks.find(block);
        return found == shard.blocks.end() ? nullptr : found->second.get();
    }
    Block::Sync& get_or_create_sync(Block& block) {
        if (block.sync == nullptr) {
            Shard& shard = shard_of(block.number);
            const std::lock_guard lock(shard.mutex);
            auto& sync = shard.blocks[block.number];
            if (!sync) sync = std::make_unique<Block::Sync>();
            block.sync = sync.get();
        }
        return *block.sync;
    }
};

// ---- the shadow ----

template <class F>
void GlobalRace::for_each_shadow(F f) {
    for (const Level level : {kLines, kWords, kBytes})
        for (Cells& cells : shadow_[level]) f(cells, capacity_ / kBytesPerCell[level]);
}

GlobalRace::GlobalRace(u64 capacity)
    : capacity_(round_up(capacity, kLineBytes * 128)),
      clock_(std::make_unique<Clock>()),
      renumberings_(std::make_unique<Renumberings>()) {
    for_each_shadow(
        [this](Cells& cells, u64 count) { available_ = available_ && cells.reserve(count); });
}

GlobalRace::~GlobalRace() = default;

/// Makes every cell stale by using a new stamp. A cell has few bits for its stamp, so after the
/// last stamp has been used, all cells are cleared.
void GlobalRace::new_stamp() {
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
    clock_->clear();
    renumberings_->clear(grid.count());
    if (available_) new_stamp();

    Report report;
    report.check = "globalrace";
    report.kind = "not checked";
    report.kernel = kernel.demangled;
    if (!available_) {
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
    written_ = std::move(allocations);
    ignores_read_only_ = true;
}

bool GlobalRace::is_read_only(const Allocation& allocation) const {
    return ignores_read_only_ &&
           std::find(written_.begin(), written_.end(), &allocation) == written_.end();
}

/// Reports the store if it writes to a read-only allocation. `address` is the address that one of
/// its lanes writes. Otherwise, remembers the allocation as the one that the block writes.
void GlobalRace::check_allocation_is_writable(const Block& block, u32 site, u64 address) {
    const Allocation* found = allocations_->find(address);
    if (found == nullptr) return;
    if (!is_read_only(*found)) {
        block.written_begin = found->begin;
        block.written_end = found->end;
        return;
    }
    if (had_unexpected_write_.exchange(true)) return;
    Report report;
    report.check = "globalrace";
    report.kind = "not checked";
    const Kernel& kernel = log_.kernel();
    report.kernel = kernel.demangled;
    if (site < kernel.sites.size()) report.where = kernel.place(kernel.sites[site].where);
    report.block = log_.block_index(block.number);
    report.message =
        "Stores to " + describe_address(address, *allocations_) +
        ", through an address computed from a pointer to another allocation. Races between "
        "this store and earlier reads of this memory in the same launch were not checked.";
    report.cure = "Launch the kernel again: these races are checked in the next launch.";
    reports().add(report);
}

void GlobalRace::add_accessed_ranges(u64 begin, u64 end, AccessedRanges& to) const {
    if (!available_) return;
    const Cell split = stamp_bits_ | kNoBlock << kBlockShift | kSplitMark;
    std::unordered_map<u32, u32> places;  // maps a site to its index in the result
    // Neighbouring cells usually have the same site.
    u32 last_site = ~0u, last_place = 0;
    const auto find_place = [&](u32 site) {
        const auto [found, is_new] = places.try_emplace(site, 0);
        const Kernel& kernel = log_.kernel();
        if (is_new && site < kernel.sites.size())
            found->second = to.add_place(kernel.place(kernel.sites[site].where));
        return found->second;
    };
    const auto place_of = [&](u32 site) {
        if (site != last_site) last_place = find_place(site);
        last_site = site;
        return last_place;
    };
    const auto add = [&](Role role, Cell cell, u64 first, u64 bytes) {
        const bool strong = cell & kStrongBit;
        if (role == kRead && strong) return;
        to.add(role == kRead ? AccessedRanges::kReads
               : strong      ? AccessedRanges::kAtomics
                             : AccessedRanges::kWrites,
               std::max(begin, first), std::min(end, first + bytes), place_of(site_of(cell)));
    };
    // Adds the bytes of one cell, or of the smaller cells into which it was split.
    const auto visit = [&](const auto& self, u32 level, Role role, u64 first, u64 index) -> void {
        const Cell cell = load(shadow_[level][role][index]);
        const u64 bytes = kBytesPerCell[level];
        if (!is_live(cell) || first >= end || first + bytes <= begin) return;
        if (level == kBytes || cell != split) return add(role, cell, first, bytes);
        const u64 parts = bytes / kBytesPerCell[level + 1];
        for (u64 i = 0; i < parts; ++i)
            self(self, level + 1, role, first + i * kBytesPerCell[level + 1], index * parts + i);
    };
    for (const Role role : {kWrite, kRead})
        for (u64 line = (begin - device_base()) / kLineBytes;
             device_base() + line * kLineBytes < end; ++line) {
            const u64 index = shuffle_line(line);
            // Most launches write only a part of an allocation.
            if (is_live(load(shadow_[kLines][role][index])))
                visit(visit, kLines, role, device_base() + line * kLineBytes, index);
        }
}

void GlobalRace::end_launch() {
    log_.end_launch();
    clock_->clear();
}

void GlobalRace::begin_block(Block& block, u64 number, StoreInFlight* in_flight) const {
    block = Block{};
    block.in_flight = in_flight;
    block.number = number;
    block.bits = number << kBlockShift;
    block.checked = available_ && number < kNoBlock;
}

void GlobalRace::end_block(Block& block) {
    if (block.sync != nullptr) block.sync->running.reset();
    block.sync = nullptr;
    block.order.reset();
}

// ---- barriers and fences, which order accesses ----

/// Starts a new epoch of the block, which distinguishes later accesses of the block from earlier
/// ones.
void GlobalRace::begin_epoch(Block& block) {
    const u64 epoch = (block.time + 1) % kMaxEpoch, rounds = (block.time + 1) / kMaxEpoch;
    if (!block.checked) return;
    if (epoch == 0 && !continue_under_new_number(block, rounds)) return;
    ++block.time;
    block.bits = (block.bits & ~(u64{kMaxEpoch} << kEpochShift)) | epoch << kEpochShift;
}

/// Gives the block a new index, because the epochs of its current index are used up. If no index is
/// left, as can happen in a very large grid, returns false and leaves the block in an epoch that
/// never ends, in which accesses count as ordered with all others.
bool GlobalRace::continue_under_new_number(Block& block, u64 rounds) {
    const u64 number = renumberings_->add({block.number, rounds});
    if (number == kNoBlock) {
        block.bits |= u64{kMaxEpoch} << kEpochShift;
        return false;
    }
    block.bits = number << kBlockShift;
    return true;
}

GlobalRace::Moment GlobalRace::find_moment(Cell cell) const {
    const Renumberings::Renumbering found = renumberings_->find(block_of(cell));
    return {found.block, found.rounds * kMaxEpoch + epoch_of(cell)};
}

void GlobalRace::barrier(Block& block) {
    begin_epoch(block);
    block.last_barrier = block.last_barrier_of_any_kind = block.time;
    if (block.sync == nullptr) return;
    // After the barrier, all warps share everything that any of them had acquired or fenced.
    auto& running = *block.sync->running;
    for (const u64 time : running.acquired_time)
        running.acquired_by_all = std::max(running.acquired_by_all, time);
    running.set_fenced_by_all();
}

namespace {

GlobalRace::Block::Order& get_or_create_order(GlobalRace::Block& block) {
    if (!block.order) block.order = std::make_shared<GlobalRace::Block::Order>();
    return *block.order;
}

/// Returns the warp's current knowledge, including all of its own accesses.
GlobalRace::Block::Order::Knowledge collect_knowledge(GlobalRace::Block& block, u32 warp) {
    auto knows = get_or_create_order(block).warps[warp];
    knows.times[warp] = block.time;
    if (block.sync != nullptr)
        knows.acquired_time =
            std::max(knows.acquired_time, block.sync->running->acquired_time[warp]);
    return knows;
}

void add_knowledge(GlobalRace::Block& block, u32 warp,
                   const GlobalRace::Block::Order::Knowledge& knowledge) {
    get_or_create_order(block).warps[warp].join(knowledge);
    block.last_barrier_of_any_kind = block.time;
    if (block.sync != nullptr) block.sync->running->set_fenced_by_all();
}

}  // namespace

void GlobalRace::arrive(Block& block, u64 place, u32 warp) {
    if (!block.checked) return;
    begin_epoch(block);
    get_or_create_order(block).arrived_knowledge[place].join(collect_knowledge(block, warp));
}

void GlobalRace::barrier_complete(Block& block, u32 id, Mask waiting) {
    if (!block.checked) return;
    begin_epoch(block);
    auto& brought = get_or_create_order(block).arrived_knowledge[id];
    for (Mask rest = waiting; rest; rest &= rest - 1)
        brought.join(collect_knowledge(block, static_cast<u32>(std::countr_zero(rest))));
    for (Mask rest = waiting; rest; rest &= rest - 1)
        add_knowledge(block, static_cast<u32>(std::countr_zero(rest)), brought);
    get_or_create_order(block).arrived_knowledge.erase(id);
}

void GlobalRace::mbarrier_phase_done(Block& block, u32 address) {
    if (!block.checked) return;
    auto& arrived_knowledge = get_or_create_order(block).arrived_knowledge;
    const auto brought = arrived_knowledge[kFirstMbarrier + address];
    arrived_knowledge[kFirstPhase + address].join(brought);
}

void GlobalRace::mbarrier_wait_done(Block& block, u32 address, u32 warp) {
    if (!block.checked) return;
    auto& arrived_knowledge = get_or_create_order(block).arrived_knowledge;
    const auto brought = arrived_knowledge.find(kFirstPhase + address);
    if (brought != arrived_knowledge.end()) add_knowledge(block, warp, brought->second);
}

u64 GlobalRace::copy_issued(Block& block) {
    begin_epoch(block);
    return block.time;
}

void GlobalRace::copy_complete(Block& block, u32 mbarrier, u32 warp, u64 issued) {
    if (!block.checked) return;
    u64& known =
        get_or_create_order(block).arrived_knowledge[kFirstMbarrier + mbarrier].times[warp];
    known = std::max(known, issued);
}

void GlobalRace::fence(Block& block, u32 warp, Scope scope) {
    if (!block.checked) return;
    auto& running = *clock_->get_or_create_sync(block).running;
    begin_epoch(block);
    for (u32 reached = 0; reached <= static_cast<u32>(scope); ++reached) {
        auto& fences = running.fences[reached];
        fences.last_fence = block.time;
        fences.warps[warp].fenced = block.time;
        fences.warps[warp].fenced_others = block.last_barrier_of_any_kind;
    }
}

void GlobalRace::acquire(Block& block, u32 warp) {
    // If nothing has been released yet, there is nothing to acquire.
    const u64 now = clock_->now.load(std::memory_order_acquire);
    if (now == 0 || !block.checked) return;
    clock_->get_or_create_sync(block).running->acquired_time[warp] = now;
}

/// Publishes the accesses that precede the last fence of each scope up to `widest`, which is the
/// scope of the publishing access.
void GlobalRace::release(Block& block, u32 warp, Scope widest) {
    if (block.sync == nullptr) return;  // no fence, nothing to publish
    Block::Sync& sync = *block.sync;
    u64 wider_own = 0, wider_others = 0;  // times already published with a wider scope
    for (u32 scope = static_cast<u32>(widest) + 1; scope-- > 0;) {
        auto& fences = sync.running->fences[scope];
        auto& mine = fences.warps[warp];
        const u64 own = std::max(mine.fenced, fences.fenced_by_all);
        const u64 others_time = std::max(mine.fenced_others, fences.fenced_by_all);
        if (own == mine.released && others_time == mine.released_others)
            continue;  // already released
        mine.released = own;
        mine.released_others = others_time;
        if (own <= wider_own && others_time <= wider_others) continue;
        wider_own = own;
        wider_others = others_time;
        const std::lock_guard lock(sync.mutex);
        const u64 time = clock_->now.fetch_add(1, std::memory_order_acq_rel) + 1;
        sync.releases.push_back(
            {time, warp, own, others_time, static_cast<Scope>(scope) == Scope::block});
    }
}

// ---- the slow path: one access of one warp ----

struct GlobalRace::Detail {
    GlobalRace& race;
    const Block& block;
    // Offsets are relative to device_base(). They are shuffled (see shuffle_line), because they
    // select cells.
    const Cell me;  ///< this warp's cell, before lane and shift are set
    const bool writes;
    const StoredValue* value;  ///< the value of a store, otherwise null
    const u32 bytes_per_lane;
    const u64* const addresses = nullptr;  ///< see WarpStore
    const u64 first = 0;                   ///< see WarpStore

    static u64 shuffle_offset(u64 offset) {
        return shuffle_line(offset / kLineBytes) * kLineBytes + offset % kLineBytes;
    }
    Cell split_mark() const { return mark(kSplitMark); }
    Cell mark(u32 shift) const { return race.stamp_bits_ | kNoBlock << kBlockShift | shift; }
    bool is_live(Cell cell) const { return race.is_live(cell); }
    bool is_split(Cell cell) const { return cell == split_mark(); }
    Cell with_lane(u32 lane, u32 shift) const { return me | u64{lane} << kLaneShift | shift; }

    // -- are two accesses ordered? --

    /// Reports whether the access that `earlier` describes is ordered before this access.
    bool is_ordered(Cell earlier) const {
        if (!is_foreign(earlier, me) || epoch_of(earlier) == kMaxEpoch) return true;
        const Moment moment = race.find_moment(earlier);
        return (moment.block == block.number && is_ordered_here(warp_of(earlier), moment.time)) ||
               is_published(moment, warp_of(earlier));
    }

    /// Reports whether an access by the same block is ordered before this access. `warp` is the
    /// warp that made that access: another warp, or this one while its block had a different index.
    bool is_ordered_here(u32 warp, u64 time) const {
        if (time < block.last_barrier || warp == warp_of(me)) return true;
        return block.order != nullptr && time < block.order->warps[warp_of(me)].times[warp];
    }

    /// Reports whether the access was released by its block and then acquired by this warp.
    bool is_published(Moment moment, u32 warp) const {
        const u64 seen = acquired_time();
        if (seen == 0) return false;
        Block::Sync* sync = race.clock_->find(moment.block);
        if (sync == nullptr) return false;
        const std::lock_guard lock(sync->mutex);
        return std::any_of(sync->releases.begin(), sync->releases.end(), [&](const auto& release) {
            return release.time <= seen && release.covers(warp, moment.time) &&
                   (!release.has_block_scope || moment.block == block.number);
        });
    }

    /// Returns the time of the latest release that this warp has acquired.
    u64 acquired_time() const {
        u64 seen = block.order != nullptr ? block.order->warps[warp_of(me)].acquired_time : 0;
        if (block.sync == nullptr) return seen;
        const auto& running = *block.sync->running;
        return std::max({seen, running.acquired_time[warp_of(me)], running.acquired_by_all});
    }

    /// Reports whether two accesses are both strong and within each other's scope, and therefore
    /// cannot race. Block scope does not include other blocks.
    bool do_synchronize(Cell earlier, Cell mine) const {
        if ((earlier & mine & kStrongBit) == 0) return false;
        if (!race.has_block_scope(site_of(earlier)) && !race.has_block_scope(site_of(mine)))
            return true;
        return owner_of(earlier) == owner_of(mine);
    }

    /// Checks this access against the earlier access in a cell, and reports a race if the accesses
    /// conflict. Both cells begin with the byte at `offset`; `mine` contains the lane and shift for
    /// that byte.
    void check_against(Cell earlier, Cell mine, u64 offset, u32 bytes, bool earlier_wrote) const {
        if (!is_foreign(earlier, mine) || do_synchronize(earlier, mine) || is_ordered(earlier))
            return;
        const std::optional<u32> at = earlier_wrote ? first_difference(earlier, mine, offset, bytes)
                                                    : first_change(mine, offset, bytes);
        // A store of the value that memory already contains does no harm in this run.
        if (!at && !options().checks.equal_values) return;
        const u32 byte = at.value_or(0);
        report_collision(skip_to_byte(earlier, byte), skip_to_byte(mine, byte), offset + byte,
                         earlier_wrote, !at);
    }

    /// Returns the first of the `bytes` bytes at which this access may write a value other than
    /// the one that the earlier store wrote.
    std::optional<u32> first_difference(Cell earlier, Cell mine, u64 offset, u32 bytes) const {
        const std::optional<u32> change = first_change(mine, offset, bytes);
        if (!change || !has_value() || block.in_flight == nullptr) return change;
        // Memory may not contain the values of the earlier store yet.
        const WarpStore own{&race,  block.number, warp_of(me), bytes_per_lane,
                            *value, addresses,    first};
        const StoreInFlight::Pause pause(*block.in_flight, own);
        const WarpStore* const waiting = pause.find(&race, owner_of(earlier), warp_of(earlier));
        if (waiting == nullptr) return first_change(mine, offset, bytes);
        for (u32 i = 0; i < bytes; ++i) {
            const u64 address = device_base() + shuffle_offset(offset + i);
            const u32 lane = lane_of(skip_to_byte(earlier, i));
            // An earlier store of the waiting warp, which it has finished, wrote this byte.
            if (!waiting->writes(lane, address)) return first_change(mine, offset, bytes);
            if (waiting->byte_at(lane, address) !=
                own.byte_at(lane_of(skip_to_byte(mine, i)), address))
                return i;
        }
        return std::nullopt;
    }

    bool has_value() const { return value != nullptr && value->copy != nullptr; }

    /// Returns the offset of the first byte at which this access has an effect that another access
    /// could notice. Returns nothing if a store only repeats what the `bytes` bytes contain.
    std::optional<u32> first_change(Cell mine, u64 offset, u32 bytes) const {
        if (!has_value()) return 0;
        const u8* memory = host_pointer(offset);
        if (memory == nullptr) return 0;
        for (u32 i = 0; i < bytes; i += std::min(bytes_per_lane, bytes)) {
            // The bytes of each lane begin at a multiple of bytes_per_lane.
            const u32 before = (offset + i) % bytes_per_lane;
            if (value->changes(lane_of(skip_to_byte(mine, i)), memory + i - before, bytes_per_lane))
                return i;
        }
        return std::nullopt;
    }

    const u8* host_pointer(u64 offset) const {
        const u64 address = device_base() + shuffle_offset(offset);
        const Allocation* allocation = race.allocations_->find(address);
        return allocation == nullptr ? nullptr
                                     : reinterpret_cast<const u8*>(address + allocation->to_host);
    }

    RaceParty to_party(Cell cell) const {
        const u32 site = site_of(cell);
        return {.site = site == kUnknownSite ? RaceParty::kUnknownSite : site,
                .block = owner_of(cell),
                .thread = warp_of(cell) * kLanes + lane_of(cell)};
    }

    /// Reports a race. Blocks run in no particular order, so the block with the lower index counts
    /// as the earlier block. This makes the report independent of the number of workers.
    void report_collision(Cell earlier, Cell mine, u64 offset, bool earlier_wrote,
                          bool equal_values) const {
        const bool swap = owner_of(earlier) > owner_of(mine);
        const RaceKind kind =
            swap ? kind_of_race(writes, earlier_wrote) : kind_of_race(earlier_wrote, writes);
        if (swap) std::swap(earlier, mine);
        report_race(kind, to_party(mine), to_party(earlier), RaceCause::unordered, offset,
                    equal_values);
    }

    void report_race(RaceKind kind, RaceParty later, RaceParty earlier, RaceCause cause, u64 offset,
                     bool equal_values = false) const {
        if (race.log_.count_if_known(kind, later, earlier)) return;
        const u64 address = device_base() + shuffle_offset(offset);
        race.log_.add({kind, later, earlier, cause, address,
                       describe_address(address, *race.allocations_), equal_values});
    }

    // -- splitting cells: lines into words, words into bytes --

    /// Waits until no other worker is splitting the cell, and returns the cell.
    Cell wait_until_unlocked(const Cell& cell) const {
        Cell now = load(cell);
        while (now == mark(kLockedMark)) {
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
            now = load(cell);
        }
        return now;
    }

    /// Copies the contents of the cell at `index` to the smaller cells, and marks the cell as
    /// split. The two arrays of reads are split together, under the lock of the first one.
    void split(Level level, u64 index, bool reads) const {
        const Cells *coarse = race.shadow_[level], *fine = race.shadow_[level + 1];
        const u32 part_bytes = kBytesPerCell[level + 1], parts = kBytesPerCell[level] / part_bytes;
        Cell& cell = coarse[reads ? kRead : kWrite][index];
        Cell before = wait_until_unlocked(cell);
        while (!is_split(before) &&
               !std::atomic_ref(cell).compare_exchange_weak(before, mark(kLockedMark))) {
            before = wait_until_unlocked(cell);
        }
        if (is_split(before)) return;
        if (is_live(before)) {
            const auto push = [&](Cell whole, Role role) {
                for (u32 i = 0; i < parts; ++i) {
                    store(fine[role][index * parts + i],
                          is_live(whole) ? narrow_to_part(whole, i * part_bytes, part_bytes) : 0);
                }
            };
            push(before, reads ? kRead : kWrite);
            if (reads) push(load(coarse[kSecondRead][index]), kSecondRead);
        }
        std::atomic_ref(cell).store(split_mark(), std::memory_order_release);
    }
    static Cell narrow_to_part(Cell whole, u32 offset, u32 part_bytes) {
        const u32 shift = std::min<u32>(shift_of(whole), std::countr_zero(part_bytes));
        return (skip_to_byte(whole, offset) & ~Cell{7}) | shift;
    }

    // -- meeting earlier accesses --

    /// Checks this access against the earlier writes (or, if `reads` is true, the earlier reads)
    /// recorded in cells of this level and in smaller cells. The access covers the line, word or
    /// byte of `bytes` bytes at `offset`.
    void check_against_cells(Level level, u64 offset, u32 bytes, Cell mine, bool reads) const {
        const Cells* cells = race.shadow_[level];
        const u64 index = offset / kBytesPerCell[level];
        const Role first = reads ? kRead : kWrite, last = reads ? kSecondRead : kWrite;
        const Cell head = wait_until_unlocked(cells[first][index]);
        if (!is_live(head)) return;
        if (is_split(head)) {
            const u32 step = std::min(bytes, kBytesPerCell[level + 1]);
            for (u32 i = 0; i < bytes; i += step)
                check_against_cells(finer_level(level), offset + i, step,
                                    narrow_to_part(mine, i, step), reads);
            return;
        }
        for (u32 role = first; role <= last; ++role) {
            const Cell cell = role == first ? head : load(cells[role][index]);
            if (!is_live(cell)) continue;
            check_against(narrow_to_part(cell, offset % kBytesPerCell[level], bytes), mine, offset,
                          bytes, !reads);
        }
    }

    /// Returns the last write to the byte at `offset`, as a cell for only that byte. If no write is
    /// recorded, returns a stale cell.
    Cell last_write(u64 offset) const {
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
    void record(Level level, u64 offset, Cell mine) const {
        for (u32 above = kLines; above < level; ++above)
            split(static_cast<Level>(above), offset / kBytesPerCell[above], !writes);
        const Cells* cells = race.shadow_[level];
        const u64 index = offset / kBytesPerCell[level];
        if (writes) return store(cells[kWrite][index], mine);
        if (level == kBytes || !is_split(wait_until_unlocked(cells[kRead][index])))
            return record_read(cells, index, mine);
        const u32 step = kBytesPerCell[level + 1];
        for (u32 i = 0; i < kBytesPerCell[level]; i += step)
            record(finer_level(level), offset + i, narrow_to_part(mine, i, step));
    }

    /// Keeps two reads that are not ordered with each other, from different blocks if possible. A
    /// later write that is ordered after only one of them is then still reported.
    void record_read(const Cells* cells, u64 index, Cell mine) const {
        Cell& first = cells[kRead][index];
        Cell& second = cells[kSecondRead][index];
        const Cell one = load(first);
        if (!is_foreign(one, me)) return store(first, mine);
        const Cell two = load(second);
        // Two different blocks have already read these bytes, as is usual for an input that all
        // blocks read.
        const bool is_shared = is_live(two) && owner_of(one) != owner_of(two);
        if (is_shared && !is_from_own_block(one) && !is_from_own_block(two) &&
            block.sync == nullptr)
            return;
        if (is_ordered(one)) return store(first, mine);
        if (!is_live(two) || is_ordered(two) || (!is_shared && !is_from_own_block(one)))
            store(second, mine);
    }
    bool is_from_own_block(Cell cell) const {
        return owner_of(cell) == block.number;
    }
    /// Returns the index in the grid of the block that made the cell's access.
    u64 owner_of(Cell cell) const {
        return race.find_moment(cell).block;
    }

    // -- splitting a warp's access --

    void check_and_record(Level level, u64 offset, Cell mine) const {
        check_against_cells(kLines, offset, kBytesPerCell[level], mine, false);
        if (writes) check_against_cells(kLines, offset, kBytesPerCell[level], mine, true);
        record(level, offset, mine);
    }

    /// A run of consecutive active lanes that access consecutive bytes, from `begin` to `end`.
    /// `lane` is the first of these lanes.
    struct Run {
        u64 begin, end;
        u32 lane;
        u32 shift;  ///< byte b of the run belongs to lane `lane` + (b >> shift)
    };

    void check_and_record_in_run(const Run& run, Level level, u64 offset) const {
        const u32 lane = run.lane + static_cast<u32>((offset - run.begin) >> run.shift);
        const u32 shift = std::min<u32>(run.shift, std::countr_zero(kBytesPerCell[level]));
        check_and_record(level, shuffle_offset(offset), with_lane(lane, shift));
    }

    void run(const Run& run) const {
        for (u64 at = run.begin; at < run.end;) {
            const u64 left = run.end - at;
            if (at % kLineBytes == 0 && left >= kLineBytes && run.shift <= kMaxLaneShift) {
                check_and_record_in_run(run, kLines, at);
                at += kLineBytes;
            } else if (at % kWordBytes == 0 && left >= kWordBytes) {
                const u32 count =
                    static_cast<u32>(std::min(left, kLineBytes - at % kLineBytes) / kWordBytes);
                if (!check_words_quickly(run, at, count)) {
                    for (u32 i = 0; i < count; ++i)
                        check_and_record_in_run(run, kWords, at + i * kWordBytes);
                }
                at += count * kWordBytes;
            } else {
                check_and_record_in_run(run, kBytes, at++);
            }
        }
    }

    /// Returns the shift that converts a byte's offset in a run to its lane.
    u32 lane_shift() const {
        return std::has_single_bit(bytes_per_lane) && bytes_per_lane <= kMaxLaneBytes
                   ? std::countr_zero(bytes_per_lane)
                   : kOneLaneShift;
    }

    /// Handles an access by 32 active lanes with consecutive addresses as a single run. Unlike
    /// read_lines, does not require whole lines. Returns false for all other accesses.
    bool check_row(const GlobalAccess& access) const {
        if (access.active != kAllLanes || lane_shift() == kOneLaneShift) return false;
        const u64 first = access.addresses[0];
        u64 differs = 0;
        for (u64 l = 0; l < kLanes; ++l)
            differs |= access.addresses[l] ^ (first + l * bytes_per_lane);
        if (differs != 0) return false;
        const u64 begin = first - device_base();
        if (begin < race.capacity_) run({begin, begin + bytes_per_lane * kLanes, 0, lane_shift()});
        return true;
    }

    /// Splits an access into runs and handles each run.
    void check_runs(const GlobalAccess& access) const {
        const u32 shift = lane_shift();
        for (Mask rest = access.active; rest;) {
            const u32 first = std::countr_zero(rest);
            const u64 begin = access.addresses[first];
            u64 end = begin + bytes_per_lane;
            u32 last = first;
            rest &= rest - 1;
            while (last + 1 < kLanes && (rest >> (last + 1) & 1) &&
                   access.addresses[last + 1] == end && shift != kOneLaneShift) {
                ++last;
                end += bytes_per_lane;
                rest &= rest - 1;
            }
            // If many lanes have the same address, as in a broadcast, the first lane stands for all
            // of them.
            while (last == first && rest && access.addresses[std::countr_zero(rest)] == begin) {
                rest &= rest - 1;
            }
            if (begin - device_base() >= race.capacity_) continue;  // host memory has no shadow
            run({begin - device_base(), end - device_base(), first, shift});
        }
    }

    /// Handles words within one line in the usual case: no other warp has written the words or, if
    /// this access is a write, read them. Returns false if the slow path is needed.
    bool check_words_quickly(const Run& run, u64 offset, u32 count) const {
        const u64 line = shuffle_line(offset / kLineBytes);
        const u64 word = line * kWordsPerLine + offset % kLineBytes / kWordBytes;
        const Cell reads_head = load(race.shadow_[kLines][kRead][line]);
        if (may_be_accessed_by_others(load(race.shadow_[kLines][kWrite][line]), kWrite, word,
                                      count))
            return false;
        if (writes && may_be_accessed_by_others(reads_head, kRead, word, count)) return false;
        if (writes && is_live(reads_head) && has_second_reader(line, word, count)) return false;
        split(kLines, line, !writes);
        Cell* cells = &race.shadow_[kWords][writes ? kWrite : kRead][word];
        const Cell base = me | std::min(run.shift, 2u);
        const u64 from = offset - run.begin;
        const auto mine = [&](u32 i) {
            return base | (run.lane + ((from + i * kWordBytes) >> run.shift)) << kLaneShift;
        };
        if (writes || !has_foreign_access(cells, count)) {
            for (u32 i = 0; i < count; ++i) cells[i] = mine(i);
            return true;
        }
        for (u32 i = 0; i < count; ++i) {
            if (is_split(cells[i]))
                record(kWords, (word + i) * kWordBytes, mine(i));
            else
                record_read(race.shadow_[kWords], word + i, mine(i));
        }
        return true;
    }
    /// Reports whether another warp may have accessed any of `count` words of a line, beginning
    /// with `word`. `head` is the line's cell.
    bool may_be_accessed_by_others(Cell head, Role role, u64 word, u32 count) const {
        if (!is_foreign(head, me)) return false;
        return !is_split(head) || has_foreign_access(&race.shadow_[kWords][role][word], count);
    }
    bool has_second_reader(u64 line, u64 word, u32 count) const {
        return is_split(load(race.shadow_[kLines][kRead][line]))
                   ? has_foreign_access(&race.shadow_[kWords][kSecondRead][word], count)
                   : is_foreign(load(race.shadow_[kLines][kSecondRead][line]), me);
    }
    bool has_foreign_access(const Cell* cells, u32 count) const {
        bool any = false;
        for (u32 i = 0; i < count; ++i) any |= is_foreign(cells[i], me);
        return any;
    }

    /// Handles lanes whose words are far apart, such as a column of a matrix, in the same usual
    /// case as check_words_quickly. Each step is a loop over all 32 lanes that the compiler
    /// vectorizes. This takes half as long as handling the lanes one after the other. Returns false
    /// if the slow path is needed.
    bool check_scattered(const GlobalAccess& access) const {
        const u32 bytes = bytes_per_lane;
        if (bytes % kWordBytes != 0 || bytes > kMaxLaneBytes) return false;
        if (std::popcount(access.active) <= 2) return false;

        u64 words[kLanes];
        Cell mine[kLanes];
        if (!find_words(access, words, mine)) return false;
        const Cells& cells = race.shadow_[kWords][writes ? kWrite : kRead];
        for (const u64 word : words) __builtin_prefetch(&cells[word], 1);
        const u32 words_per_lane = bytes / kWordBytes;
        if (conflicts_with_other_warps(words, words_per_lane) || !split_lines(words)) return false;
        for (u32 k = 0; k < words_per_lane; ++k) {
            if (has_foreign_access_at(cells, words, k)) return false;
        }
        for (u32 k = 0; k < words_per_lane; ++k) {
            for (int l = 0; l < kLanes; ++l) cells[words[l] + k] = mine[l];
        }
        return true;
    }

    /// Computes the index of each lane's first word, and the cell to store there. Inactive lanes
    /// repeat the first active lane. Returns false if any address has no shadow.
    bool find_words(const GlobalAccess& access, u64* words, Cell* mine) const {
        const u32 first = std::countr_zero(access.active);
        const u64 capacity = race.capacity_, first_address = access.addresses[first];
        const Cell base = with_lane(0, 2);
        u64 outside = 0;
        for (u32 l = 0; l < kLanes; ++l) {
            const bool active = access.active >> l & 1;
            const u64 offset = (active ? access.addresses[l] : first_address) - device_base();
            outside |= offset >= capacity ? 1 : 0;
            words[l] = shuffle_offset(offset) / kWordBytes;
            mine[l] = base | u64{active ? l : first} << kLaneShift;
        }
        return outside == 0;
    }

    /// Reports whether other warps have written words that this access reads, or have read words
    /// that it writes.
    bool conflicts_with_other_warps(const u64* words, u32 words_per_lane) const {
        const Role role = writes ? kRead : kWrite;
        const Cells &heads = race.shadow_[kLines][role],
                    &seconds = race.shadow_[kLines][kSecondRead];
        const Cell mine = me, split = split_mark(), stamp = race.stamp_bits_;
        u64 live = 0, foreign = 0;
        for (int l = 0; l < kLanes; ++l) {
            const u64 line = words[l] / kWordsPerLine;
            const Cell head = heads[line];
            live |= ((head ^ stamp) >> kStampShift) == 0 ? 1 : 0;
            foreign |= head != split && is_foreign(head, mine) ? 1 : 0;
            foreign |= writes && head != split && is_foreign(seconds[line], mine) ? 1 : 0;
        }
        if (live == 0 || foreign != 0) return foreign != 0;
        for (u32 k = 0; k < words_per_lane; ++k) {
            if (has_foreign_access_at(race.shadow_[kWords][role], words, k)) return true;
            if (writes && has_foreign_access_at(race.shadow_[kWords][kSecondRead], words, k))
                return true;
        }
        return false;
    }

    /// Splits the lines that contain the words in `words`. Returns false, without splitting the
    /// lines, if another warp has accessed them.
    bool split_lines(const u64* words) const {
        const Cells& own = race.shadow_[kLines][writes ? kWrite : kRead];
        const Cell marked = split_mark();
        u64 whole = 0;
        for (int l = 0; l < kLanes; ++l) whole |= own[words[l] / kWordsPerLine] ^ marked;
        for (int l = 0; whole != 0 && l < kLanes; ++l) {
            const u64 line = words[l] / kWordsPerLine;
            if (is_split(own[line])) continue;
            if (is_foreign(own[line], me)) return false;
            split(kLines, line, !writes);
        }
        return true;
    }
    bool has_foreign_access_at(const Cells& cells, const u64* words, u32 k) const {
        const Cell mine = me;
        u64 any = 0;
        for (int l = 0; l < kLanes; ++l) any |= is_foreign(cells[words[l] + k], mine) ? 1 : 0;
        return any != 0;
    }

    void same_instruction(const GlobalAccess& access) const {
        const auto clash = [&](u32 lane, u32 other) {
            report_race(RaceKind::write_after_write, to_party(with_lane(other, 0)),
                        to_party(with_lane(lane, 0)), RaceCause::same_instruction,
                        shuffle_offset(access.addresses[lane] - device_base()));
        };
        find_clash(access, clash, [] {});
    }
};

void GlobalRace::check_read_only_path(const Block& block, const GlobalAccess& access) {
    if (!block.checked) return;
    const Cell me = make_cell(block, access.warp, access.site);
    const Detail detail{*this, block, me, false, nullptr, access.bytes_per_lane};
    for (const int lane : LanesIn{access.active}) {
        const u64 begin = access.addresses[lane] - device_base();
        if (begin >= capacity_) continue;
        for (u64 at = begin; at < begin + access.bytes_per_lane; ++at) {
            const u64 offset = Detail::shuffle_offset(at);
            const Cell earlier = detail.last_write(offset);
            if (!is_live(earlier)) continue;
            return detail.report_race(RaceKind::read_after_write,
                                      detail.to_party(detail.with_lane(lane, 0)),
                                      detail.to_party(earlier), RaceCause::read_only_path, offset);
        }
    }
}

void GlobalRace::check_contested_line(const Block& block, u64 line, Cell mine, bool write,
                                      const StoredValue* value) {
    const u32 bytes_per_lane = 1u << shift_of(mine);
    const Cell me = mine & ~(Cell{31} << kLaneShift | 7);
    const u64 first =
        device_base() + shuffle_line(line) * kLineBytes - u64{lane_of(mine)} * bytes_per_lane;
    Detail{*this, block, me, write, value, bytes_per_lane, nullptr, first}.check_and_record(
        kLines, line * kLineBytes, mine);
}

/// Like check_write_is_expected, but for lanes whose addresses may be in several allocations.
void GlobalRace::check_lanes_are_expected(const Block& block, const GlobalAccess& access) {
    u64 outside = 0;
    for (u32 l = 0; l < kLanes; ++l) {
        const u64 active = access.active >> l & 1 ? ~u64{0} : 0, address = access.addresses[l];
        outside |= active & (static_cast<u64>(address < block.written_begin) |
                             static_cast<u64>(address >= block.written_end));
    }
    for (Mask rest = outside ? access.active : 0; rest; rest &= rest - 1) {
        const u64 address = access.addresses[std::countr_zero(rest)];
        check_write_is_expected(block, access.site, address, address);
    }
}

void GlobalRace::access(Block& block, const GlobalAccess& access) {
    if (!block.checked) return;
    const bool writes = access.kind != GlobalAccess::Kind::read;
    const bool plain_write = access.kind == GlobalAccess::Kind::write && !access.strong;
    if (writes && access.strong) {
        const Scope scope = has_block_scope(access.site) ? Scope::block : Scope::device;
        if (access.releases) fence(block, access.warp, scope);
        release(block, access.warp, scope);
    }
    if (writes && ignores_read_only_) check_lanes_are_expected(block, access);
    const Cell me = make_cell(block, access.warp, access.site) | (access.strong ? kStrongBit : 0);
    const Detail detail{
        *this,           block, me, writes, writes ? &access.value : nullptr, access.bytes_per_lane,
        access.addresses};
    if (plain_write && detail.has_value()) begin_store(block);

    if (detail.check_row(access)) return;
    if (plain_write && !are_ascending(access)) detail.same_instruction(access);
    if (!detail.check_scattered(access)) detail.check_runs(access);
}

}  // namespace coalesce::simulator

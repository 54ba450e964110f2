// Detects data races in global memory between the threads of one launch.
//
// Builds on  race_log.h.
// Idea       A shadow of the device's memory stores the last accesses. A 64-bit cell (Cell)
//            contains the launch, block, thread, time and instruction of an access. Coalesced
//            accesses must cost very little. A cell therefore stands for a whole 128-byte line as
//            long as whole warps access whole lines. Otherwise it stands for a 4-byte word, or for
//            a single byte if threads share a word.
// Arrays     There are three arrays for each size of cell. One array stores the last write. The
//            other two arrays contain two reads that are not ordered with each other. Both are
//            needed, because a later write must be ordered after each of them.
// Time       A block's time counts its barriers, arrivals and fences. A barrier of the whole block
//            separates all earlier accesses from all later ones, so a single number is enough. A
//            barrier of some warps, or a phase of an mbarrier, only orders the arriving warps
//            before the waiting warps. From then on, the block stores a vector clock for each warp.
//            A cell contains only the low bits of a time, called the epoch. When a block has used
//            up all epochs, it gets a new number outside the grid, and `renumberings_` maps this
//            number to the block. Blocks synchronize only through memory. A fence followed by an
//            atomic (or volatile, or release) store publishes the block's earlier accesses. An
//            atomic or volatile read acquires all published accesses. All memory locations share
//            one clock of published accesses. This simplification may hide races, but it never
//            causes a report about a correct program that waits for a flag.
// Read-only  Most memory that a program reads is not written during the launch. If the kernel's
//            text shows which allocations it writes (expect_writes), reads of all other allocations
//            are not passed to the checker. A store to such an allocation is always reported,
//            because the checker does not know its earlier reads.
// Watch      Several workers share the shadow. Each cell is read and written atomically. Only
//            splitting a line into words, or a word into bytes, takes a lock (kLocked).
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/checks/accessed_ranges.h"
#include "simulator/checks/cells.h"
#include "simulator/checks/race_log.h"
#include "simulator/checks/store_in_flight.h"
#include "simulator/code/kernel.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {

/// A warp-wide access to global memory.
struct GlobalAccess {
    enum class Kind : u8 { read, write, atomic };
    Kind kind = Kind::read;
    /// True for volatile, .relaxed, .acquire and .release accesses and for every atomic. Such
    /// accesses may synchronize threads, and never race with each other.
    bool is_strong = false;
    /// True for .release, .acq_rel and .sc instructions, which act as if a fence preceded them.
    bool releases = false;
    u32 warp = 0;  ///< the index of the warp within the block
    u32 site = 0;  ///< the index of the instruction in Kernel::sites (Op::site)
    Mask active = 0;
    const u64* addresses = nullptr;  ///< one device address per lane
    u32 bytes_per_lane = 4;
    StoredValue value = {};  ///< for writes, the value to be stored
};

class GlobalRace {
public:
    /// The checker's state for one block. The executor has one such object for every running block.
    struct Block {
        u64 block_index = 0;
        u64 cell_bits = 0;     ///< the block's index and epoch, as stored in a Cell
        u64 time = 0;          ///< the number of barriers, arrivals and fences so far
        u64 last_barrier = 0;  ///< the block's time just after the last barrier of the whole block
        /// The block's time just after the last barrier of any kind.
        u64 last_barrier_of_any_kind = 0;
        /// The bounds of the last allocation to which the block has stored, if stores to this
        /// allocation are expected (see expect_writes).
        mutable u64 writable_begin = 0, writable_end = 0;
        bool is_checked = false;  ///< true if the accesses of the block are checked
        /// The record of the store that the block's worker has in flight. Null if only one worker
        /// runs, because no other worker can then see an unfinished store.
        StoreInFlight* store_in_flight = nullptr;
        struct ReleaseHistory;
        /// The block's releases, which determine which of its accesses other blocks can see
        /// (global_race.cpp). Created by the block's first fence, and owned by the checker.
        ReleaseHistory* release_history = nullptr;
        struct WarpOrder;
        /// The order between the accesses of different warps (global_race.cpp). Created by the
        /// first barrier that involves only part of the block.
        std::shared_ptr<WarpOrder> warp_order;
    };

    /// Creates the shadow of device addresses [device_base(), device_base() + capacity). If the
    /// host lacks the address space for the shadow, the checker reports this and checks nothing.
    explicit GlobalRace(u64 capacity);
    ~GlobalRace();

    // ---- a launch ----

    /// Starts a launch. Must be called while no worker is running. `allocations` must outlive the
    /// launch.
    void begin_launch(const Kernel& kernel, Dim3 grid, Dim3 block,
                      const AllocationTable& allocations, bool is_cooperative = false);
    /// Declares that the launch writes only to `allocations`. Must be called immediately after
    /// begin_launch.
    void expect_writes(std::vector<const Allocation*> allocations);
    /// Reports whether reads of the allocation can be ignored, because no writes to it are
    /// expected.
    bool is_read_only(const Allocation& allocation) const;
    /// Reports whether the launch stored to an allocation for which no writes were expected.
    bool had_unexpected_write() const { return had_unexpected_write_; }
    /// Ends the launch and reports its races, even if the launch failed.
    void end_launch();
    /// Adds those bytes of [begin, end) to `ranges` that the launch has accessed, except bytes that
    /// were only accessed by volatile reads or by reads of read-only allocations. Must be called
    /// before end_launch.
    void add_accessed_ranges(u64 begin, u64 end, AccessedRanges& ranges) const;
    void begin_block(Block& block, u64 block_index, StoreInFlight* store_in_flight = nullptr) const;
    void end_block(Block& block);

    // ---- synchronization ----

    /// Records that a barrier of the whole block has completed.
    void complete_block_barrier(Block& block);
    /// Records that a warp arrives at one of the block's 16 barriers without waiting. Warps that
    /// later wait at the barrier are ordered after the warp's earlier accesses.
    void record_barrier_arrival(Block& block, u32 id, u32 warp) { record_arrival(block, id, warp); }
    void record_mbarrier_arrival(Block& block, u32 address, u32 warp) {
        record_arrival(block, kFirstMbarrier + address, warp);
    }
    /// Records that a barrier of only some of the block's warps has completed. `waiting_warps`
    /// contains the warps that waited at the barrier. Other warps may have arrived at it without
    /// waiting.
    void complete_partial_barrier(Block& block, u32 id, Mask waiting_warps);
    /// record_phase_end records that a phase of the mbarrier at `address` has ended.
    /// record_mbarrier_wait records that a warp has observed the end of the phase.
    void record_phase_end(Block& block, u32 address);
    void record_mbarrier_wait(Block& block, u32 address, u32 warp);
    /// Records that a warp issues a copy that will report its completion to an mbarrier. Returns
    /// the time of issue, which must be passed to record_copy_completion.
    u64 record_copy_issue(Block& block);
    void record_copy_completion(Block& block, u32 mbarrier, u32 warp, u64 issue_time);
    /// The threads with which a fence, an atomic or another strong access synchronizes.
    enum class Scope : u8 { block, device };
    /// Records that lanes of a warp execute membar or fence.
    void record_fence(Block& block, u32 warp, Scope scope = Scope::device);
    /// Records that a warp arrives at the cluster's barrier. Warps that wait at the barrier are
    /// ordered after the warp's earlier accesses.
    void record_cluster_arrival(Block& block, u32 warp) {
        record_fence(block, warp);
        release(block, warp);
    }
    /// Orders the warp's later accesses after all accesses that other warps have released. Must be
    /// called after a strong read or an atomic has been executed.
    void acquire(Block& block, u32 warp);

    // ---- accesses: call these before the memory changes ----

    /// The fast path for a plain read in which 32 active lanes read contiguous bytes, starting at
    /// `first_address`. Checks the read and returns true if the lanes cover whole lines. Otherwise
    /// does nothing and returns false, and the caller must call check_access().
    bool try_read_lines(const Block& block, u32 warp, u32 site, u64 first_address,
                        u32 bytes_per_lane) {
        return try_whole_lines<false>(block, warp, site, first_address, bytes_per_lane);
    }
    bool try_write_lines(const Block& block, u32 warp, u32 site, u64 first_address,
                         u32 bytes_per_lane, const StoredValue& value) {
        return try_whole_lines<true>(block, warp, site, first_address, bytes_per_lane, &value);
    }

    /// Records that the block's store has ended. If the check was given the stored values, memory
    /// must already contain them.
    static void finish_store(const Block& block) {
        if (block.store_in_flight != nullptr) block.store_in_flight->end();
    }

    /// Reports a load through the read-only path (ld.global.nc, __ldg) if the launch has written
    /// any of its bytes. The cache of the read-only path may still contain the old values.
    void check_read_only_path(const Block& block, const GlobalAccess& access);

    /// Checks an access of any kind. A strong write or an atomic that follows a fence also
    /// publishes the accesses before that fence.
    void check_access(Block& block, const GlobalAccess& access);

    GlobalRace(const GlobalRace&) = delete;

    // ---- the cells of the shadow ----

    /// The last access to some bytes, as bit fields, from the most significant to the least
    /// significant:
    ///   stamp 6 | block 24 | warp 5 | lane 5 | epoch 10 | site 10 | strong 1 | shift 3
    /// A cell may stand for several lanes with consecutive bytes. Byte b of such a cell belongs to
    /// lane + (b >> shift).
    using Cell = u64;
    static constexpr u32 kStampShift = 58, kBlockShift = 34, kWarpShift = 29, kLaneShift = 24,
                         kEpochShift = 14, kSiteShift = 4;
    static constexpr Cell kStrongBit = 1 << 3;
    static constexpr u32 kMaxStamp = 63, kMaxEpoch = 1023, kUnknownSite = 1023;
    /// The keys of barriers. The key of a barrier is its ID. The key of an mbarrier is
    /// kFirstMbarrier + its address. The key of an mbarrier's last completed phase is kFirstPhase +
    /// its address.
    static constexpr u64 kFirstMbarrier = u64{1} << 32, kFirstPhase = u64{1} << 33;
    /// A block index that no launch uses. Cells with this index do not stand for accesses.
    static constexpr u64 kNoBlock = (1 << 24) - 1;
    static constexpr u32 kLineBytes = 128, kLineShift = 7;

private:
    /// The amount of memory that a cell covers: a line, a word or a byte. kBytesPerCell gives the
    /// number of bytes.
    enum Level : u32 { kLines = 0, kWords = 1, kBytes = 2 };
    static constexpr u32 kBytesPerCell[] = {kLineBytes, kWordBytes, 1};
    /// The three arrays of cells that exist for each Level: the last write, and two reads that are
    /// not ordered with each other.
    enum Role : u32 { kWrite = 0, kRead = 1, kSecondRead = 2 };

    static Cell load(const Cell& cell) {
        return std::atomic_ref<Cell>(const_cast<Cell&>(cell)).load(std::memory_order_relaxed);
    }
    static void store(Cell& cell, Cell value) {
        std::atomic_ref<Cell>(cell).store(value, std::memory_order_relaxed);
    }
    bool is_live(Cell cell) const { return (cell ^ stamp_bits_) >> kStampShift == 0; }
    /// Reports whether the cell records an access by another warp in this launch. The complete
    /// check is then needed.
    static bool is_by_other_warp(Cell cell, Cell own_cell) {
        return ((cell ^ own_cell) >> kWarpShift) - 1 < (u64{1} << (kStampShift - kWarpShift)) - 1;
    }
    /// Returns the position of a line's cell. The cells of each 16 KB of memory are permuted,
    /// because otherwise the cells of a matrix column would often share a few sets of the host's
    /// caches. The function is its own inverse.
    static u64 permute_line_index(u64 line) { return line ^ ((line >> 7 ^ line >> 14) & 127); }
    Cell make_cell(const Block& block, u32 warp, u32 site) const {
        return stamp_bits_ | block.cell_bits | u64{warp} << kWarpShift |
               u64{site < kUnknownSite ? site : kUnknownSite} << kSiteShift;
    }

    template <bool kIsWrite>
    bool try_whole_lines(const Block& block, u32 warp, u32 site, u64 first_address,
                         u32 bytes_per_lane, const StoredValue* value = nullptr) {
        const u64 offset = first_address - device_base();
        if ((offset % kLineBytes) != 0 || bytes_per_lane < 4) return false;
        if (offset >= capacity_ || !block.is_checked) return true;
        if (kIsWrite)
            check_write_is_expected(block, site, first_address,
                                    first_address + bytes_per_lane * kLanes - 1);
        const u32 line_count = bytes_per_lane * kLanes / kLineBytes;
        const u32 lanes_per_line = kLanes / line_count;
        const Cells* const line_cells = shadow_[kLines];
        const u32 shift = bytes_per_lane == 4 ? 2 : bytes_per_lane == 8 ? 3 : 4;
        Cell own_cell = make_cell(block, warp, site) | shift;
        if (kIsWrite) begin_store(block);
        for (u64 line_index = offset >> kLineShift, end = line_index + line_count; line_index < end;
             ++line_index) {
            const u64 line = permute_line_index(line_index);
            const Cell last_write = load(line_cells[kWrite][line]);
            const Cell last_read = load(line_cells[kRead][line]);
            // A second reader is stored only if there is a first reader.
            const bool is_read_by_another =
                kIsWrite && is_live(last_read) &&
                is_by_other_warp(load(line_cells[kSecondRead][line]), own_cell);
            if (is_by_other_warp(last_write, own_cell) || is_by_other_warp(last_read, own_cell) ||
                is_read_by_another) {
                check_contested_line(block, line, own_cell, kIsWrite, value);
            } else {
                Cell& target_cell = line_cells[kIsWrite ? kWrite : kRead][line];
                if ((kIsWrite ? last_write : last_read) != own_cell) store(target_cell, own_cell);
            }
            own_cell += u64{lanes_per_line} << kLaneShift;
        }
        return true;
    }
    static void begin_store(const Block& block) {
        if (block.store_in_flight != nullptr) block.store_in_flight->begin();
    }
    /// Reports an error if the kernel is not expected to write to the allocation that contains
    /// `first_address`. The store writes between `first_address` and `last_address`, possibly with
    /// gaps.
    void check_write_is_expected(const Block& block, u32 site, u64 first_address,
                                 u64 last_address) {
        if (!ignores_read_only_) return;
        if (first_address < block.writable_begin || last_address >= block.writable_end)
            check_allocation_is_writable(block, site, first_address);
    }
    void check_allocation_is_writable(const Block& block, u32 site, u64 address);
    void check_lane_writes_expected(const Block& block, const GlobalAccess& access);
    void check_contested_line(const Block& block, u64 line, Cell own_cell, bool is_write,
                              const StoredValue* value);

    template <class F>
    void for_each_shadow(F use_array);
    void use_new_stamp();
    void begin_epoch(Block& block);
    bool renumber_block(Block& block, u64 epoch_rounds);
    void record_arrival(Block& block, u64 sync_object, u32 warp);
    void release(Block& block, u32 warp, Scope widest_scope = Scope::device);

    /// The block and the time of an access. `block` is the index of the block in the grid, and
    /// `time` is the value of Block::time at the access.
    struct AccessTime {
        u64 block, time;
    };
    AccessTime find_access_time(Cell cell) const;

    /// Reports whether the instruction at a site has .cta scope. Its accesses are then strong only
    /// for threads of the same block.
    bool has_block_scope(u32 site) const {
        const std::vector<Site>& sites = log_.kernel().sites;
        return site < sites.size() && sites[site].has_block_scope;
    }

    struct SlowPath;  ///< the checks that the fast path cannot make (global_race.cpp)
    friend struct SlowPath;

    u64 capacity_ = 0;
    bool has_shadow_ = true;
    u64 stamp_bits_ = 0;
    u32 stamp_ = 0;
    Cells shadow_[3][3];  ///< the cells, indexed by Level and Role

    const AllocationTable* allocations_ = nullptr;
    bool ignores_read_only_ = false;
    /// The allocations for which writes are expected. Used only if `ignores_read_only_` is true.
    std::vector<const Allocation*> writable_allocations_;
    std::atomic<bool> had_unexpected_write_{false};
    RaceLog log_{"globalrace"};
    struct ReleaseClock;
    std::unique_ptr<ReleaseClock> release_clock_;
    struct Renumberings;
    /// The new indices of blocks that have used up all epochs (10 bits) of their previous index. A
    /// new index is larger than the index of any block in the grid.
    std::unique_ptr<Renumberings> renumberings_;
};

}  // namespace coalesce::simulator

// Data races in global memory between the threads of one launch.
//
// Builds on  race_log.h.
// Idea       Next to the device's memory lies a shadow that remembers who touched what last: one
//            64-bit cell (Cell) holds the launch, block, thread, time and instruction of an access.
//            Coalesced access must cost next to nothing, so a cell stands for a whole 128-byte line
//            as long as whole warps access whole lines; for 4-byte words after somebody did
//            otherwise; and for single bytes where threads share a word.
// Arrays     Three of each size: the last write, and two reads by threads that are not ordered
//            among themselves (a write must be ordered after both).
// Time       A block's time counts its barriers, arrivals and fences. What came before a barrier of the
//            whole block is known by one number. A barrier of some warps, and a phase of an mbarrier, bring
//            to each warp that waits what those who arrived had done and knew, and to nobody else: from the
//            first of these on, the block keeps for each warp up to which time it knows each other one.
//            Cells hold the last bits of a time, the epoch. When those are used up, the block goes on under
//            another number, one that the grid has not: `turns_` knows whose it is.
//            Blocks have no common time, except
//            through memory: a fence and then an atomic (or volatile, or release) store publishes
//            what the block did before, an atomic or volatile read sees what was published before.
//            All such locations are treated as one clock of the launch: lenient, but it never
//            accuses a correct program that waits for a flag.
// Read-only  Most of what programs read, no thread of the launch writes. Where a kernel's text says which
//            allocations those are (expect_writes), their reads are not shown to the checker at all. A store
//            that goes there all the same is told: what was read there before cannot be known any more.
// Watch      Several workers share the shadow. Cells are read and written whole, one at a time;
//            only the change from lines to words, or from words to bytes, takes a lock (kLocked).
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "simulator/base/types.h"
#include "simulator/checks/cells.h"
#include "simulator/checks/race_log.h"
#include "simulator/code/kernel.h"
#include "simulator/memory/device_memory.h"

namespace coalesce::simulator {

/// One warp-wide access to global memory.
struct GlobalAccess {
    enum class Kind : u8 { read, write, atomic };
    Kind kind = Kind::read;
    /// volatile, .relaxed, .acquire, .release and every atomic: takes part in synchronisation,
    /// and never races with others of its kind.
    bool strong = false;
    /// .release, .acq_rel or .sc on the instruction itself: as if a fence came before it.
    bool releases = false;
    u32 warp = 0;  ///< within the block
    u32 site = 0;  ///< Op::site
    Mask active = 0;
    const u64* addresses = nullptr;  ///< device addresses, one a lane
    u32 bytes_per_lane = 4;
    StoredValue value = {};  ///< writes: what is about to be stored
};

class GlobalRace {
public:
    /// What the checker knows about a block. The executor keeps one in every running block.
    struct Block {
        u64 number = 0;
        u64 bits = 0;          ///< its number in cells, and epoch, as they lie in a Cell
        u64 time = 0;          ///< barriers, arrivals and fences so far
        u64 last_barrier = 0;  ///< time that the last barrier of the whole block began
        u64 last_meeting = 0;  ///< ... that the last barrier of any kind began
        /// An allocation that is expected to be written to: the last one that was.
        mutable u64 written_begin = 0, written_end = 0;
        bool checked = false;
        struct Sync;
        Sync* sync = nullptr;  ///< made by its first fence; owned by the checker
        struct Order;
        std::shared_ptr<Order> order;  ///< made by the first barrier that is not of the whole block
    };

    /// For device addresses [device_base(), device_base() + capacity). When the host does not grant
    /// the address space for the shadow, nothing is checked and a report says so.
    explicit GlobalRace(u64 capacity);
    ~GlobalRace();

    // ---- a launch ----

    /// Between launches: no worker may be running. `allocations` must outlive the launch.
    void begin_launch(const Kernel& kernel, Dim3 grid, Dim3 block,
                      const AllocationTable& allocations);
    /// Of this launch, right after its beginning: it writes to these allocations alone (sorted by address).
    void expect_writes(std::vector<const Allocation*> allocations);
    /// Whether reads there are of no interest: nobody is expected to write.
    bool is_only_read(const Allocation& allocation) const;
    /// Whether a store went where none was expected.
    bool was_surprised() const { return surprised_; }
    /// Reports what was found, also after a launch that failed.
    void end_launch();
    void begin_block(Block& block, u64 number) const;
    void end_block(Block& block);

    // ---- what orders accesses ----

    /// A barrier of the whole block completed.
    void barrier(Block& block);
    /// A warp arrived at one of the block's 16 barriers, or at the mbarrier at an address of shared memory,
    /// and goes on: whoever waits there in the end knows what it did so far.
    void barrier_arrive(Block& block, u32 id, u32 warp) { arrive(block, id, warp); }
    void mbarrier_arrive(Block& block, u32 address, u32 warp) {
        arrive(block, kFirstMbarrier + address, warp);
    }
    /// A barrier of some warps completed: `waiting`, which waited, and those that arrived and went on.
    void barrier_complete(Block& block, u32 id, Mask waiting);
    /// The mbarrier's phase has ended, for which they arrived; and this warp has seen that one did.
    void mbarrier_phase_done(Block& block, u32 address);
    void mbarrier_wait_done(Block& block, u32 address, u32 warp);
    /// A warp has issued a copy that reports to an mbarrier when it is complete. The time to tell then.
    u64 copy_issued(Block& block);
    void copy_complete(Block& block, u32 mbarrier, u32 warp, u64 issued);
    /// Lanes of a warp executed membar or fence (of gpu or sys scope, or of block scope).
    void fence(Block& block, u32 warp);
    /// A warp arrives where blocks of a cluster meet: releases what it did so far. Whoever has
    /// waited there acquires.
    void cluster_arrive(Block& block, u32 warp) {
        fence(block, warp);
        release(block, warp);
    }
    /// After a strong read or an atomic has been carried out.
    void acquire(Block& block, u32 warp);

    // ---- accesses: call these before memory changes ----

    /// Fast path: 32 active lanes with plain accesses at first, first + bytes_per_lane, ...
    /// True: done. False: it does not cover whole lines, call access().
    bool read_lines(const Block& block, u32 warp, u32 site, u64 first, u32 bytes_per_lane) {
        return whole_lines<false>(block, warp, site, first, bytes_per_lane);
    }
    bool write_lines(const Block& block, u32 warp, u32 site, u64 first, u32 bytes_per_lane,
                     const StoredValue& value) {
        return whole_lines<true>(block, warp, site, first, bytes_per_lane, &value);
    }

    /// Any access. A strong write or an atomic also publishes what was fenced before it.
    void access(Block& block, const GlobalAccess& access);

    GlobalRace(const GlobalRace&) = delete;

    // ---- the shadow's cells ----

    /// Who touched some bytes. Fields from the top: whatever decides first is compared first.
    ///   stamp 6 | block 24 | warp 5 | lane 5 | epoch 10 | site 10 | strong 1 | shift 3
    /// A cell may stand for several lanes with consecutive bytes: its byte b belongs to
    /// lane + (b >> shift).
    using Cell = u64;
    static constexpr u32 kStampAt = 58, kBlockAt = 34, kWarpAt = 29, kLaneAt = 24, kEpochAt = 14,
                         kSiteAt = 4;
    static constexpr Cell kStrong = 1 << 3;
    static constexpr u32 kMaxStamp = 63, kMaxEpoch = 1023, kUnknownSite = 1023;
    /// Where warps meet: barriers by their number, and mbarriers from here on by their address: what was
    /// brought there, and what was brought there for phases that have ended.
    static constexpr u64 kFirstMbarrier = u64{1} << 32, kFirstPhase = u64{1} << 33;
    /// A block that no launch has: cells that are no access but a mark name it.
    static constexpr u64 kNoBlock = (1 << 24) - 1;
    static constexpr u32 kLineBytes = 128, kLineShift = 7;

private:
    /// What a cell stands for, from the largest down, and in bytes.
    enum Level : u32 { kLines = 0, kWords = 1, kBytes = 2 };
    static constexpr u32 kBytesOf[] = {kLineBytes, kWordBytes, 1};
    /// In the shadow's three arrays of each size.
    enum Role : u32 { kWrite = 0, kRead = 1, kSecondRead = 2 };

    static Cell load(const Cell& cell) {
        return std::atomic_ref<Cell>(const_cast<Cell&>(cell)).load(std::memory_order_relaxed);
    }
    static void store(Cell& cell, Cell value) {
        std::atomic_ref<Cell>(cell).store(value, std::memory_order_relaxed);
    }
    bool is_live(Cell cell) const { return (cell ^ stamp_bits_) >> kStampAt == 0; }
    /// Of this launch, and not of the same warp: needs a closer look.
    static bool is_foreign(Cell cell, Cell mine) {
        return ((cell ^ mine) >> kWarpAt) - 1 < (u64{1} << (kStampAt - kWarpAt)) - 1;
    }
    /// Where the cell of a line lies among those of its 16 KB. Columns of a matrix are a power of
    /// two apart too often: their cells would all compete for the same few places in the host's
    /// caches. Its own inverse.
    static u64 shuffled_line(u64 line) { return line ^ ((line >> 7 ^ line >> 14) & 127); }
    Cell cell_of(const Block& block, u32 warp, u32 site) const {
        return stamp_bits_ | block.bits | u64{warp} << kWarpAt |
               u64{site < kUnknownSite ? site : kUnknownSite} << kSiteAt;
    }

    template <bool Write>
    bool whole_lines(const Block& block, u32 warp, u32 site, u64 first, u32 bytes_per_lane,
                     const StoredValue* value = nullptr) {
        const u64 offset = first - device_base();
        if ((offset % kLineBytes) != 0 || bytes_per_lane < 4) return false;
        if (offset >= capacity_ || !block.checked) return true;
        if (Write) expect_write(block, site, first, first + bytes_per_lane * kLanes - 1);
        const u32 count = bytes_per_lane * kLanes / kLineBytes;
        const u32 lanes_per_line = kLanes / count;
        const Cells* const lines = shadow_[kLines];
        const u32 shift = bytes_per_lane == 4 ? 2 : bytes_per_lane == 8 ? 3 : 4;
        Cell mine = cell_of(block, warp, site) | shift;
        for (u64 i = offset >> kLineShift, end = i + count; i < end; ++i) {
            const u64 line = shuffled_line(i);
            const Cell written = load(lines[kWrite][line]);
            const Cell read = load(lines[kRead][line]);
            // A second reader is only kept beside a first one.
            const bool second =
                Write && is_live(read) && is_foreign(load(lines[kSecondRead][line]), mine);
            if (is_foreign(written, mine) || is_foreign(read, mine) || second) {
                contested_line(block, line, mine, Write, value);
            } else {
                Cell& own = lines[Write ? kWrite : kRead][line];
                if ((Write ? written : read) != mine) store(own, mine);
            }
            mine += u64{lanes_per_line} << kLaneAt;
        }
        return true;
    }
    /// A store is about to touch what lies between these two bytes, at least these.
    void expect_write(const Block& block, u32 site, u64 first, u64 last) {
        if (!leaves_reads_out_) return;
        if (first < block.written_begin || last >= block.written_end)
            find_written(block, site, first);
    }
    void find_written(const Block& block, u32 site, u64 address);
    void expect_lanes(const Block& block, const GlobalAccess& access);
    void contested_line(const Block& block, u64 line, Cell mine, bool write,
                        const StoredValue* value);

    template <class F>
    void for_each_shadow(F f);
    void new_stamp();
    void advance(Block& block);
    bool begin_turn(Block& block, u64 turn);
    void arrive(Block& block, u64 place, u32 warp);
    void release(Block& block, u32 warp);

    /// Who an access was of: the block's own number, and when in its time.
    struct Moment {
        u64 block, time;
    };
    Moment moment_of(Cell cell) const;

    struct Detail;  ///< the slow path, in global_race.cpp
    friend struct Detail;

    u64 capacity_ = 0;
    bool available_ = true;
    u64 stamp_bits_ = 0;
    u32 stamp_ = 0;
    Cells shadow_[3][3];  ///< by Level and Role

    const AllocationTable* allocations_ = nullptr;
    bool leaves_reads_out_ = false;
    std::vector<const Allocation*> written_;  ///< expected to be; else nothing is left out
    std::atomic<bool> surprised_{false};
    RaceLog log_{"globalrace"};
    struct Clock;
    std::unique_ptr<Clock> clock_;
    struct Turns;
    std::unique_ptr<Turns> turns_;  ///< blocks that go on under numbers which the grid has not
};

}  // namespace coalesce::simulator

// The vector clocks and cells for shared memory. See shared_race.h for the idea.
//
// In this file  Cells; the state of a block; its clocks; the check of an access against earlier
//               ones; asynchronous copies; and finally the short public functions.
// Long: everything in this file works on the same cells and clocks.
#include "simulator/checks/shared_race.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simulator/analysis/byte_uses.h"
#include "simulator/base/device_model.h"
#include "simulator/base/options.h"
#include "simulator/checks/access_report.h"

namespace coalesce::simulator {

namespace {

/// The last access to a word or a byte:
///   stamp 16 | warp 9 | lane 5 | clock 16 | site 13 | strong 1 | several 1 | shift 3
/// The bit `several` has two meanings. In the cell of a read, it means that several lanes of the
/// warp have read the word or byte, and `lane` is the last of them (kSeveralLanesBit). In the cell
/// of a write, it means that a bulk copy wrote the bytes, through the asynchronous proxy
/// (kAsyncProxyBit). The bytes of a cell may belong to consecutive lanes: byte b of the cell
/// belongs to lane `lane` + (b >> shift).
using Cell = u64;

constexpr u32 kStampShift = 48, kWarpShift = 39, kLaneShift = 34, kClockShift = 18, kSiteShift = 5;
constexpr Cell kStrongBit = 1 << 4, kSeveralLanesBit = 1 << 3, kAsyncProxyBit = kSeveralLanesBit;
constexpr u32 kMaxStamp = (1 << 16) - 1, kUnknownSite = (1 << 13) - 1;
/// The clock of a copy that no thread has waited for. This clock is later than any clock that a
/// warp has seen.
constexpr u32 kPendingClock = 0xffff;
/// A special value of the shift field. It marks a word that is split into one cell per byte.
constexpr u32 kSplitMark = 7;

constexpr auto stamp_of = cell_field<kStampShift, 16>, warp_of = cell_field<kWarpShift, 9>,
               lane_of = cell_field<kLaneShift, 5>, clock_of = cell_field<kClockShift, 16>,
               site_of = cell_field<kSiteShift, 13>, shift_of = cell_field<0, 3>;

Cell make_cell_for_lane(Cell cell, u32 lane) {
    return (cell & ~(Cell{31} << kLaneShift)) | Cell{lane} << kLaneShift;
}
/// Returns the cell for byte `b` of the bytes that `cell` covers.
Cell cell_for_byte(Cell cell, u32 b) {
    return make_cell_for_lane(cell & ~Cell{7}, lane_of(cell) + (b >> shift_of(cell)));
}

/// The clocks of all warps, as far as one warp knows them. An empty vector means that the warp
/// knows none.
using VectorClock = std::vector<u32>;

void merge_clocks(u32* target_clock, const u32* source_clock, std::size_t warps) {
    for (std::size_t v = 0; v < warps; ++v)
        target_clock[v] = std::max(target_clock[v], source_clock[v]);
}

/// One vector clock for each warp, or for each barrier.
class VectorClocks {
public:
    void resize(std::size_t rows, u32 warps) {
        warps_ = warps;
        clock_entries_.assign(rows * warps, 0);
    }
    void clear() { std::fill(clock_entries_.begin(), clock_entries_.end(), 0); }
    u32* operator[](std::size_t row) { return clock_entries_.data() + row * warps_; }
    const u32* operator[](std::size_t row) const { return clock_entries_.data() + row * warps_; }
    void clear_row(std::size_t row) { std::fill_n((*this)[row], warps_, 0); }

private:
    u32 warps_ = 0;
    VectorClock clock_entries_;
};

/// In a cluster, the bits of an address from this position upwards contain the rank of the block
/// that owns the address.
constexpr u32 kRankShift = 24;
constexpr u32 kBarriersOfBlock = 16;

/// The arrays of cells: one for the last write, and two for reads. Each size of cell has its own.
enum Role : u32 { kWrite = 0, kRead = 1, kSecondRead = 2, kRoleCount = 3 };
using Shadow = std::array<std::vector<Cell>, kRoleCount>;

}  // namespace

struct SharedRace::State {
    // ---- the launch and the block ----

    const Kernel* kernel = nullptr;
    RaceLog* log = nullptr;
    EnabledChecks enabled_checks;
    u64 block = 0;
    Cluster cluster;  ///< the cluster; `cluster.blocks` is empty if there is only one block
    u32 warps = 0;    ///< the number of warps in all blocks of the cluster
    const u8* shared_memory = nullptr;
    u64* report_count = nullptr;
    /// Reports of uninitialized reads, by site: those of this block, and those of all blocks so
    /// far.
    std::map<u32, Report> block_uninitialised_reads, reported_uninitialised_reads;
    std::set<u32> racing_sites;  ///< sites whose reads race in this block
    bool has_ignored_equal_stores =
        false;  ///< whether conflicting stores of equal values were ignored
    /// The sites reported because the block whose memory they access may have ended.
    std::set<u32> sites_reported_after_end;

    // ---- the shadow ----

    u32 stamp = 0;
    Shadow word_cells, byte_cells;
    /// For each word, its written bytes. The upper 28 bits are the serial number of the block, and
    /// each of the lower 4 bits stands for a byte.
    std::vector<u32> written_bytes;
    u32 block_serial = 0;

    // ---- the clocks ----

    VectorClocks clocks;
    /// `access_counts` counts the accesses of each warp. `access_counts_at_sync` is a copy of
    /// `access_counts` from the last time that all warps were synchronized. `last_access_at_site`
    /// contains, for each site and warp, the value of the warp's `access_counts` at its last access
    /// there.
    std::vector<u64> access_counts, access_counts_at_sync;
    std::vector<u64> last_access_at_site;
    VectorClocks fence_clocks;   ///< the clocks of each warp at its last fence
    std::vector<u8> has_fenced;  ///< warps that have executed a fence
    /// The order of accesses by the lanes of one warp, which needs to be known after a __syncwarp
    /// whose mask excluded some lanes. Accesses of lane m before the warp's time
    /// `visible_before[l][m]` come before the next access of lane l. A __syncwarp of all lanes
    /// orders everything, so no LaneClocks are needed after it.
    struct LaneClocks {
        std::array<std::array<u32, kLanes>, kLanes> visible_before;
    };
    std::vector<std::unique_ptr<LaneClocks>> lane_clocks;  ///< by warp; usually null
    VectorClocks barrier_clocks;  ///< the clocks of the barriers of all blocks, block by block
    /// the clocks published by releases, by address
    std::unordered_map<u32, VectorClock> released_clocks;
    /// The cluster's barrier: the clocks released in the current phase, and in completed phases.
    VectorClock cluster_arrived, cluster_completed;
    /// Like `cluster_arrived` and `cluster_completed`, but with .relaxed arrivals included. For
    /// each block, `block_clocks` contains the parts of these clocks that the block has acquired,
    /// which suffice to order accesses before the end of a block.
    VectorClock relaxed_arrived, relaxed_completed;
    VectorClocks block_clocks;

    /// A cp.async that no thread has waited for.
    struct Copy {
        u32 warp, site, bytes_per_lane;
        Mask lanes;
        /// The number of the copy's group; 0 if the copy is not committed yet.
        u32 group_number = 0;
        std::array<u32, kLanes> addresses{};

        explicit Copy(const SharedAccess& access)
            : warp(access.warp),
              site(access.site),
              bytes_per_lane(access.bytes_per_lane),
              lanes(access.active) {
            std::copy_n(access.addresses, kLanes, addresses.begin());
        }
    };
    std::vector<Copy> pending_copies;
    /// A bulk copy that has not completed.
    struct BulkCopy {
        Copy copy;
        u32 copy_id;
        bool is_write;
        u32 clock;  ///< the clock of the copy's warp when the copy was issued
        VectorClock
            released_clock;  ///< the clocks that a thread acquires by observing the copy's completion
    };
    std::vector<BulkCopy> pending_bulk_copies;
    u32 last_copy_id = 0;

    // ---- the asynchronous proxy ----

    /// The time of the last fence.proxy.async. The fence covers stores with a stamp below
    /// `proxy_fence_stamp`, and stores with this stamp whose clock is below their warp's clock in
    /// `proxy_fence_clock`. The check is lenient: it accepts a fence by any thread, as long as the
    /// store is ordered before the fence.
    u32 proxy_fence_stamp = 0;
    VectorClock proxy_fence_clock;
    /// The block's first stamp. Cells with a lower stamp belong to blocks that have ended.
    u32 first_stamp = 0;

    /// The arrivals at an mbarrier in one phase: for each warp, the time and the cell of its last
    /// arrival.
    struct Arrivals {
        VectorClock arrival_times;
        std::vector<Cell> arrival_cells;
    };
    struct Phases {
        Arrivals current_phase, last_phase;
    };
    std::unordered_map<u32, Phases> phases;  ///< by the mbarrier's address
    std::vector<u32> committed_groups;       ///< number of groups committed by each warp

    void begin_launch(const Kernel& new_kernel, u32 warp_count, u32 blocks) {
        kernel = &new_kernel;
        warps = warp_count;
        cluster = {};
        clocks.resize(warps, warps);
        fence_clocks.resize(warps, warps);
        barrier_clocks.resize(std::size_t{kBarriersOfBlock} * blocks, warps);
        access_counts.assign(warps, 0);
        access_counts_at_sync.assign(warps, 0);
        block_clocks.resize(blocks, warps);
        has_fenced.assign(warps, 0);
        lane_clocks.clear();
        lane_clocks.resize(warps);
        committed_groups.assign(warps, 0);
        last_access_at_site.assign(new_kernel.sites.size() * warps, 0);
        sites_reported_after_end.clear();
    }

    void begin_block(u64 number, u64 shared_bytes) {
        end_block();
        block = number;
        const u64 count = (shared_bytes + kWordBytes - 1) / kWordBytes;
        if (written_bytes.size() < count) {
            for (auto& cells : word_cells) cells.resize(count);
            for (auto& cells : byte_cells) cells.resize(count * kWordBytes);
            written_bytes.resize(count);
        }
        if (++block_serial >= 1u << 28) {
            std::fill(written_bytes.begin(), written_bytes.end(), 0);
            block_serial = 1;
        }
        pending_copies.clear();
        pending_bulk_copies.clear();
        std::fill(committed_groups.begin(), committed_groups.end(), 0);
        cluster_arrived.assign(warps, 0);
        cluster_completed.assign(warps, 0);
        relaxed_arrived.assign(warps, 0);
        relaxed_completed.assign(warps, 0);
        block_clocks.clear();
        make_cells_stale();
        first_stamp = stamp;
        proxy_fence_stamp = 0;
    }

    /// Makes all cells stale, because all earlier accesses are ordered before all later ones.
    void make_cells_stale() {
        if (++stamp > kMaxStamp) {
            for (Shadow* shadow : {&word_cells, &byte_cells}) {
                for (auto& cells : *shadow) std::fill(cells.begin(), cells.end(), 0);
            }
            stamp = first_stamp = 1;
            proxy_fence_stamp = 0;
        }
        clocks.clear();
        access_counts_at_sync = access_counts;
        barrier_clocks.clear();
        std::fill(has_fenced.begin(), has_fenced.end(), 0);
        for (auto& lanes : lane_clocks) lanes.reset();
        released_clocks.clear();
        phases.clear();
        for (const Copy& copy : pending_copies) record_copy(copy, kPendingClock);
        for (const BulkCopy& bulk_copy : pending_bulk_copies)
            record_copy(bulk_copy.copy, kPendingClock, bulk_copy.is_write);
    }
    bool has_pending_copies() const {
        return !pending_copies.empty() || !pending_bulk_copies.empty();
    }

    /// Advances the warp's clock, so that later accesses can be distinguished from earlier ones.
    void advance_clock(u32 warp) {
        if (++clocks[warp][warp] == kPendingClock) make_cells_stale();
    }

    /// Records a __syncwarp of `lanes`. `live_lanes` is the mask of the warp's lanes that have not
    /// exited.
    void synchronize_lanes(u32 warp, Mask lanes, Mask live_lanes) {
        advance_clock(warp);
        auto& lane_clock = lane_clocks[warp];
        if ((live_lanes & ~lanes) == 0) return lane_clock.reset();
        const u32 current_clock = clocks[warp][warp];
        if (current_clock == 0) return;  // advance_clock() has made all cells stale
        if (!lane_clock) {
            lane_clock = std::make_unique<LaneClocks>();
            for (auto& row : lane_clock->visible_before) row.fill(current_clock - 1);
            for (u32 l = 0; l < kLanes; ++l) lane_clock->visible_before[l][l] = kPendingClock;
        }
        std::array<u32, kLanes> merged_clock{};
        for (const int l : LaneRange{lanes})
            merge_clocks(merged_clock.data(), lane_clock->visible_before[l].data(), kLanes);
        for (const int l : LaneRange{lanes}) merged_clock[l] = current_clock;
        for (const int l : LaneRange{lanes}) {
            lane_clock->visible_before[l] = merged_clock;
            lane_clock->visible_before[l][l] = kPendingClock;
        }
    }

    bool is_live(Cell cell) const { return stamp_of(cell) == stamp; }
    bool is_split(Cell cell) const { return is_live(cell) && shift_of(cell) == kSplitMark; }

    // ---- one access ----

    struct Access {
        const SharedAccess& shared_access;
        bool is_read, is_write;
        Cell warp_cell;  ///< this warp's cell, before lane and shift are set
        bool is_plain_write() const { return is_write && !is_read && !shared_access.is_strong; }
    };

    u32 current_time(const SharedAccess& access) const { return clocks[access.warp][access.warp]; }
    Access make_access(const SharedAccess& shared_access, bool is_read, bool is_write,
                       u32 clock) const {
        const u32 site = std::min(shared_access.site, kUnknownSite);
        const Cell strong_bit = shared_access.is_strong || (is_read && is_write) ? kStrongBit : 0;
        return {shared_access, is_read, is_write,
                Cell{stamp} << kStampShift | Cell{shared_access.warp} << kWarpShift |
                    Cell{clock} << kClockShift | Cell{site} << kSiteShift | strong_bit};
    }

    bool is_ordered(Cell earlier, Cell own_cell) const {
        if (!is_live(earlier)) return true;
        if (clock_of(earlier) == kPendingClock) return false;
        const u32 warp = warp_of(own_cell);
        if (warp_of(earlier) == warp && lane_of(earlier) == lane_of(own_cell) &&
            !(earlier & kSeveralLanesBit))
            return true;
        if (warp_of(earlier) == warp && lane_clocks[warp])
            return clock_of(earlier) <
                   lane_clocks[warp]->visible_before[lane_of(own_cell)][lane_of(earlier)];
        return clock_of(earlier) < clocks[warp][warp_of(earlier)];
    }

    /// Checks an access to `count` bytes at `address` against the earlier access in a cell, and
    /// reports a race if the two accesses conflict.
    void check_against(const Access& access, Cell earlier, Cell own_cell, u32 address, u32 count,
                       bool earlier_wrote) {
        if (!is_live(earlier)) return;
        // If the bytes of a word belong to several lanes, check each byte.
        if (count > 1 && (shift_of(earlier) < 2 || shift_of(own_cell) < 2)) {
            for (u32 b = 0; b < count; ++b) {
                check_against(access, cell_for_byte(earlier, b), cell_for_byte(own_cell, b),
                              address + b, 1, earlier_wrote);
            }
            return;
        }
        const bool is_pending = clock_of(earlier) == kPendingClock;
        if (!is_pending && (earlier & own_cell & kStrongBit)) return;
        if (is_ordered(earlier, own_cell)) return;
        const bool writes_equal_values = stores_equal_value(access, own_cell, address);
        if (writes_equal_values && !options().checks.reports_equal_values) {
            has_ignored_equal_stores = true;
            return;
        }
        bool later_wrote = access.is_write;
        if (!is_pending && counts_as_earlier(own_cell, earlier)) {
            std::swap(earlier, own_cell);
            std::swap(earlier_wrote, later_wrote);
        }
        const RaceKind kind = find_race_kind(earlier_wrote, later_wrote);
        report_race(kind, make_race_access(own_cell), make_race_access(earlier),
                    is_pending ? RaceCause::pending_copy : RaceCause::unordered, address,
                    writes_equal_values);
    }

    /// Reports whether the access `own_cell` comes first in the program, although the simulator
    /// executed it after the access `other_cell` of another warp. This is the case if the other
    /// warp had already executed the instruction of `own_cell` itself before it made the access
    /// `other_cell`. The missing barrier then belongs after `own_cell`.
    bool counts_as_earlier(Cell own_cell, Cell other_cell) const {
        const u32 warp = warp_of(other_cell);
        const std::size_t sites = kernel->sites.size();
        if (warp == warp_of(own_cell) || site_of(own_cell) >= sites || site_of(other_cell) >= sites)
            return false;
        const u64 last_access_count = last_access_at_site[site_of(own_cell) * warps + warp];
        return last_access_count > access_counts_at_sync[warp] &&
               last_access_count < last_access_at_site[site_of(other_cell) * warps + warp];
    }

    /// Reports whether a store only writes the value that memory already contains, which does no
    /// harm.
    bool stores_equal_value(const Access& access, Cell own_cell, u32 address) const {
        if (!access.is_plain_write() || shared_memory == nullptr) return false;
        const u32 lane = lane_of(own_cell), size = access.shared_access.bytes_per_lane;
        return !access.shared_access.value.changes_memory(
                   lane, shared_memory + access.shared_access.addresses[lane], size) &&
               size <= 16 && address >= access.shared_access.addresses[lane];
    }

    // ---- clusters ----

    u64 find_block_of_warp(u32 warp) const {
        return cluster.block_indices.empty() ? block : cluster.block_indices[warp / cluster.warps];
    }
    u32 find_thread_index(u32 warp, u32 lane) const {
        return (cluster.block_indices.empty() ? warp : warp % cluster.warps) * kLanes + lane;
    }
    u32 find_barrier_index(u32 warp, u32 id) const {
        return cluster.block_indices.empty() ? id : warp / cluster.warps * kBarriersOfBlock + id;
    }
    /// Converts an address to the offset of its cells. The cells of the blocks in a cluster are
    /// stored block by block.
    u32 to_cell_offset(u32 address) const {
        return cluster.block_indices.empty() ? address
                                             : (address >> kRankShift) * cluster.stride +
                                                   (address & ((1u << kRankShift) - 1));
    }
    std::string describe_byte(u32 address) const {
        if (cluster.block_indices.empty())
            return "byte " + std::to_string(address) + " of shared memory";
        const u32 rank = address / cluster.stride;
        return "byte " + std::to_string(address % cluster.stride) +
               " of the shared memory of the block with rank " + std::to_string(rank);
    }

    RaceAccess make_race_access(Cell cell) const {
        const u32 site = site_of(cell);
        return {.site = site == kUnknownSite ? RaceAccess::kUnknownSite : site,
                .block = find_block_of_warp(warp_of(cell)),
                .thread = find_thread_index(warp_of(cell), lane_of(cell))};
    }

    void report_race(RaceKind kind, RaceAccess later, RaceAccess earlier, RaceCause cause,
                     u32 address, bool writes_equal_values = false) {
        ++*report_count;
        // Do not also report a read that is part of a race as uninitialized.
        if (kind != RaceKind::write_after_write) {
            racing_sites.insert(kind == RaceKind::read_after_write ? later.site : earlier.site);
        }
        if (log->count_if_known(kind, later, earlier)) return;
        log->add(
            {kind, later, earlier, cause, address, describe_byte(address), writes_equal_values});
    }

    /// Reports accesses by other blocks that are not ordered before the end of this block. Call
    /// this after all warps of this block have ended.
    void check_accesses_of_other_blocks(u32 rank) {
        if (!enabled_checks.checks_races) return;
        VectorClock known_clock(block_clocks[rank], block_clocks[rank] + warps);
        for (u32 w = rank * cluster.warps; w < (rank + 1) * cluster.warps; ++w)
            merge_clocks(known_clock.data(), clocks[w], warps);
        const auto check_cell = [&](Cell cell, u32 address, bool is_write) {
            const u32 warp = warp_of(cell);
            if (!is_live(cell) || shift_of(cell) == kSplitMark || warp / cluster.warps == rank ||
                clock_of(cell) == kPendingClock || clock_of(cell) < known_clock[warp])
                return;
            report_access_after_end(cell, address, rank, is_write);
        };
        const u32 first = rank * cluster.stride, last = first + cluster.stride;
        for (const Role role : {kWrite, kRead, kSecondRead})
            for (u32 at = first; at < last; ++at) {
                const Cell word = word_cells[role][at / kWordBytes];
                if (is_split(word)) check_cell(byte_cells[role][at], at, role == kWrite);
                if (at % kWordBytes == 0) check_cell(word, at, role == kWrite);
            }
    }
    void report_access_after_end(Cell cell, u32 address, u32 rank, bool is_write) {
        ++*report_count;
        const u32 site = site_of(cell);
        if (!sites_reported_after_end.insert(site).second) return;
        Report report;
        report.check = "racecheck";
        report.kind = "block may have ended";
        report.kernel = kernel->display_name;
        if (site < kernel->sites.size()) report.where = kernel->place(kernel->sites[site].where);
        report.block = log->block_index(find_block_of_warp(warp_of(cell)));
        report.thread = log->thread_index(find_thread_index(warp_of(cell), lane_of(cell)));
        report.message = std::string(is_write ? "writes " : "reads ") + describe_byte(address) +
                         ", which may have ended by then: nothing makes the block with rank " +
                         std::to_string(rank) + " wait for this access";
        report.cure = "Synchronize all blocks once more before any of them ends: cluster.sync().";
        reports().add(report);
    }

    /// A word or a byte that lanes access, and the cell in which this access is recorded.
    struct AccessedPart {
        u32 address, bytes;
        Cell own_cell;
        u32 word() const { return address / kWordBytes; }
        /// Returns a mask of the bytes within the word that contains them.
        u32 byte_mask() const { return ((1u << bytes) - 1) << address % kWordBytes; }
    };

    void check_against_role(const Access& access, const AccessedPart& part, Role role) {
        const auto& [address, count, own_cell] = part;
        const Cell cell = word_cells[role][part.word()];
        if (!is_split(cell)) {
            const Cell earlier = count == 1 ? cell_for_byte(cell, address % kWordBytes) : cell;
            return check_against(access, earlier, own_cell, address, count, role == kWrite);
        }
        for (u32 b = 0; b < count; ++b)
            check_against(access, byte_cells[role][address + b], cell_for_byte(own_cell, b),
                          address + b, 1, role == kWrite);
    }

    void split(u32 word, Role role) {
        Cell& cell = word_cells[role][word];
        if (is_split(cell)) return;
        for (u32 b = 0; b < kWordBytes; ++b) {
            byte_cells[role][word * kWordBytes + b] = is_live(cell) ? cell_for_byte(cell, b) : 0;
        }
        cell = Cell{stamp} << kStampShift | kSplitMark;
    }

    /// Keeps two reads that are not ordered with each other, from different warps if possible. A
    /// later write that is ordered after only one of them is then still reported.
    void record_read(Shadow& shadow, u32 index, Cell own_cell) {
        Cell& first_read = shadow[kRead][index];
        Cell& second_read = shadow[kSecondRead][index];
        const u32 warp = warp_of(own_cell);
        if (is_ordered(first_read, own_cell)) {
            first_read = own_cell;
        } else if (is_ordered(second_read, own_cell)) {
            second_read = own_cell;
        } else if (warp_of(first_read) == warp_of(second_read) && warp != warp_of(first_read)) {
            first_read |= kSeveralLanesBit;
            second_read = own_cell;
        } else if (warp == warp_of(first_read)) {
            first_read = make_cell_for_lane(first_read, lane_of(own_cell)) | kSeveralLanesBit;
        } else if (warp == warp_of(second_read)) {
            second_read = make_cell_for_lane(second_read, lane_of(own_cell)) | kSeveralLanesBit;
        }
    }

    void check_part(const Access& access, const AccessedPart& part) {
        check_against_role(access, part, kWrite);
        if (!access.is_write) return;
        check_against_role(access, part, kRead);
        check_against_role(access, part, kSecondRead);
    }

    void record_part(const Access& access, const AccessedPart& part) {
        const auto& [address, count, own_cell] = part;
        const u32 word = part.word();
        const bool is_whole_word = count == kWordBytes;
        if (access.is_write) {
            if (is_whole_word) {
                word_cells[kWrite][word] = own_cell;
                return;
            }
            split(word, kWrite);
            byte_cells[kWrite][address] = own_cell;
            return;
        }
        if (is_whole_word && !is_split(word_cells[kRead][word]) && shift_of(own_cell) >= 2)
            return record_read(word_cells, word, own_cell);
        // Split both arrays of reads together.
        if (!is_split(word_cells[kRead][word])) {
            split(word, kSecondRead);
            split(word, kRead);
        }
        for (u32 b = 0; b < count; ++b)
            record_read(byte_cells, address + b, cell_for_byte(own_cell, b));
    }

    // ---- initcheck ----

    /// Marks the given bytes of a word as written.
    void mark_bytes_written(u32 word, u32 bits) {
        const u32 written_before =
            written_bytes[word] >> 4 == block_serial ? written_bytes[word] : block_serial << 4;
        written_bytes[word] = written_before | bits;
    }
    bool is_written(u32 word, u32 bits) const {
        return written_bytes[word] >> 4 == block_serial && (written_bytes[word] & bits) == bits;
    }

    u32 find_unwritten_bytes(u32 address, u32 count) const {
        u32 unwritten_mask = 0;
        for (u32 k = 0; k < count; ++k) {
            const u32 at = address + k;
            unwritten_mask |= u32{!is_written(at / kWordBytes, 1u << at % kWordBytes)} << k;
        }
        return unwritten_mask;
    }
    bool are_all_written(u32 begin, u32 count) const {
        for (u32 at = begin; at < begin + count;) {
            const u32 byte_count = std::min(kWordBytes - at % kWordBytes, begin + count - at);
            if (!is_written(at / kWordBytes, ((1u << byte_count) - 1) << at % kWordBytes))
                return false;
            at += byte_count;
        }
        return true;
    }

    /// Reports the first lane that reads uninitialized bytes, if such a read is an error. Bulk
    /// copies are checked in 16-byte pieces.
    void check_written(const SharedAccess& access) {
        constexpr u32 kReportedBytes = 16;
        bool is_reported = false;
        for (Mask remaining_lanes = access.active; remaining_lanes;
             remaining_lanes &= remaining_lanes - 1) {
            const u32 lane = std::countr_zero(remaining_lanes);
            const u32 begin = access.addresses[lane], size = access.bytes_per_lane;
            if (are_all_written(begin, size)) continue;
            for (u32 at = 0; at < size; at += kReportedBytes) {
                const LaneAccess part{.kind = LaneAccess::Kind::read,
                                      .address = begin + at,
                                      .bytes = std::min(kReportedBytes, size - at),
                                      .unwritten_mask = find_unwritten_bytes(
                                          begin + at, std::min(kReportedBytes, size - at))};
                if (!is_read_error(access.site, part)) {
                    if (access.undefined_bytes)
                        access.undefined_bytes[lane] |= part.unwritten_mask << at;
                } else if (!std::exchange(is_reported, true)) {
                    report_uninitialised(access, lane,
                                         size <= kReportedBytes
                                             ? part
                                             : LaneAccess{LaneAccess::Kind::read, begin, size, 0});
                }
            }
        }
    }
    bool is_read_error(u32 site, const LaneAccess& part) const {
        if (part.unwritten_mask == 0) return false;
        const LoadUse load_use =
            site < kernel->sites.size() ? byte_uses(*kernel).load_use(site) : LoadUse{};
        const i64 size = static_cast<i64>(written_bytes.size() * kWordBytes);
        return is_uninitialised_read_error(
            load_use, part.unwritten_mask, part.address, part.bytes, [&](u64 begin, u64 end) {
                const auto clamp_offset = [&](u64 at) {
                    return static_cast<u32>(std::clamp(static_cast<i64>(at), i64{0}, size));
                };
                for (u32 at = clamp_offset(begin); at < clamp_offset(end); ++at)
                    if (is_written(at / kWordBytes, 1u << at % kWordBytes)) return true;
                return false;
            });
    }

    void report_uninitialised(const SharedAccess& access, u32 lane,
                              const LaneAccess& unwritten_access) {
        ++*report_count;
        const auto [found, is_new] = block_uninitialised_reads.try_emplace(access.site);
        Report& report = found->second;
        if (!is_new) {
            ++report.count;
            return;
        }
        report.kernel = kernel->display_name;
        if (access.site < kernel->sites.size()) {
            report.where = kernel->place(kernel->sites[access.site].where);
        }
        report.block = log->block_index(find_block_of_warp(access.warp));
        report.thread = log->thread_index(find_thread_index(access.warp, lane));
        LaneAccess block_access = unwritten_access;
        if (!cluster.block_indices.empty()) block_access.address %= cluster.stride;
        report = describe_uninitialised_shared(std::move(report), block_access);
        if (!cluster.block_indices.empty())
            report.message +=
                " (It is " + describe_byte(static_cast<u32>(unwritten_access.address)) + ".)";
    }

    /// Reports the block's uninitialized reads. Reads of bytes that another warp wrote too late are
    /// left out, because they have been reported as races.
    void end_block() {
        for (auto& [site, report] : block_uninitialised_reads) {
            if (racing_sites.contains(site)) continue;
            const auto [found, is_new] = reported_uninitialised_reads.try_emplace(site, report);
            if (!is_new) {
                found->second.count += report.count;
                continue;
            }
            reports().add(report);
            found->second.count = 0;
        }
        block_uninitialised_reads.clear();
        racing_sites.clear();
    }

    void report_remaining() {
        end_block();
        for (const auto& [site, report] : reported_uninitialised_reads) {
            if (report.count > 0) reports().add(report);
        }
        reported_uninitialised_reads.clear();
    }

    // ---- splitting a warp's access into pieces ----

    /// Calls `use_part(piece)` for each word or byte that the active lanes access. A word that
    /// several lanes cover together is a single piece.
    template <class UsePart>
    static void for_each_part(const Access& access, UsePart use_part) {
        const SharedAccess& shared_access = access.shared_access;
        const u32 size = shared_access.bytes_per_lane;
        for (Mask remaining_lanes = shared_access.active; remaining_lanes;
             remaining_lanes &= remaining_lanes - 1) {
            const u32 lane = std::countr_zero(remaining_lanes);
            const u32 begin = shared_access.addresses[lane];
            const Cell own_cell = access.warp_cell | Cell{lane} << kLaneShift;
            if (size < kWordBytes && covers_word(shared_access, lane)) {
                use_part(AccessedPart{begin, kWordBytes, own_cell | std::countr_zero(size)});
                for (u32 i = 1; i < kWordBytes / size; ++i) remaining_lanes &= remaining_lanes - 1;
                continue;
            }
            for (u32 at = begin; at < begin + size;) {
                const bool is_whole_word = at % kWordBytes == 0 && begin + size - at >= kWordBytes;
                const AccessedPart part = is_whole_word ? AccessedPart{at, kWordBytes, own_cell | 2}
                                                        : AccessedPart{at, 1, own_cell};
                use_part(part);
                at += part.bytes;
            }
        }
    }
    /// Reports whether this lane and the lanes after it fill exactly one word.
    static bool covers_word(const SharedAccess& shared_access, u32 lane) {
        const u32 size = shared_access.bytes_per_lane, lanes = kWordBytes / size,
                  begin = shared_access.addresses[lane];
        if (begin % kWordBytes != 0 || lane + lanes > kLanes || !std::has_single_bit(size))
            return false;
        for (u32 i = 1; i < lanes; ++i) {
            if (!(shared_access.active >> (lane + i) & 1) ||
                shared_access.addresses[lane + i] != begin + i * size)
                return false;
        }
        return true;
    }

    void check_and_record(const Access& access) {
        if (!enabled_checks.checks_races) return;
        // Check all lanes before recording any of them, because the lanes act at the same time.
        if (access.is_plain_write() && !are_ascending(access.shared_access))
            check_same_instruction(access);
        for_each_part(access, [&](const AccessedPart& part) { check_part(access, part); });
        for_each_part(access, [&](const AccessedPart& part) { record_part(access, part); });
        count_access(access.shared_access);
    }

    /// Handles the usual access, in which each lane accesses one whole word and no cell conflicts
    /// with the access. Returns false, and records nothing, if the slow path is needed.
    bool try_whole_words(const Access& access) {
        const SharedAccess& shared_access = access.shared_access;
        if (shared_access.bytes_per_lane != kWordBytes || !enabled_checks.checks_races ||
            !enabled_checks.checks_uninitialised)
            return false;
        if (access.is_plain_write() && !are_ascending(shared_access)) return false;
        const u32 all_written = block_serial << 4 | 0xf;
        bool needs_slow_path = false;
        for (Mask remaining_lanes = shared_access.active; remaining_lanes;
             remaining_lanes &= remaining_lanes - 1) {
            const u32 lane = std::countr_zero(remaining_lanes),
                      word = shared_access.addresses[lane] / kWordBytes;
            const Cell own_cell = access.warp_cell | Cell{lane} << kLaneShift;
            needs_slow_path |= shared_access.addresses[lane] % kWordBytes != 0;
            needs_slow_path |= access.is_read && written_bytes[word] != all_written;
            needs_slow_path |= may_collide(word_cells[kWrite][word], own_cell);
            if (access.is_write) {
                needs_slow_path |= may_collide(word_cells[kRead][word], own_cell);
                needs_slow_path |= may_collide(word_cells[kSecondRead][word], own_cell);
            } else {
                needs_slow_path |= is_split(word_cells[kRead][word]);
            }
        }
        if (needs_slow_path) return false;
        for (Mask remaining_lanes = shared_access.active; remaining_lanes;
             remaining_lanes &= remaining_lanes - 1) {
            const u32 lane = std::countr_zero(remaining_lanes),
                      word = shared_access.addresses[lane] / kWordBytes;
            const Cell own_cell = access.warp_cell | Cell{lane} << kLaneShift | 2;
            if (access.is_write) {
                word_cells[kWrite][word] = own_cell;
                written_bytes[word] = all_written;
            } else {
                record_read(word_cells, word, own_cell);
            }
        }
        count_access(shared_access);
        return true;
    }
    /// Reports whether a word's cell requires the slow path.
    bool may_collide(Cell earlier, Cell own_cell) const {
        if (!is_live(earlier)) return false;
        const bool are_both_strong =
            (earlier & own_cell & kStrongBit) && clock_of(earlier) != kPendingClock;
        return shift_of(earlier) != 2 || !(are_both_strong || is_ordered(earlier, own_cell));
    }

    /// Reports whether the access is to the shared memory that the system reserves. Cooperative
    /// groups stores equal values there from several lanes, which is harmless. The callers still
    /// record the releases and acquires of these accesses.
    bool is_in_reserved_memory(const SharedAccess& access) const {
        const u32 first = access.addresses[std::countr_zero(access.active)];
        return (cluster.block_indices.empty() ? first : first % cluster.stride) >=
               DeviceModel::shared_reserved_begin;
    }

    void check_access(const Access& access) {
        if (is_in_reserved_memory(access.shared_access)) return;
        if (try_whole_words(access)) return;
        if (access.is_read && enabled_checks.checks_uninitialised)
            check_written(access.shared_access);
        check_and_record(access);
        if (access.is_write)
            for_each_part(access, [&](const AccessedPart& part) {
                mark_bytes_written(part.word(), part.byte_mask());
            });
    }

    void count_access(const SharedAccess& access) {
        const u64 number = ++access_counts[access.warp];
        const std::size_t at = std::size_t{access.site} * warps + access.warp;
        if (at < last_access_at_site.size()) last_access_at_site[at] = number;
    }

    void check_same_instruction(const Access& access) {
        const auto report_clash = [&](u32 lane, u32 other) {
            report_race(RaceKind::write_after_write,
                        make_race_access(make_cell_for_lane(access.warp_cell, other)),
                        make_race_access(make_cell_for_lane(access.warp_cell, lane)),
                        RaceCause::same_instruction, access.shared_access.addresses[lane]);
        };
        find_conflicting_lanes(access.shared_access, report_clash,
                               [this] { has_ignored_equal_stores = true; });
    }

    // ---- asynchronous copies ----

    /// Marks the bytes of a copy as written (or read) by its threads at time `clock`, in the cells
    /// that still belong to the copy. `proxy_bit` is kAsyncProxyBit if a bulk copy has written the
    /// bytes, otherwise 0.
    void record_copy(const Copy& copy, u32 clock, bool is_write = true, Cell proxy_bit = 0) {
        const SharedAccess from{.warp = copy.warp,
                                .site = copy.site,
                                .active = copy.lanes,
                                .addresses = copy.addresses.data(),
                                .bytes_per_lane = copy.bytes_per_lane};
        Access access = make_access(from, !is_write, is_write, clock);
        access.warp_cell |= proxy_bit;
        const auto record_in_role = [&](Role role, bool includes_stale_cells) {
            const auto is_cell_of_copy = [&](Cell cell) {
                if (!is_live(cell)) return includes_stale_cells;
                return clock_of(cell) == kPendingClock && warp_of(cell) == copy.warp;
            };
            for_each_part(access, [&](const AccessedPart& part) {
                const bool is_byte = part.bytes == 1;
                if (is_byte) split(part.word(), role);
                Cell& cell =
                    is_byte ? byte_cells[role][part.address] : word_cells[role][part.word()];
                if (is_cell_of_copy(cell)) cell = part.own_cell;
            });
        };
        if (is_write) return record_in_role(kWrite, true);
        record_in_role(kRead, true);
        record_in_role(kSecondRead, false);
    }

    /// Completes the copies of `lanes` for which `is_complete` returns true.
    template <class F>
    void complete_copies(u32 warp, Mask lanes, F is_complete) {
        for (Copy& copy : pending_copies) {
            if (copy.warp != warp || !(copy.lanes & lanes) || !is_complete(copy)) continue;
            Copy completed_part = copy;
            completed_part.lanes &= lanes;
            copy.lanes &= ~lanes;
            record_copy(completed_part, clocks[warp][warp]);
        }
        std::erase_if(pending_copies, [](const Copy& copy) { return copy.lanes == 0; });
    }

    // ---- the asynchronous proxy ----

    void record_proxy_fence(u32 warp) {
        advance_clock(warp);
        if (proxy_fence_stamp != stamp) proxy_fence_clock.assign(warps, 0);
        proxy_fence_stamp = stamp;
        merge_clocks(proxy_fence_clock.data(), clocks[warp], warps);
    }

    /// Reports whether the cell describes a store of this block that no fence.proxy.async has
    /// followed.
    bool needs_proxy_fence(Cell cell) const {
        const u32 stamp_of_store = stamp_of(cell);
        if (stamp_of_store < first_stamp || stamp_of_store > stamp ||
            stamp_of_store < proxy_fence_stamp)
            return false;
        if ((cell & kAsyncProxyBit) || clock_of(cell) == kPendingClock) return false;
        return stamp_of_store > proxy_fence_stamp ||
               clock_of(cell) >= proxy_fence_clock[warp_of(cell)];
    }

    /// Reports a race if an access by the asynchronous proxy may not see the last store to one of
    /// its bytes. Must be called before the access is recorded.
    void check_proxy_fence(const Access& access) {
        if (!enabled_checks.checks_races) return;
        bool is_reported = false;
        for_each_part(access, [&](const AccessedPart& part) {
            const Cell word = word_cells[kWrite][part.word()];
            const bool is_split_word = shift_of(word) == kSplitMark;
            for (u32 b = 0; b < part.bytes && !is_reported; b += is_split_word ? 1 : part.bytes) {
                const Cell store = is_split_word ? byte_cells[kWrite][part.address + b] : word;
                if (!needs_proxy_fence(store) || !is_ordered(store, part.own_cell)) continue;
                is_reported = true;
                report_race(
                    access.is_write ? RaceKind::write_after_write : RaceKind::read_after_write,
                    make_race_access(part.own_cell), make_race_access(store),
                    RaceCause::missing_proxy_fence, part.address + b);
            }
        });
    }

    // ---- mbarriers ----

    /// Records an arrival in the current phase. Reports a race if another warp arrived in the
    /// previous phase, but nothing orders that arrival before this one. On a GPU, this arrival
    /// might come first and count for the previous phase.
    void record_arrival(const SharedAccess& access, u32 lane) {
        Phases& mbarrier_phases = phases[access.addresses[lane]];
        const Cell own_cell = make_cell_for_lane(
            make_access(access, true, true, current_time(access)).warp_cell, lane);
        for (u32 v = 0;
             v < mbarrier_phases.last_phase.arrival_times.size() && enabled_checks.checks_races;
             ++v) {
            if (v == access.warp ||
                mbarrier_phases.last_phase.arrival_times[v] <= clocks[access.warp][v])
                continue;
            report_race(RaceKind::write_after_write, make_race_access(own_cell),
                        make_race_access(mbarrier_phases.last_phase.arrival_cells[v]),
                        RaceCause::early_arrival, access.addresses[lane]);
            break;
        }
        mbarrier_phases.current_phase.arrival_times.resize(warps);
        mbarrier_phases.current_phase.arrival_cells.resize(warps);
        mbarrier_phases.current_phase.arrival_times[access.warp] = current_time(access);
        mbarrier_phases.current_phase.arrival_cells[access.warp] = own_cell;
    }

    // ---- releasing and acquiring ----

    void record_fence(u32 warp) {
        advance_clock(warp);
        std::copy_n(clocks[warp], warps, fence_clocks[warp]);
        has_fenced[warp] = 1;
    }
    void merge_into_clock(VectorClock& to, const u32* clock) {
        to.resize(warps);
        merge_clocks(to.data(), clock, warps);
    }

    void release(const SharedAccess& access) {
        if (access.releases) record_fence(access.warp);
        if (!has_fenced[access.warp]) return;
        for (Mask remaining_lanes = access.active; remaining_lanes;
             remaining_lanes &= remaining_lanes - 1) {
            merge_into_clock(released_clocks[access.addresses[std::countr_zero(remaining_lanes)]],
                             fence_clocks[access.warp]);
        }
    }

    void acquire(u32 warp, u32 address) {
        const auto found = released_clocks.find(address);
        if (found == released_clocks.end()) return;
        merge_clocks(clocks[warp], found->second.data(), warps);
        lane_clocks[warp].reset();  // an acquire may also order the warp's lanes
    }
};

// ---- the public functions ----

SharedRace::SharedRace() : state_(std::make_unique<State>()) {
    state_->report_count = &report_count_;
}
SharedRace::~SharedRace() {
    state_->report_remaining();
}

void SharedRace::begin_launch(const Kernel& kernel, RaceLog& log, EnabledChecks enabled_checks,
                              u32 warps, u32 blocks) {
    state_->report_remaining();
    state_->log = &log;
    state_->enabled_checks = enabled_checks;
    state_->begin_launch(kernel, warps, blocks);
}

void SharedRace::end_launch() {
    state_->report_remaining();
}

void SharedRace::begin_block(u64 block_number, u32 shared_bytes, const u8* shared_memory) {
    report_count_ = 0;
    state_->has_ignored_equal_stores = false;
    state_->shared_memory = shared_memory;
    state_->begin_block(block_number, shared_bytes);
}

void SharedRace::begin_cluster(Cluster cluster, const u8* shared_memory) {
    const u64 bytes = u64{cluster.stride} * cluster.block_indices.size();
    state_->end_block();  // end_block still uses the block indices of the previous cluster
    state_->cluster = std::move(cluster);
    begin_block(state_->cluster.block_indices[0], static_cast<u32>(bytes), shared_memory);
}

bool SharedRace::has_ignored_equal_stores() const {
    return state_->has_ignored_equal_stores;
}

namespace {

/// An access, and the addresses of its cells. In a cluster, these differ from the addresses of the
/// access.
struct AccessWithCellOffsets {
    SharedAccess offset_access;
    u32 addresses[kLanes];

    AccessWithCellOffsets(const SharedRace::State& state, const SharedAccess& shared_access)
        : offset_access(shared_access) {
        if (state.cluster.block_indices.empty()) return;
        for (Mask remaining_lanes = shared_access.active; remaining_lanes;
             remaining_lanes &= remaining_lanes - 1) {
            const int lane = std::countr_zero(remaining_lanes);
            addresses[lane] = state.to_cell_offset(shared_access.addresses[lane]);
        }
        offset_access.addresses = addresses;
    }
    operator const SharedAccess&() const { return offset_access; }
};

}  // namespace

void SharedRace::check_read(const SharedAccess& access) {
    const AccessWithCellOffsets access_in_cluster(*state_, access);
    state_->check_access(state_->make_access(access_in_cluster, true, false,
                                             state_->current_time(access_in_cluster)));
}

void SharedRace::check_write(const SharedAccess& access) {
    const AccessWithCellOffsets access_in_cluster(*state_, access);
    if (access.is_strong) state_->release(access_in_cluster);
    state_->check_access(state_->make_access(access_in_cluster, false, true,
                                             state_->current_time(access_in_cluster)));
}

void SharedRace::check_atomic(const SharedAccess& access) {
    const AccessWithCellOffsets access_in_cluster(*state_, access);
    state_->release(access_in_cluster);
    state_->check_access(state_->make_access(access_in_cluster, true, true,
                                             state_->current_time(access_in_cluster)));
}

void SharedRace::check_mbarrier_use(const SharedAccess& access) {
    AccessWithCellOffsets mbarrier_access(*state_, access);
    mbarrier_access.offset_access.is_strong = true;
    state_->check_and_record(
        state_->make_access(mbarrier_access, true, false, state_->current_time(mbarrier_access)));
}

void SharedRace::mark_unwritten(const SharedAccess& access, const u32* undefined_bytes) {
    for (Mask remaining_lanes = undefined_bytes ? access.active : 0; remaining_lanes;
         remaining_lanes &= remaining_lanes - 1) {
        const int lane = std::countr_zero(remaining_lanes);
        u32 at = state_->to_cell_offset(access.addresses[lane]);
        for (u32 bytes = undefined_bytes[lane]; bytes; ++at, bytes >>= 1)
            if (bytes & 1) state_->written_bytes[at / kWordBytes] &= ~(1u << at % kWordBytes);
    }
}

u32 SharedRace::find_unwritten_bytes(u32 address, u32 bytes) const {
    return state_->find_unwritten_bytes(state_->to_cell_offset(address), bytes);
}

void SharedRace::mark_written(u32 address, u32 bytes) {
    const u32 first = state_->to_cell_offset(address);
    for (u32 at = first; at < first + bytes; ++at)
        state_->mark_bytes_written(at / kWordBytes, 1u << at % kWordBytes);
}

void SharedRace::record_barrier_arrival(u32 id, u32 warp) {
    state_->advance_clock(warp);
    merge_clocks(state_->barrier_clocks[state_->find_barrier_index(warp, id)], state_->clocks[warp],
                 state_->warps);
}

void SharedRace::complete_barrier(u32 id, Mask waiting_warps, bool is_whole_block, u32 first_warp) {
    const bool has_no_cluster = state_->cluster.block_indices.empty();
    if (is_whole_block && has_no_cluster && !state_->has_pending_copies())
        return state_->make_cells_stale();
    const u32 barrier_index = state_->find_barrier_index(first_warp, id);
    for (Mask remaining_lanes = waiting_warps; remaining_lanes;
         remaining_lanes &= remaining_lanes - 1) {
        const u32 warp = first_warp + static_cast<u32>(std::countr_zero(remaining_lanes));
        merge_clocks(state_->clocks[warp], state_->barrier_clocks[barrier_index], state_->warps);
        state_->lane_clocks[warp].reset();
    }
    state_->barrier_clocks.clear_row(barrier_index);
}

void SharedRace::record_cluster_arrival(u32 warp, bool releases) {
    state_->advance_clock(warp);
    if (releases) state_->merge_into_clock(state_->cluster_arrived, state_->clocks[warp]);
    state_->merge_into_clock(state_->relaxed_arrived, state_->clocks[warp]);
}

void SharedRace::complete_cluster_barrier() {
    state_->merge_into_clock(state_->cluster_completed, state_->cluster_arrived.data());
    state_->merge_into_clock(state_->relaxed_completed, state_->relaxed_arrived.data());
}

void SharedRace::record_cluster_wait(u32 warp) {
    state_->lane_clocks[warp].reset();
    merge_clocks(state_->clocks[warp], state_->cluster_completed.data(), state_->warps);
    if (!state_->cluster.block_indices.empty())
        merge_clocks(state_->block_clocks[warp / state_->cluster.warps],
                     state_->relaxed_completed.data(), state_->warps);
}

void SharedRace::end_block_of_cluster(u32 rank) {
    state_->check_accesses_of_other_blocks(rank);
}

void SharedRace::record_syncwarp(u32 warp, Mask lanes, Mask live_lanes) {
    state_->synchronize_lanes(warp, lanes, live_lanes);
}

void SharedRace::record_fence(u32 warp) {
    state_->record_fence(warp);
}

void SharedRace::acquire(const SharedAccess& access) {
    if (state_->released_clocks.empty()) return;
    for (Mask remaining_lanes = access.active; remaining_lanes;
         remaining_lanes &= remaining_lanes - 1) {
        state_->acquire(access.warp, state_->to_cell_offset(
                                         access.addresses[std::countr_zero(remaining_lanes)]));
    }
}

void SharedRace::record_mbarrier_arrival(u32 warp, u32 address) {
    state_->advance_clock(warp);
    state_->merge_into_clock(state_->released_clocks[state_->to_cell_offset(address)],
                             state_->clocks[warp]);
}

void SharedRace::check_arrival_phase(const SharedAccess& access) {
    const AccessWithCellOffsets access_in_cluster(*state_, access);
    for (const int lane : LaneRange{access_in_cluster.offset_access.active})
        state_->record_arrival(access_in_cluster.offset_access, static_cast<u32>(lane));
}

void SharedRace::record_phase_end(u32 address) {
    const auto found = state_->phases.find(state_->to_cell_offset(address));
    if (found == state_->phases.end()) return;
    found->second.last_phase = std::exchange(found->second.current_phase, {});
}

void SharedRace::record_proxy_fence(u32 warp) {
    state_->record_proxy_fence(warp);
}

void SharedRace::check_proxy_fence(const SharedAccess& access, bool is_write) {
    const AccessWithCellOffsets access_in_cluster(*state_, access);
    state_->check_proxy_fence(state_->make_access(access_in_cluster, !is_write, is_write,
                                                  state_->current_time(access_in_cluster)));
}

void SharedRace::record_mbarrier_wait(u32 warp, u32 address) {
    state_->acquire(warp, state_->to_cell_offset(address));
}

void SharedRace::begin_async_copy(const SharedAccess& access) {
    const AccessWithCellOffsets access_in_cluster(*state_, access);
    state_->check_access(state_->make_access(access_in_cluster, false, true, kPendingClock));
    state_->pending_copies.emplace_back(access_in_cluster);
}

void SharedRace::commit_async_copies(u32 warp, Mask lanes) {
    const u32 group = ++state_->committed_groups[warp];
    for (auto& copy : state_->pending_copies) {
        if (copy.warp == warp && copy.group_number == 0 && (copy.lanes & lanes))
            copy.group_number = group;
    }
}

void SharedRace::wait_for_async_copies(u32 warp, Mask lanes, u32 max_pending_groups,
                                       bool waits_for_all) {
    const u32 last_group = state_->committed_groups[warp];
    state_->complete_copies(warp, lanes, [&](const State::Copy& copy) {
        return waits_for_all ||
               (copy.group_number != 0 && copy.group_number + max_pending_groups <= last_group);
    });
}

u32 SharedRace::begin_bulk_copy(const SharedAccess& access, bool is_write) {
    const AccessWithCellOffsets access_in_cluster(*state_, access);
    state_->check_access(
        state_->make_access(access_in_cluster, !is_write, is_write, kPendingClock));
    const u32* const known_clock = state_->clocks[access.warp];
    const u32 issue_clock = known_clock[access.warp];
    state_->advance_clock(access.warp);
    state_->pending_bulk_copies.push_back({State::Copy(access_in_cluster), ++state_->last_copy_id,
                                           is_write, issue_clock,
                                           VectorClock(known_clock, known_clock + state_->warps)});
    return state_->last_copy_id;
}

void SharedRace::end_bulk_copy(u32 copy_id, bool is_write, u32 mbarrier) {
    const auto found = std::find_if(
        state_->pending_bulk_copies.begin(), state_->pending_bulk_copies.end(),
        [=](const State::BulkCopy& bulk_copy) { return bulk_copy.copy_id == copy_id; });
    if (found == state_->pending_bulk_copies.end()) return;
    state_->record_copy(found->copy, found->clock, is_write, is_write ? kAsyncProxyBit : 0);
    if (is_write)
        state_->merge_into_clock(state_->released_clocks[state_->to_cell_offset(mbarrier)],
                                 found->released_clock.data());
    state_->pending_bulk_copies.erase(found);
}

void SharedRace::record_async_arrival(u32 warp, Mask lanes, u32 address) {
    wait_for_async_copies(warp, lanes, 0, true);
    record_mbarrier_arrival(warp, address);
}

}  // namespace coalesce::simulator

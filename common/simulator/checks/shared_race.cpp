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
/// `several` means that several lanes of the warp have read the word or byte, and `lane` is the
/// last of them. In the cell of a write, the same bit means that a bulk copy wrote the bytes,
/// through the asynchronous proxy. A cell may stand for several lanes with consecutive bytes. Byte
/// b of the cell then belongs to lane `lane` + (b >> shift).
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

Cell with_lane(Cell cell, u32 lane) {
    return (cell & ~(Cell{31} << kLaneShift)) | Cell{lane} << kLaneShift;
}
/// Returns the cell for byte `b` of the bytes that `cell` covers.
Cell cell_for_byte(Cell cell, u32 b) {
    return with_lane(cell & ~Cell{7}, lane_of(cell) + (b >> shift_of(cell)));
}

/// The clocks of all warps, as far as one warp knows them. An empty vector means that the warp
/// knows none.
using Clock = std::vector<u32>;

void join(u32* into, const u32* from, std::size_t warps) {
    for (std::size_t v = 0; v < warps; ++v) into[v] = std::max(into[v], from[v]);
}

/// One vector clock for each warp, or for each barrier.
class Clocks {
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
    Clock clock_entries_;
};

/// In a cluster, the bits of an address from this position upwards contain the rank of the block
/// that owns the address.
constexpr u32 kRankShift = 24;
constexpr u32 kBarriersOfBlock = 16;

/// The arrays of cells: one for the last write, and two for reads. Each size of cell has its own.
enum Role : u32 { kWrite = 0, kRead = 1, kSecondRead = 2, kRoles = 3 };
using Shadow = std::array<std::vector<Cell>, kRoles>;

}  // namespace

struct SharedRace::State {
    // ---- the launch and the block ----

    const Kernel* kernel = nullptr;
    RaceLog* log = nullptr;
    EnabledChecks enabled;
    u64 block = 0;
    Cluster cluster;  ///< the cluster; `cluster.blocks` is empty if there is only one block
    u32 warps = 0;    ///< number of warps in all blocks of the cluster
    const u8* memory = nullptr;
    u64* findings = nullptr;
    /// Reports of uninitialized reads, by site: those of this block, and those of all blocks so
    /// far.
    std::map<u32, Report> uninitialised_here, uninitialised;
    std::set<u32> racing_sites;         ///< sites whose reads race in this block
    bool ignored_equal_stores = false;  ///< whether conflicting stores of equal values were ignored
    /// The sites reported because the block whose memory they access may have ended.
    std::set<u32> sites_reported_after_end;

    // ---- the shadow ----

    u32 stamp = 0;
    Shadow words, bytes;
    /// For each word, its written bytes. The upper 28 bits are the serial number of the block, and
    /// each of the lower 4 bits stands for a byte.
    std::vector<u32> written;
    u32 serial = 0;

    // ---- the clocks ----

    Clocks clocks;
    /// `accesses` counts the accesses of each warp. `phase_begin` is a copy of `accesses` from the
    /// last time that all warps were synchronized. `steps` contains, for each site and warp, the
    /// value of the warp's `accesses` at its last access there.
    std::vector<u64> accesses, phase_begin;
    std::vector<u64> steps;
    Clocks fences;           ///< the clocks of each warp at its last fence
    std::vector<u8> fenced;  ///< warps that have executed a fence
    /// The order of accesses by the lanes of one warp since a __syncwarp whose mask excluded some
    /// of them. Accesses of lane m before the warp's time `times[l][m]` come before the next access
    /// of lane l. A __syncwarp of all lanes orders everything, so no LaneClocks are needed after
    /// it.
    struct LaneClocks {
        std::array<std::array<u32, kLanes>, kLanes> times;
    };
    std::vector<std::unique_ptr<LaneClocks>> lane_clocks;  ///< by warp; usually null
    Clocks barriers;  ///< the clocks of the barriers of all blocks, block by block
    /// the clocks published by releases, by address
    std::unordered_map<u32, Clock> released;
    /// The cluster's barrier: the clocks released in the current phase, and in completed phases.
    Clock cluster_arrived, cluster_completed;
    /// Like `cluster_arrived` and `cluster_completed`, but with .relaxed arrivals included. For
    /// each block, `block_clocks` contains the parts of these clocks that the block has acquired,
    /// which suffice to order accesses before the end of a block.
    Clock all_arrived, all_completed;
    Clocks block_clocks;

    /// A cp.async that no thread has waited for.
    struct Copy {
        u32 warp, site, bytes_per_lane;
        Mask lanes;
        u32 group = 0;  ///< 0 if not committed yet
        std::array<u32, kLanes> addresses{};

        explicit Copy(const SharedAccess& access)
            : warp(access.warp),
              site(access.site),
              bytes_per_lane(access.bytes_per_lane),
              lanes(access.active) {
            std::copy_n(access.addresses, kLanes, addresses.begin());
        }
    };
    std::vector<Copy> copies;
    /// A bulk copy that has not completed.
    struct BulkCopy {
        Copy copy;
        u32 ticket;
        bool writes;
        u32 clock;       ///< the clock of the copy's warp when the copy was issued
        Clock released;  ///< the clocks that a thread acquires by observing the copy's completion
    };
    std::vector<BulkCopy> bulk_copies;
    u32 last_ticket = 0;

    // ---- the asynchronous proxy ----

    /// The time of the last fence.proxy.async. The fence covers stores with a stamp below
    /// `fenced_stamp`, and stores with this stamp whose clock is below their warp's clock in
    /// `proxy_fenced`. The check is lenient: it accepts a fence by any thread, as long as the store
    /// is ordered before the fence.
    u32 fenced_stamp = 0;
    Clock proxy_fenced;
    /// The block's first stamp. Cells with a lower stamp belong to blocks that have ended.
    u32 first_stamp = 0;

    /// The arrivals at an mbarrier in one phase: for each warp, the time and the cell of its last
    /// arrival.
    struct Arrivals {
        Clock times;
        std::vector<Cell> cells;
    };
    struct Phases {
        Arrivals current, last;
    };
    std::unordered_map<u32, Phases> phases;  ///< by the mbarrier's address
    std::vector<u32> groups;                 ///< number of groups committed by each warp

    void begin_launch(const Kernel& of, u32 all_warps, u32 blocks) {
        kernel = &of;
        warps = all_warps;
        cluster = {};
        clocks.resize(warps, warps);
        fences.resize(warps, warps);
        barriers.resize(std::size_t{kBarriersOfBlock} * blocks, warps);
        accesses.assign(warps, 0);
        phase_begin.assign(warps, 0);
        block_clocks.resize(blocks, warps);
        fenced.assign(warps, 0);
        lane_clocks.clear();
        lane_clocks.resize(warps);
        groups.assign(warps, 0);
        steps.assign(of.sites.size() * warps, 0);
        sites_reported_after_end.clear();
    }

    void begin_block(u64 number, u64 shared_bytes) {
        end_block();
        block = number;
        const u64 count = (shared_bytes + kWordBytes - 1) / kWordBytes;
        if (written.size() < count) {
            for (auto& cells : words) cells.resize(count);
            for (auto& cells : bytes) cells.resize(count * kWordBytes);
            written.resize(count);
        }
        if (++serial >= 1u << 28) {
            std::fill(written.begin(), written.end(), 0);
            serial = 1;
        }
        copies.clear();
        bulk_copies.clear();
        std::fill(groups.begin(), groups.end(), 0);
        cluster_arrived.assign(warps, 0);
        cluster_completed.assign(warps, 0);
        all_arrived.assign(warps, 0);
        all_completed.assign(warps, 0);
        block_clocks.clear();
        make_cells_stale();
        first_stamp = stamp;
        fenced_stamp = 0;
    }

    /// Makes all cells stale, because all earlier accesses are ordered before all later ones.
    void make_cells_stale() {
        if (++stamp > kMaxStamp) {
            for (Shadow* shadow : {&words, &bytes}) {
                for (auto& cells : *shadow) std::fill(cells.begin(), cells.end(), 0);
            }
            stamp = first_stamp = 1;
            fenced_stamp = 0;
        }
        clocks.clear();
        phase_begin = accesses;
        barriers.clear();
        std::fill(fenced.begin(), fenced.end(), 0);
        for (auto& lanes : lane_clocks) lanes.reset();
        released.clear();
        phases.clear();
        for (const Copy& copy : copies) record_copy(copy, kPendingClock);
        for (const BulkCopy& bulk : bulk_copies) record_copy(bulk.copy, kPendingClock, bulk.writes);
    }
    bool copies_are_pending() const { return !copies.empty() || !bulk_copies.empty(); }

    /// Advances the warp's clock, so that later accesses can be distinguished from earlier ones.
    void advance_clock(u32 warp) {
        if (++clocks[warp][warp] == kPendingClock) make_cells_stale();
    }

    /// Records a __syncwarp of `lanes`. `live` is the mask of the warp's lanes that have not
    /// exited.
    void synchronize_lanes(u32 warp, Mask lanes, Mask live) {
        advance_clock(warp);
        auto& known = lane_clocks[warp];
        if ((live & ~lanes) == 0) return known.reset();
        const u32 now = clocks[warp][warp];
        if (now == 0) return;  // advance_clock() has made all cells stale
        if (!known) {
            known = std::make_unique<LaneClocks>();
            for (auto& row : known->times) row.fill(now - 1);
            for (u32 l = 0; l < kLanes; ++l) known->times[l][l] = kPendingClock;
        }
        std::array<u32, kLanes> met{};
        for (const int l : LanesIn{lanes}) join(met.data(), known->times[l].data(), kLanes);
        for (const int l : LanesIn{lanes}) met[l] = now;
        for (const int l : LanesIn{lanes}) {
            known->times[l] = met;
            known->times[l][l] = kPendingClock;
        }
    }

    bool is_live(Cell cell) const { return stamp_of(cell) == stamp; }
    bool is_split(Cell cell) const { return is_live(cell) && shift_of(cell) == kSplitMark; }

    // ---- one access ----

    struct Access {
        const SharedAccess& from;
        bool reads, writes;
        Cell me;  ///< this warp's cell, before lane and shift are set
        bool plain_write() const { return writes && !reads && !from.strong; }
    };

    u32 current_time(const SharedAccess& access) const { return clocks[access.warp][access.warp]; }
    Access begin(const SharedAccess& from, bool reads, bool writes, u32 clock) const {
        const u32 site = std::min(from.site, kUnknownSite);
        const Cell strong = from.strong || (reads && writes) ? kStrongBit : 0;
        return {from, reads, writes,
                Cell{stamp} << kStampShift | Cell{from.warp} << kWarpShift |
                    Cell{clock} << kClockShift | Cell{site} << kSiteShift | strong};
    }

    bool is_ordered(Cell earlier, Cell mine) const {
        if (!is_live(earlier)) return true;
        if (clock_of(earlier) == kPendingClock) return false;
        const u32 warp = warp_of(mine);
        if (warp_of(earlier) == warp && lane_of(earlier) == lane_of(mine) &&
            !(earlier & kSeveralLanesBit))
            return true;
        if (warp_of(earlier) == warp && lane_clocks[warp])
            return clock_of(earlier) < lane_clocks[warp]->times[lane_of(mine)][lane_of(earlier)];
        return clock_of(earlier) < clocks[warp][warp_of(earlier)];
    }

    /// Checks an access to `count` bytes at `address` against the earlier access in a cell, and
    /// reports a race if the two accesses conflict.
    void check_against(const Access& access, Cell earlier, Cell mine, u32 address, u32 count,
                       bool earlier_wrote) {
        if (!is_live(earlier)) return;
        // If the bytes of a word belong to several lanes, check each byte.
        if (count > 1 && (shift_of(earlier) < 2 || shift_of(mine) < 2)) {
            for (u32 b = 0; b < count; ++b) {
                check_against(access, cell_for_byte(earlier, b), cell_for_byte(mine, b),
                              address + b, 1, earlier_wrote);
            }
            return;
        }
        const bool pending = clock_of(earlier) == kPendingClock;
        if (!pending && (earlier & mine & kStrongBit)) return;
        if (is_ordered(earlier, mine)) return;
        const bool equal_values = stores_equal_value(access, mine, address);
        if (equal_values && !options().checks.equal_values) {
            ignored_equal_stores = true;
            return;
        }
        bool later_wrote = access.writes;
        if (!pending && counts_as_earlier(mine, earlier)) {
            std::swap(earlier, mine);
            std::swap(earlier_wrote, later_wrote);
        }
        const RaceKind kind = kind_of_race(earlier_wrote, later_wrote);
        report_race(kind, to_party(mine), to_party(earlier),
                    pending ? RaceCause::pending_copy : RaceCause::unordered, address,
                    equal_values);
    }

    /// Reports whether `mine` comes first in program order, although the simulator happened to run
    /// the other warp further ahead. This is the case if the other warp had already executed the
    /// instruction of `mine` when it made the access `ahead`. The missing barrier then belongs
    /// after `mine`.
    bool counts_as_earlier(Cell mine, Cell ahead) const {
        const u32 warp = warp_of(ahead);
        const std::size_t sites = kernel->sites.size();
        if (warp == warp_of(mine) || site_of(mine) >= sites || site_of(ahead) >= sites)
            return false;
        const u64 done = steps[site_of(mine) * warps + warp];
        return done > phase_begin[warp] && done < steps[site_of(ahead) * warps + warp];
    }

    /// Reports whether a store only writes the value that memory already contains, which does no
    /// harm.
    bool stores_equal_value(const Access& access, Cell mine, u32 address) const {
        if (!access.plain_write() || memory == nullptr) return false;
        const u32 lane = lane_of(mine), size = access.from.bytes_per_lane;
        return !access.from.value.changes(lane, memory + access.from.addresses[lane], size) &&
               size <= 16 && address >= access.from.addresses[lane];
    }

    // ---- clusters ----

    u64 block_of(u32 warp) const {
        return cluster.blocks.empty() ? block : cluster.blocks[warp / cluster.warps];
    }
    u32 thread_of(u32 warp, u32 lane) const {
        return (cluster.blocks.empty() ? warp : warp % cluster.warps) * kLanes + lane;
    }
    u32 barrier_of(u32 warp, u32 id) const {
        return cluster.blocks.empty() ? id : warp / cluster.warps * kBarriersOfBlock + id;
    }
    /// Returns the offset of the cells for an address. The cells of the blocks in a cluster are
    /// stored block by block.
    u32 to_cell_offset(u32 address) const {
        return cluster.blocks.empty() ? address
                                      : (address >> kRankShift) * cluster.stride +
                                            (address & ((1u << kRankShift) - 1));
    }
    std::string name_of(u32 address) const {
        if (cluster.blocks.empty()) return "byte " + std::to_string(address) + " of shared memory";
        const u32 rank = address / cluster.stride;
        return "byte " + std::to_string(address % cluster.stride) +
               " of the shared memory of the block with rank " + std::to_string(rank);
    }

    RaceParty to_party(Cell cell) const {
        const u32 site = site_of(cell);
        return {.site = site == kUnknownSite ? RaceParty::kUnknownSite : site,
                .block = block_of(warp_of(cell)),
                .thread = thread_of(warp_of(cell), lane_of(cell))};
    }

    void report_race(RaceKind kind, RaceParty later, RaceParty earlier, RaceCause cause,
                     u32 address, bool equal_values = false) {
        ++*findings;
        // Do not also report a read that is part of a race as uninitialized.
        if (kind != RaceKind::write_after_write) {
            racing_sites.insert(kind == RaceKind::read_after_write ? later.site : earlier.site);
        }
        if (log->count_if_known(kind, later, earlier)) return;
        log->add({kind, later, earlier, cause, address, name_of(address), equal_values});
    }

    /// Reports accesses by other blocks that are not ordered before the end of this block. Call
    /// this after all warps of this block have ended.
    void check_accesses_of_other_blocks(u32 rank) {
        if (!enabled.races) return;
        Clock known(block_clocks[rank], block_clocks[rank] + warps);
        for (u32 w = rank * cluster.warps; w < (rank + 1) * cluster.warps; ++w)
            join(known.data(), clocks[w], warps);
        const auto look = [&](Cell cell, u32 address, bool wrote) {
            const u32 warp = warp_of(cell);
            if (!is_live(cell) || shift_of(cell) == kSplitMark || warp / cluster.warps == rank ||
                clock_of(cell) == kPendingClock || clock_of(cell) < known[warp])
                return;
            report_access_after_end(cell, address, rank, wrote);
        };
        const u32 first = rank * cluster.stride, last = first + cluster.stride;
        for (const Role role : {kWrite, kRead, kSecondRead})
            for (u32 at = first; at < last; ++at) {
                const Cell word = words[role][at / kWordBytes];
                if (is_split(word)) look(bytes[role][at], at, role == kWrite);
                if (at % kWordBytes == 0) look(word, at, role == kWrite);
            }
    }
    void report_access_after_end(Cell cell, u32 address, u32 rank, bool wrote) {
        ++*findings;
        const u32 site = site_of(cell);
        if (!sites_reported_after_end.insert(site).second) return;
        Report report;
        report.check = "racecheck";
        report.kind = "block may have ended";
        report.kernel = kernel->demangled;
        if (site < kernel->sites.size()) report.where = kernel->place(kernel->sites[site].where);
        report.block = log->block_index(block_of(warp_of(cell)));
        report.thread = log->thread_index(thread_of(warp_of(cell), lane_of(cell)));
        report.message = std::string(wrote ? "writes " : "reads ") + name_of(address) +
                         ", which may have ended by then: nothing makes the block with rank " +
                         std::to_string(rank) + " wait for this access";
        report.cure = "Synchronize all blocks once more before any of them ends: cluster.sync().";
        reports().add(report);
    }

    /// A word or a byte that lanes access, and the cell in which this access is recorded.
    struct AccessedPart {
        u32 address, bytes;
        Cell mine;
        u32 word() const { return address / kWordBytes; }
        /// Returns a mask of the bytes within the word that contains them.
        u32 bits() const { return ((1u << bytes) - 1) << address % kWordBytes; }
    };

    void check_against_role(const Access& access, const AccessedPart& piece, Role role) {
        const auto& [address, count, mine] = piece;
        const Cell cell = words[role][piece.word()];
        if (!is_split(cell)) {
            const Cell earlier = count == 1 ? cell_for_byte(cell, address % kWordBytes) : cell;
            return check_against(access, earlier, mine, address, count, role == kWrite);
        }
        for (u32 b = 0; b < count; ++b)
            check_against(access, bytes[role][address + b], cell_for_byte(mine, b), address + b, 1,
                          role == kWrite);
    }

    void split(u32 word, Role role) {
        Cell& cell = words[role][word];
        if (is_split(cell)) return;
        for (u32 b = 0; b < kWordBytes; ++b) {
            bytes[role][word * kWordBytes + b] = is_live(cell) ? cell_for_byte(cell, b) : 0;
        }
        cell = Cell{stamp} << kStampShift | kSplitMark;
    }

    /// Keeps two reads that are not ordered with each other, from different warps if possible. A
    /// later write that is ordered after only one of them is then still reported.
    void record_read(Shadow& shadow, u32 index, Cell mine) {
        Cell& first = shadow[kRead][index];
        Cell& second = shadow[kSecondRead][index];
        const u32 warp = warp_of(mine);
        if (is_ordered(first, mine)) {
            first = mine;
        } else if (is_ordered(second, mine)) {
            second = mine;
        } else if (warp_of(first) == warp_of(second) && warp != warp_of(first)) {
            first |= kSeveralLanesBit;
            second = mine;
        } else if (warp == warp_of(first)) {
            first = with_lane(first, lane_of(mine)) | kSeveralLanesBit;
        } else if (warp == warp_of(second)) {
            second = with_lane(second, lane_of(mine)) | kSeveralLanesBit;
        }
    }

    void check(const Access& access, const AccessedPart& piece) {
        check_against_role(access, piece, kWrite);
        if (!access.writes) return;
        check_against_role(access, piece, kRead);
        check_against_role(access, piece, kSecondRead);
    }

    void record(const Access& access, const AccessedPart& piece) {
        const auto& [address, count, mine] = piece;
        const u32 word = piece.word();
        const bool is_whole = count == kWordBytes;
        if (access.writes) {
            if (is_whole) {
                words[kWrite][word] = mine;
                return;
            }
            split(word, kWrite);
            bytes[kWrite][address] = mine;
            return;
        }
        if (is_whole && !is_split(words[kRead][word]) && shift_of(mine) >= 2)
            return record_read(words, word, mine);
        // Split both arrays of reads together.
        if (!is_split(words[kRead][word])) {
            split(word, kSecondRead);
            split(word, kRead);
        }
        for (u32 b = 0; b < count; ++b) record_read(bytes, address + b, cell_for_byte(mine, b));
    }

    // ---- initcheck ----

    /// Marks the given bytes of a word as written.
    void mark(u32 word, u32 bits) {
        const u32 before = written[word] >> 4 == serial ? written[word] : serial << 4;
        written[word] = before | bits;
    }
    bool is_written(u32 word, u32 bits) const {
        return written[word] >> 4 == serial && (written[word] & bits) == bits;
    }

    u32 unwritten_bytes(u32 address, u32 count) const {
        u32 unwritten = 0;
        for (u32 k = 0; k < count; ++k) {
            const u32 at = address + k;
            unwritten |= u32{!is_written(at / kWordBytes, 1u << at % kWordBytes)} << k;
        }
        return unwritten;
    }
    bool are_all_written(u32 begin, u32 count) const {
        for (u32 at = begin; at < begin + count;) {
            const u32 now = std::min(kWordBytes - at % kWordBytes, begin + count - at);
            if (!is_written(at / kWordBytes, ((1u << now) - 1) << at % kWordBytes)) return false;
            at += now;
        }
        return true;
    }

    /// Reports the first lane that reads uninitialized bytes, if such a read is an error. Bulk
    /// copies are checked in 16-byte pieces.
    void check_written(const SharedAccess& access) {
        constexpr u32 kPiece = 16;
        bool told = false;
        for (Mask rest = access.active; rest; rest &= rest - 1) {
            const u32 lane = std::countr_zero(rest);
            const u32 begin = access.addresses[lane], size = access.bytes_per_lane;
            if (are_all_written(begin, size)) continue;
            for (u32 at = 0; at < size; at += kPiece) {
                const LaneAccess piece{
                    .kind = LaneAccess::Kind::read,
                    .address = begin + at,
                    .bytes = std::min(kPiece, size - at),
                    .unwritten = unwritten_bytes(begin + at, std::min(kPiece, size - at))};
                if (!is_error(access.site, piece)) {
                    if (access.undefined) access.undefined[lane] |= piece.unwritten << at;
                } else if (!std::exchange(told, true)) {
                    report_uninitialised(access, lane,
                                         size <= kPiece
                                             ? piece
                                             : LaneAccess{LaneAccess::Kind::read, begin, size, 0});
                }
            }
        }
    }
    bool is_error(u32 site, const LaneAccess& piece) const {
        if (piece.unwritten == 0) return false;
        const LoadUse use = site < kernel->sites.size() ? byte_uses(*kernel).load(site) : LoadUse{};
        const i64 size = static_cast<i64>(written.size() * kWordBytes);
        return is_uninitialised_read_error(
            use, piece.unwritten, piece.address, piece.bytes, [&](u64 begin, u64 end) {
                const auto within = [&](u64 at) {
                    return static_cast<u32>(std::clamp(static_cast<i64>(at), i64{0}, size));
                };
                for (u32 at = within(begin); at < within(end); ++at)
                    if (is_written(at / kWordBytes, 1u << at % kWordBytes)) return true;
                return false;
            });
    }

    void report_uninitialised(const SharedAccess& access, u32 lane, const LaneAccess& what) {
        ++*findings;
        const auto [found, is_new] = uninitialised_here.try_emplace(access.site);
        Report& report = found->second;
        if (!is_new) {
            ++report.count;
            return;
        }
        report.kernel = kernel->demangled;
        if (access.site < kernel->sites.size()) {
            report.where = kernel->place(kernel->sites[access.site].where);
        }
        report.block = log->block_index(block_of(access.warp));
        report.thread = log->thread_index(thread_of(access.warp, lane));
        LaneAccess within = what;
        if (!cluster.blocks.empty()) within.address %= cluster.stride;
        report = describe_uninitialised_shared(std::move(report), within);
        if (!cluster.blocks.empty())
            report.message += " (It is " + name_of(static_cast<u32>(what.address)) + ".)";
    }

    /// Reports the block's uninitialized reads. Reads of bytes that another warp wrote too late are
    /// left out, because they have been reported as races.
    void end_block() {
        for (auto& [site, report] : uninitialised_here) {
            if (racing_sites.contains(site)) continue;
            const auto [found, is_new] = uninitialised.try_emplace(site, report);
            if (!is_new) {
                found->second.count += report.count;
                continue;
            }
            reports().add(report);
            found->second.count = 0;
        }
        uninitialised_here.clear();
        racing_sites.clear();
    }

    void flush() {
        end_block();
        for (const auto& [site, report] : uninitialised) {
            if (report.count > 0) reports().add(report);
        }
        uninitialised.clear();
    }

    // ---- splitting a warp's access into pieces ----

    /// Calls `use(piece)` for each word or byte that the active lanes access. A word that several
    /// lanes cover together is a single piece.
    template <class Use>
    static void for_each_part(const Access& access, Use use) {
        const SharedAccess& from = access.from;
        const u32 size = from.bytes_per_lane;
        for (Mask rest = from.active; rest; rest &= rest - 1) {
            const u32 lane = std::countr_zero(rest);
            const u32 begin = from.addresses[lane];
            const Cell mine = access.me | Cell{lane} << kLaneShift;
            if (size < kWordBytes && covers_word(from, lane)) {
                use(AccessedPart{begin, kWordBytes, mine | std::countr_zero(size)});
                for (u32 i = 1; i < kWordBytes / size; ++i) rest &= rest - 1;
                continue;
            }
            for (u32 at = begin; at < begin + size;) {
                const bool is_whole = at % kWordBytes == 0 && begin + size - at >= kWordBytes;
                const AccessedPart piece =
                    is_whole ? AccessedPart{at, kWordBytes, mine | 2} : AccessedPart{at, 1, mine};
                use(piece);
                at += piece.bytes;
            }
        }
    }
    /// Reports whether this lane and the lanes after it fill exactly one word.
    static bool covers_word(const SharedAccess& from, u32 lane) {
        const u32 size = from.bytes_per_lane, lanes = kWordBytes / size,
                  begin = from.addresses[lane];
        if (begin % kWordBytes != 0 || lane + lanes > kLanes || !std::has_single_bit(size))
            return false;
        for (u32 i = 1; i < lanes; ++i) {
            if (!(from.active >> (lane + i) & 1) || from.addresses[lane + i] != begin + i * size)
                return false;
        }
        return true;
    }

    void check_and_record(const Access& access) {
        if (!enabled.races) return;
        // Check all lanes before recording any of them, because the lanes act at the same time.
        if (access.plain_write() && !are_ascending(access.from)) same_instruction(access);
        for_each_part(access, [&](const AccessedPart& piece) { check(access, piece); });
        for_each_part(access, [&](const AccessedPart& piece) { record(access, piece); });
        count_step(access.from);
    }

    /// Handles the usual access, in which each lane accesses one whole word and no cell conflicts
    /// with the access. Returns false, and records nothing, if the slow path is needed.
    bool perform_whole_words(const Access& access) {
        const SharedAccess& from = access.from;
        if (from.bytes_per_lane != kWordBytes || !enabled.races || !enabled.uninitialised)
            return false;
        if (access.plain_write() && !are_ascending(from)) return false;
        const u32 all_written = serial << 4 | 0xf;
        bool matters = false;
        for (Mask rest = from.active; rest; rest &= rest - 1) {
            const u32 lane = std::countr_zero(rest), word = from.addresses[lane] / kWordBytes;
            const Cell mine = access.me | Cell{lane} << kLaneShift;
            matters |= from.addresses[lane] % kWordBytes != 0;
            matters |= access.reads && written[word] != all_written;
            matters |= collides(words[kWrite][word], mine);
            if (access.writes) {
                matters |= collides(words[kRead][word], mine);
                matters |= collides(words[kSecondRead][word], mine);
            } else {
                matters |= is_split(words[kRead][word]);
            }
        }
        if (matters) return false;
        for (Mask rest = from.active; rest; rest &= rest - 1) {
            const u32 lane = std::countr_zero(rest), word = from.addresses[lane] / kWordBytes;
            const Cell mine = access.me | Cell{lane} << kLaneShift | 2;
            if (access.writes) {
                words[kWrite][word] = mine;
                written[word] = all_written;
            } else {
                record_read(words, word, mine);
            }
        }
        count_step(from);
        return true;
    }
    /// Reports whether a word's cell requires the slow path.
    bool collides(Cell earlier, Cell mine) const {
        if (!is_live(earlier)) return false;
        const bool both_strong =
            (earlier & mine & kStrongBit) && clock_of(earlier) != kPendingClock;
        return shift_of(earlier) != 2 || !(both_strong || is_ordered(earlier, mine));
    }

    /// Reports whether the access is to the shared memory that the system reserves. Cooperative
    /// groups stores equal values there from several lanes, which is harmless. The callers still
    /// record the releases and acquires of these accesses.
    bool is_reserved(const SharedAccess& access) const {
        const u32 first = access.addresses[std::countr_zero(access.active)];
        return (cluster.blocks.empty() ? first : first % cluster.stride) >=
               DeviceModel::shared_reserved_begin;
    }

    void perform(const Access& access) {
        if (is_reserved(access.from)) return;
        if (perform_whole_words(access)) return;
        if (access.reads && enabled.uninitialised) check_written(access.from);
        check_and_record(access);
        if (access.writes)
            for_each_part(access,
                          [&](const AccessedPart& piece) { mark(piece.word(), piece.bits()); });
    }

    void count_step(const SharedAccess& access) {
        const u64 number = ++accesses[access.warp];
        const std::size_t at = std::size_t{access.site} * warps + access.warp;
        if (at < steps.size()) steps[at] = number;
    }

    void same_instruction(const Access& access) {
        const auto clash = [&](u32 lane, u32 other) {
            report_race(RaceKind::write_after_write, to_party(with_lane(access.me, other)),
                        to_party(with_lane(access.me, lane)), RaceCause::same_instruction,
                        access.from.addresses[lane]);
        };
        find_clash(access.from, clash, [this] { ignored_equal_stores = true; });
    }

    // ---- asynchronous copies ----

    /// Marks the bytes of a copy as written (or read) by its threads at time `clock`, in the cells
    /// that still belong to the copy. `proxy` is kAsyncProxyBit if a bulk copy has written the
    /// bytes, otherwise 0.
    void record_copy(const Copy& copy, u32 clock, bool writes = true, Cell proxy = 0) {
        const SharedAccess from{.warp = copy.warp,
                                .site = copy.site,
                                .active = copy.lanes,
                                .addresses = copy.addresses.data(),
                                .bytes_per_lane = copy.bytes_per_lane};
        Access access = begin(from, !writes, writes, clock);
        access.me |= proxy;
        const auto write_role = [&](Role role, bool into_empty) {
            const auto is_from_own_block = [&](Cell cell) {
                if (!is_live(cell)) return into_empty;
                return clock_of(cell) == kPendingClock && warp_of(cell) == copy.warp;
            };
            for_each_part(access, [&](const AccessedPart& piece) {
                const bool is_byte = piece.bytes == 1;
                if (is_byte) split(piece.word(), role);
                Cell& cell = is_byte ? bytes[role][piece.address] : words[role][piece.word()];
                if (is_from_own_block(cell)) cell = piece.mine;
            });
        };
        if (writes) return write_role(kWrite, true);
        write_role(kRead, true);
        write_role(kSecondRead, false);
    }

    /// Completes the copies of `lanes` for which `is_complete` returns true.
    template <class F>
    void complete(u32 warp, Mask lanes, F is_complete) {
        for (Copy& copy : copies) {
            if (copy.warp != warp || !(copy.lanes & lanes) || !is_complete(copy)) continue;
            Copy part = copy;
            part.lanes &= lanes;
            copy.lanes &= ~lanes;
            record_copy(part, clocks[warp][warp]);
        }
        std::erase_if(copies, [](const Copy& copy) { return copy.lanes == 0; });
    }

    // ---- the asynchronous proxy ----

    void fence_proxy(u32 warp) {
        advance_clock(warp);
        if (fenced_stamp != stamp) proxy_fenced.assign(warps, 0);
        fenced_stamp = stamp;
        join(proxy_fenced.data(), clocks[warp], warps);
    }

    /// Reports whether the cell describes a store of this block that no fence.proxy.async has
    /// followed.
    bool needs_proxy_fence(Cell cell) const {
        const u32 stamp_of_store = stamp_of(cell);
        if (stamp_of_store < first_stamp || stamp_of_store > stamp || stamp_of_store < fenced_stamp)
            return false;
        if ((cell & kAsyncProxyBit) || clock_of(cell) == kPendingClock) return false;
        return stamp_of_store > fenced_stamp || clock_of(cell) >= proxy_fenced[warp_of(cell)];
    }

    /// Reports a race if an access by the asynchronous proxy may not see the last store to one of
    /// its bytes. Must be called before the access is recorded.
    void check_proxy(const Access& access) {
        if (!enabled.races) return;
        bool told = false;
        for_each_part(access, [&](const AccessedPart& piece) {
            const Cell word = words[kWrite][piece.word()];
            const bool split = shift_of(word) == kSplitMark;
            for (u32 b = 0; b < piece.bytes && !told; b += split ? 1 : piece.bytes) {
                const Cell store = split ? bytes[kWrite][piece.address + b] : word;
                if (!needs_proxy_fence(store) || !is_ordered(store, piece.mine)) continue;
                told = true;
                report_race(
                    access.writes ? RaceKind::write_after_write : RaceKind::read_after_write,
                    to_party(piece.mine), to_party(store), RaceCause::missing_proxy_fence,
                    piece.address + b);
            }
        });
    }

    // ---- mbarriers ----

    /// Records an arrival in the current phase. Reports a race if another warp arrived in the
    /// previous phase, but nothing orders that arrival before this one. On a GPU, this arrival
    /// might come first and count for the previous phase.
    void arrive(const SharedAccess& access, u32 lane) {
        Phases& of = phases[access.addresses[lane]];
        const Cell mine = with_lane(begin(access, true, true, current_time(access)).me, lane);
        for (u32 v = 0; v < of.last.times.size() && enabled.races; ++v) {
            if (v == access.warp || of.last.times[v] <= clocks[access.warp][v]) continue;
            report_race(RaceKind::write_after_write, to_party(mine), to_party(of.last.cells[v]),
                        RaceCause::early_arrival, access.addresses[lane]);
            break;
        }
        of.current.times.resize(warps);
        of.current.cells.resize(warps);
        of.current.times[access.warp] = current_time(access);
        of.current.cells[access.warp] = mine;
    }

    // ---- releasing and acquiring ----

    void fence(u32 warp) {
        advance_clock(warp);
        std::copy_n(clocks[warp], warps, fences[warp]);
        fenced[warp] = 1;
    }
    void join_clock(Clock& to, const u32* clock) {
        to.resize(warps);
        join(to.data(), clock, warps);
    }

    void release(const SharedAccess& access) {
        if (access.releases) fence(access.warp);
        if (!fenced[access.warp]) return;
        for (Mask rest = access.active; rest; rest &= rest - 1) {
            join_clock(released[access.addresses[std::countr_zero(rest)]], fences[access.warp]);
        }
    }

    void acquire(u32 warp, u32 address) {
        const auto found = released.find(address);
        if (found == released.end()) return;
        join(clocks[warp], found->second.data(), warps);
        lane_clocks[warp].reset();  // an acquire may also order the warp's lanes
    }
};

// ---- the public functions ----

SharedRace::SharedRace() : state_(std::make_unique<State>()) {
    state_->findings = &findings_;
}
SharedRace::~SharedRace() {
    state_->flush();
}

void SharedRace::begin_launch(const Kernel& kernel, RaceLog& log, EnabledChecks enabled, u32 warps,
                              u32 blocks) {
    state_->flush();
    state_->log = &log;
    state_->enabled = enabled;
    state_->begin_launch(kernel, warps, blocks);
}

void SharedRace::end_launch() {
    state_->flush();
}

void SharedRace::begin_block(u64 block_number, u32 shared_bytes, const u8* memory) {
    findings_ = 0;
    state_->ignored_equal_stores = false;
    state_->memory = memory;
    state_->begin_block(block_number, shared_bytes);
}

void SharedRace::begin_cluster(Cluster cluster, const u8* memory) {
    const u64 bytes = u64{cluster.stride} * cluster.blocks.size();
    state_->end_block();  // end_block still uses the block indices of the previous cluster
    state_->cluster = std::move(cluster);
    begin_block(state_->cluster.blocks[0], static_cast<u32>(bytes), memory);
}

bool SharedRace::ignored_equal_stores() const {
    return state_->ignored_equal_stores;
}

namespace {

/// An access, and the addresses of its cells. In a cluster, these differ from the addresses of the
/// access.
struct AccessWithCellOffsets {
    SharedAccess access;
    u32 addresses[kLanes];

    AccessWithCellOffsets(const SharedRace::State& state, const SharedAccess& from) : access(from) {
        if (state.cluster.blocks.empty()) return;
        for (Mask rest = from.active; rest; rest &= rest - 1) {
            const int lane = std::countr_zero(rest);
            addresses[lane] = state.to_cell_offset(from.addresses[lane]);
        }
        access.addresses = addresses;
    }
    operator const SharedAccess&() const { return access; }
};

}  // namespace

void SharedRace::read(const SharedAccess& access) {
    const AccessWithCellOffsets here(*state_, access);
    state_->perform(state_->begin(here, true, false, state_->current_time(here)));
}

void SharedRace::write(const SharedAccess& access) {
    const AccessWithCellOffsets here(*state_, access);
    if (access.strong) state_->release(here);
    state_->perform(state_->begin(here, false, true, state_->current_time(here)));
}

void SharedRace::atomic(const SharedAccess& access) {
    const AccessWithCellOffsets here(*state_, access);
    state_->release(here);
    state_->perform(state_->begin(here, true, true, state_->current_time(here)));
}

void SharedRace::use_mbarrier(const SharedAccess& access) {
    AccessWithCellOffsets use(*state_, access);
    use.access.strong = true;
    state_->check_and_record(state_->begin(use, true, false, state_->current_time(use)));
}

void SharedRace::mark_unwritten(const SharedAccess& access, const u32* undefined) {
    for (Mask rest = undefined ? access.active : 0; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        u32 at = state_->to_cell_offset(access.addresses[lane]);
        for (u32 bytes = undefined[lane]; bytes; ++at, bytes >>= 1)
            if (bytes & 1) state_->written[at / kWordBytes] &= ~(1u << at % kWordBytes);
    }
}

u32 SharedRace::unwritten_bytes(u32 address, u32 bytes) const {
    return state_->unwritten_bytes(state_->to_cell_offset(address), bytes);
}

void SharedRace::mark_written(u32 address, u32 bytes) {
    const u32 first = state_->to_cell_offset(address);
    for (u32 at = first; at < first + bytes; ++at)
        state_->mark(at / kWordBytes, 1u << at % kWordBytes);
}

void SharedRace::barrier_arrive(u32 id, u32 warp) {
    state_->advance_clock(warp);
    join(state_->barriers[state_->barrier_of(warp, id)], state_->clocks[warp], state_->warps);
}

void SharedRace::barrier_complete(u32 id, Mask waiting, bool whole_block, u32 first_warp) {
    const bool is_alone = state_->cluster.blocks.empty();
    if (whole_block && is_alone && !state_->copies_are_pending()) return state_->make_cells_stale();
    const u32 place = state_->barrier_of(first_warp, id);
    for (Mask rest = waiting; rest; rest &= rest - 1) {
        const u32 warp = first_warp + static_cast<u32>(std::countr_zero(rest));
        join(state_->clocks[warp], state_->barriers[place], state_->warps);
        state_->lane_clocks[warp].reset();
    }
    state_->barriers.clear_row(place);
}

void SharedRace::cluster_arrive(u32 warp, bool releases) {
    state_->advance_clock(warp);
    if (releases) state_->join_clock(state_->cluster_arrived, state_->clocks[warp]);
    state_->join_clock(state_->all_arrived, state_->clocks[warp]);
}

void SharedRace::cluster_complete() {
    state_->join_clock(state_->cluster_completed, state_->cluster_arrived.data());
    state_->join_clock(state_->all_completed, state_->all_arrived.data());
}

void SharedRace::cluster_wait_done(u32 warp) {
    state_->lane_clocks[warp].reset();
    join(state_->clocks[warp], state_->cluster_completed.data(), state_->warps);
    if (!state_->cluster.blocks.empty())
        join(state_->block_clocks[warp / state_->cluster.warps], state_->all_completed.data(),
             state_->warps);
}

void SharedRace::end_block_of_cluster(u32 rank) {
    state_->check_accesses_of_other_blocks(rank);
}

void SharedRace::syncwarp(u32 warp, Mask lanes, Mask live) {
    state_->synchronize_lanes(warp, lanes, live);
}

void SharedRace::fence(u32 warp) {
    state_->fence(warp);
}

void SharedRace::acquire(const SharedAccess& access) {
    if (state_->released.empty()) return;
    for (Mask rest = access.active; rest; rest &= rest - 1) {
        state_->acquire(access.warp,
                        state_->to_cell_offset(access.addresses[std::countr_zero(rest)]));
    }
}

void SharedRace::mbarrier_arrive(u32 warp, u32 address) {
    state_->advance_clock(warp);
    state_->join_clock(state_->released[state_->to_cell_offset(address)], state_->clocks[warp]);
}

void SharedRace::count_arrival(const SharedAccess& access) {
    const AccessWithCellOffsets here(*state_, access);
    for (const int lane : LanesIn{here.access.active})
        state_->arrive(here.access, static_cast<u32>(lane));
}

void SharedRace::mbarrier_phase_done(u32 address) {
    const auto found = state_->phases.find(state_->to_cell_offset(address));
    if (found == state_->phases.end()) return;
    found->second.last = std::exchange(found->second.current, {});
}

void SharedRace::fence_proxy(u32 warp) {
    state_->fence_proxy(warp);
}

void SharedRace::check_proxy(const SharedAccess& access, bool writes) {
    const AccessWithCellOffsets here(*state_, access);
    state_->check_proxy(state_->begin(here, !writes, writes, state_->current_time(here)));
}

void SharedRace::mbarrier_wait_done(u32 warp, u32 address) {
    state_->acquire(warp, state_->to_cell_offset(address));
}

void SharedRace::async_write(const SharedAccess& access) {
    const AccessWithCellOffsets here(*state_, access);
    state_->perform(state_->begin(here, false, true, kPendingClock));
    state_->copies.emplace_back(here);
}

void SharedRace::async_commit(u32 warp, Mask lanes) {
    const u32 group = ++state_->groups[warp];
    for (auto& copy : state_->copies) {
        if (copy.warp == warp && copy.group == 0 && (copy.lanes & lanes)) copy.group = group;
    }
}

void SharedRace::async_wait(u32 warp, Mask lanes, u32 groups_left, bool everything) {
    const u32 last = state_->groups[warp];
    state_->complete(warp, lanes, [&](const State::Copy& copy) {
        return everything || (copy.group != 0 && copy.group + groups_left <= last);
    });
}

u32 SharedRace::begin_bulk_copy(const SharedAccess& access, bool writes) {
    const AccessWithCellOffsets here(*state_, access);
    state_->perform(state_->begin(here, !writes, writes, kPendingClock));
    const u32* const known = state_->clocks[access.warp];
    const u32 issued = known[access.warp];
    state_->advance_clock(access.warp);
    state_->bulk_copies.push_back({State::Copy(here), ++state_->last_ticket, writes, issued,
                                   Clock(known, known + state_->warps)});
    return state_->last_ticket;
}

void SharedRace::end_bulk_copy(u32 ticket, bool writes, u32 mbarrier) {
    const auto found =
        std::find_if(state_->bulk_copies.begin(), state_->bulk_copies.end(),
                     [=](const State::BulkCopy& bulk) { return bulk.ticket == ticket; });
    if (found == state_->bulk_copies.end()) return;
    state_->record_copy(found->copy, found->clock, writes, writes ? kAsyncProxyBit : 0);
    if (writes)
        state_->join_clock(state_->released[state_->to_cell_offset(mbarrier)],
                           found->released.data());
    state_->bulk_copies.erase(found);
}

void SharedRace::async_arrive(u32 warp, Mask lanes, u32 address) {
    async_wait(warp, lanes, 0, true);
    mbarrier_arrive(warp, address);
}

}  // namespace coalesce::simulator

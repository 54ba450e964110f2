// The log of a launch's races, which both race checkers use. The log reports each race once.
//
// Builds on  report/reports.h.
// Idea       A racy kernel repeats the same race thousands of times, between the same two lines, in
//            either order. All of these races have one cause, so only one of them is reported. For
//            every pair of lines, the log stores the number of races, and the race that comes first
//            in the following order. Races between blocks come first, then races between warps, and
//            then races between lanes of a warp. Races of the same group are sorted by kind, block
//            and thread. So the text of the report does not depend on the number of workers.
#pragma once

#include <bit>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "simulator/base/types.h"
#include "simulator/code/kernel.h"
#include "simulator/report/reports.h"

namespace coalesce::simulator {

/// The maximum number of bytes that one lane stores with one instruction.
constexpr u32 kMaxStoredBytes = 16;

/// The value that each lane will store. `copy_lane_value` writes a lane's bytes, at most
/// kMaxStoredBytes, to `bytes` in memory order. `copy_lane_value` is called only if there is a
/// race, so it costs nothing in correct kernels. If it is null, the values are unknown.
struct StoredValue {
    void (*copy_lane_value)(const void* context, int lane, u8* bytes) = nullptr;
    const void* context = nullptr;

    /// Reports whether two lanes of a store write different values. Returns false if the values are
    /// unknown.
    bool differs_between(int lane, int other_lane, u32 bytes) const;
    /// Reports whether storing the lane's value changes the contents of `memory`. Returns true if
    /// the value is unknown.
    bool changes_memory(int lane, const u8* memory, u32 bytes) const;
};

/// Returns a field of a shadow cell. The field has `width` bits, and starts at bit `position`.
template <u32 position, u32 width>
constexpr u32 cell_field(u64 cell) {
    return cell >> position & ((1u << width) - 1);
}

/// Reports whether the active lanes access ascending addresses without overlap, so that no two
/// lanes share a byte.
template <class Access>
bool are_ascending(const Access& access) {
    u64 end = 0;
    bool is_ascending = true;
    for (Mask remaining_lanes = access.active; remaining_lanes;
         remaining_lanes &= remaining_lanes - 1) {
        const u64 address = access.addresses[std::countr_zero(remaining_lanes)];
        is_ascending &= address >= end;
        end = address + access.bytes_per_lane;
    }
    return is_ascending;
}

/// Finds two lanes of one store that write different values to the same address. Calls
/// `report_clash(lane, other_lane)` for the first such pair. For each pair before it that writes
/// equal values to the same address, calls `note_equal_values()`.
template <class Access, class ReportClash, class NoteEqualValues>
void find_conflicting_lanes(const Access& access, ReportClash report_clash,
                            NoteEqualValues note_equal_values) {
    for (Mask remaining_lanes = access.active; remaining_lanes;
         remaining_lanes &= remaining_lanes - 1) {
        const u32 lane = std::countr_zero(remaining_lanes);
        for (Mask later_lanes = remaining_lanes & (remaining_lanes - 1); later_lanes;
             later_lanes &= later_lanes - 1) {
            const u32 other_lane = std::countr_zero(later_lanes);
            if (access.addresses[lane] != access.addresses[other_lane]) continue;
            if (access.value.differs_between(lane, other_lane, access.bytes_per_lane))
                return report_clash(lane, other_lane);
            note_equal_values();
        }
    }
}

/// The types of the two accesses of a race, the later access first.
enum class RaceKind : u8 { read_after_write, write_after_read, write_after_write };
const char* race_kind_name(RaceKind kind);
inline RaceKind find_race_kind(bool earlier_wrote, bool later_wrote) {
    if (!later_wrote) return RaceKind::read_after_write;
    return earlier_wrote ? RaceKind::write_after_write : RaceKind::write_after_read;
}

/// The cause of a race, which determines the advice in the report.
enum class RaceCause : u8 {
    unordered,         ///< no synchronization orders the two accesses
    same_instruction,  ///< two lanes of one store write to the same bytes
    pending_copy,      ///< the earlier access is an asynchronous copy that may still be in flight
    /// The later access is a bulk copy, which may not see the earlier store without a proxy fence.
    missing_proxy_fence,
    early_arrival,  ///< two arrivals at an mbarrier may be counted in the same phase
    /// the later access is a load through a cache that is not coherent with the earlier store
    read_only_path,
};

/// One of the two accesses of a race.
struct RaceAccess {
    static constexpr u32 kUnknownSite = 0xffffffff;
    u32 site = kUnknownSite;  ///< the index of the instruction in Kernel::sites
    u64 block = 0;            ///< the index of the block in the grid, with x varying fastest
    u32 thread = 0;           ///< the index of the thread in the block, with x varying fastest
    auto operator<=>(const RaceAccess&) const = default;
};

struct Race {
    RaceKind kind = RaceKind::read_after_write;
    RaceAccess later, earlier;
    RaceCause cause = RaceCause::unordered;
    u64 address = 0;
    std::string location;  ///< the bytes that race, for example "byte 12 of ..."
    /// True if the later store writes the value that memory already contains. Such a race is
    /// reported only if Checks::reports_equal_values is true.
    bool writes_equal_values = false;
};

/// The races of a launch. All workers add to the same log. Thread-safe.
class RaceLog {
public:
    /// `check_name` is "racecheck" or "globalrace".
    explicit RaceLog(const char* check_name) : check_name_(check_name) {}

    /// Starts a launch. `is_cooperative` is true if the blocks of the launch can synchronize at a
    /// grid barrier.
    void begin_launch(const Kernel& kernel, Dim3 grid, Dim3 block, bool is_cooperative = false);

    /// If the log already contains the race, counts it and returns true. Returns false for a new
    /// race, which the caller must then add with add().
    bool count_if_known(RaceKind kind, const RaceAccess& later, const RaceAccess& earlier);
    void add(Race race);

    /// Passes the races to reports().
    void end_launch();

    const Kernel& kernel() const { return *kernel_; }
    Dim3 block_index(u64 block) const;
    Dim3 thread_index(u32 thread) const;

private:
    struct Entry {
        Race race;
        u64 count = 0;
    };
    /// Two places (file and line) in the source, in ascending order.
    using PlacePair = std::pair<std::pair<std::string, u32>, std::pair<std::string, u32>>;

    static auto make_sort_key(RaceKind kind, const RaceAccess& later, const RaceAccess& earlier);
    static auto make_sort_key(const Race& race);
    static u64 make_site_pair_key(const RaceAccess& later, const RaceAccess& earlier);
    ptx::SourceLine find_source_line(const RaceAccess& access) const;
    Place find_place(const RaceAccess& access) const;
    bool is_atomic(const RaceAccess& access) const;
    /// Reports whether the access is atomic or volatile, and may therefore be an access to a flag.
    bool is_strong(const RaceAccess& access) const;
    static bool is_strong(const Site& site);
    /// Reports whether the access initializes, invalidates or uses an mbarrier.
    bool accesses_mbarrier(const RaceAccess& access) const;
    PlacePair sort_places(const RaceAccess& a, const RaceAccess& b) const;
    Report format_report(const Race& race) const;
    std::string format_message(const Race& race) const;
    std::string format_remedy(const Race& race) const;
    /// The scope of a race, from the widest to the narrowest: different blocks, different warps of
    /// a block, or different lanes of a warp.
    enum class RaceScope : u8 { blocks, warps, lanes };
    static RaceScope find_race_scope(const RaceAccess& a, const RaceAccess& b);
    /// Returns the widest scope among `race` and all other races that the same barrier would
    /// prevent.
    RaceScope find_widest_scope(const Race& race) const;
    std::string format_wait_for_copy(const Race& race) const;
    std::string format_remedy_for_blocks(const Race& race) const;
    bool can_flag_order_accesses(const Race& race) const;
    std::string format_missing_fence(const Race& race) const;
    std::string format_missing_barrier(const Race& race, const std::string& barrier) const;
    /// If two threads that differ only in threadIdx.y or threadIdx.z write the same element,
    /// returns the advice to include this coordinate in the index. Otherwise returns "".
    std::string format_missing_coordinate(const Race& race) const;
    bool can_one_barrier_prevent_both(const Race& a, const Race& b) const;

    const char* check_name_;
    const Kernel* kernel_ = nullptr;
    Dim3 grid_shape_, block_shape_;
    bool is_cooperative_ = false;
    std::mutex mutex_;
    std::map<PlacePair, Entry> entries_;
    /// Pointers to the entries of `entries_`, keyed by the sites of the two accesses, so that a
    /// lookup compares no strings.
    std::unordered_map<u64, Entry*> entry_of_sites_;
};

}  // namespace coalesce::simulator

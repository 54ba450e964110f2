// What the two race checkers share: the races of one launch, each told once.
//
// Builds on  report/reports.h.
// Idea       A racy kernel meets the same race thousands of times, between the same two lines, in
//            either order. That is one mistake, so it becomes one report: for every pair of lines
//            the log keeps how often it was seen, and the example that comes first: one between
//            blocks before one between warps before one between lanes of a warp, then by kind,
//            block and thread. So the text does not depend on how many workers ran the blocks.
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

/// Asks the executor what a lane is about to store: `copy` writes the lane's bytes, at most 16, to
/// `bytes` in memory order. Called only when two accesses collide, so that clean kernels never pay
/// for it. `copy == nullptr`: not known.
struct StoredValue {
    void (*copy)(const void* context, int lane, u8* bytes) = nullptr;
    const void* context = nullptr;

    /// Whether two lanes of a store write different values. Not known: no.
    bool differ(int lane, int other_lane, u32 bytes) const;
    /// Whether storing the lane's value changes what `memory` holds. Not known: yes.
    bool changes(int lane, const u8* memory, u32 bytes) const;
};

/// Some bits of a cell that says who touched what, from bit `at` on.
template <u32 at, u32 bits>
constexpr u32 cell_field(u64 cell) {
    return cell >> at & ((1u << bits) - 1);
}

/// Whether each lane's bytes lie behind those of the lane before it: then no two lanes have a byte in common.
template <class Access>
bool are_ascending(const Access& access) {
    u64 end = 0;
    bool ascending = true;
    for (Mask rest = access.active; rest; rest &= rest - 1) {
        const u64 address = access.addresses[std::countr_zero(rest)];
        ascending &= address >= end;
        end = address + access.bytes_per_lane;
    }
    return ascending;
}

/// Two lanes of one store with the same address and different values: which one lasts is chance. Calls
/// `tell(lane, other)` for the first such, and `forgive()` for lanes before them that store the same value.
template <class Access, class Tell, class Forgive>
void find_clash(const Access& access, Tell tell, Forgive forgive) {
    for (Mask rest = access.active; rest; rest &= rest - 1) {
        const u32 lane = std::countr_zero(rest);
        for (Mask others = rest & (rest - 1); others; others &= others - 1) {
            const u32 other = std::countr_zero(others);
            if (access.addresses[lane] != access.addresses[other]) continue;
            if (access.value.differ(lane, other, access.bytes_per_lane)) return tell(lane, other);
            forgive();
        }
    }
}

/// The order in which the two accesses of a race come.
enum class RaceKind : u8 { read_after_write, write_after_read, write_after_write };
const char* name_of(RaceKind kind);
inline RaceKind kind_of_race(bool earlier_wrote, bool later_wrote) {
    if (!later_wrote) return RaceKind::read_after_write;
    return earlier_wrote ? RaceKind::write_after_write : RaceKind::write_after_read;
}

/// What is special about a race, for its cure.
enum class RaceCause : u8 {
    unordered,         ///< nothing between the two accesses orders them
    same_instruction,  ///< two lanes of one store
    pending_copy,      ///< the earlier one is an asynchronous copy that nobody has waited for
};

/// One side of a race.
struct RaceParty {
    static constexpr u32 kUnknownSite = 0xffffffff;
    u32 site = kUnknownSite;  ///< index into Kernel::sites
    u64 block = 0;            ///< number in the grid, x fastest
    u32 thread = 0;           ///< number in the block, x fastest
    auto operator<=>(const RaceParty&) const = default;
};

struct Race {
    RaceKind kind = RaceKind::read_after_write;
    RaceParty later, earlier;
    RaceCause cause = RaceCause::unordered;
    u64 address = 0;
    std::string where;  ///< which bytes: "byte 12 of ..."
};

/// All workers of a launch add to one log. Thread-safe.
class RaceLog {
public:
    /// `check`: "racecheck" or "globalrace".
    explicit RaceLog(const char* check) : check_(check) {}

    void begin_launch(const Kernel& kernel, Dim3 grid, Dim3 block);

    /// True when a race of these two would only be counted: then it has been, and the caller need
    /// not describe it.
    bool count_known(RaceKind kind, const RaceParty& later, const RaceParty& earlier);
    void add(Race race);

    /// Hands what was found to reports().
    void end_launch();

    const Kernel& kernel() const { return *kernel_; }
    Dim3 block_index(u64 block) const;
    Dim3 thread_index(u32 thread) const;

private:
    struct Entry {
        Race race;
        u64 count = 0;
    };
    /// Two places, the lower one first.
    using PlacePair = std::pair<std::pair<std::string, u32>, std::pair<std::string, u32>>;

    static u64 key_of(const RaceParty& later, const RaceParty& earlier);
    Place place_of(const RaceParty& party) const;
    bool is_atomic(const RaceParty& party) const;
    /// It makes an mbarrier, takes it away, or uses it.
    bool is_mbarrier(const RaceParty& party) const;
    PlacePair places_of(const RaceParty& a, const RaceParty& b) const;
    Report report_of(const Race& race) const;
    std::string message_for(const Race& race) const;
    std::string cure_for(const Race& race) const;
    /// The barrier that the race takes: __syncwarp() would do between lanes of a warp, unless warps
    /// race as well where it would stand.
    const char* barrier_for(const Race& race) const;
    bool one_barrier_does(const Race& a, const Race& b) const;

    const char* check_;
    const Kernel* kernel_ = nullptr;
    Dim3 grid_, block_;
    std::mutex mutex_;
    std::map<PlacePair, Entry> entries_;
    std::unordered_map<u64, Entry*> by_sites_;  ///< the same entries, found without making strings
};

}  // namespace coalesce::simulator

// Reports each race of a launch once, in words. See race_log.h.
#include "simulator/checks/race_log.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace coalesce::simulator {

namespace {

constexpr u32 kMaxValueBytes = 16;  ///< maximum number of bytes that one lane stores

bool are_in_same_warp(const RaceParty& a, const RaceParty& b) {
    return a.block == b.block && a.thread / kLanes == b.thread / kLanes;
}

/// Returns a key that sorts the examples of a race, best example first. An example that needs a
/// stronger barrier is better: a race between two lanes of a warp must not hide one between two
/// warps.
auto rank(RaceKind kind, const RaceParty& later, const RaceParty& earlier) {
    const int grain = later.block != earlier.block ? 0 : are_in_same_warp(later, earlier) ? 2 : 1;
    return std::tuple(grain, kind, later.block, earlier.block, later.thread, earlier.thread);
}
auto rank(const Race& race) {
    return rank(race.kind, race.later, race.earlier);
}

}  // namespace

bool StoredValue::differ(int lane, int other_lane, u32 bytes) const {
    if (copy == nullptr) return false;
    u8 one[kMaxValueBytes], other[kMaxValueBytes];
    copy(context, lane, one);
    copy(context, other_lane, other);
    return std::memcmp(one, other, bytes) != 0;
}

bool StoredValue::changes(int lane, const u8* memory, u32 bytes) const {
    if (copy == nullptr) return true;
    u8 value[kMaxValueBytes];
    copy(context, lane, value);
    return std::memcmp(value, memory, bytes) != 0;
}

const char* name_of(RaceKind kind) {
    switch (kind) {
        case RaceKind::read_after_write: return "read after write";
        case RaceKind::write_after_read: return "write after read";
        case RaceKind::write_after_write: return "write after write";
    }
    return "race";
}

void RaceLog::begin_launch(const Kernel& kernel, Dim3 grid, Dim3 block) {
    const std::lock_guard lock(mutex_);
    kernel_ = &kernel;
    grid_ = grid;
    block_ = block;
    entries_.clear();
    by_sites_.clear();
}

u64 RaceLog::make_key(const RaceParty& later, const RaceParty& earlier) {
    return u64{later.site} << 32 | earlier.site;
}

bool RaceLog::count_if_known(RaceKind kind, const RaceParty& later, const RaceParty& earlier) {
    const std::lock_guard lock(mutex_);
    const auto found = by_sites_.find(make_key(later, earlier));
    if (found == by_sites_.end()) return false;
    Entry& entry = *found->second;
    if (rank(kind, later, earlier) < rank(entry.race)) return false;
    ++entry.count;
    return true;
}

void RaceLog::add(Race race) {
    const std::lock_guard lock(mutex_);
    const auto [place, is_new] = entries_.try_emplace(ordered_places(race.later, race.earlier));
    Entry& entry = place->second;
    by_sites_[make_key(race.later, race.earlier)] = &entry;
    ++entry.count;
    if (is_new || rank(race) < rank(entry.race)) entry.race = std::move(race);
}

void RaceLog::end_launch() {
    const std::lock_guard lock(mutex_);
    for (const auto& [places, entry] : entries_) {
        Report report = format_report(entry.race);
        report.count = entry.count;
        reports().add(report);
    }
    entries_.clear();
    by_sites_.clear();
}

Dim3 RaceLog::block_index(u64 block) const {
    return grid_.place(block);
}
Dim3 RaceLog::thread_index(u32 thread) const {
    return block_.place(thread);
}

Place RaceLog::place_of(const RaceParty& to_party) const {
    if (to_party.site >= kernel_->sites.size()) return {};
    return kernel_->place(kernel_->sites[to_party.site].where);
}

bool RaceLog::is_atomic(const RaceParty& to_party) const {
    return to_party.site < kernel_->sites.size() && kernel_->sites[to_party.site].atomic;
}

bool RaceLog::is_mbarrier(const RaceParty& to_party) const {
    if (to_party.site >= kernel_->sites.size()) return false;
    const Site& site = kernel_->sites[to_party.site];
    return site.function && site.function->body[site.instruction].opcode == "mbarrier";
}

RaceLog::PlacePair RaceLog::ordered_places(const RaceParty& a, const RaceParty& b) const {
    const auto key = [this](const RaceParty& to_party) {
        const Place place = place_of(to_party);
        // Without line information, the position of the instruction is used instead.
        return place.line != 0 ? std::pair(place.file, place.line)
                               : std::pair(std::string(), to_party.site);
    };
    auto first = key(a), second = key(b);
    if (second < first) std::swap(first, second);
    return {std::move(first), std::move(second)};
}

const char* RaceLog::choose_barrier(const Race& race) const {
    const auto is_of_warps = [](const Race& r) {
        return r.later.block == r.earlier.block && !are_in_same_warp(r.later, r.earlier);
    };
    const bool takes_all =
        is_of_warps(race) ||
        std::any_of(entries_.begin(), entries_.end(), [&](const auto& places_and_entry) {
            const Race& other = places_and_entry.second.race;
            return is_of_warps(other) && can_one_barrier_prevent_both(race, other);
        });
    return takes_all ? "__syncthreads()" : "__syncwarp()";
}

/// Reports whether a single barrier could prevent both races. That is the case if the same line
/// lies between the two accesses of each race, or if both races lead from the end of a loop back to
/// its beginning.
bool RaceLog::can_one_barrier_prevent_both(const Race& a, const Race& b) const {
    const Place first[] = {place_of(a.earlier), place_of(b.earlier)};
    const Place then[] = {place_of(a.later), place_of(b.later)};
    for (int i = 0; i < 2; ++i) {
        if (first[i].line == 0 || then[i].line == 0) return false;
        if (first[i].file != first[0].file || then[i].file != first[0].file) return false;
    }
    const bool goes_back[] = {first[0].line >= then[0].line, first[1].line >= then[1].line};
    if (goes_back[0] || goes_back[1]) return goes_back[0] && goes_back[1];
    return std::max(first[0].line, first[1].line) < std::min(then[0].line, then[1].line);
}

Report RaceLog::format_report(const Race& race) const {
    Report report;
    report.check = check_;
    report.kind = name_of(race.kind);
    report.kernel = kernel_->demangled;
    report.where = place_of(race.later);
    report.block = block_index(race.later.block);
    report.thread = thread_index(race.later.thread);
    report.other = place_of(race.earlier);
    report.other_block = block_index(race.earlier.block);
    report.other_thread = thread_index(race.earlier.thread);
    report.address = race.address;
    report.message = format_message(race);
    report.cure = format_remedy(race);
    return report;
}

std::string RaceLog::format_message(const Race& race) const {
    const bool is_of_mbarrier =
        is_mbarrier(race.later) ||
        (is_mbarrier(race.earlier) && race.kind == RaceKind::read_after_write);
    const char* verb = is_of_mbarrier                            ? "Uses the mbarrier at"
                       : is_atomic(race.later)                   ? "Changes atomically"
                       : race.kind == RaceKind::read_after_write ? "Reads"
                                                                 : "Writes";
    const char* earlier_verb =
        is_mbarrier(race.earlier)
            ? (race.kind == RaceKind::write_after_read ? "used as an mbarrier" : "made an mbarrier")
        : is_atomic(race.earlier)                 ? "changed atomically"
        : race.kind == RaceKind::write_after_read ? "read"
                                                  : "wrote";
    std::string text = std::string(verb) + " " + race.where;
    switch (race.cause) {
        case RaceCause::same_instruction:
            return text +
                   ", where another lane stores a different value with the same instruction.";
        case RaceCause::pending_copy:
            return text + ", where an asynchronous copy has not yet been waited for.";
        case RaceCause::unordered: break;
    }
    text += std::string(", which ") +
            (race.later.block != race.earlier.block       ? "another block"
             : are_in_same_warp(race.later, race.earlier) ? "another lane of the same warp"
                                                          : "another warp of the same block") +
            " " + earlier_verb + "; nothing orders the two.";
    if (race.later.site == RaceParty::kUnknownSite ||
        race.earlier.site == RaceParty::kUnknownSite) {
        text += " (The kernel has too many memory instructions to tell all of them apart.)";
    }
    return text;
}

std::string RaceLog::format_remedy(const Race& race) const {
    if (race.cause == RaceCause::same_instruction) {
        return "Let one lane store, give every lane an element of its own, or use an atomic.";
    }
    if (race.cause == RaceCause::pending_copy) {
        return "Wait for the copy (cp.async.wait_group, __pipeline_wait_prior; of a bulk copy its "
               "mbarrier, or cp.async.bulk.wait_group) before touching its bytes.";
    }
    if (race.later.block != race.earlier.block) {
        return is_atomic(race.later) != is_atomic(race.earlier)
                   ? "An atomic does not protect from plain accesses: make the other access atomic "
                     "as well, or move "
                     "it to a kernel of its own."
                   : "Blocks run in any order and meet only at the end of a kernel: write to a "
                     "second buffer, split "
                     "the kernel in two, or use atomics.";
    }
    const std::string barrier = choose_barrier(race);
    const Place later = place_of(race.later), earlier = place_of(race.earlier);
    if (later.line == 0 || earlier.line == 0)
        return barrier + " is missing between the two accesses.";
    if (later.line == earlier.line) {
        return barrier + " is missing between two passes over line " + std::to_string(later.line) +
               ", or between its read and its write.";
    }
    return barrier + " is missing between line " + std::to_string(earlier.line) + " and line " +
           std::to_string(later.line) + ".";
}

}  // namespace coalesce::simulator

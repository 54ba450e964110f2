// Reports each race of a launch once, as text. See race_log.h.
#include "simulator/checks/race_log.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace coalesce::simulator {

bool StoredValue::differs_between(int lane, int other_lane, u32 bytes) const {
    if (copy_lane_value == nullptr) return false;
    u8 first_value[kMaxStoredBytes], second_value[kMaxStoredBytes];
    copy_lane_value(context, lane, first_value);
    copy_lane_value(context, other_lane, second_value);
    return std::memcmp(first_value, second_value, bytes) != 0;
}

bool StoredValue::changes_memory(int lane, const u8* memory, u32 bytes) const {
    if (copy_lane_value == nullptr) return true;
    u8 value[kMaxStoredBytes];
    copy_lane_value(context, lane, value);
    return std::memcmp(value, memory, bytes) != 0;
}

const char* race_kind_name(RaceKind kind) {
    switch (kind) {
        case RaceKind::read_after_write: return "read after write";
        case RaceKind::write_after_read: return "write after read";
        case RaceKind::write_after_write: return "write after write";
    }
    return "race";
}

void RaceLog::begin_launch(const Kernel& kernel, Dim3 grid, Dim3 block, bool is_cooperative) {
    const std::lock_guard lock(mutex_);
    kernel_ = &kernel;
    grid_shape_ = grid;
    block_shape_ = block;
    is_cooperative_ = is_cooperative;
    entries_.clear();
    entry_of_sites_.clear();
}

RaceLog::RaceScope RaceLog::find_race_scope(const RaceAccess& a, const RaceAccess& b) {
    if (a.block != b.block) return RaceScope::blocks;
    return a.thread / kLanes == b.thread / kLanes ? RaceScope::lanes : RaceScope::warps;
}

/// Returns a key that sorts the examples of a race, best example first. An example is better if it
/// needs a stronger barrier, so that a race between two lanes of a warp does not hide a race
/// between two warps.
auto RaceLog::make_sort_key(RaceKind kind, const RaceAccess& later, const RaceAccess& earlier) {
    return std::tuple(find_race_scope(later, earlier), kind, later.block, earlier.block,
                      later.thread, earlier.thread);
}
auto RaceLog::make_sort_key(const Race& race) {
    return make_sort_key(race.kind, race.later, race.earlier);
}

u64 RaceLog::make_site_pair_key(const RaceAccess& later, const RaceAccess& earlier) {
    return u64{later.site} << 32 | earlier.site;
}

bool RaceLog::count_if_known(RaceKind kind, const RaceAccess& later, const RaceAccess& earlier) {
    const std::lock_guard lock(mutex_);
    const auto found = entry_of_sites_.find(make_site_pair_key(later, earlier));
    if (found == entry_of_sites_.end()) return false;
    Entry& entry = *found->second;
    if (make_sort_key(kind, later, earlier) < make_sort_key(entry.race)) return false;
    ++entry.count;
    return true;
}

void RaceLog::add(Race race) {
    const std::lock_guard lock(mutex_);
    const auto [place_entry, is_new] = entries_.try_emplace(sort_places(race.later, race.earlier));
    Entry& entry = place_entry->second;
    entry_of_sites_[make_site_pair_key(race.later, race.earlier)] = &entry;
    ++entry.count;
    if (is_new || make_sort_key(race) < make_sort_key(entry.race)) entry.race = std::move(race);
}

void RaceLog::end_launch() {
    const std::lock_guard lock(mutex_);
    for (const auto& [places, entry] : entries_) {
        Report report = format_report(entry.race);
        report.count = entry.count;
        reports().add(report);
    }
    entries_.clear();
    entry_of_sites_.clear();
}

Dim3 RaceLog::block_index(u64 block) const {
    return grid_shape_.position_of(block);
}
Dim3 RaceLog::thread_index(u32 thread) const {
    return block_shape_.position_of(thread);
}

ptx::SourceLine RaceLog::find_source_line(const RaceAccess& access) const {
    return access.site < kernel_->sites.size() ? kernel_->sites[access.site].where
                                               : ptx::SourceLine{};
}

Place RaceLog::find_place(const RaceAccess& access) const {
    return kernel_->place(find_source_line(access));
}

bool RaceLog::is_atomic(const RaceAccess& access) const {
    return access.site < kernel_->sites.size() && kernel_->sites[access.site].is_atomic;
}

bool RaceLog::is_strong(const RaceAccess& access) const {
    return access.site < kernel_->sites.size() && is_strong(kernel_->sites[access.site]);
}

bool RaceLog::is_strong(const Site& site) {
    if (site.is_atomic || !site.function) return site.is_atomic;
    const ptx::Instruction& i = site.function->body[site.instruction];
    return i.has("volatile") || i.has("relaxed") || i.has("acquire") || i.has("release");
}

bool RaceLog::accesses_mbarrier(const RaceAccess& access) const {
    if (access.site >= kernel_->sites.size()) return false;
    const Site& site = kernel_->sites[access.site];
    return site.function && site.function->body[site.instruction].opcode == "mbarrier";
}

RaceLog::PlacePair RaceLog::sort_places(const RaceAccess& a, const RaceAccess& b) const {
    const auto make_place_key = [this](const RaceAccess& access) {
        const Place place = find_place(access);
        // Without line information, use the index of the instruction instead.
        return place.line != 0 ? std::pair(place.file, place.line)
                               : std::pair(std::string(), access.site);
    };
    auto first_key = make_place_key(a), second_key = make_place_key(b);
    if (second_key < first_key) std::swap(first_key, second_key);
    return {std::move(first_key), std::move(second_key)};
}

RaceLog::RaceScope RaceLog::find_widest_scope(const Race& race) const {
    RaceScope widest_scope = find_race_scope(race.later, race.earlier);
    for (const auto& [places, entry] : entries_)
        if (can_one_barrier_prevent_both(race, entry.race))
            widest_scope =
                std::min(widest_scope, find_race_scope(entry.race.later, entry.race.earlier));
    return widest_scope;
}

/// Reports whether a single barrier could prevent both races. That is the case if the same line
/// lies between the two accesses of each race, or if both races lead from the end of a loop back to
/// its beginning.
bool RaceLog::can_one_barrier_prevent_both(const Race& a, const Race& b) const {
    // Compare keys of files, not names: a name may be long, and this function is called for each
    // pair of races.
    const ptx::SourceLine first_places[] = {find_source_line(a.earlier),
                                            find_source_line(b.earlier)};
    const ptx::SourceLine second_places[] = {find_source_line(a.later), find_source_line(b.later)};
    for (int i = 0; i < 2; ++i) {
        if (first_places[i].line == 0 || second_places[i].line == 0) return false;
        if (first_places[i].file != first_places[0].file ||
            second_places[i].file != first_places[0].file)
            return false;
    }
    const bool leads_backwards[] = {first_places[0].line >= second_places[0].line,
                                    first_places[1].line >= second_places[1].line};
    if (leads_backwards[0] || leads_backwards[1]) return leads_backwards[0] && leads_backwards[1];
    return std::max(first_places[0].line, first_places[1].line) <
           std::min(second_places[0].line, second_places[1].line);
}

Report RaceLog::format_report(const Race& race) const {
    Report report;
    report.check = check_name_;
    report.kind = race.cause == RaceCause::missing_proxy_fence ? "missing proxy fence"
                  : race.cause == RaceCause::early_arrival     ? "mbarrier reused too early"
                                                               : race_kind_name(race.kind);
    report.kernel = kernel_->display_name;
    report.where = find_place(race.later);
    report.block = block_index(race.later.block);
    report.thread = thread_index(race.later.thread);
    report.other = find_place(race.earlier);
    report.other_block = block_index(race.earlier.block);
    report.other_thread = thread_index(race.earlier.thread);
    report.address = race.address;
    report.message = format_message(race);
    report.cure = format_remedy(race);
    return report;
}

std::string RaceLog::format_message(const Race& race) const {
    const bool concerns_mbarrier =
        accesses_mbarrier(race.later) ||
        (accesses_mbarrier(race.earlier) && race.kind == RaceKind::read_after_write);
    const char* verb = concerns_mbarrier                         ? "Uses the mbarrier at"
                       : is_atomic(race.later)                   ? "Changes atomically"
                       : race.kind == RaceKind::read_after_write ? "Reads"
                                                                 : "Writes";
    const char* earlier_verb =
        accesses_mbarrier(race.earlier)
            ? (race.kind == RaceKind::write_after_read ? "used as an mbarrier" : "made an mbarrier")
        : is_atomic(race.earlier)                 ? "changed atomically"
        : race.kind == RaceKind::write_after_read ? "read"
                                                  : "wrote";
    std::string text = std::string(verb) + " " + race.location;
    switch (race.cause) {
        case RaceCause::same_instruction:
            return text +
                   ", where another lane stores a different value with the same instruction.";
        case RaceCause::pending_copy:
            return text +
                   ", but an asynchronous copy has not yet been waited for and may still access "
                   "this memory.";
        case RaceCause::read_only_path:
            return text +
                   " through the read-only path (__ldg, ld.global.nc), though the same launch "
                   "wrote it: this path may still return the old value.";
        case RaceCause::missing_proxy_fence:
            if (accesses_mbarrier(race.earlier))
                return "A bulk copy reports to the mbarrier at " + race.location +
                       " through the asynchronous proxy, to which the initialisation by the thread "
                       "may not be visible yet: there is no fence between the two.";
            return "A bulk copy " +
                   std::string(race.kind == RaceKind::read_after_write ? "reads " : "writes ") +
                   race.location +
                   " through the asynchronous proxy, to which the thread's store may not be "
                   "visible yet: there is no fence.proxy.async between the two.";
        case RaceCause::early_arrival:
            return "Arrives at the mbarrier at " + race.location +
                   " without having waited for the phase that counted the earlier arrival, "
                   "so both arrivals may be counted in the same phase.";
        case RaceCause::unordered: break;
    }
    const RaceScope race_scope = find_race_scope(race.later, race.earlier);
    text += std::string(", which ") +
            (race_scope == RaceScope::blocks  ? "another block"
             : race_scope == RaceScope::lanes ? "another lane of the same warp"
                                              : "another warp of the same block") +
            " " + earlier_verb + "; nothing orders the two.";
    if (race.writes_equal_values)
        text += " In this run the store does not change the value, so the race has no effect.";
    if (race.later.site == RaceAccess::kUnknownSite ||
        race.earlier.site == RaceAccess::kUnknownSite) {
        text +=
            " (The kernel has too many memory instructions for the check to distinguish all of "
            "them.)";
    }
    return text;
}

std::string RaceLog::format_remedy(const Race& race) const {
    if (race.cause == RaceCause::same_instruction) {
        return "Make only one lane store, give every lane its own element, or use an atomic.";
    }
    if (race.cause == RaceCause::pending_copy) return format_wait_for_copy(race);
    if (race.cause == RaceCause::missing_proxy_fence && accesses_mbarrier(race.earlier))
        return "In the thread that initialises the mbarrier, execute "
               "fence.mbarrier_init.release.cluster or fence.proxy.async before the barrier at "
               "which the other threads wait.";
    if (race.cause == RaceCause::missing_proxy_fence)
        return "Each thread that has stored data there must execute fence.proxy.async "
               "(cde::fence_proxy_async_shared_cta()). Then make all threads wait at a barrier "
               "before one thread starts the copy.";
    if (race.cause == RaceCause::early_arrival)
        return "Wait for the phase (wait(), try_wait) before arriving for the next phase, or use "
               "another mbarrier for the next phase.";
    if (race.cause == RaceCause::read_only_path)
        return "Read the memory with a plain load: without __ldg(), and without `const ... "
               "__restrict__` for memory that the kernel writes.";
    const std::string index_advice = format_missing_coordinate(race);
    if (!index_advice.empty()) return index_advice;
    const RaceScope race_scope = find_widest_scope(race);
    if (race_scope == RaceScope::blocks) return format_remedy_for_blocks(race);
    // In a cooperative launch, blocks other than these two may also access the same elements.
    if (is_cooperative_ && check_name_ == std::string_view("globalrace"))
        return format_missing_barrier(race, "grid.sync()") +
               " (If no other block accesses these elements, __syncthreads() is enough.)";
    return format_missing_barrier(
        race, race_scope == RaceScope::warps ? "__syncthreads()" : "__syncwarp()");
}

std::string RaceLog::format_wait_for_copy(const Race& race) const {
    const Site* site =
        race.earlier.site < kernel_->sites.size() ? &kernel_->sites[race.earlier.site] : nullptr;
    if (!site || !site->function || !site->function->body[site->instruction].has("bulk"))
        return "Make the thread that started the copy wait for its group (cp.async.wait_group or "
               "__pipeline_wait_prior, whose argument is the number of newer groups that may still "
               "be in flight). Then make all threads wait at a barrier before this access.";
    if (race.kind == RaceKind::write_after_read)
        return "Make the thread that started the copy commit it and wait for it "
               "(cp.async.bulk.commit_group, cp.async.bulk.wait_group.read). Then make all threads "
               "wait at a barrier before this write.";
    return "Before this access, wait for the phase of the mbarrier to which the copy reports.";
}

std::string RaceLog::format_remedy_for_blocks(const Race& race) const {
    if (race.later.block != race.earlier.block && is_strong(race.later) != is_strong(race.earlier))
        return "An atomic or volatile access does not protect against plain accesses: make the "
               "other access atomic as well, or move it to a separate kernel.";
    const auto has_block_scope_atomic = [this](const RaceAccess& access) {
        return is_atomic(access) && kernel_->sites[access.site].has_block_scope;
    };
    if (has_block_scope_atomic(race.later) || has_block_scope_atomic(race.earlier))
        return "An atomic with block scope (atomicAdd_block, .cta) is atomic only among the "
               "threads of one block: use device scope (atomicAdd).";
    if (is_cooperative_) return format_missing_barrier(race, "grid.sync()");
    if (can_flag_order_accesses(race)) return format_missing_fence(race);
    return "Blocks may run in any order and are synchronized only at the end of a kernel: write to "
           "a second buffer, split the kernel in two, or use atomics.";
}

/// Reports whether a flag could order the two accesses. This is possible if they are plain accesses
/// of two blocks, and the kernel also has an atomic or volatile access, which may be the access to
/// the flag.
bool RaceLog::can_flag_order_accesses(const Race& race) const {
    if (race.kind == RaceKind::write_after_write || is_strong(race.later) ||
        is_strong(race.earlier) || race.later.block == race.earlier.block)
        return false;
    return std::any_of(kernel_->sites.begin(), kernel_->sites.end(), [](const Site& site) {
        return site.function && !site.function->body[site.instruction].has("shared") &&
               is_strong(site);
    });
}

std::string RaceLog::format_missing_fence(const Race& race) const {
    const auto format_line = [this](const RaceAccess& access, const char* fallback_text) {
        const Place place = find_place(access);
        return place.line ? "line " + std::to_string(place.line) : std::string(fallback_text);
    };
    return "If a flag or a counter tells one block that the other is ready, execute "
           "__threadfence() between " +
           format_line(race.earlier, "the first access") +
           " and the change of the flag, and between the read of the flag and " +
           format_line(race.later, "the second access") +
           " (or use memory_order_release and memory_order_acquire at device scope). Otherwise, "
           "split the kernel in two, because blocks may run in any order.";
}

std::string RaceLog::format_missing_barrier(const Race& race, const std::string& barrier) const {
    const Place later = find_place(race.later), earlier = find_place(race.earlier);
    if (later.line == 0 || earlier.line == 0)
        return barrier + " is missing between the two accesses.";
    if (later.line == earlier.line) {
        return barrier + " is missing between two executions of line " +
               std::to_string(later.line) + ", or between the read and the write on this line.";
    }
    return barrier + " is missing between line " + std::to_string(earlier.line) + " and line " +
           std::to_string(later.line) + ".";
}

std::string RaceLog::format_missing_coordinate(const Race& race) const {
    if (race.kind != RaceKind::write_after_write || race.later.block != race.earlier.block ||
        is_atomic(race.later) || is_atomic(race.earlier))
        return {};
    const Dim3 a = thread_index(race.later.thread), b = thread_index(race.earlier.thread);
    if (a.x != b.x || block_shape_.x == 1) return {};
    const char* axis = a.y != b.y ? "y" : "z";
    return std::string("The two threads differ only in threadIdx.") + axis +
           ": the index probably does not depend on it. Give each thread an element of its own, or "
           "launch one thread for each element.";
}

}  // namespace coalesce::simulator

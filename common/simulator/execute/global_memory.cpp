// Implements ld.global and st.global.
//
// Idea   Most accesses have one of two shapes: 32 lanes with consecutive addresses, or 32 lanes
//        with arbitrary addresses in one allocation. A site hardly ever changes its allocation, so
//        both shapes find the allocation in the site's cache. For the first shape, memory, shadow
//        and race cells are each handled as one range. All other accesses, such as those to several
//        allocations or to an invalid address, are handled lane by lane.
// Long: the handlers are templates, and the functions that they share must be inlined into them.
#include <utility>

#include "simulator/checks/access_report.h"
#include "simulator/execute/access_listener.h"
#include "simulator/execute/device_calls.h"
#include "simulator/execute/lane_memory.h"
#include "simulator/execute/memory_access.h"
#include "simulator/execute/memory_handlers.h"
#include "simulator/execute/undefined.h"

namespace coalesce::simulator {
namespace {

constexpr u8 kAllBytesWritten = 0x0f;

/// Reports whether all bytes accessed by 32 consecutive lanes of `bytes` bytes each are
/// initialized. `shadow` is the shadow of the first lane.
bool are_all_written(const u8* shadow, u32 bytes) {
    constexpr u64 kEightWords = 0x0f0f'0f0f'0f0f'0f0full;
    u64 combined_shadow = kEightWords;
    for (u32 k = 0; k < bytes * kLanes / 4; k += 8) {
        u64 shadow_word;
        std::memcpy(&shadow_word, shadow + k, sizeof shadow_word);
        combined_shadow &= shadow_word;
    }
    return combined_shadow == kEightWords;
}

void mark_all_written(u8* shadow, u32 bytes) {
    // Usually all bytes are already marked, and reading their marks is cheaper than writing them
    // again.
    if (!are_all_written(shadow, bytes)) std::memset(shadow, kAllBytesWritten, bytes * kLanes / 4);
}

/// Marks as written the `bytes` bytes (1 to kMaxBytesPerLane) that one lane accesses at `address`.
inline void mark_lane_written(u8* shadow, u64 address, u32 bytes) {
    if (bytes < 4) {
        const u8 bits = shadow_bits(address, bytes);
        // Set the bits atomically, because other workers may write the other bytes of this word at
        // the same time.
        if ((*shadow & bits) != bits) __atomic_fetch_or(shadow, bits, __ATOMIC_RELAXED);
        return;
    }
    for (u32 k = 0; k < bytes / 4; ++k)
        if ((shadow[k] & kAllBytesWritten) != kAllBytesWritten) shadow[k] = kAllBytesWritten;
}

bool is_lane_unwritten(const u8* shadow, u64 address, u32 bytes) {
    if (bytes < 4) return (*shadow & shadow_bits(address, bytes)) == 0;
    u8 combined_shadow = 0;
    for (u32 k = 0; k < bytes / 4; ++k) combined_shadow |= shadow[k];
    return (combined_shadow & kAllBytesWritten) == 0;
}

/// Handles a lane's read that includes uninitialized bytes. The read is a mistake unless the
/// program only copies these bytes.
void handle_uninitialised_read(Warp& w, const Op* op, int lane, u64 address, u32 bytes) {
    const LaneAccess access{
        .kind = LaneAccess::Kind::read,
        .address = address,
        .bytes = bytes,
        .unwritten_mask = w.block->launch->memory->unwritten_bytes(address, bytes)};
    note_undefined(w, op, lane, find_undefined_bytes(w, op, op->site, lane, access));
}

/// Reports whether an uninitialized read can be ignored, because an earlier thread has made the
/// same mistake at this site and the report's count has reached its limit. (A kernel whose input
/// was never initialized repeats the mistake in every load.) May be called only if all bytes that
/// the lane loads are uninitialized.
bool is_known_uninitialised_read(const Warp& w, u32 site, int lane) {
    const UninitialisedReads& mistakes = w.block->launch->kernel->uninitialised_reads[site];
    return mistakes.count.load(std::memory_order_relaxed) >= kMaxReportCount &&
           mistakes.first_thread.load(std::memory_order_relaxed) <= thread_number(w, lane);
}

/// Handles a lane's read that includes uninitialized bytes, unless is_known_uninitialised_read() is
/// true.
[[gnu::noinline]] void check_unwritten_read(Warp& w, const Op* op, int lane, u64 address,
                                            const u8* shadow, u32 bytes) {
    if (is_lane_unwritten(shadow, address, bytes) && is_known_uninitialised_read(w, op->site, lane))
        return;
    handle_uninitialised_read(w, op, lane, address, bytes);
}
inline void check_read(Warp& w, const Op* op, int lane, u64 address, const u8* shadow, u32 bytes) {
    if (!is_lane_written(shadow, address, bytes))
        check_unwritten_read(w, op, lane, address, shadow, bytes);
}

/// The properties of the loads or stores of one shape, and the functions that execute them for a
/// single lane. Used where speed does not matter.
struct GlobalMove {
    bool is_store;
    u32 bytes;  ///< bytes per lane
    void (*load_lane)(Warp& w, const Op* op, int lane, const u8* source);
    void (*store_lane)(const Warp& w, const Op* op, int lane, u8* destination);
};
template <class Shape, bool Store>
constexpr GlobalMove kGlobalMoveFor{Store, Shape::kTotal, Shape::load, Shape::store};

void check_race(Warp& w, const Op* op, const GlobalMove& move, const u64* addresses, bool is_row) {
    Block& block = *w.block;
    GlobalRace& race = *block.launch->global_race;
    const StoredLanes lanes{&w, op, move.store_lane};
    if (op->detail & kReadOnlyPath)
        race.check_read_only_path(block.global_race, {.warp = w.index,
                                                      .site = op->site,
                                                      .active = w.active,
                                                      .addresses = addresses,
                                                      .bytes_per_lane = move.bytes});
    if (is_row && !(op->detail & kStrong)) {
        const bool is_order_known =
            move.is_store ? race.try_write_lines(block.global_race, w.index, op->site, addresses[0],
                                                 move.bytes, lanes.value())
                          : race.try_read_lines(block.global_race, w.index, op->site, addresses[0],
                                                move.bytes);
        if (is_order_known) return;
    }
    GlobalAccess access{
        .kind = move.is_store ? GlobalAccess::Kind::write : GlobalAccess::Kind::read,
        .is_strong = (op->detail & kStrong) != 0,
        .releases = (op->detail & kReleases) != 0,
        .warp = w.index,
        .site = op->site,
        .active = w.active,
        .addresses = addresses,
        .bytes_per_lane = move.bytes};
    if (move.is_store) access.value = lanes.value();
    race.check_access(block.global_race, access);
}

/// Prefetches the row that the next block will probably access at this instruction, because most
/// blocks continue in the same direction. (Rows of a matrix are far apart, and the host's hardware
/// prefetchers do not detect the pattern across blocks.) A wrong guess costs nothing.
template <class Shape, bool Store>
void prefetch_next_row(Warp& w, const Op* op, u64 first, const u8* host, const u8* shadow) {
    const u64 step = first - std::exchange(w.last_row_addresses[op->site], first);
    // Use integers instead of pointers, because the predicted address may lie outside any memory,
    // even below zero.
    const auto prefetch = [](u64 address, bool store) {
        if (store)
            __builtin_prefetch(reinterpret_cast<const void*>(address), 1);
        else
            __builtin_prefetch(reinterpret_cast<const void*>(address), 0);
    };
    for (u64 prefetch_offset = 0; prefetch_offset < Shape::kTotal * kLanes; prefetch_offset += 64)
        prefetch(reinterpret_cast<u64>(host) + step + prefetch_offset, Store);
    prefetch(reinterpret_cast<u64>(shadow) + static_cast<u64>(static_cast<i64>(step) >> 2), false);
}

/// Calls `use(addresses, bytes)` for each access in machine code that corresponds to this PTX
/// access.
template <class Use>
void for_each_machine_access(const Warp& w, const Op* op, const u64* addresses, u32 bytes,
                             const Use& use) {
    if (!(op->detail & kCountsMachineAccesses)) return use(addresses, bytes);
    for (const MachineAccess& access : machine_accesses(w, op)) {
        if (!access.is_executed_at(addresses[w.first_active()])) continue;
        u64 machine_addresses[kLanes];
        compute_machine_addresses(addresses, access, machine_addresses);
        use(machine_addresses, access.bytes);
    }
}

void count_lanes(Warp& w, const Op* op, const u64* addresses, u32 bytes) {
    for_each_machine_access(w, op, addresses, bytes,
                            [&](const u64* moved, u32 machine_access_bytes) {
                                w.site_counters[op->site].add_global(
                                    count_sectors(moved, machine_access_bytes, w.active), w.active,
                                    machine_access_bytes);
                            });
}

/// Counts a load from a variable of the program if all lanes read the same address.
void count_variable_load(Warp& w, const Op* op, const u64* addresses, u32 bytes) {
    const u64 first = addresses[w.first_active()];
    if (select_lanes(w.active, [&](int l) { return addresses[l] == first; }) != w.active) return;
    SiteCounters& counters = w.site_counters[op->site];
    for_each_machine_access(
        w, op, addresses, bytes, [&](const u64* moved, u32 machine_access_bytes) {
            ++counters.variable_requests;
            counters.variable_sectors += count_sectors(moved, machine_access_bytes, w.active);
        });
}

/// Counts the accesses in machine code for lanes with consecutive addresses.
[[gnu::noinline]] void count_machine_row(Warp& w, const Op* op, u64 first, u32 bytes) {
    u64 addresses[kLanes];
    for (u32 l = 0; l < kLanes; ++l) addresses[l] = first + u64{l} * bytes;
    count_lanes(w, op, addresses, bytes);
}

/// Loads or stores for 32 active lanes with consecutive addresses inside the cached allocation.
template <class Shape, bool Store>
void access_whole_row(Warp& w, const Op* op, const SiteCache& cache, u64 first) {
    constexpr u64 kRow = u64{Shape::kTotal} * kLanes;
    // Only whole words have shadow bytes of their own, and a row of bytes or halves may begin
    // within a word.
    const bool whole_words = (first & 3) == 0;
    const auto addresses_of_row = [first](u64* addresses) {
        for (int l = 0; l < kLanes; ++l) addresses[l] = first + static_cast<u64>(l) * Shape::kTotal;
    };
    if (op->detail & kCountsMachineAccesses) [[unlikely]]
        count_machine_row(w, op, first, Shape::kTotal);
    else
        w.site_counters[op->site].add_global(static_cast<u32>(((first & 31) + kRow + 31) >> 5),
                                             kAllLanes, Shape::kTotal);

    u8* host = reinterpret_cast<u8*>(first + static_cast<u64>(cache.host_offset));
    u8* shadow = cache.shadow ? w.block->launch->memory->shadow(first) : nullptr;
    prefetch_next_row<Shape, Store>(w, op, first, host, shadow);
    if (w.block->launch->global_race && (Store || !cache.is_read_only)) {
        u64 addresses[kLanes];
        addresses_of_row(addresses);
        check_race(w, op, kGlobalMoveFor<Shape, Store>, addresses, true);
    } else if (!Store && cache.read_marks) {
        cache.read_marks->mark_read(first, kRow, op->site);
    }
    if constexpr (Store) {
        Shape::store_all(w, op, host);
        if (shadow && whole_words)
            mark_all_written(shadow, Shape::kTotal);
        else if (shadow)
            w.block->launch->memory->mark_written(first, kRow);
        GlobalRace::finish_store(w.block->global_race);
        if (w.undefined_bytes) [[unlikely]] {
            u64 addresses[kLanes];
            addresses_of_row(addresses);
            mark_undefined_stored(w, op, addresses);
        }
    } else {
        forget_undefined(w, op);
        if (shadow && w.checks.runs_initcheck &&
            !(whole_words && are_all_written(shadow, Shape::kTotal))) {
            for (int l = 0; l < kLanes; ++l) {
                const u64 address = first + static_cast<u64>(l) * Shape::kTotal;
                check_read(w, op, l, address, w.block->launch->memory->shadow(address),
                           Shape::kTotal);
            }
        }
        Shape::load_all(w, op, host);
    }
}

/// Reports whether all bytes that the active lanes access are initialized.
template <class Shape>
bool are_lanes_written(const Warp& w, const SiteCache& cache, const u64* addresses) {
    bool combined_shadow = true;
    for (const int l : LaneRange{w.active}) {
        const u64 address = addresses[l];
        // A site's cache points to the shadow of the first word of its allocation.
        combined_shadow &= is_lane_written(cache.shadow + ((address >> 2) - (cache.begin >> 2)),
                                           address, Shape::kTotal);
    }
    return combined_shadow;
}

/// Loads one element for all active lanes in a vectorized loop. Inactive lanes read the element of
/// the first active lane.
template <class Shape>
void load_lanes(Warp& w, const Op* op, const SiteCache& cache, const u64* addresses) {
    const u64 first = addresses[w.first_active()];
    typename Shape::Memory values[kLanes];
    for (int l = 0; l < kLanes; ++l) {
        const u64 address = w.active >> l & 1 ? addresses[l] : first;
        std::memcpy(&values[l],
                    reinterpret_cast<const u8*>(address + static_cast<u64>(cache.host_offset)),
                    sizeof values[l]);
    }
    w.write<typename Shape::Lane>(op->v[0], [&](int l) { return values[l]; });
}

/// Loads or stores for active lanes with arbitrary addresses within the cached allocation.
template <class Shape, bool Store>
void access_scattered(Warp& w, const Op* op, const SiteCache& cache, const u64* addresses) {
    count_lanes(w, op, addresses, Shape::kTotal);
    if (!Store && cache.is_variable) count_variable_load(w, op, addresses, Shape::kTotal);
    if (w.block->launch->global_race && (Store || !cache.is_read_only))
        check_race(w, op, kGlobalMoveFor<Shape, Store>, addresses, false);
    else if (!Store && cache.read_marks)
        for (const int l : LaneRange{w.active})
            cache.read_marks->mark_read(addresses[l], Shape::kTotal, op->site);
    // Nearly always, all bytes are already marked as written, so that only the data must be moved.
    const bool has_shadow = cache.shadow && (Store || w.checks.runs_initcheck) &&
                            !are_lanes_written<Shape>(w, cache, addresses);
    if constexpr (!Store && Shape::kCount == 1) {
        if (!has_shadow) return load_lanes<Shape>(w, op, cache, addresses);
    }
    DeviceMemory& memory = *w.block->launch->memory;
    for (const int l : LaneRange{w.active}) {
        u8* host = reinterpret_cast<u8*>(addresses[l] + static_cast<u64>(cache.host_offset));
        u8* shadow = has_shadow ? memory.shadow(addresses[l]) : nullptr;
        if (!Store && shadow) check_read(w, op, l, addresses[l], shadow, Shape::kTotal);
        move_lane<Shape, Store>(w, op, l, host);
        if (Store && shadow) mark_lane_written(shadow, addresses[l], Shape::kTotal);
    }
    if constexpr (Store) GlobalRace::finish_store(w.block->global_race);
}

/// Narrows the cache to the allocated piece of the heap that contains the address. If there is no
/// such piece, empties the cache and returns false.
[[gnu::noinline]] bool narrow_cache_to_piece(const Launch& launch, SiteCache& cache, u64 address) {
    const Interval piece = DeviceHeap::instance().find_allocation(address);
    if (piece.size() == 0) {
        cache = {};
        return false;
    }
    cache.begin = piece.begin;
    cache.end = piece.end;
    cache.shadow = launch.memory->shadow(piece.begin);
    return true;
}

/// Reports whether an access whose address is in `allocation` was probably meant for another
/// allocation.
bool is_unintended_allocation(const Warp& w, const Op* op, const Allocation& allocation) {
    if (!w.checks.runs_memcheck || allocation.kind == AllocationKind::registered) return false;
    const Allocation* intended = find_intended_allocation(*w.block->launch, op->site);
    return intended && intended != &allocation && intended->kind != AllocationKind::registered;
}

bool fill_cache(const Launch& launch, SiteCache& cache, u64 address) {
    const Allocation* found = launch.allocations->find(address);
    if (!found) return false;
    cache.begin = found->begin;
    cache.end = found->end;
    cache.host_offset = found->host_offset;
    cache.shadow = found->has_shadow ? launch.memory->shadow(found->begin) : nullptr;
    cache.is_read_only = launch.global_race && launch.global_race->is_read_only(*found);
    cache.is_variable = found->kind == AllocationKind::variable;
    cache.read_marks =
        cache.is_read_only && launch.read_marks ? &launch.read_marks->find_marks(*found) : nullptr;
    if (DeviceHeap::instance().contains(address))
        return narrow_cache_to_piece(launch, cache, address);
    return true;
}

/// Fills the cache with the allocation at the address if this allocation is the intended one.
/// Otherwise, empties the cache, so that each lane's access is checked, and returns false.
bool fill_cache_if_intended(const Warp& w, const Op* op, u64 address) {
    SiteCache& cache = w.site_caches[op->site];
    const Allocation* found = w.block->launch->allocations->find(address);
    if (found && is_unintended_allocation(w, op, *found)) {
        cache = {};
        return false;
    }
    return fill_cache(*w.block->launch, cache, address);
}

bool are_all_inside(const Warp& w, const SiteCache& cache, const u64* addresses, u32 bytes) {
    u64 any_outside = 0;
    for (int l = 0; l < kLanes; ++l) {
        const u64 active = w.active >> l & 1 ? ~u64{0} : 0;
        const u64 outside_mask = static_cast<u64>(addresses[l] < cache.begin) |
                                 static_cast<u64>(addresses[l] > cache.end - bytes) |
                                 (addresses[l] & (bytes - 1));
        any_outside |= outside_mask & active;
    }
    return any_outside == 0;
}

void report_if_unintended(const Warp& w, const Op* op, const GlobalMove& move, int lane,
                          u64 address) {
    const Launch& launch = *w.block->launch;
    const Allocation& found = *launch.allocations->find(address);
    if (!is_unintended_allocation(w, op, found)) return;
    const LaneAccess access{
        .kind = move.is_store ? LaneAccess::Kind::write : LaneAccess::Kind::read,
        .address = address,
        .bytes = move.bytes};
    reports().add(describe_other_allocation(w.describe(op, "memcheck", "out of bounds", lane),
                                            access, *find_intended_allocation(launch, op->site),
                                            found));
}

/// Loads or stores for lanes whose addresses are in several allocations, or in none.
const Op* access_lane_by_lane(Warp& w, const Op* op, const GlobalMove& move, const u64* addresses) {
    Launch& launch = *w.block->launch;
    for (const int l : LaneRange{w.active}) {
        if (!resolve_address(w, op, addresses[l], l, move.bytes, ptx::StateSpace::global,
                             load_or_store(move.is_store)))
            return nullptr;
    }
    count_lanes(w, op, addresses, move.bytes);
    if (launch.global_race) check_race(w, op, move, addresses, false);
    for (const int l : LaneRange{w.active}) {
        SiteCache cache;
        fill_cache(launch, cache, addresses[l]);
        report_if_unintended(w, op, move, l, addresses[l]);
        u8* host = reinterpret_cast<u8*>(addresses[l] + static_cast<u64>(cache.host_offset));
        u8* shadow = cache.shadow ? launch.memory->shadow(addresses[l]) : nullptr;
        if (move.is_store) {
            move.store_lane(w, op, l, host);
            if (shadow) mark_lane_written(shadow, addresses[l], move.bytes);
        } else {
            if (cache.is_variable && l == w.first_active())
                count_variable_load(w, op, addresses, move.bytes);
            if (cache.read_marks) cache.read_marks->mark_read(addresses[l], move.bytes, op->site);
            if (shadow && w.checks.runs_initcheck)
                check_read(w, op, l, addresses[l], shadow, move.bytes);
            move.load_lane(w, op, l, host);
        }
    }
    if (move.is_store) GlobalRace::finish_store(w.block->global_race);
    return op + 1;
}

inline void compute_addresses(const Warp& w, const Op* op, u64* addresses) {
    const u64* base = w.lanes<u64>(op->a);
    for (int l = 0; l < kLanes; ++l) addresses[l] = base[l] + static_cast<u64>(op->immediate);
}

/// Loads or stores for lanes with arbitrary addresses. If Plain is true, handles each lane
/// separately.
template <class Shape, bool Store, bool Plain>
[[gnu::noinline]] const Op* access_irregular(Warp& w, const Op* op) {
    u64 addresses[kLanes];
    compute_addresses(w, op, addresses);
    if constexpr (!Store) forget_undefined(w, op);
    SiteCache& cache = w.site_caches[op->site];
    const auto is_all_inside = [&] {
        return !Plain && are_all_inside(w, cache, addresses, Shape::kTotal);
    };
    const Op* next_op = op + 1;
    if (!Plain && !is_all_inside()) fill_cache_if_intended(w, op, addresses[w.first_active()]);
    if (is_all_inside())
        access_scattered<Shape, Store>(w, op, cache, addresses);
    else
        next_op = access_lane_by_lane(w, op, kGlobalMoveFor<Shape, Store>, addresses);
    if constexpr (Store) mark_undefined_stored(w, op, addresses);
    return next_op;
}

/// Reports whether a store changes memory. Watch uses the result to detect progress.
bool changes_memory(const Warp& w, const Op* op, const GlobalMove& move, const u64* addresses) {
    for (const int l : LaneRange{w.active}) {
        const Allocation* found = w.block->launch->allocations->find(addresses[l]);
        if (!found || !found->contains(addresses[l], move.bytes)) continue;
        u8 stored[kMaxBytesPerLane];
        move.store_lane(w, op, l, stored);
        const void* current_value =
            reinterpret_cast<const void*>(addresses[l] + found->host_offset);
        if (std::memcmp(current_value, stored, move.bytes) != 0) return true;
    }
    return false;
}

/// Loads zeros. Used in dry runs, which do not access memory.
void load_zeros(Warp& w, const Op* op, const GlobalMove& move) {
    constexpr u8 zeros[kMaxBytesPerLane] = {};
    for (const int l : LaneRange{w.active}) move.load_lane(w, op, l, zeros);
}

/// Reports whether all active lanes read variables of the program. Variables have memory even in
/// dry runs, in which allocations are only addresses. Their values are needed because they may be
/// pointers: for example, the compiler may replace an array of addresses in shared memory with a
/// constant variable.
bool reads_variables(const Warp& w, const u64* addresses, u32 bytes) {
    return select_lanes(w.active, [&](int l) {
               const Allocation* found = w.block->launch->allocations->find(addresses[l]);
               return found && found->kind == AllocationKind::variable &&
                      found->contains(addresses[l], bytes);
           }) == w.active;
}

/// Passes the access to the listener and to the Watch. Returns true if the access must be executed.
/// `is_row` is true if the lanes' addresses are known to be consecutive, so that the listener need
/// not compare 32 addresses.
bool observe_access(Warp& w, const Op* op, const GlobalMove& move, bool is_row) {
    if (w.has_recorded_enough) return false;
    Watch& watch = *w.block->watch;
    const bool is_dry_run = w.block->launch->is_dry_run;
    u64 addresses[kLanes];
    ObservedAccess access{.kind = load_or_store(move.is_store),
                          .bytes = move.bytes,
                          .lanes = w.active,
                          .addresses = addresses};
    const bool is_one_access = !(op->detail & kCountsMachineAccesses);
    if (is_row && is_one_access && w.listener && !watch.is_on() && (move.is_store || !is_dry_run)) {
        w.listener->note_row(w, op, access,
                             w.lanes<u64>(op->a)[0] + static_cast<u64>(op->immediate));
        return !is_dry_run;
    }
    compute_addresses(w, op, addresses);
    if (w.listener)
        for_each_machine_access(w, op, addresses, move.bytes, [&](const u64* moved, u32 bytes) {
            access.addresses = moved;
            access.bytes = bytes;
            w.listener->note_access(w, op, access);
        });
    if (is_dry_run) {
        if (move.is_store) return false;
        if (reads_variables(w, addresses, move.bytes)) return true;
        load_zeros(w, op, move);
        return false;
    }
    if (!watch.is_on()) return true;
    if (move.is_store) {
        if (changes_memory(w, op, move, addresses)) watch.note_memory_change();
    } else if (op->detail & kStrong) {
        watch.note_poll(w, op, addresses, 0);
    }
    return true;
}

template <class Shape, bool Store>
const Op* access_weak(Warp& w, const Op* op) {
    if constexpr (!Store) w.note_issued_load(op);
    u64 differs = 1, address = 0;
    if (w.active == kAllLanes) {
        const u64* base = w.lanes<u64>(op->a);
        const u64 first = base[0];
        differs = 0;
        for (int l = 0; l < kLanes; ++l)
            differs |= base[l] - (first + static_cast<u64>(l) * Shape::kTotal);
        address = first + static_cast<u64>(op->immediate);
    }
    if (w.is_observed && !observe_access(w, op, kGlobalMoveFor<Shape, Store>, differs == 0))
        [[unlikely]]
        return op + 1;
    if (differs == 0 && (address & (Shape::kTotal - 1)) == 0) {
        SiteCache& cache = w.site_caches[op->site];
        const auto is_all_inside = [&] {
            return address >= cache.begin && address <= cache.end - Shape::kTotal * kLanes;
        };
        if (is_all_inside() || (fill_cache_if_intended(w, op, address) && is_all_inside())) {
            access_whole_row<Shape, Store>(w, op, cache, address);
            return op + 1;
        }
    }
    return access_irregular<Shape, Store, false>(w, op);
}

/// Executes strong accesses (volatile, relaxed, acquire, release) and, in plain mode, all accesses.
template <class Shape, bool Store, bool Plain>
const Op* access_strong_or_plain(Warp& w, const Op* op) {
    if constexpr (!Store) w.note_issued_load(op);
    if (w.is_observed && !observe_access(w, op, kGlobalMoveFor<Shape, Store>, false)) [[unlikely]]
        return op + 1;
    const Op* next = access_irregular<Shape, Store, Plain>(w, op);
    GlobalRace* race = w.block->launch->global_race;
    const bool acquires = !Store && (op->detail & kStrong);
    if (next && race && acquires) race->acquire(w.block->global_race, w.index);
    return next;
}

}  // namespace

const Op* op_wait_for_loads(Warp& w, const Op* op) {
    if (w.pending_loads & static_cast<u64>(op->immediate)) w.wait_for_loads();
    return op + 1;
}

Handler global_handler(const MemoryAccessKind& kind) {
    return choose_handler_by_shape(
        kind.bytes, kind.count, kind.is_store, [&]<class Shape, bool Store>() {
            if (kind.is_plain) return access_strong_or_plain<Shape, Store, true>;
            return kind.is_strong ? access_strong_or_plain<Shape, Store, false>
                                  : access_weak<Shape, Store>;
        });
}

}  // namespace coalesce::simulator

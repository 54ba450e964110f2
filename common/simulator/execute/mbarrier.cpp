// mbarrier: a barrier in 8 bytes of shared memory that counts arrivals, and bytes that are in
// flight.
//
// Idea   A phase ends when all expected arrivals have occurred and no bytes are outstanding. The
//        next phase then begins automatically. A wait tests whether a phase has ended, and
//        identifies the phase by its parity or by the state that an arrival returned.
// Watch  The content of the 8 bytes is undocumented, so programs cannot depend on it. The simulator
//        uses this layout: bits 0-19 remaining arrivals, 20-39 arrivals expected in each phase,
//        40-61 outstanding bytes (plus 2^21, because bytes may arrive before they are announced),
//        63 parity of the phase. Threads may write anything there. A word that cannot be an
//        mbarrier is not treated as one.
#include <utility>

#include "simulator/counters/counters.h"
#include "simulator/execute/async_copy.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/describe.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {

using ptx::StateSpace;

namespace {

constexpr u32 kMaxCount = (1u << 20) - 1;

struct Mbarrier {
    static constexpr i64 kNoBytes = 1 << 21;
    static constexpr u64 kBytesMask = 2 * kNoBytes - 1;
    /// The documented limit on the number of bytes that can be expected, and on the number of bytes
    /// that can arrive before they are expected.
    static constexpr i64 kMaxBytes = (1 << 20) - 1;

    u32 pending_arrivals = 0;   ///< arrivals that the current phase still expects
    u32 expected_arrivals = 0;  ///< arrivals that each phase expects; 0 if not initialised
    i64 bytes = 0;              ///< bytes announced by expect_tx that have not arrived yet
    bool parity = false;

    static Mbarrier from_bits(u64 bits) {
        Mbarrier b;
        b.pending_arrivals = bits & kMaxCount;
        b.expected_arrivals = bits >> 20 & kMaxCount;
        b.bytes = static_cast<i64>(bits >> 40 & kBytesMask) - kNoBytes;
        b.parity = bits >> 63;
        return b;
    }
    u64 bits() const {
        return u64{pending_arrivals} | u64{expected_arrivals} << 20 |
               (static_cast<u64>(bytes + kNoBytes) & kBytesMask) << 40 | u64{parity} << 63;
    }
    static Mbarrier read_from(const u8* host) {
        u64 bits;
        std::memcpy(&bits, host, sizeof bits);
        return from_bits(bits);
    }
    void store(u8* host) const {
        const u64 current_bits = bits();
        std::memcpy(host, &current_bits, sizeof current_bits);
    }
    /// Reports whether the word may be an mbarrier that has been initialised and not overwritten.
    static bool is_plausible(const u8* host) {
        const Mbarrier b = read_from(host);
        const u64 bits = b.bits();
        return bits != 0 && b.pending_arrivals <= b.expected_arrivals &&
               std::memcmp(&bits, host, sizeof bits) == 0;
    }
    bool has_too_many_bytes() const { return bytes > kMaxBytes || bytes < -kMaxBytes; }
};

/// The condition under which an access to mbarriers is counted as an atomic on shared memory:
/// never, only if the lanes use several mbarriers, or always.
enum class CountRule : u8 { no, if_several, always };

/// Counts the accesses to mbarriers. Usually, all lanes of a warp use the same mbarrier and only
/// test whether a phase has ended. Such tests are not counted. A program that uses many mbarriers,
/// or reads their contents, could use them to move data, so such accesses are counted like other
/// atomics.
void count_use(Warp& w, const Op* op, const ResolvedAddresses& resolved, CountRule count_rule) {
    const u64 first_address = resolved.address[w.first_active()];
    const bool is_one = select_lanes(w.active, [&](int l) {
                            return resolved.address[l] == first_address;
                        }) == w.active;
    if (count_rule != CountRule::always && is_one) return;
    // Lanes that arrive at the same mbarrier together do not conflict, so count only one of them.
    count_atomic(w, op, resolved, 8, is_one ? w.active & (w.active - 1) : 0);
}

/// Resolves the mbarrier of every active lane. Returns false if the launch has failed.
bool find_mbarriers(Warp& w, const Op* op, ResolvedAddresses& resolved,
                    CountRule count_rule = CountRule::if_several) {
    if (!resolve_addresses(w, op, w.lanes<u64>(op->a), op->immediate, 8, space_of(op),
                           Access::atomic, resolved))
        return false;
    if (const Mask lanes_elsewhere = w.active & ~resolved.shared_lanes) {
        const int lane = std::countr_zero(lanes_elsewhere);
        return w.fail_launch(op, Status::illegal_address, "memcheck", "out of bounds",
                             "this mbarrier is not in shared memory; declare it __shared__", lane,
                             resolved.address[lane]);
    }
    if (count_rule != CountRule::no) count_use(w, op, resolved, count_rule);
    return true;
}

Failed report_mbarrier_misuse(Warp& w, const Op* op, int lane, const ResolvedAddresses& resolved,
                              const char* kind, const char* message) {
    return w.fail_launch(op, Status::launch_failure, "synccheck", kind, message, lane,
                         resolved.address[lane]);
}
Failed fail_not_initialised(Warp& w, const Op* op, int lane, const ResolvedAddresses& resolved) {
    return report_mbarrier_misuse(
        w, op, lane, resolved, "mbarrier not initialised",
        "this mbarrier was never initialised, or was overwritten by another store; call init() in "
        "one thread, and make all other threads wait at __syncthreads() until it has been called");
}
Failed fail_too_many_bytes(Warp& w, const Op* op, int lane, const ResolvedAddresses& resolved) {
    return report_mbarrier_misuse(
        w, op, lane, resolved, "too many bytes",
        "an mbarrier can count at most 1048575 bytes that have not arrived yet, or that arrived "
        "before they were announced; announce only the bytes of one phase");
}

/// Records, for the race check of global memory, that each lane arrives at its mbarrier.
void note_arrivals(Warp& w, const ResolvedAddresses& resolved) {
    GlobalRace* race = w.block->launch->global_race;
    u64 last_noted_address = ~u64{0};
    for (const int l : LaneRange{race ? w.active : 0}) {
        const u64 address = resolved.address[l];
        if (std::exchange(last_noted_address, address) == address) continue;
        if (resolved.other_block_lanes >> l & 1)
            race->record_cluster_arrival(w.block->global_race, w.index);
        else
            race->record_mbarrier_arrival(w.block->global_race, offset_in_block(address), w.index);
    }
}

/// Ends the phase if no arrivals and no bytes are outstanding.
void end_phase_if_complete(Block& block, Mbarrier& b, u32 address) {
    if (b.pending_arrivals || b.bytes) return;
    b.pending_arrivals = b.expected_arrivals;
    b.parity = !b.parity;
    const auto bytes = block.phase_bytes.find(address);
    if (bytes != block.phase_bytes.end())
        bytes->second = {.last_announced_bytes = bytes->second.announced_bytes};
    if (block.shared_race) block.shared_race->record_phase_end(make_shared_address(block, address));
    if (GlobalRace* race = block.launch->global_race)
        race->record_phase_end(block.global_race, address);
}

/// The kinds of mbarrier accesses that the race check distinguishes: `initializes` creates or
/// invalidates an mbarrier, and `uses` needs an existing mbarrier.
enum class MbarrierUse : u8 { initializes, uses };
void record_mbarrier_use(Warp& w, const Op* op, const ResolvedAddresses& resolved, Mask lanes,
                         MbarrierUse mbarrier_use) {
    SharedRace* race = w.block->shared_race;
    if (!race || lanes == 0) return;
    const LaneOffsets offsets = to_offsets(resolved.address, lanes);
    const SharedAccess access{.warp = race_check_warp(w),
                              .site = op->site,
                              .active = lanes,
                              .addresses = offsets.data(),
                              .bytes_per_lane = 8};
    if (mbarrier_use == MbarrierUse::initializes)
        race->check_write(access);
    else
        race->check_mbarrier_use(access);
}

/// Resolves the mbarrier of every active lane. Checks that the mbarrier is initialized, and that
/// its initialization is ordered before this use. Returns false if the launch has failed.
bool use_mbarriers(Warp& w, const Op* op, ResolvedAddresses& resolved,
                   CountRule count_rule = CountRule::if_several) {
    if (!find_mbarriers(w, op, resolved, count_rule)) return false;
    for (const int lane : LaneRange{w.active}) {
        if (!Mbarrier::is_plausible(resolved.host[lane]))
            return fail_not_initialised(w, op, lane, resolved);
    }
    record_mbarrier_use(w, op, resolved, w.active, MbarrierUse::uses);
    return true;
}

// ---- init, inval ----

/// Reports that a lane initializes an mbarrier that is already valid.
void report_second_init(Warp& w, const Op* op, int lane, const Op* first) {
    Report report = w.describe(
        op, "synccheck", "mbarrier initialised twice", lane,
        "Initialises an mbarrier that is already initialised. The mbarrier loses its counted "
        "arrivals and bytes, and waiting threads may end up waiting for the wrong phase.",
        "Initialise the mbarrier once, in one thread, before any thread uses it. To reuse the "
        "memory, first invalidate the mbarrier (mbarrier.inval) after a barrier.");
    report.other = w.block->launch->kernel->place(first);
    reports().add(report);
}

const Op* run_init(Warp& w, const Op* op) {
    ResolvedAddresses resolved;
    if (!find_mbarriers(w, op, resolved) || !are_own_addresses(w, op, resolved)) return nullptr;
    const u32* arrival_counts = w.lanes<u32>(op->b);
    Mask reinitialised_lanes = 0;
    const Op* first_init = nullptr;
    for (const int l : LaneRange{w.active}) {
        if (arrival_counts[l] == 0 || arrival_counts[l] > kMaxCount)
            return report_mbarrier_misuse(
                w, op, l, resolved, "invalid mbarrier count",
                "an mbarrier expects 1 to 1048575 arrivals; pass the number of threads "
                "that will arrive");
        const u32 address = offset_in_block(resolved.address[l]);
        const auto [init, is_new] = w.block->mbarrier_inits.try_emplace(address, op);
        // A store may have overwritten the earlier mbarrier, which is then no longer valid.
        if (!is_new && is_mbarrier(*w.block, address)) {
            if (reinitialised_lanes == 0) first_init = init->second;
            reinitialised_lanes |= 1u << l;
        }
        init->second = op;
        Mbarrier b;
        b.pending_arrivals = b.expected_arrivals = arrival_counts[l];
        b.store(resolved.host[l]);
        w.block->phase_bytes.erase(address);
    }
    // Report it only as a second initialization, although it also races with all other uses.
    if (!w.checks.runs_synccheck) reinitialised_lanes = 0;
    if (reinitialised_lanes)
        report_second_init(w, op, std::countr_zero(reinitialised_lanes), first_init);
    record_mbarrier_use(w, op, resolved, w.active & ~reinitialised_lanes, MbarrierUse::initializes);
    w.block->watch->note_memory_change();
    return op + 1;
}

/// Executes mbarrier.inval. The mbarrier must exist, and all of its uses must be ordered before the
/// invalidation.
const Op* run_invalidate(Warp& w, const Op* op) {
    ResolvedAddresses resolved;
    if (!use_mbarriers(w, op, resolved) || !are_own_addresses(w, op, resolved)) return nullptr;
    record_mbarrier_use(w, op, resolved, w.active, MbarrierUse::initializes);
    for (const int l : LaneRange{w.active}) {
        std::memset(resolved.host[l], 0, sizeof(u64));
        w.block->mbarrier_inits.erase(offset_in_block(resolved.address[l]));
    }
    w.block->watch->note_memory_change();
    return op + 1;
}

// ---- arriving ----

void announce_bytes(Block& block, Mbarrier& b, u32 address, u32 bytes) {
    b.bytes += bytes;
    block.phase_bytes[address].announced_bytes += bytes;
}
void add_bytes(Block& block, Mbarrier& b, u32 address, u32 bytes) {
    b.bytes -= bytes;
    block.phase_bytes[address].arrived_bytes += bytes;
}

/// Records the arrival of one lane for the race check.
void count_arrival(Warp& w, const Op* op, int lane, const ResolvedAddresses& resolved) {
    const LaneOffsets offsets = to_offsets(resolved.address, 1u << lane);
    w.block->shared_race->check_arrival_phase({.warp = race_check_warp(w),
                                               .site = op->site,
                                               .active = 1u << lane,
                                               .addresses = offsets.data(),
                                               .bytes_per_lane = 8});
}

/// Bits of Op::count. kArrives: the lanes arrive. kDrops: later phases expect one arrival fewer.
/// kHasCount: Op::b is a number of arrivals. kAnnouncesBytes: Op::b announces bytes.
/// kCompletesBytes: Op::b is the number of bytes that arrive.
constexpr u8 kArrives = 1, kDrops = 2, kHasCount = 4, kAnnouncesBytes = 8, kCompletesBytes = 16;

/// Executes arrive, arrive_drop, expect_tx and complete_tx. Op::b is the number of arrivals or
/// bytes, and Op::d receives the previous state.
const Op* run_arrive(Warp& w, const Op* op) {
    ResolvedAddresses resolved;
    if (!use_mbarriers(w, op, resolved,
                       op->has_destination ? CountRule::always : CountRule::if_several))
        return nullptr;
    const u8 actions = op->count;
    const u32* operand = w.lanes<u32>(op->b);
    if (actions != kAnnouncesBytes) note_arrivals(w, resolved);
    for (const int l : LaneRange{w.active}) {
        Block& owner_block = *find_owner_block(*w.block, resolved.address[l]);
        const u32 address = offset_in_block(resolved.address[l]);
        Mbarrier b = Mbarrier::read_from(resolved.host[l]);
        const u64 old_bits = b.bits();
        const u32 count = actions & kHasCount ? operand[l] : actions & kArrives;
        if (!is_mbarrier(owner_block, address)) return fail_not_initialised(w, op, l, resolved);
        if (count > b.pending_arrivals)
            return report_mbarrier_misuse(
                w, op, l, resolved, "too many arrivals",
                "more threads arrive at this mbarrier in one phase than it expects; compare the "
                "count given to init() with the number of threads that arrive");
        if (actions & kAnnouncesBytes) announce_bytes(owner_block, b, address, operand[l]);
        if (actions & kCompletesBytes) add_bytes(owner_block, b, address, operand[l]);
        if (b.has_too_many_bytes()) return fail_too_many_bytes(w, op, l, resolved);
        if (actions & kDrops) b.expected_arrivals -= count;
        b.pending_arrivals -= count;
        // Release before the phase can end, so that a thread that observes the end of the phase
        // also sees this lane's stores.
        if ((actions & kArrives) && w.block->shared_race) {
            w.block->shared_race->record_mbarrier_arrival(race_check_warp(w),
                                                          static_cast<u32>(resolved.address[l]));
            count_arrival(w, op, l, resolved);
        }
        if (actions != kAnnouncesBytes) end_phase_if_complete(owner_block, b, address);
        b.store(resolved.host[l]);
        if (op->has_destination) w.lanes<u64>(op->d)[l] = old_bits;
    }
    w.block->watch->note_memory_change();
    return op + 1;
}

/// Executes cp.async.mbarrier.arrive, which arrives when the thread's own asynchronous copies are
/// complete. Without `.noinc`, the instruction first increments the number of pending arrivals, so
/// that its arrival does not change this number.
template <bool Counts>
const Op* run_copy_arrival(Warp& w, const Op* op) {
    ResolvedAddresses resolved;
    if (!use_mbarriers(w, op, resolved, Counts ? CountRule::no : CountRule::if_several))
        return nullptr;
    std::vector<MbarrierPhase> phases;
    for (const int l : LaneRange{w.active}) {
        const MbarrierPhase phase{offset_in_block(resolved.address[l]),
                                  Mbarrier::read_from(resolved.host[l]).parity};
        if (phases.empty() || phases.back() != phase) phases.push_back(phase);
    }
    report_copies(w, std::move(phases));
    note_arrivals(w, resolved);
    if (w.block->shared_race)
        for (const int l : LaneRange{w.active}) {
            w.block->shared_race->record_async_arrival(race_check_warp(w), 1u << l,
                                                       static_cast<u32>(resolved.address[l]));
        }
    return Counts ? run_arrive(w, op) : op + 1;
}

// ---- waiting ----

/// Executes the copies whose bytes end the phase. If further copies report to this mbarrier, the
/// program announced fewer bytes than it copies, and no phase waits for the remaining bytes. In
/// that case, reports the error, fails the launch and returns false.
bool complete_phase(Warp& w, const Op* op, int lane, const ResolvedAddresses& resolved) {
    Block& block = *w.block;
    const u32 address = offset_in_block(resolved.address[lane]);
    if (!waits_for_bytes(block, address)) return true;
    const i64 announced_bytes = block.phase_bytes[address].announced_bytes;
    complete_bulk_copies(block, address);
    const u64 pending_bytes = pending_bulk_bytes(block, address);
    if (pending_bytes == 0 || waits_for_bytes(block, address)) return true;
    const i64 arrived_bytes = Mbarrier::read_from(resolved.host[lane]).pending_arrivals == 0
                                  ? block.phase_bytes[address].arrived_bytes
                                  : announced_bytes;
    return report_mbarrier_misuse(
        w, op, lane, resolved, "too few bytes",
        ("copies write more bytes than were announced to this mbarrier: " +
         std::to_string(announced_bytes) + " announced, " +
         std::to_string(arrived_bytes + static_cast<i64>(pending_bytes)) +
         " copied. The phase does not wait for the rest; announce the bytes of all copies")
            .c_str());
}

/// Remembers a wait for parity 1 that ends at once, because the first phase has parity 0. Only
/// waits for an empty pipeline stage do this on purpose, and their mbarriers count no bytes.
void note_wait_for_wrong_parity(Block& block, const Mbarrier& b, u32 address, bool parity) {
    if (b.parity || !parity) return;
    const auto bytes = block.phase_bytes.find(address);
    if (bytes != block.phase_bytes.end() && bytes->second.announced_bytes > 0 &&
        bytes->second.last_announced_bytes == 0)
        bytes->second.has_ended_wait_at_once = true;
}

/// Sets Op::d to true in each lane for which the phase that Op::b identifies is over. Op::b is a
/// parity (0 or 1) or a state.
template <bool ByParity>
const Op* run_test_wait(Warp& w, const Op* op) {
    ResolvedAddresses resolved;
    if (!use_mbarriers(w, op, resolved) || !are_own_addresses(w, op, resolved)) return nullptr;
    Mask finished_lanes = 0;
    for (const int l : LaneRange{w.active}) {
        const u32 address = offset_in_block(resolved.address[l]);
        const bool parity = ByParity ? w.lanes<u32>(op->b)[l] & 1
                                     : Mbarrier::from_bits(w.lanes<u64>(op->b)[l]).parity;
        const auto is_phase_over = [&] {
            return Mbarrier::read_from(resolved.host[l]).parity != parity;
        };
        if (ByParity && is_phase_over())
            note_wait_for_wrong_parity(*w.block, Mbarrier::read_from(resolved.host[l]), address,
                                       parity);
        if (!is_phase_over() && !complete_phase(w, op, l, resolved)) return nullptr;
        if (!is_phase_over()) continue;
        finished_lanes |= 1u << l;
        if (!w.block->reported_copies.empty()) count_wait_for_reported_copies(w, {address, parity});
        if (w.block->shared_race)
            w.block->shared_race->record_mbarrier_wait(race_check_warp(w),
                                                       make_shared_address(*w.block, address));
        if (GlobalRace* race = w.block->launch->global_race) {
            race->record_mbarrier_wait(w.block->global_race, address, w.index);
            if (w.block->cluster) race->acquire(w.block->global_race, w.index);
        }
    }
    w.write_predicate(op->d, finished_lanes);
    return op + 1;
}

/// Sets Op::d to the number of arrivals that are pending in the state in Op::a.
const Op* run_pending_count(Warp& w, const Op* op) {
    const u64* states = w.lanes<u64>(op->a);
    w.write<u32>(op->d, [=](int l) { return Mbarrier::from_bits(states[l]).pending_arrivals; });
    return op + 1;
}

// ---- descriptions ----

Description describe_access(const ptx::Instruction& i, Handler run, std::vector<OperandRole> roles,
                            std::size_t optional = 0, u8 count = 0) {
    const StateSpace space = find_space(i);
    if (space != StateSpace::shared && space != StateSpace::generic) return std::nullopt;
    const std::size_t operand_count = roles.size();
    return describe(i,
                    {.run = run,
                     .operands = std::move(roles),
                     .memory_uses = {{.space = space, .is_atomic = true, .bytes_per_lane = 8}},
                     .count = count,
                     .has_side_effects = true},
                    operand_count - optional, operand_count);
}

Description describe_arrive(const ptx::Instruction& i) {
    u8 actions = i.has("arrive_drop") ? kArrives | kDrops : kArrives;
    if (i.operands.size() > 2) actions |= i.has("expect_tx") ? kAnnouncesBytes : kHasCount;
    return describe_access(
        i, run_arrive,
        {{Role::destination, Width::w64}, {Role::address, Width::w64}, {Role::b, Width::w32}}, 1,
        actions);
}

Description describe_wait(const ptx::Instruction& i) {
    const bool uses_parity = i.has("parity");
    auto description = describe_access(i, uses_parity ? run_test_wait<true> : run_test_wait<false>,
                                       {{Role::destination, Width::predicate},
                                        {Role::address, Width::w64},
                                        {Role::b, uses_parity ? Width::w32 : Width::w64},
                                        {}},
                                       1);
    if (description) description->spins_on_result = true;
    return description;
}

}  // namespace

bool is_mbarrier(const Block& block, u32 address) {
    const u8* host = block.shared + address;
    return Mbarrier::is_plausible(host) && Mbarrier::read_from(host).expected_arrivals != 0;
}

bool waits_for_bytes(const Block& block, u32 address) {
    const Mbarrier b = Mbarrier::read_from(block.shared + address);
    return b.pending_arrivals == 0 && b.bytes > 0;
}

MbarrierWaitText describe_mbarrier_wait(const Warp& w, const Op& op, int lane) {
    const Block& block = *w.block;
    const u32 address = offset_in_block(
        address_in_space(w.lanes<u64>(op.a)[lane] + static_cast<u64>(op.immediate)));
    if (!block.is_in_own_shared(address, 8)) return {};
    const Mbarrier b = Mbarrier::read_from(block.shared + address);
    const auto phase_entry = block.phase_bytes.find(address);
    const PhaseBytes bytes =
        phase_entry == block.phase_bytes.end() ? PhaseBytes{} : phase_entry->second;
    // Bytes of pending copies count as arrived. The simulator executes a copy only when its bytes
    // can end the phase, but on hardware they may have arrived before.
    const i64 arrived_bytes =
        bytes.arrived_bytes + static_cast<i64>(pending_bulk_bytes(block, address));
    const std::string counts_text = std::to_string(bytes.announced_bytes) +
                                    " bytes were announced, and " + std::to_string(arrived_bytes) +
                                    " arrived";
    if (b.pending_arrivals > 0)
        return {
            std::to_string(b.pending_arrivals) + " of the " + std::to_string(b.expected_arrivals) +
                " arrivals that end this mbarrier's phase are missing" +
                (bytes.announced_bytes == 0 && arrived_bytes == 0 ? "" : "; " + counts_text) + ".",
            "Which threads arrive, and how often? Compare the count given to init() with the "
            "arrivals of one phase, and the parity with the phase that is waited for: the "
            "first phase has parity 0."};
    return {"All threads have arrived at this mbarrier; " + counts_text + ".",
            b.bytes > 0 ? "Announce exactly as many bytes as the copies write, and check that "
                          "every copy is started."
                        : "Announce the bytes of all copies that report to this mbarrier."};
}

void add_arrived_bytes(Block& block, u32 address, u32 bytes) {
    u8* host = block.shared + address;
    Mbarrier b = Mbarrier::read_from(host);
    add_bytes(block, b, address, bytes);
    end_phase_if_complete(block, b, address);
    b.store(host);
    block.watch->note_memory_change();
}

Description describe_copy_arrival(const ptx::Instruction& i) {
    const Handler run = i.has("noinc") ? run_copy_arrival<true> : run_copy_arrival<false>;
    return describe_access(i, run, {{Role::address, Width::w64}}, 0, kArrives);
}

// mbarrier.{init,inval,arrive,arrive_drop,expect_tx,complete_tx,test_wait,try_wait,pending_count}
Description describe_mbarrier(const ptx::Instruction& i, const ptx::Function&) {
    const OperandRole address = {Role::address, Width::w64}, count = {Role::b, Width::w32};
    if (i.has("init")) return describe_access(i, run_init, {address, count});
    if (i.has("inval")) return describe_access(i, run_invalidate, {address});
    if (i.has("arrive") || i.has("arrive_drop")) return describe_arrive(i);
    if (i.has("expect_tx"))
        return describe_access(i, run_arrive, {address, count}, 0, kAnnouncesBytes);
    if (i.has("complete_tx"))
        return describe_access(i, run_arrive, {address, count}, 0, kCompletesBytes);
    if (i.has("test_wait") || i.has("try_wait")) return describe_wait(i);
    if (i.has("pending_count"))
        return describe(i, {.run = run_pending_count,
                            .operands = {{Role::destination, Width::w32}, {Role::a, Width::w64}}});
    return std::nullopt;
}

}  // namespace coalesce::simulator

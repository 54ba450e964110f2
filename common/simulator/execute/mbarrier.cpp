// mbarrier: a barrier that lives in 8 bytes of shared memory and counts arrivals, and bytes to
// come.
//
// Idea   A phase ends when all expected arrivals have come and no bytes are outstanding; then the
//        next one begins by itself. To wait is to ask whether a phase is over, by its parity or by
//        the state that an arrival returned.
// Watch  What the 8 bytes hold is the hardware's secret, so programs cannot depend on it. Ours:
//        bits 0-19 arrivals still to come, 20-39 arrivals that a phase expects, 40-61 bytes still
//        to come (plus 2^21, because they may arrive before they are expected), 63 parity of the
//        phase. Threads may write anything there: words that cannot be a barrier's are none.
#include <utility>

#include "counters/counters.h"
#include "execute/async_copy.h"
#include "execute/describe.h"
#include "execute/memory_access.h"

namespace coalesce::sim {

using ptx::StateSpace;

namespace {

constexpr u32 kMaxCount = (1u << 20) - 1;

struct Mbarrier {
    static constexpr i64 kNoBytes = 1 << 21;
    static constexpr u64 kBytesMask = 2 * kNoBytes - 1;
    /// As documented: more than these can neither be expected nor be there too early.
    static constexpr i64 kMostBytes = (1 << 20) - 1;

    u32 pending = 0;   ///< arrivals that the current phase still waits for
    u32 expected = 0;  ///< arrivals that a phase begins with; 0: not initialised
    i64 bytes = 0;     ///< announced by expect_tx and not yet there
    bool parity = false;

    static Mbarrier from_bits(u64 bits) {
        Mbarrier b;
        b.pending = bits & kMaxCount;
        b.expected = bits >> 20 & kMaxCount;
        b.bytes = static_cast<i64>(bits >> 40 & kBytesMask) - kNoBytes;
        b.parity = bits >> 63;
        return b;
    }
    u64 bits() const {
        return u64{pending} | u64{expected} << 20 |
               (static_cast<u64>(bytes + kNoBytes) & kBytesMask) << 40 | u64{parity} << 63;
    }
    /// Whether these can be the words of a barrier that was initialised and not overwritten.
    static bool is_sound(u64 bits) {
        const Mbarrier b = from_bits(bits);
        return bits != 0 && b.pending <= b.expected && b.bits() == bits;
    }
    bool has_too_many_bytes() const { return bytes > kMostBytes || bytes < -kMostBytes; }

    /// Ends the phase if nothing is missing; true if it did.
    bool end_phase_if_complete() {
        if (pending || bytes) return false;
        pending = expected;
        parity = !parity;
        return true;
    }
};

u64 load_bits(const u8* host) {
    u64 bits;
    std::memcpy(&bits, host, sizeof bits);
    return bits;
}
void store_bits(u8* host, u64 bits) {
    std::memcpy(host, &bits, sizeof bits);
}

/// Whether an access counts as an atomic on shared memory does.
enum class Counted : u8 { no, of_several, always };

/// As programs use them, the lanes of a warp are at one mbarrier, which they get no answer from but whether
/// a phase is over; that is not counted. Who has mbarriers in plenty, or looks at what they hold, carries
/// data in them: that costs what other atomics cost.
void count_access(Warp& w, const Op* op, const Resolved& where, Counted counted) {
    u32 offsets[kLanes] = {};
    bool are_several = false;
    for (Mask rest = where.in_shared; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        offsets[lane] = static_cast<u32>(where.address[lane]);
        are_several |= where.address[lane] != where.address[std::countr_zero(where.in_shared)];
    }
    if (counted == Counted::of_several && !are_several) return;
    const Wavefronts wavefronts = count_atomic_wavefronts(offsets, 8, where.in_shared, false);
    SiteCounters& counters = w.counters[op->site];
    ++counters.shared_requests;
    counters.wavefronts += wavefronts.taken;
    counters.wavefronts_ideal += wavefronts.ideal;
}

/// Finds every active lane's mbarrier. False: the launch is over.
bool find_mbarriers(Warp& w, const Op* op, Resolved& where, Counted counted = Counted::of_several) {
    if (!resolve(w, op, w.lanes<u64>(op->a), op->immediate, 8, space_of(op), Access::atomic, where))
        return false;
    if (const Mask elsewhere = w.active & ~where.in_shared) {
        const int lane = std::countr_zero(elsewhere);
        w.fail(op, Status::illegal_address, "memcheck", "out of bounds",
               "this mbarrier is not in shared memory; declare it __shared__", lane,
               where.address[lane]);
        return false;
    }
    if (counted != Counted::no) count_access(w, op, where, counted);
    return true;
}

const Op* misuse(Warp& w, const Op* op, int lane, const Resolved& where, const char* kind,
                 const char* message) {
    return w.fail(op, Status::launch_failure, "synccheck", kind, message, lane,
                  where.address[lane]);
}
const Op* not_initialised(Warp& w, const Op* op, int lane, const Resolved& where) {
    return misuse(w, op, lane, where, "mbarrier not initialised",
                  "this mbarrier was never initialised, or something else was written over it; let "
                  "one thread call init() and all others wait for it with __syncthreads()");
}
const Op* too_many_bytes(Warp& w, const Op* op, int lane, const Resolved& where) {
    return misuse(w, op, lane, where, "too many bytes",
                  "an mbarrier counts up to 1048575 bytes that are to come, or that came before "
                  "they were expected; expect those of one phase");
}

/// For the race check of global memory: the lanes arrive, each at its mbarrier.
void note_arrivals(Warp& w, const Resolved& where) {
    GlobalRace* race = w.block->launch->global_race;
    u64 noted = ~u64{0};
    for (Mask rest = race ? w.active : 0; rest; rest &= rest - 1) {
        const u64 address = where.address[std::countr_zero(rest)];
        if (std::exchange(noted, address) != address)
            race->mbarrier_arrive(w.block->global_race, static_cast<u32>(address), w.index);
    }
}

/// Ends the phase if nothing is missing.
void end_phase_if_complete(Block& block, Mbarrier& b, u64 address) {
    if (!b.end_phase_if_complete()) return;
    const auto bytes = block.phase_bytes.find(static_cast<u32>(address));
    if (bytes != block.phase_bytes.end())
        bytes->second = {.announced_before = bytes->second.announced};
    if (GlobalRace* race = block.launch->global_race)
        race->mbarrier_phase_done(block.global_race, static_cast<u32>(address));
}

/// Shows the race check that the lanes make (or unmake) mbarriers, or use them.
enum class Touch : u8 { makes, uses };
void note_touch(Warp& w, const Op* op, const Resolved& where, Touch touch) {
    SharedRace* race = w.block->shared_race;
    if (!race) return;
    u32 offsets[kLanes] = {};
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        offsets[lane] = static_cast<u32>(where.address[lane]);
    }
    const SharedAccess access{.warp = w.index,
                              .site = op->site,
                              .active = w.active,
                              .addresses = offsets,
                              .bytes_per_lane = 8,
                              .value = {}};
    if (touch == Touch::makes)
        race->write(access);
    else
        race->use_mbarrier(access);
}

/// Finds every active lane's mbarrier, which must be one, and somebody must have seen to it that these
/// lanes find it made. False: the launch is over.
bool use_mbarriers(Warp& w, const Op* op, Resolved& where, Counted counted = Counted::of_several) {
    if (!find_mbarriers(w, op, where, counted)) return false;
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (Mbarrier::is_sound(load_bits(where.host[lane]))) continue;
        not_initialised(w, op, lane, where);
        return false;
    }
    note_touch(w, op, where, Touch::uses);
    return true;
}

// ---- init, inval ----

const Op* run_init(Warp& w, const Op* op) {
    Resolved where;
    if (!find_mbarriers(w, op, where)) return nullptr;
    const u32* counts = w.lanes<u32>(op->b);
    note_touch(w, op, where, Touch::makes);
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        if (counts[l] == 0 || counts[l] > kMaxCount)
            return misuse(w, op, l, where, "invalid mbarrier count",
                          "an mbarrier expects 1 to 1048575 arrivals; pass the number of threads "
                          "that will arrive");
        Mbarrier b;
        b.pending = b.expected = counts[l];
        store_bits(where.host[l], b.bits());
        w.block->phase_bytes.erase(static_cast<u32>(where.address[l]));
    }
    w.block->watch->memory_changed();
    return op + 1;
}

/// Whoever takes an mbarrier away must come after all who use it, and there must be one.
const Op* run_invalidate(Warp& w, const Op* op) {
    Resolved where;
    if (!use_mbarriers(w, op, where)) return nullptr;
    note_touch(w, op, where, Touch::makes);
    for (Mask rest = w.active; rest; rest &= rest - 1)
        store_bits(where.host[std::countr_zero(rest)], 0);
    w.block->watch->memory_changed();
    return op + 1;
}

// ---- arriving ----

void announce(Block& block, Mbarrier& b, u64 address, u32 bytes) {
    b.bytes += bytes;
    block.phase_bytes[static_cast<u32>(address)].announced += bytes;
}
void bring(Block& block, Mbarrier& b, u64 address, u32 bytes) {
    b.bytes -= bytes;
    block.phase_bytes[static_cast<u32>(address)].came += bytes;
}

enum class Arrival : u8 { arrive, drop };
/// What the operand after the address says.
enum class Says : u8 { nothing, count, bytes };

/// Op::b: count or bytes. Op::d: the state before.
template <Arrival Kind, Says Operand, bool ReturnsState>
const Op* run_arrive(Warp& w, const Op* op) {
    Resolved where;
    if (!use_mbarriers(w, op, where, ReturnsState ? Counted::always : Counted::of_several))
        return nullptr;
    const u32* operand = Operand == Says::nothing ? nullptr : w.lanes<u32>(op->b);
    note_arrivals(w, where);
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        const u64 before = load_bits(where.host[l]);
        Mbarrier b = Mbarrier::from_bits(before);
        const u32 count = Operand == Says::count ? operand[l] : 1;
        if (!Mbarrier::is_sound(before) || b.expected == 0) return not_initialised(w, op, l, where);
        if (count > b.pending)
            return misuse(w, op, l, where, "too many arrivals",
                          "more threads arrive at this mbarrier in one phase than it expects; "
                          "compare the count given to init() with who arrives");
        if (Operand == Says::bytes) announce(*w.block, b, where.address[l], operand[l]);
        if (b.has_too_many_bytes()) return too_many_bytes(w, op, l, where);
        if (Kind == Arrival::drop) b.expected -= count;
        b.pending -= count;
        // Released before the phase may end, so that whoever sees its end sees this lane's stores.
        if (w.block->shared_race)
            w.block->shared_race->mbarrier_arrive(w.index, static_cast<u32>(where.address[l]));
        end_phase_if_complete(*w.block, b, where.address[l]);
        store_bits(where.host[l], b.bits());
        if constexpr (ReturnsState) w.lanes<u64>(op->d)[l] = before;
    }
    w.block->watch->memory_changed();
    return op + 1;
}

/// expect_tx and complete_tx: Op::b more, or fewer, bytes are to come.
template <int Sign>
const Op* run_bytes(Warp& w, const Op* op) {
    Resolved where;
    if (!use_mbarriers(w, op, where)) return nullptr;
    const u32* bytes = w.lanes<u32>(op->b);
    if (Sign < 0) note_arrivals(w, where);
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        const u64 before = load_bits(where.host[l]);
        Mbarrier b = Mbarrier::from_bits(before);
        if (!Mbarrier::is_sound(before) || b.expected == 0) return not_initialised(w, op, l, where);
        (Sign > 0 ? announce : bring)(*w.block, b, where.address[l], bytes[l]);
        if (b.has_too_many_bytes()) return too_many_bytes(w, op, l, where);
        if (Sign < 0) end_phase_if_complete(*w.block, b, where.address[l]);
        store_bits(where.host[l], b.bits());
    }
    w.block->watch->memory_changed();
    return op + 1;
}

/// An arrival of the thread's own asynchronous copies. Without `.noinc` the arrival is one that the
/// instruction itself has added to those expected, so that the count is what it was.
template <bool Counts>
const Op* run_copy_arrival(Warp& w, const Op* op) {
    complete_copies(w);
    Resolved where;
    if (!use_mbarriers(w, op, where, Counts ? Counted::no : Counted::of_several)) return nullptr;
    note_arrivals(w, where);
    if (w.block->shared_race)
        for (Mask rest = w.active; rest; rest &= rest - 1) {
            const int l = std::countr_zero(rest);
            w.block->shared_race->async_arrive(w.index, 1u << l,
                                               static_cast<u32>(where.address[l]));
        }
    return Counts ? run_arrive<Arrival::arrive, Says::nothing, false>(w, op) : op + 1;
}

// ---- waiting ----

/// Lets the bytes come that end the phase. If copies that report to this mbarrier are left when it ends,
/// fewer bytes were announced than were asked for: nobody waits for the rest. False: the launch is over.
bool complete_phase(Warp& w, const Op* op, int lane, const Resolved& where) {
    Block& block = *w.block;
    const auto address = static_cast<u32>(where.address[lane]);
    if (!waits_for_bytes(block, address)) return true;
    const i64 announced = block.phase_bytes[address].announced;
    complete_bulk_copies(block, address);
    const u64 left = pending_bulk_bytes(block, address);
    if (left == 0 || waits_for_bytes(block, address)) return true;
    const i64 came = Mbarrier::from_bits(load_bits(where.host[lane])).pending == 0
                         ? block.phase_bytes[address].came
                         : announced;
    misuse(
        w, op, lane, where, "too few bytes",
        ("fewer bytes were announced to this mbarrier than copies bring to it: " +
         std::to_string(announced) + " announced, " +
         std::to_string(came + static_cast<i64>(left)) +
         " asked for; its phase does not wait for the rest; announce the bytes of all the copies")
            .c_str());
    return false;
}

/// Op::d: is the phase over that Op::b names, by its parity (0 or 1) or by a state?
template <bool ByParity>
const Op* run_test_wait(Warp& w, const Op* op) {
    Resolved where;
    if (!use_mbarriers(w, op, where)) return nullptr;
    Mask over = 0;
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        const auto address = static_cast<u32>(where.address[l]);
        bool asked;
        if constexpr (ByParity)
            asked = w.lanes<u32>(op->b)[l] & 1;
        else
            asked = Mbarrier::from_bits(w.lanes<u64>(op->b)[l]).parity;
        const auto is_over = [&] {
            return Mbarrier::from_bits(load_bits(where.host[l])).parity != asked;
        };
        if (!is_over() && !complete_phase(w, op, l, where)) return nullptr;
        if (!is_over()) continue;
        over |= 1u << l;
        if (w.block->shared_race) w.block->shared_race->mbarrier_wait_done(w.index, address);
        if (GlobalRace* race = w.block->launch->global_race)
            race->mbarrier_wait_done(w.block->global_race, address, w.index);
    }
    w.write_predicate(op->d, over);
    return op + 1;
}

/// Op::d: the arrivals that were still to come when state Op::a was taken.
const Op* run_pending_count(Warp& w, const Op* op) {
    const u64* states = w.lanes<u64>(op->a);
    w.write<u32>(op->d, [=](int l) { return Mbarrier::from_bits(states[l]).pending; });
    return op + 1;
}

// ---- descriptions ----

std::optional<FamilyInstruction> in_shared(const ptx::Instruction& i,
                                           std::optional<FamilyInstruction> description) {
    const StateSpace space = space_of(i);
    if (!description || (space != StateSpace::shared && space != StateSpace::generic))
        return std::nullopt;
    description->memory = {{.space = space, .atomic = true, .bytes_per_lane = 8}};
    description->detail = static_cast<u8>(space);
    description->has_side_effects = true;
    return description;
}

template <Arrival Kind, Says Operand>
Handler arrive_handler(bool returns_state) {
    return returns_state ? run_arrive<Kind, Operand, true> : run_arrive<Kind, Operand, false>;
}

template <Arrival Kind>
std::optional<FamilyInstruction> describe_arrive(const ptx::Instruction& i) {
    const bool returns_state = !is_sink(i, 0);
    Handler run = nullptr;
    if (i.operands.size() == 2)
        run = arrive_handler<Kind, Says::nothing>(returns_state);
    else if (i.has("expect_tx"))
        run = arrive_handler<Kind, Says::bytes>(returns_state);
    else
        run = arrive_handler<Kind, Says::count>(returns_state);
    return in_shared(i, describe(i, run,
                                 {{Role::destination, Width::w64},
                                  {Role::address, Width::w64},
                                  {Role::b, Width::w32}},
                                 2, 3));
}

std::optional<FamilyInstruction> describe_wait(const ptx::Instruction& i) {
    const bool by_parity = i.has("parity");
    auto description =
        in_shared(i, describe(i, by_parity ? run_test_wait<true> : run_test_wait<false>,
                              {{Role::destination, Width::predicate},
                               {Role::address, Width::w64},
                               {Role::b, by_parity ? Width::w32 : Width::w64}},
                              3, 4));
    if (description) description->spins_on_result = true;
    return description;
}

}  // namespace

bool is_mbarrier(const Block& block, u32 address) {
    const u64 bits = load_bits(block.shared + address);
    return Mbarrier::is_sound(bits) && Mbarrier::from_bits(bits).expected != 0;
}

bool waits_for_bytes(const Block& block, u32 address) {
    const Mbarrier b = Mbarrier::from_bits(load_bits(block.shared + address));
    return b.pending == 0 && b.bytes > 0;
}

MbarrierWait describe_mbarrier_wait(const Warp& w, const Op& op, int lane) {
    const Block& block = *w.block;
    const auto address = static_cast<u32>(
        address_in_space(w.lanes<u64>(op.a)[lane] + static_cast<u64>(op.immediate)));
    if (!block.has_shared(address, 8)) return {};
    const Mbarrier b = Mbarrier::from_bits(load_bits(block.shared + address));
    const auto found = block.phase_bytes.find(address);
    const PhaseBytes bytes = found == block.phase_bytes.end() ? PhaseBytes{} : found->second;
    const std::string counts = std::to_string(bytes.announced) + " bytes were announced, and " +
                               std::to_string(bytes.came) + " came";
    if (b.pending > 0)
        return {
            "Of " + std::to_string(b.expected) + " arrivals that end this mbarrier's phase, " +
                std::to_string(b.pending) + " are missing" +
                (bytes.announced == 0 && bytes.came == 0 ? "" : "; " + counts) + ".",
            "Who arrives, and how often? Compare the count given to init() with the arrivals of "
            "one phase, and the parity with the phase that is waited for: the first has 0."};
    return {"All have arrived at this mbarrier; " + counts + ".",
            b.bytes > 0
                ? "Announce as many bytes as the copies bring, no more; and let every copy be "
                  "asked for."
                : "Announce the bytes of all the copies that report to this mbarrier."};
}

void complete_bytes(Block& block, u32 address, u32 bytes) {
    u8* host = block.shared + address;
    Mbarrier b = Mbarrier::from_bits(load_bits(host));
    bring(block, b, address, bytes);
    end_phase_if_complete(block, b, address);
    store_bits(host, b.bits());
    block.watch->memory_changed();
}

std::optional<FamilyInstruction> describe_copy_arrival(const ptx::Instruction& i) {
    const Handler run = i.has("noinc") ? run_copy_arrival<true> : run_copy_arrival<false>;
    return in_shared(i, describe(i, run, {{Role::address, Width::w64}}));
}

// mbarrier.{init,inval,arrive,arrive_drop,expect_tx,complete_tx,test_wait,try_wait,pending_count}
std::optional<FamilyInstruction> describe_mbarrier(const ptx::Instruction& i,
                                                   const ptx::Function&) {
    const std::vector<OperandRole> address_and_count = {{Role::address, Width::w64},
                                                        {Role::b, Width::w32}};
    if (i.has("init")) return in_shared(i, describe(i, run_init, address_and_count));
    if (i.has("inval"))
        return in_shared(i, describe(i, run_invalidate, {{Role::address, Width::w64}}));
    if (i.has("arrive")) return describe_arrive<Arrival::arrive>(i);
    if (i.has("arrive_drop")) return describe_arrive<Arrival::drop>(i);
    if (i.has("expect_tx")) return in_shared(i, describe(i, run_bytes<1>, address_and_count));
    if (i.has("complete_tx")) return in_shared(i, describe(i, run_bytes<-1>, address_and_count));
    if (i.has("test_wait") || i.has("try_wait")) return describe_wait(i);
    if (i.has("pending_count"))
        return describe(i, run_pending_count,
                        {{Role::destination, Width::w32}, {Role::a, Width::w64}});
    return std::nullopt;
}

}  // namespace coalesce::sim

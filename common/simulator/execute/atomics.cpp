// Executes atom and red. If machine code implements an atomic as a loop, the atomic's handler runs
// that loop to completion, as if the block's other warps were waiting.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "simulator/base/half.h"
#include "simulator/counters/counters.h"
#include "simulator/execute/cluster.h"
#include "simulator/execute/combining.h"
#include "simulator/execute/describe.h"
#include "simulator/execute/lane_memory.h"
#include "simulator/execute/memory_access.h"

namespace coalesce::simulator {

using ptx::StateSpace;
using ptx::Type;

namespace {

// ---- operand values: number types and their bits in memory ----

template <class T>
using Bits = Element<sizeof(T)>;

/// Adds two numbers. The hardware flushes subnormal floats to zero in global memory, but not in
/// shared memory. (The PTX manual describes this under `atom`.)
template <bool InGlobal>
float add_values(float a, float b) {
    return canonicalize_nan(InGlobal ? flush_subnormal(flush_subnormal(a) + flush_subnormal(b))
                                     : a + b);
}
template <bool InGlobal>
double add_values(double a, double b) {
    return a + b;
}

/// Applies F to values of type T, which are passed and returned as bits.
template <class F, class T, bool InGlobal>
Bits<T> combine_bits(Bits<T> old, Bits<T> b, Bits<T> c) {
    const T x = std::bit_cast<T>(old), y = std::bit_cast<T>(b), z = std::bit_cast<T>(c);
    if constexpr (requires { typename T::Each; }) {  // each half is combined separately
        const auto combine_halves = [](u32 x_half, u32 y_half, u32 z_half) {
            return u32{combine_bits<F, typename T::Each, InGlobal>(
                static_cast<u16>(x_half), static_cast<u16>(y_half), static_cast<u16>(z_half))};
        };
        return combine_halves(old >> 16, b >> 16, c >> 16) << 16 | combine_halves(old, b, c);
    } else if constexpr (Half<T>) {
        return round_to_nearest<T>(F::apply(to_float(x), to_float(y), to_float(z))).bits;
    } else if constexpr (std::is_floating_point_v<T> && std::is_same_v<F, combining::Add>) {
        return std::bit_cast<Bits<T>>(add_values<InGlobal>(x, y));
    } else {
        return std::bit_cast<Bits<T>>(static_cast<T>(F::apply(x, y, z)));
    }
}

// ---- updating the elements of one lane ----

template <class F, class T>
Bits<T> update_element(u8* host, Bits<T> b, Bits<T> c, bool in_shared, bool& has_changed) {
    using B = Bits<T>;
    auto* memory = reinterpret_cast<B*>(host);
    B old, combined;
    if (in_shared) {
        old = *memory;
        combined = combine_bits<F, T, false>(old, b, c);
        *memory = combined;
    } else {
        old = __atomic_load_n(memory, __ATOMIC_RELAXED);
        do {
            combined = combine_bits<F, T, true>(old, b, c);
        } while (!__atomic_compare_exchange_n(memory, &old, combined, true, __ATOMIC_ACQ_REL,
                                              __ATOMIC_RELAXED));
    }
    has_changed |= combined != old;
    return old;
}

/// Resolves and checks the addresses of the lanes. All handlers of atomics begin with this
/// function. Returns false if the launch has failed.
bool begin_atomic(Warp& w, const Op* op, u32 bytes, ResolvedAddresses& resolved) {
    if (!resolve_addresses(w, op, w.lanes<u64>(op->a), op->immediate, bytes, space_of(op),
                           Access::atomic, resolved))
        return false;
    if (resolved.other_block_lanes) report_if_not_atomic(w, op, resolved.other_block_lanes);
    note_atomic(w, op, resolved, bytes);
    return true;
}

/// Counts the lanes' accesses and passes them to the listener. Does not count lanes for which the
/// atomic is a loop in shared memory, because `wavefronts_of_loop` already includes their
/// wavefronts.
void count_and_report(Warp& w, const Op* op, u32 bytes, const ResolvedAddresses& resolved,
                      Mask looping_lanes = 0, u32 wavefronts_of_loop = 0) {
    const u32 wavefronts = count_atomic(w, op, resolved, bytes, looping_lanes) + wavefronts_of_loop;
    notify_listener(w, op, resolved,
                    {.kind = Access::atomic, .bytes = bytes, .wavefronts = wavefronts});
}

// ---- loops in shared memory ----

/// Reports whether machine code implements operation F on type T in shared memory as a loop of
/// loads and exchanges. The results were measured on hardware, except those for 16-bit elements and
/// for minima and maxima of pairs of halves.
template <class F, class T>
constexpr bool is_loop_in_shared() {
    if (std::is_same_v<F, combining::Exchange> || std::is_same_v<F, combining::CompareAndSwap>)
        return false;
    if (sizeof(T) == 8) return true;
    return sizeof(T) == 4 && std::is_same_v<F, combining::Add> && !std::is_integral_v<T>;
}

/// Reports whether the loop of operation F skips an exchange that would not change memory.
template <class F>
constexpr bool skips_useless_exchange() {
    return std::is_same_v<F, combining::Minimum> || std::is_same_v<F, combining::Maximum>;
}

/// Counts the requests and wavefronts of an atomic's loop, one iteration at a time.
class AtomicLoopCounts {
public:
    AtomicLoopCounts(const LaneOffsets& offsets, u32 bytes) : offsets_(offsets), bytes_(bytes) {}

    void add_loads(Mask lanes) {
        loads_ += count_wavefronts(offsets_.data(), bytes_, lanes, SharedAccessKind::load);
    }
    /// Counts the exchanges of one iteration. Returns the lanes that attempt an exchange: the first
    /// lane of each bank.
    Mask add_exchanges(Mask lanes) {
        const Mask exchanging_lanes = find_first_lanes_of_banks(offsets_.data(), bytes_, lanes);
        const Wavefronts exchange_wavefronts =
            count_atomic_wavefronts(offsets_.data(), bytes_, exchanging_lanes, true);
        exchanges_.wavefront_count += exchange_wavefronts.wavefront_count;
        ++exchanges_.requests;
        if (exchanges_.requests == 1) exchanges_.ideal_count = exchange_wavefronts.ideal_count;
        return exchanging_lanes;
    }
    void add_to(SiteCounters& counters) const {
        if (loads_.requests > 0) counters.add_loop_loads(loads_);
        if (exchanges_.requests > 0) counters.add_shared(exchanges_);
    }
    u32 wavefronts() const { return loads_.wavefront_count + exchanges_.wavefront_count; }

private:
    const LaneOffsets& offsets_;
    u32 bytes_;
    Wavefronts loads_{0, 0, 0}, exchanges_{0, 0, 0};
};

/// Executes F for lanes whose words are in the block's own shared memory, in the order that
/// hardware uses: an exchange fails if another lane has changed the word since the load. Returns
/// true if memory has changed.
template <class F, class T>
bool run_shared_loop(Warp& w, const Op* op, const ResolvedAddresses& resolved, Mask waiting_lanes,
                     AtomicLoopCounts& count) {
    using B = Bits<T>;
    using Lane = LaneOf<B>;
    const Lane* operand = w.lanes<Lane>(op->v[0]);
    Lane* destination = w.lanes<Lane>(op->d);
    B loaded_values[kLanes], combined_values[kLanes];
    bool has_changed = false;
    const auto end_lane = [&](int lane) {
        if (op->has_destination) destination[lane] = loaded_values[lane];
        waiting_lanes &= ~(1u << lane);
    };
    while (waiting_lanes) {
        count.add_loads(waiting_lanes);
        for (const int lane : LaneRange{waiting_lanes}) {
            const B value = static_cast<B>(operand[lane]);
            std::memcpy(&loaded_values[lane], resolved.host[lane], sizeof(B));
            combined_values[lane] = combine_bits<F, T, false>(loaded_values[lane], value, value);
            if (skips_useless_exchange<F>() && combined_values[lane] == loaded_values[lane])
                end_lane(lane);
        }
        if (!waiting_lanes) break;
        for (const int lane : LaneRange{count.add_exchanges(waiting_lanes)}) {
            if (std::memcmp(resolved.host[lane], &loaded_values[lane], sizeof(B)) != 0) continue;
            std::memcpy(resolved.host[lane], &combined_values[lane], sizeof(B));
            has_changed |= combined_values[lane] != loaded_values[lane];
            end_lane(lane);
        }
    }
    return has_changed;
}

/// Returns the lanes that execute the atomic as a loop in shared memory. If one lane acts for all
/// lanes, a single iteration suffices, so there is no loop.
Mask find_looping_lanes(const Op* op, const ResolvedAddresses& resolved) {
    return op->detail & kOneLaneBit ? 0 : resolved.shared_lanes & ~resolved.other_block_lanes;
}

/// Notifies the Watch of the value that each lane reads, whether or not the atomic changes that
/// value.
template <class F, class Lane>
[[gnu::noinline]] void note_observed_values(Warp& w, const Op* op,
                                            const ResolvedAddresses& resolved) {
    if (!w.block->watch->is_on()) return;
    const Lane *old = w.lanes<Lane>(op->d), *b = w.lanes<Lane>(op->v[0]), *c = b;
    if constexpr (std::is_same_v<F, combining::CompareAndSwap>) c = w.lanes<Lane>(op->c);
    Mask own_lanes = 0;
    if constexpr (std::is_same_v<F, combining::CompareAndSwap> ||
                  std::is_same_v<F, combining::Exchange>)
        own_lanes = select_lanes(w.active, [&](int l) {
            return old[l] == c[l] && (std::is_same_v<F, combining::Exchange> || b[l] != c[l]);
        });
    const Mask all = std::exchange(w.active, resolved.global_lanes);
    w.block->watch->note_poll(w, op, resolved.address, own_lanes);
    w.active = all;
}

/// Executes the atomic for each of `lanes` in turn, on up to `Most` elements each. Returns true if
/// memory has changed.
template <class F, class T, u32 Most>
bool update_lane_by_lane(Warp& w, const Op* op, const ResolvedAddresses& resolved, Mask lanes) {
    using B = Bits<T>;
    using Lane = LaneOf<B>;
    const u32 count = Most == 1 ? 1 : op->count;
    const bool keeps_old_value = op->has_destination;
    const Slot destinations[] = {op->d, op->d2, op->b, op->c};
    const Lane* b[Most] = {};
    Lane* d[Most] = {};
    for (u32 k = 0; k < count; ++k) {
        b[k] = w.lanes<Lane>(op->v[k]);
        d[k] = w.lanes<Lane>(destinations[k]);
    }
    const Lane* c = std::is_same_v<F, combining::CompareAndSwap> ? w.lanes<Lane>(op->c) : b[0];
    bool has_changed = false;
    for (const int lane : LaneRange{lanes}) {
        B old[Most];
        for (u32 k = 0; k < count; ++k)
            old[k] = update_element<F, T>(resolved.host[lane] + k * sizeof(B),
                                          static_cast<B>(b[k][lane]), static_cast<B>(c[lane]),
                                          resolved.shared_lanes >> lane & 1, has_changed);
        for (u32 k = 0; keeps_old_value && k < count; ++k) d[k][lane] = old[k];
    }
    return has_changed;
}

/// Executes one atomic on each of the Op::count elements of each lane. Op::v contains the operands,
/// and Op::c the value that cas stores. Op::d, Op::d2, Op::b and Op::c receive the old values.
template <class F, class T>
const Op* run_atomic(Warp& w, const Op* op) {
    ResolvedAddresses resolved;
    const u32 bytes = static_cast<u32>(sizeof(T)) * op->count;
    if (!begin_atomic(w, op, bytes, resolved)) return nullptr;
    Mask looping_lanes = 0;
    u32 wavefronts = 0;
    bool has_changed = false;
    if constexpr (is_loop_in_shared<F, T>()) {
        looping_lanes = find_looping_lanes(op, resolved);
        const LaneOffsets offsets = to_offsets(resolved.address, resolved.shared_lanes);
        AtomicLoopCounts count(offsets, sizeof(T));
        has_changed = run_shared_loop<F, T>(w, op, resolved, looping_lanes, count);
        if (op->detail & kOneLaneBit) count.add_loads(find_acting_lanes(op, resolved.shared_lanes));
        count.add_to(w.site_counters[op->site]);
        wavefronts = count.wavefronts();
    }
    count_and_report(w, op, bytes, resolved, looping_lanes, wavefronts);
    const Mask other_lanes = w.active & ~looping_lanes;
    has_changed |= op->count == 1 ? update_lane_by_lane<F, T, 1>(w, op, resolved, other_lanes)
                                  : update_lane_by_lane<F, T, 4>(w, op, resolved, other_lanes);
    finish_atomic(w, op, resolved, bytes, has_changed);
    if (op->has_destination && op->count == 1 && w.is_observed) [[unlikely]]
        note_observed_values<F, LaneOf<Bits<T>>>(w, op, resolved);
    return op + 1;
}

// ---- 128-bit exch and cas ----

/// A 128-bit register of a warp: the low halves of its 32 lanes, followed by the high halves.
struct LanesOf128Bits {
    u64* low;
    u64* high;
    LanesOf128Bits(const Warp& w, Slot slot) : low(w.lanes<u64>(slot)), high(low + kLanes) {}
};

/// Executes a 128-bit atomic. A launch with atomics that return the old value runs on one worker,
/// so no other host thread accesses this memory.
template <bool Compares>
const Op* run_wide_atomic(Warp& w, const Op* op) {
    ResolvedAddresses resolved;
    if (!begin_atomic(w, op, 16, resolved)) return nullptr;
    count_and_report(w, op, 16, resolved);
    const LanesOf128Bits d(w, op->d), b(w, op->v[0]), c(w, Compares ? op->c : op->v[0]);
    bool has_changed = false;
    for (const int l : LaneRange{w.active}) {
        u64 old[2];
        std::memcpy(old, resolved.host[l], sizeof old);
        const bool stores = !Compares || (old[0] == b.low[l] && old[1] == b.high[l]);
        const u64 value[2] = {c.low[l], c.high[l]};
        if (stores) {
            has_changed |= std::memcmp(old, value, sizeof value) != 0;
            std::memcpy(resolved.host[l], value, sizeof value);
        }
        if (op->has_destination) d.low[l] = old[0], d.high[l] = old[1];
    }
    finish_atomic(w, op, resolved, 16, has_changed);
    return op + 1;
}

// ---- choosing the handler ----

/// A row of the table below: an operation, a type, and the handler for this pair.
struct AtomicKind {
    std::string_view operation;
    Type type;
    Handler run;

    /// Reports whether the final value does not depend on the order of lanes and blocks.
    bool is_commutative() const {
        if (operation == "add") return !ptx::is_float(type);
        return operation == "min" || operation == "max" || operation == "and" ||
               operation == "or" || operation == "xor";
    }
    bool has_vector_form() const { return ptx::is_float(type) && ptx::size_of(type) <= 4; }
    /// Reports whether this operation on shared memory needs compare-and-exchange. The shared
    /// memory unit cannot add floats, and its only native 64-bit operation is exch.
    bool needs_compare_exchange() const {
        if (operation == "exch") return false;
        return operation == "cas" || ptx::is_float(type) || ptx::size_of(type) != 4;
    }
    /// Returns the way in which an atomic on another block's shared memory is executed, as observed
    /// in machine code for an H200 and in its counters. 16-bit and 128-bit types were not measured.
    RemoteAtomic remote_method() const {
        if (ptx::is_float(type) || ptx::size_of(type) == 2) return RemoteAtomic::swap_loop;
        const bool is_single_atomic =
            operation == "add" || operation == "exch" || operation == "cas";
        return ptx::size_of(type) == 8 && !is_single_atomic ? RemoteAtomic::load_and_store
                                                            : RemoteAtomic::single_atomic;
    }
};

constexpr AtomicKind kAtomics[] = {
    {"add", Type::u32, run_atomic<combining::Add, u32>},
    {"add", Type::s32, run_atomic<combining::Add, u32>},
    {"add", Type::u64, run_atomic<combining::Add, u64>},
    {"add", Type::s64, run_atomic<combining::Add, u64>},
    {"add", Type::f32, run_atomic<combining::Add, float>},
    {"add", Type::f64, run_atomic<combining::Add, double>},
    {"add", Type::f16, run_atomic<combining::Add, F16>},
    {"add", Type::bf16, run_atomic<combining::Add, BF16>},
    {"add", Type::f16x2, run_atomic<combining::Add, PackedPair<F16>>},
    {"add", Type::bf16x2, run_atomic<combining::Add, PackedPair<BF16>>},

    {"min", Type::u32, run_atomic<combining::Minimum, u32>},
    {"min", Type::s32, run_atomic<combining::Minimum, i32>},
    {"min", Type::u64, run_atomic<combining::Minimum, u64>},
    {"min", Type::s64, run_atomic<combining::Minimum, i64>},
    {"min", Type::f16, run_atomic<combining::Minimum, F16>},
    {"min", Type::bf16, run_atomic<combining::Minimum, BF16>},
    {"min", Type::f16x2, run_atomic<combining::Minimum, PackedPair<F16>>},
    {"min", Type::bf16x2, run_atomic<combining::Minimum, PackedPair<BF16>>},

    {"max", Type::u32, run_atomic<combining::Maximum, u32>},
    {"max", Type::s32, run_atomic<combining::Maximum, i32>},
    {"max", Type::u64, run_atomic<combining::Maximum, u64>},
    {"max", Type::s64, run_atomic<combining::Maximum, i64>},
    {"max", Type::f16, run_atomic<combining::Maximum, F16>},
    {"max", Type::bf16, run_atomic<combining::Maximum, BF16>},
    {"max", Type::f16x2, run_atomic<combining::Maximum, PackedPair<F16>>},
    {"max", Type::bf16x2, run_atomic<combining::Maximum, PackedPair<BF16>>},

    {"and", Type::b32, run_atomic<combining::And, u32>},
    {"and", Type::b64, run_atomic<combining::And, u64>},
    {"or", Type::b32, run_atomic<combining::Or, u32>},
    {"or", Type::b64, run_atomic<combining::Or, u64>},
    {"xor", Type::b32, run_atomic<combining::Xor, u32>},
    {"xor", Type::b64, run_atomic<combining::Xor, u64>},

    {"inc", Type::u32, run_atomic<combining::Increment, u32>},
    {"dec", Type::u32, run_atomic<combining::Decrement, u32>},
    {"exch", Type::b32, run_atomic<combining::Exchange, u32>},
    {"exch", Type::b64, run_atomic<combining::Exchange, u64>},
    {"cas", Type::b16, run_atomic<combining::CompareAndSwap, u16>},
    {"cas", Type::b32, run_atomic<combining::CompareAndSwap, u32>},
    {"cas", Type::b64, run_atomic<combining::CompareAndSwap, u64>},
    {"exch", Type::b128, run_wide_atomic<false>},
    {"cas", Type::b128, run_wide_atomic<true>},
};

const AtomicKind* find_kind(const ptx::Instruction& i) {
    const Type type = find_type(i);
    for (const AtomicKind& k : kAtomics)
        if (k.type == type && i.has(k.operation)) return &k;
    return nullptr;
}

}  // namespace

// Describes atom{.sem}{.scope}{.space}.OP{.vector}.TYPE d, [a], b{, c}{, cache policy}. red is the
// same without d.
Description describe_atomic(const ptx::Instruction& i, const ptx::Function&) {
    const bool returns_old_value = i.opcode == "atom";
    const AtomicKind* kind = find_kind(i);
    const u32 length = vector_length(i);
    const StateSpace space = find_space(i);
    if (!kind || length > 4 || (length > 1 && !kind->has_vector_form()) ||
        space == StateSpace::local || space == StateSpace::constant)
        return std::nullopt;

    const bool is_vector = length > 1;
    const bool keeps_old_value = returns_old_value && !is_sink(i, 0);
    const Width width = lane_width(kind->type);
    std::vector<OperandRole> roles;
    if (returns_old_value)
        roles.push_back({is_vector ? Role::vector_destination : Role::destination, width});
    roles.push_back({Role::address, Width::w64});
    roles.push_back({is_vector ? Role::vector_source : Role::v0, width});
    if (i.has("cas")) roles.push_back({Role::c, width});

    u8 detail = 0;
    if (i.has("release") || i.has("acq_rel")) detail |= kReleasesBit;
    if (i.has("exch")) detail |= kOverwritesBit;
    if (kind->needs_compare_exchange()) detail |= kComparesBit;
    return describe(i, {.run = kind->run,
                        .operands = std::move(roles),
                        .memory_uses = {{.space = space,
                                         .is_atomic = true,
                                         .bytes_per_lane = ptx::size_of(kind->type) * length,
                                         .remote_atomic = kind->remote_method()}},
                        .detail = detail,
                        .count = static_cast<u8>(length),
                        .is_order_sensitive = space != StateSpace::shared &&
                                              (keeps_old_value || !kind->is_commutative()),
                        .has_side_effects = true,
                        .spins_on_result = keeps_old_value});
}

}  // namespace coalesce::simulator

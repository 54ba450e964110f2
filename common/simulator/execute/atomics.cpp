// atom and red: read memory, combine it with a register, write it back, all in one go.
//
// Idea   A combining function (Add, Minimum, Exchange ...) on a type gives one handler. Lanes take
//        their turn in lane order. In global memory each turn is an atomic operation of the host as
//        well, because several workers may run blocks at the same time; shared memory belongs to
//        the one worker that runs the block.
// Watch  A block's result may depend on when its turn came: that is why a returned old value, or a
//        rounded sum, makes a launch run on one worker (FamilyInstruction::order_sensitive).
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/half.h"
#include "counters/counters.h"
#include "execute/access_listener.h"
#include "execute/describe.h"
#include "execute/memory_access.h"

namespace coalesce::sim {

using ptx::StateSpace;
using ptx::Type;

namespace {

// ---- values: a number type, and the bits that it is in memory ----

template <class T>
constexpr bool kIsHalf = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <class T>
u16 narrowed(float value) {
    if constexpr (std::is_same_v<T, F16>)
        return to_f16(value).bits;
    else
        return to_bf16(value).bits;
}
/// Two 16-bit numbers in one word; each half is combined on its own.
template <class Half>
struct PairOf {};

template <class T>
struct AtomicBits {
    using type = std::make_unsigned_t<T>;
};
template <>
struct AtomicBits<float> {
    using type = u32;
};
template <>
struct AtomicBits<double> {
    using type = u64;
};
template <>
struct AtomicBits<F16> {
    using type = u16;
};
template <>
struct AtomicBits<BF16> {
    using type = u16;
};
template <class Half>
struct AtomicBits<PairOf<Half>> {
    using type = u32;
};
template <class T>
using Bits = typename AtomicBits<T>::type;

// ---- what may be done to memory: apply(old, operand, second operand) ----

/// Adding to global memory takes subnormal floats for zero; in shared memory they count. (That is
/// how the hardware's two atomic units differ; the PTX manual says so under `atom`.)
template <bool FlushesSubnormals>
struct AddFloat {
    static float flush(float x) {
        return FlushesSubnormals && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
    }
    static float apply(float a, float b) {
        const float sum = flush(flush(a) + flush(b));
        return std::isnan(sum) ? std::bit_cast<float>(0x7fffffff) : sum;
    }
    static double apply(double a, double b) { return a + b; }
};
struct Add {
    template <class T>
    static T apply(T a, T b, T) {
        return a + b;
    }
};
/// A NaN loses against a number.
struct Minimum {
    template <class T>
    static T apply(T a, T b, T) {
        if constexpr (std::is_floating_point_v<T>)
            return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
        else
            return std::min(a, b);
    }
};
struct Maximum {
    template <class T>
    static T apply(T a, T b, T) {
        if constexpr (std::is_floating_point_v<T>)
            return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
        else
            return std::max(a, b);
    }
};
struct And {
    template <class T>
    static T apply(T a, T b, T) {
        return a & b;
    }
};
struct Or {
    template <class T>
    static T apply(T a, T b, T) {
        return a | b;
    }
};
struct Xor {
    template <class T>
    static T apply(T a, T b, T) {
        return a ^ b;
    }
};
struct Exchange {
    template <class T>
    static T apply(T, T b, T) {
        return b;
    }
};
struct CompareAndSwap {
    template <class T>
    static T apply(T a, T b, T c) {
        return a == b ? c : a;
    }
};
/// Up to the operand, then from zero again.
struct Increment {
    template <class T>
    static T apply(T a, T b, T) {
        return a >= b ? 0 : a + 1;
    }
};
/// Down to zero, then from the operand again.
struct Decrement {
    template <class T>
    static T apply(T a, T b, T) {
        return a == 0 || a > b ? b : a - 1;
    }
};

/// combine<F, T>(old, b, c), on the bits of T's.
template <class F, class T, bool InGlobal>
struct Combine {
    using B = Bits<T>;
    static B apply(B old, B b, B c) {
        if constexpr (kIsHalf<T>) {
            return narrowed<T>(
                F::template apply<float>(to_float(T{old}), to_float(T{b}), to_float(T{c})));
        } else if constexpr (std::is_floating_point_v<T>) {
            const T x = std::bit_cast<T>(old), y = std::bit_cast<T>(b);
            if constexpr (std::is_same_v<F, Add>)
                return std::bit_cast<B>(AddFloat<InGlobal>::apply(x, y));
            else
                return std::bit_cast<B>(F::template apply<T>(x, y, std::bit_cast<T>(c)));
        } else {
            return static_cast<B>(
                F::template apply<T>(static_cast<T>(old), static_cast<T>(b), static_cast<T>(c)));
        }
    }
};
template <class F, class Half, bool InGlobal>
struct Combine<F, PairOf<Half>, InGlobal> {
    static u32 apply(u32 old, u32 b, u32 c) {
        const auto one = [](u32 x, u32 y, u32 z) {
            return u32{Combine<F, Half, InGlobal>::apply(static_cast<u16>(x), static_cast<u16>(y),
                                                         static_cast<u16>(z))};
        };
        return one(old >> 16, b >> 16, c >> 16) << 16 | one(old, b, c);
    }
};

// ---- the turn of one lane ----

template <class F, class T>
Bits<T> take_turn(u8* host, Bits<T> b, Bits<T> c, bool in_shared, bool& changed) {
    using B = Bits<T>;
    auto* memory = reinterpret_cast<B*>(host);
    B old, combined;
    if (in_shared) {
        old = *memory;
        combined = Combine<F, T, false>::apply(old, b, c);
        *memory = combined;
    } else {
        old = __atomic_load_n(memory, __ATOMIC_RELAXED);
        do {
            combined = Combine<F, T, true>::apply(old, b, c);
        } while (!__atomic_compare_exchange_n(memory, &old, combined, true, __ATOMIC_ACQ_REL,
                                              __ATOMIC_RELAXED));
    }
    changed |= combined != old;
    return old;
}

/// In Op::detail: see compares_in_shared; and whether what was there is wanted.
constexpr u8 kComparesBit = 32, kKeepsOldBit = 64;

void count_atomic(Warp& w, const Op* op, const Resolved& where, u32 bytes) {
    SiteCounters& counters = w.counters[op->site];
    if (where.in_global) {
        ++counters.requests;
        counters.sectors += count_atomic_sectors(where.address, bytes, where.in_global);
        counters.useful_bytes += u64{bytes} * static_cast<u32>(std::popcount(where.in_global));
    }
    if (where.in_shared == 0) return;
    u32 offsets[kLanes] = {};
    for (Mask rest = where.in_shared; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        offsets[lane] = static_cast<u32>(where.address[lane]);
    }
    const Wavefronts wavefronts =
        count_atomic_wavefronts(offsets, bytes, where.in_shared, (op->detail & kComparesBit) != 0);
    ++counters.shared_requests;
    counters.wavefronts += wavefronts.taken;
    counters.wavefronts_ideal += wavefronts.ideal;
}

void tell_listener(const Warp& w, const Op* op, const Resolved& where, u32 bytes) {
    HeardAccess access{
        .kind = HeardAccess::Kind::atomic, .bytes = bytes, .addresses = where.address};
    access.lanes = where.in_global;
    if (access.lanes) w.listener->note(w, op, access);
    access.shared = true;
    access.lanes = where.in_shared;
    if (access.lanes) w.listener->note(w, op, access);
}

/// Shared by all handlers: where the lanes' bytes are, counted and checked. False: the launch is
/// over.
bool begin_atomic(Warp& w, const Op* op, u32 bytes, Resolved& where) {
    if (!resolve(w, op, w.lanes<u64>(op->a), op->immediate, bytes, space_of(op), Access::atomic,
                 where))
        return false;
    count_atomic(w, op, where, bytes);
    note_atomic(w, op, where, bytes);
    if (w.listener) tell_listener(w, op, where, bytes);
    return true;
}

/// For Watch: lanes that ask for a value, by changing it or not.
template <class F, class Lane>
[[gnu::noinline]] void observe(Warp& w, const Op* op, const Resolved& where) {
    if (!w.block->watch->on()) return;
    const Lane *old = w.lanes<Lane>(op->d), *b = w.lanes<Lane>(op->b), *c = b;
    if constexpr (std::is_same_v<F, CompareAndSwap>) c = w.lanes<Lane>(op->c);
    Mask own = 0;
    if constexpr (std::is_same_v<F, CompareAndSwap> || std::is_same_v<F, Exchange>)
        for (Mask rest = w.active; rest; rest &= rest - 1) {
            const int l = std::countr_zero(rest);
            if (old[l] == c[l] && (std::is_same_v<F, Exchange> || b[l] != c[l])) own |= 1u << l;
        }
    const Mask all = std::exchange(w.active, where.in_global);
    w.block->watch->polls(w, op, where.address, own);
    w.active = all;
}

/// One element per lane: operands in Op::b and Op::c, old value to Op::d.
template <class F, class T>
const Op* run_atomic(Warp& w, const Op* op) {
    using B = Bits<T>;
    using Lane = LaneOf<B>;
    Resolved where;
    if (!begin_atomic(w, op, sizeof(B), where)) return nullptr;
    const Lane* b = w.lanes<Lane>(op->b);
    const Lane* c = std::is_same_v<F, CompareAndSwap> ? w.lanes<Lane>(op->c) : b;
    Lane* d = op->detail & kKeepsOldBit ? w.lanes<Lane>(op->d) : nullptr;
    bool changed = false;
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const B old =
            take_turn<F, T>(where.host[lane], static_cast<B>(b[lane]), static_cast<B>(c[lane]),
                            where.in_shared >> lane & 1, changed);
        if (d) d[lane] = old;
    }
    finish_atomic(w, op, where, sizeof(B), changed);
    if (d && w.observed) [[unlikely]]
        observe<F, Lane>(w, op, where);
    return op + 1;
}

/// A vector: Op::count elements per lane, operands in Op::v, old values to Op::d, d2, b, c. Each
/// element is atomic by itself.
template <class F, class T>
const Op* run_vector_atomic(Warp& w, const Op* op) {
    using B = Bits<T>;
    using Lane = LaneOf<B>;
    Resolved where;
    const u32 bytes = static_cast<u32>(sizeof(B)) * op->count;
    if (!begin_atomic(w, op, bytes, where)) return nullptr;
    const Slot destinations[] = {op->d, op->d2, op->b, op->c};
    bool changed = false;
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        B old[4];
        for (u32 k = 0; k < op->count; ++k)
            old[k] = take_turn<F, T>(where.host[lane] + k * sizeof(B),
                                     static_cast<B>(w.lanes<Lane>(op->v[k])[lane]), 0,
                                     where.in_shared >> lane & 1, changed);
        if (op->detail & kKeepsOldBit)
            for (u32 k = 0; k < op->count; ++k) w.lanes<Lane>(destinations[k])[lane] = old[k];
    }
    finish_atomic(w, op, where, bytes, changed);
    return op + 1;
}

// ---- 128 bits: exch and cas ----

/// The halves of a 128-bit register: 32 low halves, then 32 high ones.
struct WideLanes {
    u64* low;
    u64* high;
    WideLanes(const Warp& w, Slot slot) : low(w.lanes<u64>(slot)), high(low + kLanes) {}
};

/// These return what was there, so the launch runs on one worker: nobody else is at this memory.
template <bool Compares>
const Op* run_wide_atomic(Warp& w, const Op* op) {
    Resolved where;
    if (!begin_atomic(w, op, 16, where)) return nullptr;
    const WideLanes d(w, op->d), b(w, op->b), c(w, Compares ? op->c : op->b);
    bool changed = false;
    for (Mask rest = w.active; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        u64 old[2];
        std::memcpy(old, where.host[l], sizeof old);
        const bool stores = !Compares || (old[0] == b.low[l] && old[1] == b.high[l]);
        const u64 value[2] = {c.low[l], c.high[l]};
        if (stores) {
            changed |= std::memcmp(old, value, sizeof value) != 0;
            std::memcpy(where.host[l], value, sizeof value);
        }
        if (op->detail & kKeepsOldBit) d.low[l] = old[0], d.high[l] = old[1];
    }
    finish_atomic(w, op, where, 16, changed);
    return op + 1;
}

// ---- choosing the handler ----

/// One row of the table below: an operation and a type, and the handlers for them.
struct AtomicKind {
    const char* operation;
    Type type;
    /// The final value does not depend on the order in which lanes and blocks come.
    bool commutes;
    Handler run, run_vector;
};

template <class F, class T>
constexpr AtomicKind kind(const char* operation, Type type, bool commutes) {
    return {operation, type, commutes, run_atomic<F, T>, nullptr};
}
template <class F, class T>
constexpr AtomicKind vector_kind(const char* operation, Type type, bool commutes) {
    return {operation, type, commutes, run_atomic<F, T>, run_vector_atomic<F, T>};
}

constexpr AtomicKind kAtomics[] = {
    kind<Add, u32>("add", Type::u32, true),
    kind<Add, u32>("add", Type::s32, true),
    kind<Add, u64>("add", Type::u64, true),
    kind<Add, u64>("add", Type::s64, true),
    vector_kind<Add, float>("add", Type::f32, false),
    kind<Add, double>("add", Type::f64, false),
    vector_kind<Add, F16>("add", Type::f16, false),
    vector_kind<Add, BF16>("add", Type::bf16, false),
    vector_kind<Add, PairOf<F16>>("add", Type::f16x2, false),
    vector_kind<Add, PairOf<BF16>>("add", Type::bf16x2, false),

    kind<Minimum, u32>("min", Type::u32, true),
    kind<Minimum, i32>("min", Type::s32, true),
    kind<Minimum, u64>("min", Type::u64, true),
    kind<Minimum, i64>("min", Type::s64, true),
    vector_kind<Minimum, F16>("min", Type::f16, true),
    vector_kind<Minimum, BF16>("min", Type::bf16, true),
    vector_kind<Minimum, PairOf<F16>>("min", Type::f16x2, true),
    vector_kind<Minimum, PairOf<BF16>>("min", Type::bf16x2, true),

    kind<Maximum, u32>("max", Type::u32, true),
    kind<Maximum, i32>("max", Type::s32, true),
    kind<Maximum, u64>("max", Type::u64, true),
    kind<Maximum, i64>("max", Type::s64, true),
    vector_kind<Maximum, F16>("max", Type::f16, true),
    vector_kind<Maximum, BF16>("max", Type::bf16, true),
    vector_kind<Maximum, PairOf<F16>>("max", Type::f16x2, true),
    vector_kind<Maximum, PairOf<BF16>>("max", Type::bf16x2, true),

    kind<And, u32>("and", Type::b32, true),
    kind<And, u64>("and", Type::b64, true),
    kind<Or, u32>("or", Type::b32, true),
    kind<Or, u64>("or", Type::b64, true),
    kind<Xor, u32>("xor", Type::b32, true),
    kind<Xor, u64>("xor", Type::b64, true),

    kind<Increment, u32>("inc", Type::u32, false),
    kind<Decrement, u32>("dec", Type::u32, false),
    kind<Exchange, u32>("exch", Type::b32, false),
    kind<Exchange, u64>("exch", Type::b64, false),
    kind<CompareAndSwap, u16>("cas", Type::b16, false),
    kind<CompareAndSwap, u32>("cas", Type::b32, false),
    kind<CompareAndSwap, u64>("cas", Type::b64, false),
    {"exch", Type::b128, false, run_wide_atomic<false>, nullptr},
    {"cas", Type::b128, false, run_wide_atomic<true>, nullptr},
};

const AtomicKind* find_kind(const ptx::Instruction& i) {
    const Type type = type_of(i);
    for (const AtomicKind& k : kAtomics)
        if (k.type == type && i.has(k.operation)) return &k;
    return nullptr;
}

/// Whether shared memory's unit can only compare and exchange for this: it adds no floats, and of 64
/// bits it only exchanges.
bool compares_in_shared(const AtomicKind& kind) {
    const std::string_view operation = kind.operation;
    if (operation == "exch") return false;
    return operation == "cas" || ptx::is_float(kind.type) || ptx::size_of(kind.type) != 4;
}

std::optional<FamilyInstruction> describe_any(const ptx::Instruction& i, bool returns) {
    const AtomicKind* kind = find_kind(i);
    const u32 length = vector_length(i);
    const StateSpace space = space_of(i);
    if (!kind || length > 4 || space == StateSpace::local || space == StateSpace::constant)
        return std::nullopt;

    const bool vector = length > 1;
    const bool keeps_old = returns && !is_sink(i, 0);
    const Handler run = vector ? kind->run_vector : kind->run;
    const Width width = width_of_type(kind->type);
    std::vector<OperandRole> roles;
    if (returns) roles.push_back({vector ? Role::vector_destination : Role::destination, width});
    roles.push_back({Role::address, Width::w64});
    roles.push_back({vector ? Role::vector_source : Role::b, width});
    if (i.has("cas")) roles.push_back({Role::c, width});

    const std::size_t count = roles.size();
    auto description = describe(i, run, std::move(roles), count, count + i.has("L2::cache_hint"));
    if (!description) return std::nullopt;
    const u32 bytes = ptx::size_of(kind->type) * length;
    description->memory = {{.space = space, .atomic = true, .bytes_per_lane = bytes}};
    description->detail = static_cast<u8>(space);
    if (i.has("release") || i.has("acq_rel")) description->detail |= kReleasesBit;
    if (i.has("exch")) description->detail |= kOverwritesBit;
    if (compares_in_shared(*kind)) description->detail |= kComparesBit;
    if (keeps_old) description->detail |= kKeepsOldBit;
    description->count = static_cast<u8>(length);
    description->has_side_effects = true;
    description->spins_on_result = keeps_old;
    description->order_sensitive = space != StateSpace::shared && (keeps_old || !kind->commutes);
    return description;
}

}  // namespace

// atom{.sem}{.scope}{.space}.OP{.vector}.TYPE d, [a], b{, c}{, cache policy}
std::optional<FamilyInstruction> describe_atomic(const ptx::Instruction& i, const ptx::Function&) {
    return describe_any(i, true);
}

// red: the same without d
std::optional<FamilyInstruction> describe_reduction(const ptx::Instruction& i,
                                                    const ptx::Function&) {
    return describe_any(i, false);
}

}  // namespace coalesce::sim

// Comparisons. setp stores one bit per lane. set stores a value per lane: all ones or 1.0 if true,
// and 0 if false.
//
// Idea   Each comparison is a separate function that returns one bit per lane. All comparisons
//        share the same handlers, which find the function in Op::immediate. Both setp and set can
//        combine the result with a predicate, as in `setp.lt.and.s32 p, a, b, c`.
#include <algorithm>
#include <deque>
#include <functional>

#include "simulator/base/half.h"
#include "simulator/instructions/families.h"

namespace coalesce::simulator::compare_instructions {
namespace {

using ptx::Type;

// ---- operators that C++ lacks, most of them for both integers and floats ----
//
// A comparison with a NaN is false, except for operators that end in u ("or unordered").

struct Ordered {
    bool operator()(auto a, auto b) const { return (a == a) & (b == b); }
};
struct Unordered {
    bool operator()(auto a, auto b) const { return (a != a) | (b != b); }
};
struct OrderedNotEqual {
    bool operator()(auto a, auto b) const { return (a < b) | (a > b); }
};
template <class F>
struct OrUnordered {
    bool operator()(auto a, auto b) const { return F{}(a, b) | Unordered{}(a, b); }
};

// ---- the operators, applied to the values in lanes ----

template <class F, class T>
struct OnValues {
    static bool apply(T a, T b) { return F{}(to_arithmetic(a), to_arithmetic(b)); }
};
template <class F, class T>
struct OnFlushed {
    static bool apply(T a, T b) {
        return F{}(to_arithmetic(flush_subnormal(a)), to_arithmetic(flush_subnormal(b)));
    }
};
/// Compares the lower halves of two pairs if kWhich is 0, and their upper halves if it is 1.
template <class F, class H, int kWhich>
struct OfPair {
    static bool apply(Pair<H> a, Pair<H> b) {
        return F::apply(extract_half(a, kWhich), extract_half(b, kWhich));
    }
};

/// Returns a mask of the lanes for which F::apply(a, b) is true. Not inline, because many handlers
/// share one instance of this function.
template <class F, class A>
__attribute__((noinline)) Mask compare_lanes(const Warp& w, const Op* op) {
    const auto* a = w.lanes<LaneOf<A>>(op->a);
    const auto* b = w.lanes<LaneOf<A>>(op->b);
    alignas(64) u32 is_true[kLanes];
    for (int l = 0; l < kLanes; ++l) {
        is_true[l] = F::apply(from_lane<A>(a[l]), from_lane<A>(b[l])) ? ~0u : 0u;
    }
    return mask_of(is_true);
}

// ---- finding the comparison for the modifiers ----

/// A function that compares 32 lanes, such as compare_lanes<F, A>.
using Comparison = Mask (*)(const Warp&, const Op*);

enum class Combine { none, with_and, with_or, with_xor };

/// The parameters of an instruction, which its handler finds through Op::immediate.
struct Comparing {
    Comparison lower = nullptr;
    /// The comparison of the upper halves of a pair; null if the operands are not pairs.
    Comparison upper = nullptr;
    Width sources = Width::none;
    Combine combine = Combine::none;  ///< how to combine the result with the predicate in Op::c
    /// For set: the value that represents "true", in a single value or in each half.
    u32 value = 0;
};

template <class F, class A>
Comparing compare_single() {
    return {.lower = compare_lanes<F, A>, .sources = width_of<A>};
}
template <class F, class H>
Comparing compare_pairs() {
    return {.lower = compare_lanes<OfPair<F, H, 0>, Pair<H>>,
            .upper = compare_lanes<OfPair<F, H, 1>, Pair<H>>,
            .sources = Width::w32};
}

template <class F>
Comparing compare_floats(Type type, bool ftz) {
    if (ftz) {
        switch (type) {
            case Type::f32: return compare_single<OnFlushed<F, float>, float>();
            case Type::f16: return compare_single<OnFlushed<F, F16>, F16>();
            case Type::f16x2: return compare_pairs<OnFlushed<F, F16>, F16>();
            default: return {};
        }
    }
    switch (type) {
        case Type::f32: return compare_single<OnValues<F, float>, float>();
        case Type::f64: return compare_single<OnValues<F, double>, double>();
        case Type::f16: return compare_single<OnValues<F, F16>, F16>();
        case Type::bf16: return compare_single<OnValues<F, BF16>, BF16>();
        case Type::f16x2: return compare_pairs<OnValues<F, F16>, F16>();
        case Type::bf16x2: return compare_pairs<OnValues<F, BF16>, BF16>();
        default: return {};
    }
}

template <class F, class FloatF = F>
Comparing compare_any(Type type, bool ftz) {
    if (const Comparing floats = compare_floats<FloatF>(type, ftz); floats.lower) return floats;
    if (ftz) return {};
    const auto make = []<class T>(Tag<T>) { return compare_single<OnValues<F, T>, T>(); };
    const Comparing integers = for_integers(type, make);
    return integers.lower ? integers : for_bits(type, make);
}

struct NamedComparison {
    std::string_view name;
    Comparing (*of)(Type type, bool ftz);
};
constexpr NamedComparison kComparisons[] = {
    {"eq", compare_any<std::equal_to<>>},
    {"ne", compare_any<std::not_equal_to<>, OrderedNotEqual>},
    {"lt", compare_any<std::less<>>},
    {"le", compare_any<std::less_equal<>>},
    {"gt", compare_any<std::greater<>>},
    {"ge", compare_any<std::greater_equal<>>},
    // The names of lt, le, gt and ge for unsigned types.
    {"lo", compare_any<std::less<>>},
    {"ls", compare_any<std::less_equal<>>},
    {"hi", compare_any<std::greater<>>},
    {"hs", compare_any<std::greater_equal<>>},
    {"equ", compare_floats<OrUnordered<std::equal_to<>>>},
    {"neu", compare_floats<std::not_equal_to<>>},
    {"ltu", compare_floats<OrUnordered<std::less<>>>},
    {"leu", compare_floats<OrUnordered<std::less_equal<>>>},
    {"gtu", compare_floats<OrUnordered<std::greater<>>>},
    {"geu", compare_floats<OrUnordered<std::greater_equal<>>>},
    {"num", compare_floats<Ordered>},
    {"nan", compare_floats<Unordered>}};

/// The modifiers that precede the types of setp and set, such as "lt", "and" and "ftz".
struct Request {
    const NamedComparison* comparison = nullptr;
    Combine combine = Combine::none;
    bool ftz = false;

    explicit Request(Modifiers& m) {
        comparison = std::find_if(std::begin(kComparisons), std::end(kComparisons),
                                  [&](const NamedComparison& c) { return m.take(c.name); });
        combine = static_cast<Combine>(m.take_one_of({"and", "or", "xor"}) + 1);
        ftz = m.take("ftz");
    }
    Comparing of(Type type) const {
        if (comparison == std::end(kComparisons)) return {};
        Comparing comparing = comparison->of(type, ftz);
        comparing.combine = combine;
        return comparing;
    }
};

/// Stores the parameters permanently, and returns the value for Op::immediate that refers to them.
/// The caller must hold the lock in lookup.cpp.
i64 store_permanently(const Comparing& comparing) {
    static std::deque<Comparing> all;
    return reinterpret_cast<i64>(&all.emplace_back(comparing));
}
const Comparing& get_comparing(const Op* op) {
    return *reinterpret_cast<const Comparing*>(op->immediate);
}

// ---- handlers ----

Mask combine_with_predicate(Mask compared, const Comparing& comparing, const Warp& w,
                            const Op* op) {
    switch (comparing.combine) {
        case Combine::none: return compared;
        case Combine::with_and: return compared & w.predicate(op->c);
        case Combine::with_or: return compared | w.predicate(op->c);
        case Combine::with_xor: return compared ^ w.predicate(op->c);
    }
    return compared;
}

/// Executes the most common kind of setp: on single values and without a predicate. Op::immediate
/// is the address of the comparison function.
const Op* run_setp(Warp& w, const Op* op) {
    const Mask is_true = reinterpret_cast<Comparison>(op->immediate)(w, op);
    w.write_predicate(op->d, is_true);
    w.write_predicate(op->d2, ~is_true);
    return op + 1;
}
/// Executes setp and then the next Op (a form, as explained in lanes.h).
const Op* run_setp_form(Warp& w, const Op* op) {
    run_setp(w, op);
    return op[1].run(w, op + 1);
}

/// Executes any setp. For pairs of halves, p is the result for the lower halves, and q is the
/// result for the upper halves.
const Op* run_any_setp(Warp& w, const Op* op) {
    const Comparing& how = get_comparing(op);
    const Mask lower = how.lower(w, op), other = how.upper ? how.upper(w, op) : ~lower;
    const Mask p = combine_with_predicate(lower, how, w, op),
               q = combine_with_predicate(other, how, w, op);
    w.write_predicate(op->d, p);
    w.write_predicate(op->d2, q);
    return op + 1;
}

const Op* run_set(Warp& w, const Op* op) {
    const Comparing& how = get_comparing(op);
    const Mask lower = combine_with_predicate(how.lower(w, op), how, w, op);
    const Mask upper = how.upper ? combine_with_predicate(how.upper(w, op), how, w, op) : 0;
    const u32 value = how.value;
    w.write<u32>(op->d, [=](int l) COALESCE_LANE_BODY {
        return ((lower & (1u << l)) ? value : 0u) | ((upper & (1u << l)) ? value << 16 : 0u);
    });
    return op + 1;
}

// ---- setp and set ----

LaneInstruction setp(Modifiers& m) {
    const Request request(m);
    const Comparing comparing = request.of(m.take_type());
    if (!comparing.lower) return {};
    LaneInstruction made{.run = run_any_setp,
                         .destination = Width::predicate,
                         .second = Width::predicate,
                         .source = {comparing.sources, comparing.sources, Width::predicate}};
    if (comparing.combine == Combine::none) made.source[2] = Width::none;
    if (comparing.combine == Combine::none && !comparing.upper) {
        static constexpr Handler kForms[] = {run_setp_form, run_setp_form, run_setp_form,
                                             run_setp_form};
        made.run = run_setp;
        made.forms = kForms;  // for uniform and per-lane sources
        made.constant = reinterpret_cast<i64>(comparing.lower);
    } else {
        made.constant = store_permanently(comparing);
    }
    return made;
}

/// Returns the value that represents "true" in the type of the result: 1 or all ones. Returns 0 if
/// set does not support this type.
u32 true_value(Type to, bool from_halves) {
    switch (to) {
        case Type::u32:
        case Type::s32: return ~0u;
        case Type::f32: return 0x3f800000;
        case Type::u16:
        case Type::s16: return from_halves ? 0xffff : 0;
        case Type::f16:
        case Type::f16x2: return from_halves ? 0x3c00 : 0;
        case Type::bf16:
        case Type::bf16x2: return from_halves ? 0x3f80 : 0;
        default: return 0;
    }
}

LaneInstruction set(Modifiers& m) {
    const Request request(m);
    const Type to = m.take_type(), from = m.take_type();
    Comparing comparing = request.of(from);
    comparing.value = true_value(
        to, from == Type::f16 || from == Type::f16x2 || from == Type::bf16 || from == Type::bf16x2);
    if (!comparing.lower || !comparing.value) return {};
    if (comparing.upper) comparing.value &= 0xffff;
    const Width third = comparing.combine == Combine::none ? Width::none : Width::predicate;
    return {.run = run_set,
            .destination = Width::w32,
            .source = {comparing.sources, comparing.sources, third},
            .constant = store_permanently(comparing)};
}

}  // namespace

FamilyTable families() {
    return {{"setp", setp}, {"set", set}};
}

}  // namespace coalesce::simulator::compare_instructions

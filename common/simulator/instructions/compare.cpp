// Comparisons: setp stores one bit per lane, set a value: all ones or 1.0 where true, 0 where false.
//
// Idea   A comparison makes 32 bits, one a lane, in a function of its own. The handlers are the same for all of
//        them: Op::immediate says which one. Both instructions may first combine the bits with a predicate:
//        `setp.lt.and.s32 p, a, b, c`.
#include <deque>

#include "base/half.h"
#include "instructions/families.h"

namespace coalesce::sim::compare_instructions {
namespace {

using ptx::Type;

// ---- operators; most are for integers and floats ----
//
// A NaN compares false, except by the ...u ("or unordered") forms.

struct Equal {
    static bool apply(auto a, auto b) { return a == b; }
};
struct NotEqual {
    static bool apply(auto a, auto b) { return a != b; }
};
struct Less {
    static bool apply(auto a, auto b) { return a < b; }
};
struct LessOrEqual {
    static bool apply(auto a, auto b) { return a <= b; }
};
struct Greater {
    static bool apply(auto a, auto b) { return a > b; }
};
struct GreaterOrEqual {
    static bool apply(auto a, auto b) { return a >= b; }
};
struct Ordered {
    static bool apply(auto a, auto b) { return (a == a) & (b == b); }
};
struct Unordered {
    static bool apply(auto a, auto b) { return (a != a) | (b != b); }
};
struct OrderedNotEqual {
    static bool apply(auto a, auto b) { return (a < b) | (a > b); }
};
template <class F>
struct OrUnordered {
    static bool apply(auto a, auto b) { return F::apply(a, b) | Unordered::apply(a, b); }
};

// ---- the same on operands that the lanes hold in another form ----

template <class F>
struct Flushed {
    static bool apply(float a, float b) { return F::apply(flush(a), flush(b)); }
};
template <class F>
struct AsFloats {
    static bool apply(auto a, auto b) { return F::apply(to_float(a), to_float(b)); }
};
template <class F>
struct AsFlushedFloats {
    static bool apply(F16 a, F16 b) { return F::apply(to_float(flushed(a)), to_float(flushed(b))); }
};
/// Of a pair of halves: the lower (0) or the upper (1).
template <class F, class H, int kWhich>
struct OfPair {
    static bool apply(u32 a, u32 b) {
        constexpr int kShift = 16 * kWhich;
        return F::apply(H{static_cast<u16>(a >> kShift)}, H{static_cast<u16>(b >> kShift)});
    }
};

// ---- from modifiers to a comparison ----

/// Compares 32 lanes: compare_lanes<F, A>.
using Comparison = Mask (*)(const Warp&, const Op*);

enum class Combine { none, with_and, with_or, with_xor };

/// What an instruction does, which its handler finds by Op::immediate.
struct Comparing {
    Comparison lower = nullptr;
    Comparison upper = nullptr;  ///< of a pair of halves; else there is none
    Width sources = Width::none;
    Combine combine = Combine::none;  ///< with the predicate in Op::c
    u32 value = 0;  ///< set: what "true" is, of a single value or of either half of a pair
};

template <class F, class A>
Comparing single_of() {
    return {.lower = compare_lanes<F, A>, .sources = width_of<A>};
}
template <class F, class H>
Comparing pair_of() {
    return {.lower = compare_lanes<OfPair<F, H, 0>, u32>,
            .upper = compare_lanes<OfPair<F, H, 1>, u32>,
            .sources = Width::w32};
}

template <class F>
Comparing of_floats(Type type, bool ftz) {
    if (ftz) {
        switch (type) {
            case Type::f32: return single_of<Flushed<F>, float>();
            case Type::f16: return single_of<AsFlushedFloats<F>, F16>();
            case Type::f16x2: return pair_of<AsFlushedFloats<F>, F16>();
            default: return {};
        }
    }
    switch (type) {
        case Type::f32: return single_of<F, float>();
        case Type::f64: return single_of<F, double>();
        case Type::f16: return single_of<AsFloats<F>, F16>();
        case Type::bf16: return single_of<AsFloats<F>, BF16>();
        case Type::f16x2: return pair_of<AsFloats<F>, F16>();
        case Type::bf16x2: return pair_of<AsFloats<F>, BF16>();
        default: return {};
    }
}

template <class F, class FloatF = F>
Comparing of_any(Type type, bool ftz) {
    if (const Comparing floats = of_floats<FloatF>(type, ftz); floats.lower) return floats;
    if (ftz) return {};
    const auto make = []<class T>(Tag<T>) { return single_of<F, T>(); };
    const Comparing integers = for_integers(type, make);
    return integers.lower ? integers : for_bits(type, make);
}

/// `comparison` is an index of the names that Request takes.
Comparing comparison_of(int comparison, Type type, bool ftz) {
    switch (comparison) {
        case 0: return of_any<Equal>(type, ftz);
        case 1: return of_any<NotEqual, OrderedNotEqual>(type, ftz);
        case 2:
        case 14: return of_any<Less>(type, ftz);
        case 3:
        case 15: return of_any<LessOrEqual>(type, ftz);
        case 4:
        case 16: return of_any<Greater>(type, ftz);
        case 5:
        case 17: return of_any<GreaterOrEqual>(type, ftz);
        case 6: return of_floats<OrUnordered<Equal>>(type, ftz);
        case 7: return of_floats<NotEqual>(type, ftz);
        case 8: return of_floats<OrUnordered<Less>>(type, ftz);
        case 9: return of_floats<OrUnordered<LessOrEqual>>(type, ftz);
        case 10: return of_floats<OrUnordered<Greater>>(type, ftz);
        case 11: return of_floats<OrUnordered<GreaterOrEqual>>(type, ftz);
        case 12: return of_floats<Ordered>(type, ftz);
        case 13: return of_floats<Unordered>(type, ftz);
        default: return {};
    }
}

/// What both have before their types: "lt", "and", "ftz".
struct Request {
    int comparison = -1;
    Combine combine = Combine::none;
    bool ftz = false;

    explicit Request(Modifiers& m) {
        // lo, ls, hi, hs are the unsigned names of lt, le, gt, ge.
        comparison = m.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                    "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs"});
        combine = static_cast<Combine>(m.take_one_of({"and", "or", "xor"}) + 1);
        ftz = m.take("ftz");
    }
    Comparing of(Type type) const {
        Comparing comparing = comparison_of(comparison, type, ftz);
        comparing.combine = combine;
        return comparing;
    }
};

/// Op::immediate for it. What has been kept stays where it is; who asks does so in turn (lookup.cpp).
i64 kept(const Comparing& comparing) {
    static std::deque<Comparing> all;
    return reinterpret_cast<i64>(&all.emplace_back(comparing));
}
const Comparing& comparing_of(const Op* op) {
    return *reinterpret_cast<const Comparing*>(op->immediate);
}

// ---- handlers ----

Mask combined(Mask compared, const Comparing& comparing, const Warp& w, const Op* op) {
    switch (comparing.combine) {
        case Combine::none: return compared;
        case Combine::with_and: return compared & w.predicate(op->c);
        case Combine::with_or: return compared | w.predicate(op->c);
        case Combine::with_xor: return compared ^ w.predicate(op->c);
    }
    return compared;
}

/// Without a predicate and of single values, as nearly all are: Op::immediate is the comparison itself.
const Op* run_setp(Warp& w, const Op* op) {
    const Mask is_true = reinterpret_cast<Comparison>(op->immediate)(w, op);
    w.write_predicate(op->d, is_true);
    w.write_predicate(op->d2, ~is_true);
    return op + 1;
}
/// The form of it that goes on by itself; see lanes.h.
const Op* run_setp_form(Warp& w, const Op* op) {
    run_setp(w, op);
    return op[1].run(w, op + 1);
}

/// Of pairs of halves p is about the lower ones, q about the upper.
const Op* run_any_setp(Warp& w, const Op* op) {
    const Comparing& how = comparing_of(op);
    const Mask lower = how.lower(w, op), other = how.upper ? how.upper(w, op) : ~lower;
    const Mask p = combined(lower, how, w, op), q = combined(other, how, w, op);
    w.write_predicate(op->d, p);
    w.write_predicate(op->d2, q);
    return op + 1;
}

const Op* run_set(Warp& w, const Op* op) {
    const Comparing& how = comparing_of(op);
    const Mask lower = combined(how.lower(w, op), how, w, op);
    const Mask upper = how.upper ? combined(how.upper(w, op), how, w, op) : 0;
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
        made.forms = kForms;  // wherever its sources lie
        made.constant = reinterpret_cast<i64>(comparing.lower);
    } else {
        made.constant = kept(comparing);
    }
    return made;
}

/// 1 or all ones in the type of the result; 0: there is no such set.
u32 truth_of(Type to, bool from_halves) {
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
    comparing.value = truth_of(
        to, from == Type::f16 || from == Type::f16x2 || from == Type::bf16 || from == Type::bf16x2);
    if (!comparing.lower || !comparing.value) return {};
    if (comparing.upper) comparing.value &= 0xffff;
    const Width third = comparing.combine == Combine::none ? Width::none : Width::predicate;
    return {.run = run_set,
            .destination = Width::w32,
            .source = {comparing.sources, comparing.sources, third},
            .constant = kept(comparing)};
}

}  // namespace

FamilyTable families() {
    return {{"setp", setp}, {"set", set}};
}

}  // namespace coalesce::sim::compare_instructions

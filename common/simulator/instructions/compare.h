// The comparisons of setp and set: their operators, and how an instruction's modifiers name one.
//
// Idea   A comparison makes 32 bits, one a lane, in a function of its own. setp stores them, set
//        turns each into a value. Both may first combine them with a predicate: `setp.lt.and.s32 p,
//        a, b, c`.
#pragma once

#include "base/half.h"
#include "instructions/families.h"

namespace coalesce::sim {

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
    static float flushed(F16 a) {
        const float value = to_float(a), smallest_normal = 0x1p-14f;
        return magnitude(value) < smallest_normal ? 0.0f : value;
    }
    static bool apply(F16 a, F16 b) { return F::apply(flushed(a), flushed(b)); }
};
/// Of a pair of halves: the lower (0) or the upper (1).
template <class F, class H, int kWhich>
struct OfPair {
    static bool apply(u32 a, u32 b) {
        constexpr int kShift = 16 * kWhich;
        return F::apply(H{static_cast<u16>(a >> kShift)}, H{static_cast<u16>(b >> kShift)});
    }
};

// ---- combining with the predicate in Op::c ----

enum class Combine { none, with_and, with_or, with_xor };

template <Combine kCombine>
Mask combined(Mask compared, const Warp& w, const Op* op) {
    if constexpr (kCombine == Combine::with_and) return compared & w.predicate(op->c);
    if constexpr (kCombine == Combine::with_or) return compared | w.predicate(op->c);
    if constexpr (kCombine == Combine::with_xor) return compared ^ w.predicate(op->c);
    return compared;
}

// ---- from modifiers to a comparison ----

/// Compares 32 lanes: compare_lanes<F, A>.
using Comparison = Mask (*)(const Warp&, const Op*);

/// Makes the instruction for a comparison; a pair of halves has one for each of them. A
/// specialisation of `Maker` has `single<compare>(combine)` and `pair<low, high>(combine)`.
struct ComparisonRequest {
    int comparison = -1;  ///< in the order of kComparisonNames
    Combine combine = Combine::none;
    bool ftz = false;
    ptx::Type type = ptx::Type::none;
};

/// lo, ls, hi, hs are the unsigned names of lt, le, gt, ge.
inline ComparisonRequest take_comparison(Modifiers& m) {
    ComparisonRequest r;
    r.comparison = m.take_one_of({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu",
                                  "gtu", "geu", "num", "nan", "lo", "ls", "hi", "hs"});
    r.combine = static_cast<Combine>(m.take_one_of({"and", "or", "xor"}) + 1);
    r.ftz = m.take("ftz");
    return r;
}

template <class Maker, class F, class A>
LaneInstruction single_of(const ComparisonRequest& r) {
    return Maker::template single<compare_lanes<F, A>>(r.combine, width_of<A>);
}
template <class Maker, class F, class H>
LaneInstruction pair_of(const ComparisonRequest& r) {
    return Maker::template pair<compare_lanes<OfPair<F, H, 0>, u32>,
                                compare_lanes<OfPair<F, H, 1>, u32>>(r.combine, width_of<u32>);
}

template <class Maker, class F>
LaneInstruction of_floats(const ComparisonRequest& r) {
    using ptx::Type;
    if (r.ftz) {
        switch (r.type) {
            case Type::f32: return single_of<Maker, Flushed<F>, float>(r);
            case Type::f16: return single_of<Maker, AsFlushedFloats<F>, F16>(r);
            case Type::f16x2: return pair_of<Maker, AsFlushedFloats<F>, F16>(r);
            default: return {};
        }
    }
    switch (r.type) {
        case Type::f32: return single_of<Maker, F, float>(r);
        case Type::f64: return single_of<Maker, F, double>(r);
        case Type::f16: return single_of<Maker, AsFloats<F>, F16>(r);
        case Type::bf16: return single_of<Maker, AsFloats<F>, BF16>(r);
        case Type::f16x2: return pair_of<Maker, AsFloats<F>, F16>(r);
        case Type::bf16x2: return pair_of<Maker, AsFloats<F>, BF16>(r);
        default: return {};
    }
}

template <class Maker, class F, class FloatF = F>
LaneInstruction of_any(const ComparisonRequest& r) {
    if (const LaneInstruction i = of_floats<Maker, FloatF>(r); i.run) return i;
    if (r.ftz) return {};
    const auto make = [&]<class T>(Tag<T>) { return single_of<Maker, F, T>(r); };
    const LaneInstruction i = for_integers(r.type, make);
    return i.run ? i : for_bits(r.type, make);
}

/// `single` and `pair` of the maker, for the comparison that is asked for.
template <class Maker>
LaneInstruction make_comparison(const ComparisonRequest& r) {
    switch (r.comparison) {
        case 0: return of_any<Maker, Equal>(r);
        case 1: return of_any<Maker, NotEqual, OrderedNotEqual>(r);
        case 2:
        case 14: return of_any<Maker, Less>(r);
        case 3:
        case 15: return of_any<Maker, LessOrEqual>(r);
        case 4:
        case 16: return of_any<Maker, Greater>(r);
        case 5:
        case 17: return of_any<Maker, GreaterOrEqual>(r);
        case 6: return of_floats<Maker, OrUnordered<Equal>>(r);
        case 7: return of_floats<Maker, NotEqual>(r);
        case 8: return of_floats<Maker, OrUnordered<Less>>(r);
        case 9: return of_floats<Maker, OrUnordered<LessOrEqual>>(r);
        case 10: return of_floats<Maker, OrUnordered<Greater>>(r);
        case 11: return of_floats<Maker, OrUnordered<GreaterOrEqual>>(r);
        case 12: return of_floats<Maker, Ordered>(r);
        case 13: return of_floats<Maker, Unordered>(r);
        default: return {};
    }
}

}  // namespace coalesce::sim

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

struct IsOrdered {
    bool operator()(auto a, auto b) const { return (a == a) & (b == b); }
};
struct IsUnordered {
    bool operator()(auto a, auto b) const { return (a != a) | (b != b); }
};
struct OrderedNotEqual {
    bool operator()(auto a, auto b) const { return (a < b) | (a > b); }
};
template <class F>
struct OrUnordered {
    bool operator()(auto a, auto b) const { return F{}(a, b) | IsUnordered{}(a, b); }
};

// ---- the operators, applied to the values in lanes ----

template <class F, class T>
struct CompareValues {
    static bool apply(T a, T b) { return F{}(to_arithmetic(a), to_arithmetic(b)); }
};
template <class F, class T>
struct CompareFlushed {
    static bool apply(T a, T b) {
        return F{}(to_arithmetic(flush_subnormal(a)), to_arithmetic(flush_subnormal(b)));
    }
};
/// Compares the lower halves of two pairs if kWhich is 0, and their upper halves if it is 1.
template <class F, class H, int kWhich>
struct CompareHalfOfPair {
    static bool apply(PackedPair<H> a, PackedPair<H> b) {
        return F::apply(extract_half(a, kWhich), extract_half(b, kWhich));
    }
};

/// Returns a mask of the lanes for which F::apply(a, b) is true. Not inline, because many handlers
/// share one instance of this function.
template <class F, class A>
__attribute__((noinline)) Mask compare_lanes(const Warp& w, const Op* op) {
    const auto* a = w.lanes<LaneOf<A>>(op->a);
    const auto* b = w.lanes<LaneOf<A>>(op->b);
    alignas(64) u32 true_lanes[kLanes];
    for (int l = 0; l < kLanes; ++l) {
        true_lanes[l] = F::apply(from_lane<A>(a[l]), from_lane<A>(b[l])) ? ~0u : 0u;
    }
    return make_mask(true_lanes);
}

// ---- finding the comparison for the modifiers ----

/// A function that compares 32 lanes, such as compare_lanes<F, A>.
using Comparison = Mask (*)(const Warp&, const Op*);

enum class Combine { none, with_and, with_or, with_xor };

/// The parameters of an instruction, which its handler finds through Op::immediate.
struct ComparisonPlan {
    Comparison compare_lower = nullptr;
    /// The comparison of the upper halves of a pair; null if the operands are not pairs.
    Comparison compare_upper = nullptr;
    Width sources = Width::none;
    Combine combine = Combine::none;  ///< how to combine the result with the predicate in Op::c
    /// For set: the value that represents "true", in a single value or in each half.
    u32 value = 0;
};

template <class F, class A>
ComparisonPlan compare_single() {
    return {.compare_lower = compare_lanes<F, A>, .sources = width_of<A>};
}
template <class F, class H>
ComparisonPlan compare_pairs() {
    return {.compare_lower = compare_lanes<CompareHalfOfPair<F, H, 0>, PackedPair<H>>,
            .compare_upper = compare_lanes<CompareHalfOfPair<F, H, 1>, PackedPair<H>>,
            .sources = Width::w32};
}

template <class F>
ComparisonPlan compare_floats(Type type, bool ftz) {
    if (ftz) {
        switch (type) {
            case Type::f32: return compare_single<CompareFlushed<F, float>, float>();
            case Type::f16: return compare_single<CompareFlushed<F, F16>, F16>();
            case Type::f16x2: return compare_pairs<CompareFlushed<F, F16>, F16>();
            default: return {};
        }
    }
    switch (type) {
        case Type::f32: return compare_single<CompareValues<F, float>, float>();
        case Type::f64: return compare_single<CompareValues<F, double>, double>();
        case Type::f16: return compare_single<CompareValues<F, F16>, F16>();
        case Type::bf16: return compare_single<CompareValues<F, BF16>, BF16>();
        case Type::f16x2: return compare_pairs<CompareValues<F, F16>, F16>();
        case Type::bf16x2: return compare_pairs<CompareValues<F, BF16>, BF16>();
        default: return {};
    }
}

template <class F, class FloatF = F>
ComparisonPlan compare_any(Type type, bool ftz) {
    if (const ComparisonPlan floats = compare_floats<FloatF>(type, ftz); floats.compare_lower)
        return floats;
    if (ftz) return {};
    const auto make_comparison = []<class T>(Tag<T>) {
        return compare_single<CompareValues<F, T>, T>();
    };
    const ComparisonPlan integers = make_for_integers(type, make_comparison);
    return integers.compare_lower ? integers : make_for_bits(type, make_comparison);
}

struct NamedComparison {
    std::string_view name;
    ComparisonPlan (*make_plan)(Type type, bool ftz);
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
    {"num", compare_floats<IsOrdered>},
    {"nan", compare_floats<IsUnordered>}};

/// The modifiers that precede the types of setp and set, such as "lt", "and" and "ftz".
struct Request {
    const NamedComparison* comparison = nullptr;
    Combine combine = Combine::none;
    bool ftz = false;

    explicit Request(Modifiers& m) {
        comparison =
            std::find_if(std::begin(kComparisons), std::end(kComparisons),
                         [&](const NamedComparison& c) { return m.take_modifier(c.name); });
        combine = static_cast<Combine>(m.take_alternative({"and", "or", "xor"}) + 1);
        ftz = m.take_modifier("ftz");
    }
    ComparisonPlan make_plan(Type type) const {
        if (comparison == std::end(kComparisons)) return {};
        ComparisonPlan plan = comparison->make_plan(type, ftz);
        plan.combine = combine;
        return plan;
    }
};

/// Stores the parameters permanently, and returns the value for Op::immediate that refers to them.
/// The caller must hold the lock in lookup.cpp.
i64 store_plan(const ComparisonPlan& plan) {
    static std::deque<ComparisonPlan> instance;
    return reinterpret_cast<i64>(&instance.emplace_back(plan));
}
const ComparisonPlan& find_plan(const Op* op) {
    return *reinterpret_cast<const ComparisonPlan*>(op->immediate);
}

// ---- handlers ----

Mask combine_with_predicate(Mask compared_lanes, const ComparisonPlan& plan, const Warp& w,
                            const Op* op) {
    switch (plan.combine) {
        case Combine::none: return compared_lanes;
        case Combine::with_and: return compared_lanes & w.predicate(op->c);
        case Combine::with_or: return compared_lanes | w.predicate(op->c);
        case Combine::with_xor: return compared_lanes ^ w.predicate(op->c);
    }
    return compared_lanes;
}

/// Executes the most common kind of setp: on single values and without a predicate. Op::immediate
/// is the address of the comparison function.
const Op* run_setp(Warp& w, const Op* op) {
    const Mask true_lanes = reinterpret_cast<Comparison>(op->immediate)(w, op);
    w.write_predicate(op->d, true_lanes);
    w.write_predicate(op->d2, ~true_lanes);
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
    const ComparisonPlan& comparison = find_plan(op);
    const Mask lower = comparison.compare_lower(w, op),
               other = comparison.compare_upper ? comparison.compare_upper(w, op) : ~lower;
    const Mask p = combine_with_predicate(lower, comparison, w, op),
               q = combine_with_predicate(other, comparison, w, op);
    w.write_predicate(op->d, p);
    w.write_predicate(op->d2, q);
    return op + 1;
}

const Op* run_set(Warp& w, const Op* op) {
    const ComparisonPlan& comparison = find_plan(op);
    const Mask lower = combine_with_predicate(comparison.compare_lower(w, op), comparison, w, op);
    const Mask upper =
        comparison.compare_upper
            ? combine_with_predicate(comparison.compare_upper(w, op), comparison, w, op)
            : 0;
    const u32 value = comparison.value;
    w.write<u32>(op->d, [=](int l) COALESCE_LANE_BODY {
        return ((lower & (1u << l)) ? value : 0u) | ((upper & (1u << l)) ? value << 16 : 0u);
    });
    return op + 1;
}

// ---- setp and set ----

LaneInstruction describe_setp(Modifiers& m) {
    const Request request(m);
    const ComparisonPlan plan = request.make_plan(m.take_type());
    if (!plan.compare_lower) return {};
    LaneInstruction instruction{.run = run_any_setp,
                                .destination_width = Width::predicate,
                                .second_width = Width::predicate,
                                .source_widths = {plan.sources, plan.sources, Width::predicate}};
    if (plan.combine == Combine::none) instruction.source_widths[2] = Width::none;
    if (plan.combine == Combine::none && !plan.compare_upper) {
        static constexpr Handler kSetpForms[] = {run_setp_form, run_setp_form, run_setp_form,
                                                 run_setp_form};
        instruction.run = run_setp;
        instruction.form_handlers = kSetpForms;  // for uniform and per-lane sources
        instruction.constant = reinterpret_cast<i64>(plan.compare_lower);
    } else {
        instruction.constant = store_plan(plan);
    }
    return instruction;
}

/// Returns the value that represents "true" in the type of the result: 1 or all ones. Returns 0 if
/// set does not support this type.
u32 true_value(Type destination_type, bool has_half_sources) {
    switch (destination_type) {
        case Type::u32:
        case Type::s32: return ~0u;
        case Type::f32: return 0x3f800000;
        case Type::u16:
        case Type::s16: return has_half_sources ? 0xffff : 0;
        case Type::f16:
        case Type::f16x2: return has_half_sources ? 0x3c00 : 0;
        case Type::bf16:
        case Type::bf16x2: return has_half_sources ? 0x3f80 : 0;
        default: return 0;
    }
}

LaneInstruction describe_set(Modifiers& m) {
    const Request request(m);
    const Type destination_type = m.take_type(), from = m.take_type();
    ComparisonPlan plan = request.make_plan(from);
    plan.value = true_value(destination_type, from == Type::f16 || from == Type::f16x2 ||
                                                  from == Type::bf16 || from == Type::bf16x2);
    if (!plan.compare_lower || !plan.value) return {};
    if (plan.compare_upper) plan.value &= 0xffff;
    const Width third_width = plan.combine == Combine::none ? Width::none : Width::predicate;
    return {.run = run_set,
            .destination_width = Width::w32,
            .source_widths = {plan.sources, plan.sources, third_width},
            .constant = store_plan(plan)};
}

}  // namespace

FamilyTable families() {
    return {{"setp", describe_setp}, {"set", describe_set}};
}

}  // namespace coalesce::simulator::compare_instructions

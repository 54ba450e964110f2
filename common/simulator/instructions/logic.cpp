// Bitwise operations, also on predicates, and selection: and or xor not cnot lop3 selp slct.
#include "simulator/execute/combining.h"
#include "simulator/instructions/families.h"

namespace coalesce::simulator::logic_instructions {
namespace {

using combining::And, combining::Or, combining::Xor;
using ptx::Type;

struct Not {
    static auto apply(auto a) { return static_cast<decltype(a)>(~a); }
};
struct LogicalNot {
    static auto apply(auto a) { return a == 0; }
};

// ---- predicates: one bit per lane, all 32 lanes in one operation ----

template <class F>
const Op* run_on_predicates(Warp& w, const Op* op) {
    w.write_predicate(op->d, F::apply(w.predicate(op->a), w.predicate(op->b)));
    return op + 1;
}
const Op* run_not_on_predicate(Warp& w, const Op* op) {
    w.write_predicate(op->d, ~w.predicate(op->a));
    return op + 1;
}

template <class F>
LaneInstruction describe_two_sources(Modifiers& m) {
    const Type type = m.take_type();
    if (type == Type::pred) {
        return {.run = run_on_predicates<F>,
                .destination_width = Width::predicate,
                .source_widths = {Width::predicate, Width::predicate}};
    }
    return make_for_bits(type,
                         []<class T>(Tag<T>) { return make_instruction_with_forms<F, T, T, T>(); });
}

LaneInstruction describe_bitwise_not(Modifiers& m) {
    const Type type = m.take_type();
    if (type == Type::pred) {
        return {.run = run_not_on_predicate,
                .destination_width = Width::predicate,
                .source_widths = {Width::predicate}};
    }
    return make_for_bits(type, []<class T>(Tag<T>) { return make_lane_instruction<Not, T, T>(); });
}

LaneInstruction describe_logical_not(Modifiers& m) {
    return make_for_bits(m.take_type(),
                         []<class T>(Tag<T>) { return make_lane_instruction<LogicalNot, T, T>(); });
}

// ---- lop3 ----

/// Looks up each bit of the result in an 8-bit table. The corresponding bits of a, b and c form the
/// index. The lookup is a binary tree of selections: first by c, between adjacent table entries,
/// then by b, and then by a.
const Op* run_lop3(Warp& w, const Op* op) {
    const u32* a = w.lanes<u32>(op->a);
    const u32* b = w.lanes<u32>(op->b);
    const u32* c = w.lanes<u32>(op->c);
    u32 table_entry[8];
    for (int i = 0; i < 8; ++i) table_entry[i] = (op->immediate >> i & 1) ? ~0u : 0u;
    const auto choose_bits = [](u32 selector, u32 if_zero, u32 if_one) COALESCE_LANE_BODY {
        return if_zero ^ (selector & (if_zero ^ if_one));
    };
    w.write<u32>(op->d, [=](int l) COALESCE_LANE_BODY {
        const u32 a0 = choose_bits(b[l], choose_bits(c[l], table_entry[0], table_entry[1]),
                                   choose_bits(c[l], table_entry[2], table_entry[3]));
        const u32 a1 = choose_bits(b[l], choose_bits(c[l], table_entry[4], table_entry[5]),
                                   choose_bits(c[l], table_entry[6], table_entry[7]));
        return choose_bits(a[l], a0, a1);
    });
    return op + 1;
}

/// Executes lop3.and and lop3.or, which also write a predicate: for d|p, p is (d != 0) and q, or (d
/// != 0) or q.
template <bool kOr>
const Op* run_lop3_predicate(Warp& w, const Op* op) {
    const Mask q = w.predicate(op->v[0]);
    run_lop3(w, op);
    const u32* d = w.lanes<u32>(op->d);
    Mask nonzero_lanes = 0;
    for (int l = 0; l < kLanes; ++l) nonzero_lanes |= static_cast<Mask>(d[l] != 0) << l;
    w.write_predicate(op->d2, kOr ? nonzero_lanes | q : nonzero_lanes & q);
    return op + 1;
}

LaneInstruction describe_lop3(Modifiers& m) {
    const int combination = m.take_alternative({"and", "or"});
    if (m.take_type() != Type::b32) return {};
    if (combination >= 0) {
        return {.run = combination == 0 ? run_lop3_predicate<false> : run_lop3_predicate<true>,
                .destination_width = Width::w32,
                .second_width = Width::predicate,
                .source_widths = {Width::w32, Width::w32, Width::w32, Width::predicate},
                .has_immediate = true};
    }
    return {.run = run_lop3,
            .destination_width = Width::w32,
            .source_widths = {Width::w32, Width::w32, Width::w32},
            .has_immediate = true};
}

// ---- selp, slct ----

template <class Lane>
const Op* run_select(Warp& w, const Op* op) {
    const Lane* a = w.lanes<Lane>(op->a);
    const Lane* b = w.lanes<Lane>(op->b);
    const Mask lanes_choosing_a = w.predicate(op->c);
    w.write<Lane>(op->d, [=](int l) COALESCE_LANE_BODY {
        return (lanes_choosing_a & (1u << l)) ? a[l] : b[l];
    });
    return op + 1;
}

/// Returns the size in bytes of a type that selp and slct support, or 0 for any other type.
/// Selection only moves bits, so signed, unsigned and float types are treated alike.
u32 bytes_of_selectable(Type type) {
    const auto bytes = []<class T>(Tag<T>) { return static_cast<u32>(sizeof(T)); };
    return make_for_bits(type, bytes) + make_for_integers(type, bytes) +
           make_for_floats(type, bytes);
}

LaneInstruction describe_select(Modifiers& m) {
    const u32 bytes = bytes_of_selectable(m.take_type());
    if (bytes == 0) return {};
    const Width width = bytes == 8 ? Width::w64 : Width::w32;
    return {.run = bytes == 8 ? run_select<u64> : run_select<u32>,
            .destination_width = width,
            .source_widths = {width, width, Width::predicate}};
}

template <class C>
struct SelectBySign {
    template <class T>
    static T apply(T a, T b, C c) {
        return c >= 0 ? a : b;
    }
};
/// With .ftz, a subnormal is treated as a zero of the same sign, and -0 satisfies >= 0.
struct SelectBySignFlushing {
    template <class T>
    static T apply(T a, T b, float c) {
        return flush_subnormal(c) >= 0 ? a : b;
    }
};

template <class F, class C>
LaneInstruction describe_sign_selection(u32 bytes) {
    return bytes == 8 ? make_lane_instruction<F, u64, u64, u64, C>()
                      : make_lane_instruction<F, u32, u32, u32, C>();
}

LaneInstruction describe_select_by_sign(Modifiers& m) {
    const bool flushes_to_zero = m.take_modifier("ftz");
    const u32 bytes = bytes_of_selectable(m.take_type());
    const Type sign_type = m.take_type();
    if (bytes == 0) return {};
    if (sign_type == Type::s32)
        return flushes_to_zero ? LaneInstruction{}
                               : describe_sign_selection<SelectBySign<i32>, i32>(bytes);
    if (sign_type != Type::f32) return {};
    return flushes_to_zero ? describe_sign_selection<SelectBySignFlushing, float>(bytes)
                           : describe_sign_selection<SelectBySign<float>, float>(bytes);
}

}  // namespace

FamilyTable families() {
    return {{"and", describe_two_sources<And>}, {"or", describe_two_sources<Or>},
            {"xor", describe_two_sources<Xor>}, {"not", describe_bitwise_not},
            {"cnot", describe_logical_not},     {"lop3", describe_lop3},
            {"selp", describe_select},          {"slct", describe_select_by_sign}};
}

}  // namespace coalesce::simulator::logic_instructions

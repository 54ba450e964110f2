// set: compares, and stores a value per lane: all ones or 1.0 where true, 0 where false.
#include "instructions/compare.h"

namespace coalesce::sim {
namespace {

using ptx::Type;

/// What "true" is in the destination's type: of a single value, or of either half of a pair.
constexpr u32 kAllOnes = ~0u, kAllOnesOfHalf = 0xffff;
constexpr u32 kOneF32 = 0x3f800000, kOneF16 = 0x3c00, kOneBF16 = 0x3f80;

/// `value` in lower or upper half of each lane that is true there; a single value is all lower
/// half. Not a template, nor inline: there are a thousand handlers.
__attribute__((noinline)) void write_truth(Warp& w, Slot d, Mask lower, Mask upper, u32 value) {
    w.write<u32>(d, [=](int l) COALESCE_LANE_BODY {
        return ((lower & (1u << l)) ? value : 0u) | ((upper & (1u << l)) ? value << 16 : 0u);
    });
}

template <Comparison kCompare, Combine kCombine, u32 kTrue>
const Op* run_set(Warp& w, const Op* op) {
    write_truth(w, op->d, combined<kCombine>(kCompare(w, op), w, op), 0, kTrue);
    return op + 1;
}

template <Comparison kLower, Comparison kUpper, Combine kCombine, u32 kTrue>
const Op* run_set_of_pairs(Warp& w, const Op* op) {
    const Mask lower = combined<kCombine>(kLower(w, op), w, op);
    const Mask upper = combined<kCombine>(kUpper(w, op), w, op);
    write_truth(w, op->d, lower, upper, kTrue);
    return op + 1;
}

LaneInstruction described(Handler run, Combine combine, Width source) {
    const Width third = combine == Combine::none ? Width::none : Width::predicate;
    return {.run = run, .destination = Width::w32, .source = {source, source, third}};
}

template <u32 kTrue>
struct SetMaker {
    template <Comparison kCompare>
    static LaneInstruction single(Combine combine, Width source) {
        constexpr Handler kRun[] = {run_set<kCompare, Combine::none, kTrue>,
                                    run_set<kCompare, Combine::with_and, kTrue>,
                                    run_set<kCompare, Combine::with_or, kTrue>,
                                    run_set<kCompare, Combine::with_xor, kTrue>};
        return described(kRun[static_cast<int>(combine)], combine, source);
    }
    template <Comparison kLower, Comparison kUpper>
    static LaneInstruction pair(Combine combine, Width source) {
        // For pairs kTrue is that of one half.
        constexpr u32 kHalf = kTrue & 0xffff;
        constexpr Handler kRun[] = {run_set_of_pairs<kLower, kUpper, Combine::none, kHalf>,
                                    run_set_of_pairs<kLower, kUpper, Combine::with_and, kHalf>,
                                    run_set_of_pairs<kLower, kUpper, Combine::with_or, kHalf>,
                                    run_set_of_pairs<kLower, kUpper, Combine::with_xor, kHalf>};
        return described(kRun[static_cast<int>(combine)], combine, source);
    }
};

bool is_half(Type type) {
    return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

LaneInstruction set(Modifiers& m) {
    ComparisonRequest request = take_comparison(m);
    const Type to = m.take_type();
    request.type = m.take_type();
    switch (to) {
        case Type::u32:
        case Type::s32: return make_comparison<SetMaker<kAllOnes>>(request);
        case Type::f32: return make_comparison<SetMaker<kOneF32>>(request);
        default: break;
    }
    if (!is_half(request.type)) return {};
    switch (to) {
        case Type::u16:
        case Type::s16: return make_comparison<SetMaker<kAllOnesOfHalf>>(request);
        case Type::f16:
        case Type::f16x2: return make_comparison<SetMaker<kOneF16>>(request);
        case Type::bf16:
        case Type::bf16x2: return make_comparison<SetMaker<kOneBF16>>(request);
        default: return {};
    }
}

}  // namespace

FamilyTable set_families() {
    return {{"set", set}};
}

}  // namespace coalesce::sim

// setp: compares, and stores one bit per lane.
#include "instructions/compare.h"

namespace coalesce::sim {
namespace {

template <Comparison kCompare, Combine kCombine>
const Op* run_setp(Warp& w, const Op* op) {
    const Mask is_true = kCompare(w, op);
    const Mask p = combined<kCombine>(is_true, w, op), q = combined<kCombine>(~is_true, w, op);
    w.write_predicate(op->d, p);
    w.write_predicate(op->d2, q);
    return op + 1;
}

/// The form of it that goes on by itself; see lanes.h.
template <Comparison kCompare, Combine kCombine>
const Op* run_setp_form(Warp& w, const Op* op) {
    run_setp<kCompare, kCombine>(w, op);
    return op[1].run(w, op + 1);
}

/// Of pairs of halves: p is about the lower ones, q about the upper.
template <Comparison kLower, Comparison kUpper, Combine kCombine>
const Op* run_setp_of_pairs(Warp& w, const Op* op) {
    const Mask p = combined<kCombine>(kLower(w, op), w, op);
    const Mask q = combined<kCombine>(kUpper(w, op), w, op);
    w.write_predicate(op->d, p);
    w.write_predicate(op->d2, q);
    return op + 1;
}

LaneInstruction described(Handler run, Combine combine, Width source) {
    const Width third = combine == Combine::none ? Width::none : Width::predicate;
    return {.run = run,
            .destination = Width::predicate,
            .second = Width::predicate,
            .source = {source, source, third}};
}

struct SetpMaker {
    template <Comparison kCompare>
    static LaneInstruction single(Combine combine, Width source) {
        constexpr Handler kRun[] = {
            run_setp<kCompare, Combine::none>, run_setp<kCompare, Combine::with_and>,
            run_setp<kCompare, Combine::with_or>, run_setp<kCompare, Combine::with_xor>};
        LaneInstruction result = described(kRun[static_cast<int>(combine)], combine, source);
        constexpr Handler kOn = run_setp_form<kCompare, Combine::none>;
        static constexpr Handler kForms[] = {kOn, kOn, kOn, kOn};  // wherever its sources lie
        if (combine == Combine::none) result.forms = kForms;
        return result;
    }
    template <Comparison kLower, Comparison kUpper>
    static LaneInstruction pair(Combine combine, Width source) {
        constexpr Handler kRun[] = {run_setp_of_pairs<kLower, kUpper, Combine::none>,
                                    run_setp_of_pairs<kLower, kUpper, Combine::with_and>,
                                    run_setp_of_pairs<kLower, kUpper, Combine::with_or>,
                                    run_setp_of_pairs<kLower, kUpper, Combine::with_xor>};
        return described(kRun[static_cast<int>(combine)], combine, source);
    }
};

LaneInstruction setp(Modifiers& m) {
    ComparisonRequest request = take_comparison(m);
    request.type = m.take_type();
    return make_comparison<SetpMaker>(request);
}

}  // namespace

FamilyTable setp_families() {
    return {{"setp", setp}};
}

}  // namespace coalesce::sim

// Arithmetic on numbers wider than a register: add.cc addc sub.cc subc mad.cc madc.
//
// Idea   Every thread has one carry flag. A warp stores the flags like a predicate, in Op::d2. A
//        subtraction is executed as the addition a + ~b + 1, and sets the carry flag like that
//        addition. The flag is 0 if the subtraction borrows. PTX does not define addc after sub.cc,
//        but nvcc uses this combination to divide 128-bit numbers.
#include "simulator/instructions/families.h"

namespace coalesce::simulator::carry_instructions {
namespace {

/// A result, and the carry flag that it produces.
template <class T>
struct ValueAndCarry {
    T value;
    u32 carry;
};

template <class T>
ValueAndCarry<T> add_with_carry(T a, T b, u32 carry) {
    const T sum = a + b, all = sum + carry;
    return {all, static_cast<u32>((sum < a) | (all < sum))};
}

template <class T>
struct AddCarry {
    static constexpr bool kCarryAtStart = false;
    static ValueAndCarry<T> apply(T a, T b, T, u32 carry) { return add_with_carry(a, b, carry); }
};
template <class T>
struct SubtractBorrow {
    static constexpr bool kCarryAtStart = true;  // a carry of 1 means that there is no borrow
    static ValueAndCarry<T> apply(T a, T b, T, u32 carry) {
        return add_with_carry<T>(a, ~b, carry);
    }
};
/// Adds c to the low part of a * b.
template <class T>
struct MultiplyLowAddCarry {
    static constexpr bool kCarryAtStart = false;
    static ValueAndCarry<T> apply(T a, T b, T c, u32 carry) {
        return add_with_carry<T>(a * b, c, carry);
    }
};
/// Adds c to the high part of a * b. The factors have type N, because the high part depends on
/// whether they are signed.
template <class N>
struct MultiplyHighAddCarry {
    static constexpr bool kCarryAtStart = false;
    using T = std::make_unsigned_t<N>;
    static ValueAndCarry<T> apply(T a, T b, T c, u32 carry) {
        const auto product = static_cast<WiderInteger<N>>(static_cast<N>(a)) * static_cast<N>(b);
        return add_with_carry<T>(static_cast<T>(product >> (8 * sizeof(T))), c, carry);
    }
};

/// Executes F, which reads the carry flag, writes it, or does both. T is u32 or u64, and kSources
/// is 2 or 3.
template <class F, class T, int kSources, bool kReads, bool kWrites>
const Op* run_with_carry(Warp& w, const Op* op) {
    const T* a = w.lanes<T>(op->a);
    const T* b = w.lanes<T>(op->b);
    const T* c = w.lanes<T>(kSources == 3 ? op->c : op->b);
    T* d = w.lanes<T>(op->d);
    constexpr Mask kAtStart = F::kCarryAtStart ? kAllLanes : 0;
    const Mask active = w.active, carry_in = kReads ? w.predicate(op->d2) : kAtStart;
    alignas(64) u32 carries_out[kLanes];
    for (int l = 0; l < kLanes; ++l) {
        const ValueAndCarry<T> result = F::apply(a[l], b[l], c[l], carry_in >> l & 1);
        d[l] = (active & (1u << l)) ? result.value : d[l];
        carries_out[l] = 0 - result.carry;
    }
    if constexpr (kWrites) w.write_predicate(op->d2, make_mask(carries_out));
    return op + 1;
}

template <class F, class T, int kSources>
LaneInstruction describe_with_carry(bool reads_carry, bool writes_carry) {
    LaneInstruction i;
    if (reads_carry && writes_carry) i.run = run_with_carry<F, T, kSources, true, true>;
    if (reads_carry && !writes_carry) i.run = run_with_carry<F, T, kSources, true, false>;
    if (!reads_carry && writes_carry) i.run = run_with_carry<F, T, kSources, false, true>;
    i.destination_width = i.source_widths[0] = i.source_widths[1] = width_of<T>;
    if (kSources == 3) i.source_widths[2] = width_of<T>;
    i.second_width = Width::predicate;
    i.uses_carry = true;
    return i;
}

template <template <class> class F, bool kReads>
LaneInstruction describe_add_or_subtract(Modifiers& m) {
    const bool writes_carry = m.take_modifier("cc");
    return make_for_long_integers(m.take_type(), [writes_carry]<class N>(Tag<N>) {
        using T = std::make_unsigned_t<N>;
        return describe_with_carry<F<T>, T, 2>(kReads, writes_carry);
    });
}

template <bool kReads>
LaneInstruction describe_multiply_add(Modifiers& m) {
    const int product_half = m.take_alternative({"lo", "hi"});
    const bool writes_carry = m.take_modifier("cc");
    if (product_half < 0) return {};
    return make_for_long_integers(m.take_type(), [=]<class N>(Tag<N>) {
        using T = std::make_unsigned_t<N>;
        return product_half == 0
                   ? describe_with_carry<MultiplyLowAddCarry<T>, T, 3>(kReads, writes_carry)
                   : describe_with_carry<MultiplyHighAddCarry<N>, T, 3>(kReads, writes_carry);
    });
}

}  // namespace

FamilyTable families() {
    return {{"add", describe_add_or_subtract<AddCarry, false>},
            {"addc", describe_add_or_subtract<AddCarry, true>},
            {"sub", describe_add_or_subtract<SubtractBorrow, false>},
            {"subc", describe_add_or_subtract<SubtractBorrow, true>},
            {"mad", describe_multiply_add<false>},
            {"madc", describe_multiply_add<true>}};
}

}  // namespace coalesce::simulator::carry_instructions

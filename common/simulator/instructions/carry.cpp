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
struct WithCarry {
    T value;
    u32 carry;
};

template <class T>
WithCarry<T> add_with_carry(T a, T b, u32 carry) {
    const T sum = a + b, all = sum + carry;
    return {all, static_cast<u32>((sum < a) | (all < sum))};
}

template <class T>
struct AddCarry {
    static constexpr bool kCarryAtStart = false;
    static WithCarry<T> apply(T a, T b, T, u32 carry) { return add_with_carry(a, b, carry); }
};
template <class T>
struct SubtractBorrow {
    static constexpr bool kCarryAtStart = true;  // a carry of 1 means that there is no borrow
    static WithCarry<T> apply(T a, T b, T, u32 carry) { return add_with_carry<T>(a, ~b, carry); }
};
/// Adds c to the low part of a * b.
template <class T>
struct MultiplyLowAddCarry {
    static constexpr bool kCarryAtStart = false;
    static WithCarry<T> apply(T a, T b, T c, u32 carry) {
        return add_with_carry<T>(a * b, c, carry);
    }
};
/// Adds c to the high part of a * b. The factors have type N, because the high part depends on
/// whether they are signed.
template <class N>
struct MultiplyHighAddCarry {
    static constexpr bool kCarryAtStart = false;
    using T = std::make_unsigned_t<N>;
    static WithCarry<T> apply(T a, T b, T c, u32 carry) {
        const auto product = static_cast<Wider<N>>(static_cast<N>(a)) * static_cast<N>(b);
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
        const WithCarry<T> result = F::apply(a[l], b[l], c[l], carry_in >> l & 1);
        d[l] = (active & (1u << l)) ? result.value : d[l];
        carries_out[l] = 0 - result.carry;
    }
    if constexpr (kWrites) w.write_predicate(op->d2, mask_of(carries_out));
    return op + 1;
}

template <class F, class T, int kSources>
LaneInstruction with_carry(bool reads, bool writes) {
    LaneInstruction i;
    if (reads && writes) i.run = run_with_carry<F, T, kSources, true, true>;
    if (reads && !writes) i.run = run_with_carry<F, T, kSources, true, false>;
    if (!reads && writes) i.run = run_with_carry<F, T, kSources, false, true>;
    i.destination = i.source[0] = i.source[1] = width_of<T>;
    if (kSources == 3) i.source[2] = width_of<T>;
    i.second = Width::predicate;
    i.reads_carry = true;
    return i;
}

template <template <class> class F, bool kReads>
LaneInstruction add_or_subtract(Modifiers& m) {
    const bool writes = m.take("cc");
    return for_long_integers(m.take_type(), [writes]<class N>(Tag<N>) {
        using T = std::make_unsigned_t<N>;
        return with_carry<F<T>, T, 2>(kReads, writes);
    });
}

template <bool kReads>
LaneInstruction multiply_add(Modifiers& m) {
    const int part = m.take_one_of({"lo", "hi"});
    const bool writes = m.take("cc");
    if (part < 0) return {};
    return for_long_integers(m.take_type(), [=]<class N>(Tag<N>) {
        using T = std::make_unsigned_t<N>;
        return part == 0 ? with_carry<MultiplyLowAddCarry<T>, T, 3>(kReads, writes)
                         : with_carry<MultiplyHighAddCarry<N>, T, 3>(kReads, writes);
    });
}

}  // namespace

FamilyTable families() {
    return {{"add", add_or_subtract<AddCarry, false>},
            {"addc", add_or_subtract<AddCarry, true>},
            {"sub", add_or_subtract<SubtractBorrow, false>},
            {"subc", add_or_subtract<SubtractBorrow, true>},
            {"mad", multiply_add<false>},
            {"madc", multiply_add<true>}};
}

}  // namespace coalesce::simulator::carry_instructions

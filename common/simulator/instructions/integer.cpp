// Integer arithmetic: add sub mul mad mul24 mad24 sad div rem abs neg min max dp4a dp2a vabsdiff2
// vabsdiff4 vmin2 vmin4 vmax2 vmax4.
//
// Watch  Sums and products are computed in an unsigned type, so that overflow wraps as on the
//        device.
#include <algorithm>
#include <limits>

#include "simulator/instructions/families.h"

namespace coalesce::simulator::integer_instructions {
namespace {

using ptx::Type;

// ---- add, sub, neg, abs ----

template <class T>
struct Add {
    static T apply(T a, T b) {
        return static_cast<T>(WrappingInteger<T>(a) + WrappingInteger<T>(b));
    }
};
template <class T>
struct Subtract {
    static T apply(T a, T b) {
        return static_cast<T>(WrappingInteger<T>(a) - WrappingInteger<T>(b));
    }
};
template <class T>
struct Negate {
    static T apply(T a) { return static_cast<T>(0 - WrappingInteger<T>(a)); }
};
template <class T>
struct Absolute {
    static T apply(T a) { return a < 0 ? Negate<T>::apply(a) : a; }
};

i32 saturate_to_i32(i64 value) {
    return static_cast<i32>(std::clamp<i64>(value, INT32_MIN, INT32_MAX));
}
struct AddSaturating {
    static i32 apply(i32 a, i32 b) { return saturate_to_i32(i64{a} + b); }
};
struct SubtractSaturating {
    static i32 apply(i32 a, i32 b) { return saturate_to_i32(i64{a} - b); }
};

/// Applies an operation to both 16-bit halves of a lane.
template <class F, class T>
struct InPairs {
    static u32 apply(u32 a, u32 b) {
        const u32 low = static_cast<u16>(F::apply(static_cast<T>(a), static_cast<T>(b)));
        const u32 high =
            static_cast<u16>(F::apply(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
        return low | high << 16;
    }
};
/// Takes a modifier that names a pair type, for which ptx::Type has no enumerator. Returns 0 for
/// u16x2, 1 for s16x2, and -1 if there is no such modifier.
int take_pair_type(Modifiers& m) {
    return m.take_alternative({"u16x2", "s16x2"});
}

/// Calls `make` with the unsigned type of the same width as `type`. The result is the same for
/// signed types, because overflow wraps.
template <class Make>
LaneInstruction make_for_wrapping_integers(Type type, Make make) {
    return make_for_integers(type,
                             [=]<class T>(Tag<T>) { return make(Tag<std::make_unsigned_t<T>>{}); });
}

template <template <class> class F, class Saturating>
LaneInstruction describe_sum(Modifiers& m) {
    const bool is_saturating = m.take_modifier("sat");
    const Type type = m.take_type();
    if (is_saturating)
        return type == Type::s32 ? make_lane_instruction<Saturating, i32, i32, i32>()
                                 : LaneInstruction{};
    return make_for_wrapping_integers(
        type, []<class T>(Tag<T>) { return make_instruction_with_forms<F<T>, T, T, T>(); });
}
LaneInstruction describe_add_pairs(Modifiers& m) {
    return take_pair_type(m) < 0 ? LaneInstruction{}
                                 : make_lane_instruction<InPairs<Add<u16>, u16>, u32, u32, u32>();
}

/// Describes F<T> with `kSources` sources of any integer type T.
template <template <class> class F, int kSources>
LaneInstruction describe_negation(Modifiers& m) {
    return make_for_integers(m.take_type(), []<class T>(Tag<T>) {
        return make_lane_instruction_of_type<F<T>, T, kSources>();
    });
}
/// Describes neg or abs, which exist only for signed types.
template <template <class> class F>
LaneInstruction make_for_signed_types(Modifiers& m) {
    return make_for_integers(m.take_type(), []<class T>(Tag<T>) -> LaneInstruction {
        if constexpr (std::is_signed_v<T>)
            return make_lane_instruction<F<T>, T, T>();
        else
            return {};
    });
}

// ---- mul, mad ----

template <class T>
struct MultiplyLow {
    static T apply(T a, T b) {
        return static_cast<T>(WrappingInteger<T>(a) * WrappingInteger<T>(b));
    }
};
template <class T>
struct MultiplyHigh {
    static T apply(T a, T b) {
        return static_cast<T>((static_cast<WiderInteger<T>>(a) * static_cast<WiderInteger<T>>(b)) >>
                              (8 * sizeof(T)));
    }
};
template <>
// In C++, u16 * u16 is computed as an int and could overflow.
struct MultiplyHigh<u16> {
    static u16 apply(u16 a, u16 b) { return static_cast<u16>((u32{a} * u32{b}) >> 16); }
};
template <class T>
struct MultiplyWide {
    static WiderInteger<T> apply(T a, T b) {
        return static_cast<WiderInteger<T>>(a) * static_cast<WiderInteger<T>>(b);
    }
};

/// Computes Multiply::apply(a, b) + c in the type of c.
template <class Multiply, class T>
struct MultiplyThenAdd {
    template <class Factor>
    static T apply(Factor a, Factor b, T c) {
        return Add<T>::apply(static_cast<T>(Multiply::apply(a, b)), c);
    }
};
/// Like MultiplyThenAdd, but in 32 bits and with .sat.
template <class Multiply>
struct MultiplyThenAddSaturating {
    static i32 apply(i32 a, i32 b, i32 c) {
        return saturate_to_i32(i64{Multiply::apply(a, b)} + c);
    }
};

enum ProductPart { kLow, kHigh, kWide };
ProductPart take_product_part(Modifiers& m) {
    const int product_part = m.take_alternative({"lo", "hi", "wide"});
    return product_part < 0 ? kLow : static_cast<ProductPart>(product_part);
}

/// Describes an instruction that multiplies its first two sources and, if kAdd is true, adds the
/// third.
template <bool kAdd, class Multiply, class D, class T>
LaneInstruction describe_product() {
    if constexpr (kAdd)
        return make_instruction_with_forms<MultiplyThenAdd<Multiply, D>, D, T, T, D>();
    else
        return make_instruction_with_forms<Multiply, D, T, T>();
}

template <bool kAdd>
LaneInstruction describe_multiply(Modifiers& m) {
    const ProductPart product_part = take_product_part(m);
    const bool is_saturating = kAdd && m.take_modifier("sat");
    const Type type = m.take_type();
    if (is_saturating) {
        if (product_part != kHigh || type != Type::s32) return {};
        return make_lane_instruction<MultiplyThenAddSaturating<MultiplyHigh<i32>>, i32, i32, i32,
                                     i32>();
    }
    if (product_part == kLow) {
        return make_for_wrapping_integers(
            type, []<class T>(Tag<T>) { return describe_product<kAdd, MultiplyLow<T>, T, T>(); });
    }
    return make_for_integers(type, [product_part]<class T>(Tag<T>) -> LaneInstruction {
        if (product_part == kHigh) return describe_product<kAdd, MultiplyHigh<T>, T, T>();
        if constexpr (sizeof(T) < 8)
            return describe_product<kAdd, MultiplyWide<T>, WiderInteger<T>, T>();
        return {};
    });
}

// ---- mul24, mad24: use the low 24 bits of each factor ----

template <class T>
i64 product24(T a, T b) {
    constexpr int kUnusedBits = 8;
    const T low_a = static_cast<T>(static_cast<T>(u32(a) << kUnusedBits) >> kUnusedBits);
    const T low_b = static_cast<T>(static_cast<T>(u32(b) << kUnusedBits) >> kUnusedBits);
    return i64{low_a} * i64{low_b};
}
template <class T>
struct Multiply24Low {
    static T apply(T a, T b) { return static_cast<T>(product24(a, b)); }
};
template <class T>
struct Multiply24High {  // uses bits 16 to 47 of the 48-bit product
    static T apply(T a, T b) { return static_cast<T>(product24(a, b) >> 16); }
};
template <bool kAdd>
LaneInstruction describe_multiply24(Modifiers& m) {
    const ProductPart product_part = take_product_part(m);
    const bool is_saturating = kAdd && m.take_modifier("sat");
    const Type type = m.take_type();
    if (product_part == kWide || (is_saturating && (product_part != kHigh || type != Type::s32)))
        return {};
    if (is_saturating)
        return make_lane_instruction<MultiplyThenAddSaturating<Multiply24High<i32>>, i32, i32, i32,
                                     i32>();
    return make_for_32_bit_integers(type, [product_part]<class T>(Tag<T>) {
        return product_part == kLow ? describe_product<kAdd, Multiply24Low<T>, T, T>()
                                    : describe_product<kAdd, Multiply24High<T>, T, T>();
    });
}

// ---- sad: c + |a - b| ----

template <class T>
struct AbsoluteDifference {
    static T apply(T a, T b, T c) {
        return Add<T>::apply(c, a < b ? Subtract<T>::apply(b, a) : Subtract<T>::apply(a, b));
    }
};
// ---- div, rem ----
//
// PTX does not define division by zero. The device returns all ones, both as the quotient and as
// the remainder.

/// Returns the quotient for b != 0. A 32-bit quotient is computed in double precision, because
/// floating-point division can be vectorized and integer division cannot. The result is exact: a /
/// b differs from the next larger integer by at least 1 / b, which is far more than the rounding
/// error.
template <class T>
T quotient(T a, T b) {
    if constexpr (sizeof(T) < 8) {
        return static_cast<T>(static_cast<i64>(static_cast<double>(a) / static_cast<double>(b)));
    } else {
        if constexpr (std::is_signed_v<T>) {
            if (b == -1) return Negate<T>::apply(a);
        }
        return a / b;
    }
}
template <class T>
struct Divide {
    static T apply(T a, T b) {
        const T safe_divisor = b == 0 ? T{1} : b;
        const T result = quotient<T>(a, safe_divisor);
        return b == 0 ? static_cast<T>(~T{0}) : result;
    }
};
template <class T>
struct Remainder {
    static T apply(T a, T b) {
        const T safe_divisor = b == 0 ? T{1} : b;
        const T result = Subtract<T>::apply(
            a, MultiplyLow<T>::apply(quotient<T>(a, safe_divisor), safe_divisor));
        return b == 0 ? static_cast<T>(~T{0}) : result;
    }
};
// ---- min, max ----

template <class T>
struct Minimum {
    static T apply(T a, T b) { return a < b ? a : b; }
};
template <class T>
struct Maximum {
    static T apply(T a, T b) { return a > b ? a : b; }
};
/// Applies .relu, which turns negative results into zero.
template <class F, class T>
struct WithRelu {
    static T apply(T a, T b) { return Maximum<T>::apply(F::apply(a, b), T{0}); }
};

template <template <class> class F>
LaneInstruction describe_extremum(Modifiers& m) {
    const bool clamps_negative = m.take_modifier("relu");
    const int pair_type = take_pair_type(m);
    if (pair_type == 0)
        return clamps_negative ? LaneInstruction{}
                               : make_lane_instruction<InPairs<F<u16>, u16>, u32, u32, u32>();
    if (pair_type == 1) {
        return clamps_negative
                   ? make_lane_instruction<InPairs<WithRelu<F<i16>, i16>, i16>, u32, u32, u32>()
                   : make_lane_instruction<InPairs<F<i16>, i16>, u32, u32, u32>();
    }
    const Type type = m.take_type();
    if (clamps_negative)
        return type == Type::s32 ? make_lane_instruction<WithRelu<F<i32>, i32>, i32, i32, i32>()
                                 : LaneInstruction{};
    return make_for_integers(
        type, []<class T>(Tag<T>) { return make_lane_instruction<F<T>, T, T, T>(); });
}

// ---- dp4a, dp2a: small dot products ----

/// Multiplies the parts of a by the parts of b that start at part kFirst, and adds the products to
/// c. A and B are the types of the parts.
template <class A, class B, u32 kFirst>
struct DotProduct {
    static u32 apply(u32 a, u32 b, u32 c) {
        for (u32 i = 0; i < 4 / sizeof(A); ++i) {
            const i32 a_part = static_cast<A>(a >> (8 * sizeof(A) * i));
            const i32 b_part = static_cast<B>(b >> (8 * sizeof(B) * (kFirst + i)));
            c += static_cast<u32>(a_part) * static_cast<u32>(b_part);
        }
        return c;
    }
};

/// Takes two type modifiers and calls make(Tag<...>, Tag<...>) with one type for each: A or B
/// itself for s32, and the corresponding unsigned type for u32.
template <class A, class B, class Make>
LaneInstruction make_for_signs(Modifiers& m, Make make) {
    using UnsignedA = std::make_unsigned_t<A>;
    using UnsignedB = std::make_unsigned_t<B>;
    const Type a = m.take_type(), b = m.take_type();
    if (a == Type::s32 && b == Type::s32) return make(Tag<A>{}, Tag<B>{});
    if (a == Type::s32 && b == Type::u32) return make(Tag<A>{}, Tag<UnsignedB>{});
    if (a == Type::u32 && b == Type::s32) return make(Tag<UnsignedA>{}, Tag<B>{});
    if (a == Type::u32 && b == Type::u32) return make(Tag<UnsignedA>{}, Tag<UnsignedB>{});
    return {};
}

LaneInstruction describe_dot4(Modifiers& m) {
    return make_for_signs<i8, i8>(m, []<class A, class B>(Tag<A>, Tag<B>) {
        return make_lane_instruction<DotProduct<A, B, 0>, u32, u32, u32, u32>();
    });
}
LaneInstruction describe_dot2(Modifiers& m) {
    const int product_part = m.take_alternative({"lo", "hi"});
    return make_for_signs<i16, i8>(
        m, [product_part]<class A, class B>(Tag<A>, Tag<B>) -> LaneInstruction {
            if (product_part < 0) return {};
            return product_part == 0
                       ? make_lane_instruction<DotProduct<A, B, 0>, u32, u32, u32, u32>()
                       : make_lane_instruction<DotProduct<A, B, 2>, u32, u32, u32, u32>();
        });
}

// ---- vabsdiff2, vabsdiff4: the video instructions that nvcc generates for __vsadu2, __vabsdiffu4
// and others ----

/// Computes the absolute differences of the halves or bytes, or the sum of these differences. Masks
/// are not supported, because nvcc never generates one. Without a mask, no bits of c appear in the
/// result.
template <class A, class B, bool kSum>
struct DifferencesOfParts {
    static u32 apply(u32 a, u32 b, u32 c) {
        u32 result = kSum ? c : 0;
        for (u32 bit_offset = 0; bit_offset < 32; bit_offset += kBits) {
            const i32 difference =
                static_cast<A>(a >> bit_offset) - static_cast<B>(b >> bit_offset);
            const u32 size = static_cast<u32>(difference < 0 ? -difference : difference);
            // The difference between a signed and an unsigned part may need one bit more than the
            // parts have. It is then truncated.
            result += kSum ? size : (size & ((1u << kBits) - 1)) << bit_offset;
        }
        return result;
    }
    static constexpr u32 kBits = 8 * sizeof(A);
};

template <class ProductPart>
LaneInstruction describe_differences(Modifiers& m) {
    if (m.take_type() != Type::u32) return {};
    const bool adds_differences = m.take_modifier("add");
    return make_for_signs<ProductPart, ProductPart>(m, [adds_differences]<class A, class B>(
                                                           Tag<A>, Tag<B>) {
        return adds_differences
                   ? make_lane_instruction<DifferencesOfParts<A, B, true>, u32, u32, u32, u32>()
                   : make_lane_instruction<DifferencesOfParts<A, B, false>, u32, u32, u32, u32>();
    });
}

// ---- vmin2, vmin4, vmax2, vmax4 ----

/// Chooses the smaller or the larger value of each pair of halves or bytes. Each value is signed or
/// unsigned according to its own type. The chosen value is truncated to the width of a part. Masks
/// and .add are not supported.
template <class A, class B, bool kGreater>
struct ExtremaOfParts {
    static u32 apply(u32 a, u32 b, u32 /*c*/) {
        u32 result = 0;
        for (u32 bit_offset = 0; bit_offset < 32; bit_offset += kBits) {
            const i32 a_part = static_cast<A>(a >> bit_offset);
            const i32 b_part = static_cast<B>(b >> bit_offset);
            const i32 extremum_value =
                kGreater ? std::max(a_part, b_part) : std::min(a_part, b_part);
            result |= (static_cast<u32>(extremum_value) & ((1u << kBits) - 1)) << bit_offset;
        }
        return result;
    }
    static constexpr u32 kBits = 8 * sizeof(A);
};

template <class ProductPart, bool kGreater>
LaneInstruction describe_extrema(Modifiers& m) {
    const Type result = m.take_type();
    if (result != Type::u32 && result != Type::s32) return {};
    return make_for_signs<ProductPart, ProductPart>(m, []<class A, class B>(Tag<A>, Tag<B>) {
        return make_lane_instruction<ExtremaOfParts<A, B, kGreater>, u32, u32, u32, u32>();
    });
}

}  // namespace

FamilyTable families() {
    return {{"add", describe_add_pairs},
            {"add", describe_sum<Add, AddSaturating>},
            {"sub", describe_sum<Subtract, SubtractSaturating>},
            {"neg", make_for_signed_types<Negate>},
            {"abs", make_for_signed_types<Absolute>},
            {"mul", describe_multiply<false>},
            {"mad", describe_multiply<true>},
            {"mul24", describe_multiply24<false>},
            {"mad24", describe_multiply24<true>},
            {"sad", describe_negation<AbsoluteDifference, 3>},
            {"div", describe_negation<Divide, 2>},
            {"rem", describe_negation<Remainder, 2>},
            {"min", describe_extremum<Minimum>},
            {"max", describe_extremum<Maximum>},
            {"dp4a", describe_dot4},
            {"dp2a", describe_dot2},
            {"vabsdiff2", describe_differences<i16>},
            {"vabsdiff4", describe_differences<i8>},
            {"vmin2", describe_extrema<i16, false>},
            {"vmin4", describe_extrema<i8, false>},
            {"vmax2", describe_extrema<i16, true>},
            {"vmax4", describe_extrema<i8, true>}};
}

}  // namespace coalesce::simulator::integer_instructions

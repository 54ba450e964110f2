// Shifts, bit fields, counting and permuting: shl shr shf popc clz brev bfind fns bfe bfi szext
// bmsk prmt.
//
// Watch  A shift count of at least the width is legal in PTX but undefined in C++, so every count
//        is limited to the valid range before the shift.
#include <algorithm>

#include "simulator/instructions/families.h"

namespace coalesce::simulator::bits_instructions {
namespace {

using ptx::Type;

template <class T>
constexpr u32 kBits = 8 * sizeof(T);

// ---- shl, shr, shf ----

template <class T>
struct ShiftLeft {
    static T apply(T a, u32 count) {
        const T shifted = static_cast<T>(WrappingInteger<T>(a) << (count % kBits<T>));
        return count < kBits<T> ? shifted : T{0};
    }
};
/// Shifts right, arithmetically if T is signed. If the count is at least the width, all bits of the
/// result are copies of the sign bit, or 0 if T is unsigned.
template <class T>
struct ShiftRight {
    static T apply(T a, u32 count) {
        if constexpr (std::is_signed_v<T>) {
            return static_cast<T>(a >> std::min(count, kBits<T> - 1));
        } else {
            const T shifted = static_cast<T>(a >> (count % kBits<T>));
            return count < kBits<T> ? shifted : T{0};
        }
    }
};

LaneInstruction describe_shift_left(Modifiers& m) {
    return make_for_bits(m.take_type(), []<class T>(Tag<T>) {
        return make_instruction_with_forms<ShiftLeft<T>, T, T, u32>();
    });
}
LaneInstruction describe_shift_right(Modifiers& m) {
    const auto make_shift = []<class T>(Tag<T>) {
        return make_instruction_with_forms<ShiftRight<T>, T, T, u32>();
    };
    const Type type = m.take_type();
    const LaneInstruction logical_shift = make_for_bits(type, make_shift);
    return logical_shift.run ? logical_shift : make_for_integers(type, make_shift);
}

/// Shifts the 64-bit value high:low. Returns the upper 32 bits of the result for a left shift, and
/// the lower 32 bits for a right shift.
template <bool kLeft, bool kClamp>
struct FunnelShift {
    static u32 apply(u32 low, u32 high, u32 count) {
        const u32 shift_amount = kClamp ? std::min(count, 32u) : count % 32;
        const u64 combined_words = u64{high} << 32 | low;
        return static_cast<u32>(kLeft ? combined_words << shift_amount >> 32
                                      : combined_words >> shift_amount);
    }
};
LaneInstruction describe_funnel_shift(Modifiers& m) {
    const int direction = m.take_alternative({"l", "r"}),
              mode = m.take_alternative({"wrap", "clamp"});
    if (direction < 0 || mode < 0 || m.take_type() != Type::b32) return {};
    const bool is_left = direction == 0, is_clamped = mode == 1;
    if (is_left && is_clamped)
        return make_lane_instruction<FunnelShift<true, true>, u32, u32, u32, u32>();
    if (is_left) return make_lane_instruction<FunnelShift<true, false>, u32, u32, u32, u32>();
    if (is_clamped) return make_lane_instruction<FunnelShift<false, true>, u32, u32, u32, u32>();
    return make_lane_instruction<FunnelShift<false, false>, u32, u32, u32, u32>();
}

// ---- counting ----

struct CountOnes {
    static u32 apply(auto a) { return static_cast<u32>(std::popcount(a)); }
};
struct CountLeadingZeros {
    static u32 apply(auto a) { return static_cast<u32>(std::countl_zero(a)); }
};

template <class F>
LaneInstruction count(Modifiers& m) {
    return make_for_long_bits(m.take_type(),
                              []<class T>(Tag<T>) { return make_lane_instruction<F, u32, T>(); });
}

/// Reverses the bits of a value by swapping adjacent bits, then adjacent pairs of bits, then
/// adjacent nibbles, and so on, and finally the two halves.
struct ReverseBits {
    static u32 apply(u32 a) {
        a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
        a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
        a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
        return __builtin_bswap32(a);
    }
    static u64 apply(u64 a) {
        return u64{apply(static_cast<u32>(a))} << 32 | apply(static_cast<u32>(a >> 32));
    }
};
LaneInstruction describe_reversal(Modifiers& m) {
    return make_for_long_bits(
        m.take_type(), []<class T>(Tag<T>) { return make_lane_instruction<ReverseBits, T, T>(); });
}

/// Finds the highest set bit of an unsigned value, or the highest bit of a signed value that
/// differs from the sign bit. With kShiftAmount, returns how far the value must be shifted left to
/// move this bit to the top.
template <class T, bool kShiftAmount>
struct FindHighest {
    static u32 apply(T a) {
        using Unsigned = std::make_unsigned_t<T>;
        const Unsigned bits = static_cast<Unsigned>(a < 0 ? ~a : a);
        const u32 counts_from_top = static_cast<u32>(std::countl_zero(bits));
        if (bits == 0) return ~0u;
        return kShiftAmount ? counts_from_top : kBits<T> - 1 - counts_from_top;
    }
};
LaneInstruction describe_find_highest(Modifiers& m) {
    const bool returns_shift_amount = m.take_modifier("shiftamt");
    return make_for_long_integers(m.take_type(), [returns_shift_amount]<class T>(Tag<T>) {
        return returns_shift_amount ? make_lane_instruction<FindHighest<T, true>, u32, T>()
                                    : make_lane_instruction<FindHighest<T, false>, u32, T>();
    });
}

/// Finds the |n|-th set bit of `mask`, starting with bit `base`. Searches upwards for n > 0, and
/// downwards for n < 0. For n = 0, tests whether bit `base` is set.
struct FindNthSet {
    static u32 apply(u32 mask, u32 base, i32 n) {
        constexpr u32 kNone = ~0u;
        // The magnitude of INT32_MIN does not fit in an i32. Hardware returns 0.
        if (n == INT32_MIN) return 0;
        if (base >= 32) return kNone;
        if (n == 0) return (mask >> base & 1) ? base : kNone;
        const int step = n > 0 ? 1 : -1;
        i64 missing_bits = n > 0 ? i64{n} : -i64{n};
        for (int bit_index = static_cast<int>(base); bit_index >= 0 && bit_index < 32;
             bit_index += step) {
            if ((mask >> bit_index & 1) && --missing_bits == 0) return static_cast<u32>(bit_index);
        }
        return kNone;
    }
};
LaneInstruction describe_find_nth_set(Modifiers& m) {
    return m.take_type() == Type::b32 ? make_lane_instruction<FindNthSet, u32, u32, u32, i32>()
                                      : LaneInstruction{};
}

// ---- bit fields ----

/// Returns a mask of the low `count` bits. `count` may have any value.
template <class T>
T low_ones(u32 count) {
    const T shifted_one = static_cast<T>((T{1} << (count % kBits<T>)) - 1);
    return count < kBits<T> ? shifted_one : static_cast<T>(~T{0});
}

/// Returns the low `count` bits of a, extended to the width of T: sign-extended if T is signed, and
/// otherwise zero-extended.
template <class T>
T extend_low_bits(T a, u32 count) {
    if constexpr (std::is_signed_v<T>) {
        const u32 unused_bits = kBits<T> - std::clamp(count, 1u, kBits<T>);
        const T extended_value =
            static_cast<T>(static_cast<T>(WrappingInteger<T>(a) << unused_bits) >> unused_bits);
        return count == 0 ? T{0} : extended_value;
    } else {
        return a & low_ones<T>(count);
    }
}

/// Returns the bits of a position or length operand that the instruction uses. 32-bit instructions
/// use only the low 8 bits. 64-bit instructions use all bits, because they are implemented as
/// sequences of shifts.
template <class T>
u32 used_operand_bits(u32 value) {
    return sizeof(T) == 8 ? value : value & 0xff;
}

/// Extracts a bit field. If T is signed, bits of the field beyond the top bit of the value are
/// copies of the sign bit, even if the field lies entirely beyond the top bit.
template <class T>
struct ExtractField {
    static T apply(T a, u32 position, u32 length) {
        const T field = ShiftRight<T>::apply(a, used_operand_bits<T>(position));
        return extend_low_bits<T>(field, used_operand_bits<T>(length));
    }
};
LaneInstruction describe_extract_field(Modifiers& m) {
    return make_for_long_integers(m.take_type(), []<class T>(Tag<T>) {
        return make_lane_instruction<ExtractField<T>, T, T, u32, u32>();
    });
}

/// Executes bfi, the only instruction in this file with four sources.
template <class T>
const Op* run_insert_field(Warp& w, const Op* op) {
    const T* field = w.lanes<T>(op->a);
    const T* base_value = w.lanes<T>(op->b);
    const u32* position = w.lanes<u32>(op->c);
    const u32* length = w.lanes<u32>(op->v[0]);
    w.write<T>(op->d, [=](int l) COALESCE_LANE_BODY {
        const u32 bit_index = used_operand_bits<T>(position[l]);
        const T field_mask =
            ShiftLeft<T>::apply(low_ones<T>(used_operand_bits<T>(length[l])), bit_index);
        return (base_value[l] & ~field_mask) |
               (ShiftLeft<T>::apply(field[l], bit_index) & field_mask);
    });
    return op + 1;
}
LaneInstruction describe_insert_field(Modifiers& m) {
    return make_for_long_bits(m.take_type(), []<class T>(Tag<T>) -> LaneInstruction {
        return {.run = run_insert_field<T>,
                .destination_width = width_of<T>,
                .source_widths = {width_of<T>, width_of<T>, Width::w32, Width::w32}};
    });
}

struct ExtendFrom {
    using Request = bool;  ///< whether the instruction has .clamp
    static auto apply(bool is_clamped, auto a, u32 count) {
        return extend_low_bits(a, is_clamped ? count : count % 32);
    }
};
LaneInstruction describe_extend_from(Modifiers& m) {
    const int mode = m.take_alternative({"clamp", "wrap"});
    if (mode < 0) return {};
    return make_for_32_bit_integers(m.take_type(), [mode]<class T>(Tag<T>) {
        return make_lane_instruction<ExtendFrom, T, T, u32>(mode == 0);
    });
}

struct MakeMask {
    using Request = bool;  ///< whether the instruction has .clamp
    static u32 apply(bool is_clamped, u32 position, u32 length) {
        if (!is_clamped) position %= 32, length %= 32;
        return ShiftLeft<u32>::apply(low_ones<u32>(length), position);
    }
};
LaneInstruction describe_make_mask(Modifiers& m) {
    const int mode = m.take_alternative({"clamp", "wrap"});
    if (mode < 0 || m.take_type() != Type::b32) return {};
    return make_lane_instruction<MakeMask, u32, u32, u32>(mode == 0);
}

// ---- prmt ----
//
// The eight bytes of b:a are numbered from 0, starting with the lowest byte of a. A mode determines
// which of these bytes is copied to each byte of the result.

u32 byte_at(u64 bytes, u32 index) {
    return static_cast<u32>(bytes >> (8 * (index & 7))) & 0xff;
}

/// Permutes bytes according to four 4-bit selectors, one for each byte of the result. If bit 3 of a
/// selector is set, all bits of the result byte are copies of the sign bit of the selected byte.
struct PermuteBySelectors {
    static u32 apply(u32 a, u32 b, u32 selectors) {
        const u64 bytes = u64{b} << 32 | a;
        u32 result = 0;
        for (u32 i = 0; i < 4; ++i) {
            const u32 selector = selectors >> (4 * i) & 0xf;
            const u32 byte = byte_at(bytes, selector);
            const u32 sign = byte & 0x80 ? 0xff : 0;
            result |= (selector & 8 ? sign : byte) << (8 * i);
        }
        return result;
    }
};

/// Permutes bytes according to a mode and an offset c, which is 0 to 3.
struct PermuteByMode {
    using Request = int;  ///< an index into the modes that `describe_permutation` accepts
    /// Returns the index of the byte that becomes byte i of the result.
    static u32 source_byte_index(int mode, u32 c, u32 i) {
        switch (mode) {
            case 0: return c + i;                   // forward
            case 1: return (c - i) & 7;             // backward
            case 2: return c;                       // one byte, repeated four times
            case 3: return std::max(c, i);          // clamped at the left edge
            case 4: return std::min(c, i);          // clamped at the right edge
            default: return 2 * (c & 1) + (i & 1);  // 16 bits, repeated twice
        }
    }
    static u32 apply(int mode, u32 a, u32 b, u32 c) {
        const u64 bytes = u64{b} << 32 | a;
        u32 result = 0;
        for (u32 i = 0; i < 4; ++i)
            result |= byte_at(bytes, source_byte_index(mode, c & 3, i)) << (8 * i);
        return result;
    }
};

LaneInstruction describe_permutation(Modifiers& m) {
    if (m.take_type() != Type::b32) return {};
    const int mode = m.take_alternative({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    return mode < 0 ? make_lane_instruction<PermuteBySelectors, u32, u32, u32, u32>()
                    : make_lane_instruction<PermuteByMode, u32, u32, u32, u32>(mode);
}

}  // namespace

FamilyTable families() {
    return {{"shl", describe_shift_left},      {"shr", describe_shift_right},
            {"shf", describe_funnel_shift},    {"popc", count<CountOnes>},
            {"clz", count<CountLeadingZeros>}, {"brev", describe_reversal},
            {"bfind", describe_find_highest},  {"fns", describe_find_nth_set},
            {"bfe", describe_extract_field},   {"bfi", describe_insert_field},
            {"szext", describe_extend_from},   {"bmsk", describe_make_mask},
            {"prmt", describe_permutation}};
}

}  // namespace coalesce::simulator::bits_instructions

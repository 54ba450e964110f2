// Finds the LaneInstruction for a PTX instruction. The opcode selects a family of instructions, and
// the modifiers select a member of the family.
#pragma once

#include <initializer_list>
#include <optional>
#include <utility>

#include "simulator/base/half.h"
#include "simulator/instructions/lanes.h"

namespace coalesce::simulator {

/// The modifiers of an instruction. A family takes (and in this way marks) the modifiers that it
/// supports. If any modifiers are left, the family does not contain the instruction.
class Modifiers {
public:
    explicit Modifiers(const std::vector<std::string>& names) : names_(names) {}

    /// Takes the modifier `name`. Returns false if the instruction does not have this modifier.
    bool take_modifier(std::string_view name);
    /// Takes the first of `names` that the instruction has. Returns its index in `names`, or -1 if
    /// the instruction has none of the names.
    int take_alternative(std::initializer_list<std::string_view> names);
    /// Takes .rn, .rz, .rm or .rp. Returns nothing if the instruction has none of these modifiers.
    std::optional<Rounding> take_rounding();
    /// Takes .rni, .rzi, .rmi or .rpi, which round to whole numbers. Returns nothing if the
    /// instruction has none of these modifiers.
    std::optional<Rounding> take_rounding_to_whole();
    /// Takes the leftmost type modifier that has not been taken yet. Returns Type::none if there is
    /// none.
    ptx::Type take_type();
    bool are_all_taken() const { return taken_bits_ + 1 == u64{1} << names_.size(); }

private:
    const std::vector<std::string>& names_;
    u64 taken_bits_ = 0;  ///< the taken modifiers, one bit each
};

/// A function that creates an instruction from its modifiers. If the family has no instruction with
/// these modifiers, `run` is null in the result.
using Family = LaneInstruction (*)(Modifiers&);

/// An entry of a table that maps opcodes to families. Each file of instructions has such a table.
/// Several tables may contain the same opcode, such as add, which is both an integer and a
/// floating-point instruction.
struct FamilyEntry {
    std::string_view opcode;
    Family family;
};
using FamilyTable = std::vector<FamilyEntry>;

namespace integer_instructions {
FamilyTable families();  // arithmetic on integers
}
namespace carry_instructions {
FamilyTable families();  // add.cc and similar instructions
}
namespace bits_instructions {
FamilyTable families();  // shifts, bit fields, bit counting and bit permutation
}
namespace logic_instructions {
FamilyTable families();  // and, or, lop3 and the like (also on predicates), and selection
}
namespace float_instructions {
FamilyTable families();  // arithmetic on floats from f64 down to pairs of f16 and bf16
}
namespace math_instructions {
FamilyTable families();  // roots, reciprocals, sin, ex2 and similar functions
}
namespace compare_instructions {
FamilyTable families();  // setp and set
}
namespace convert_instructions {
FamilyTable families();  // cvt between integers, f32 and f64
}
namespace convert_small_instructions {
FamilyTable families();  // cvt to and from smaller floats
}

// ---- from a ptx::Type to a C++ type ----
//
//     return make_for_integers(type, [](auto t) { using T = typename decltype(t)::type; ... });

template <class T>
using Tag = std::type_identity<T>;

template <class Make>
auto make_for_integers(ptx::Type type, Make make) -> decltype(make(Tag<i32>{})) {
    switch (type) {
        case ptx::Type::s16: return make(Tag<i16>{});
        case ptx::Type::u16: return make(Tag<u16>{});
        case ptx::Type::s32: return make(Tag<i32>{});
        case ptx::Type::u32: return make(Tag<u32>{});
        case ptx::Type::s64: return make(Tag<i64>{});
        case ptx::Type::u64: return make(Tag<u64>{});
        default: return {};
    }
}
/// Like make_for_integers, but calls `make` only for 32-bit and 64-bit types.
template <class Make>
LaneInstruction make_for_long_integers(ptx::Type type, Make make) {
    return make_for_integers(type, [&]<class T>(Tag<T> tag) -> LaneInstruction {
        if constexpr (sizeof(T) < 4)
            return {};
        else
            return make(tag);
    });
}
template <class Make>
LaneInstruction make_for_32_bit_integers(ptx::Type type, Make make) {
    if (type == ptx::Type::s32) return make(Tag<i32>{});
    if (type == ptx::Type::u32) return make(Tag<u32>{});
    return {};
}
template <class Make>
auto make_for_bits(ptx::Type type, Make make) -> decltype(make(Tag<u32>{})) {
    switch (type) {
        case ptx::Type::b16: return make(Tag<u16>{});
        case ptx::Type::b32: return make(Tag<u32>{});
        case ptx::Type::b64: return make(Tag<u64>{});
        default: return {};
    }
}
template <class Make>
LaneInstruction make_for_long_bits(ptx::Type type, Make make) {
    if (type == ptx::Type::b32) return make(Tag<u32>{});
    if (type == ptx::Type::b64) return make(Tag<u64>{});
    return {};
}
template <class Make>
auto make_for_floats(ptx::Type type, Make make) -> decltype(make(Tag<float>{})) {
    switch (type) {
        case ptx::Type::f32: return make(Tag<float>{});
        case ptx::Type::f64: return make(Tag<double>{});
        default: return {};
    }
}
template <class Make>
LaneInstruction make_for_single_halves(ptx::Type type, Make make) {
    if (type == ptx::Type::f16) return make(Tag<F16>{});
    if (type == ptx::Type::bf16) return make(Tag<BF16>{});
    return {};
}
template <class Make>
LaneInstruction make_for_all_floats(ptx::Type type, Make make) {
    const LaneInstruction halves = make_for_single_halves(type, make);
    return halves.run ? halves : make_for_floats(type, make);
}

// ---- pairs of halves ----

template <class H>
H extract_half(PackedPair<H> pair, int half_index) {
    return {static_cast<u16>(pair.bits >> (16 * half_index))};
}
/// Applies F to both halves of a pair. Requests is F::Request, which selects a variant of the
/// operation, if F::apply takes a request as its first argument. Otherwise Requests is empty.
template <class F, class... Requests>
struct InPairs : F {
    template <class H, class... Rest>
    static PackedPair<H> apply(const Requests&... request, PackedPair<H> a, Rest... rest) {
        const u32 low = F::apply(request..., extract_half(a, 0), extract_half(rest, 0)...).bits;
        const u32 high = F::apply(request..., extract_half(a, 1), extract_half(rest, 1)...).bits;
        return {low | high << 16};
    }
};

/// Returns a description of the operation F on `type`: f16, bf16, or a pair of either. For any
/// other type, returns an empty description.
template <class F, int kSources, class... Requests>
LaneInstruction make_for_halves(ptx::Type type, const Requests&... request) {
    using Paired = InPairs<F, Requests...>;
    switch (type) {
        case ptx::Type::f16: return make_lane_instruction_of_type<F, F16, kSources>(request...);
        case ptx::Type::bf16: return make_lane_instruction_of_type<F, BF16, kSources>(request...);
        case ptx::Type::f16x2:
            return make_lane_instruction_of_type<Paired, PackedPair<F16>, kSources>(request...);
        case ptx::Type::bf16x2:
            return make_lane_instruction_of_type<Paired, PackedPair<BF16>, kSources>(request...);
        default: return {};
    }
}

/// Overloads whose result type is an integer twice as wide as the parameter, with the same
/// signedness. They have no definition, because they are used only in decltype.
i32 wider(i16);
u32 wider(u16);
i64 wider(i32);
u64 wider(u32);
__int128 wider(i64);
unsigned __int128 wider(u64);
template <class T>
using WiderInteger = decltype(wider(T{}));

/// An unsigned type for computations on T that must wrap on overflow. It is at least as wide as
/// int, so that C++ does not convert it to a signed type.
template <class T>
using WrappingInteger = std::conditional_t<sizeof(T) == 8, u64, u32>;

}  // namespace coalesce::simulator

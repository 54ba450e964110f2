// Implements instructions that compute each lane from the same lane of their sources: arithmetic,
// logic, comparison, conversion.
//
// Idea       An instruction is a struct with a static `apply` on values of its type. A template
//            below creates the handler that applies the struct to 32 lanes:
//                struct Add { static i32 apply(i32 a, i32 b); };
//                return make_lane_instruction<Add, i32, i32, i32>();
//            The loops are simple, so that the compiler can vectorize them.
// Operands   The sources are Op::a, b, c and v[0], in the order of the PTX text. The destination is
//            Op::d. Immediates are slots with the bits of the source's width. The destination may
//            be the slot of a source of the same width. For a negated predicate source (`!p`),
//            lowering inserts a `not.pred`.
// Read next  opcodes.inc lists the instructions, and integer.cpp is the simplest family.
#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#if defined(__AVX2__)
#    include <immintrin.h>
#endif

#include "simulator/base/float.h"
#include "simulator/code/width.h"
#include "simulator/execute/warp.h"

namespace coalesce::simulator {

/// A lane-wise instruction. Lane-wise instructions without carry flags are pure: the same sources
/// always give the same result. If the sources are the same for a whole block or launch, lowering
/// may therefore compute the result only once.
struct LaneInstruction {
    Handler run = nullptr;
    Width destination_width = Width::none;
    /// The width of Op::d2, which contains either the predicate q of `p|q` or the carry flags. The
    /// predicate has a slot even if q is omitted. The carry flags are both read and written.
    Width second_width = Width::none;
    std::array<Width, 4> source_widths = {};  ///< the widths of the sources in Op::a, b, c and v[0]
    /// True if the instruction reads or writes carry flags (in Op::d2), and is therefore not pure.
    bool uses_carry = false;
    /// An array of faster handlers, one for each set of uniform sources. The index is a mask of the
    /// uniform sources, whose lowest bit is source a. All other sources must be in the warp's own
    /// register file. Null if `run` is the only handler.
    const Handler* form_handlers = nullptr;
    i64 constant = 0;  ///< the value of Op::immediate, for a handler shared by many instructions
    /// True if a constant operand after source c is stored in Op::immediate (lop3's lookup table).
    bool has_immediate = false;
};

/// Returns the instruction with this opcode and these modifiers, such as "add" + {"sat", "s32"}, or
/// nullptr if there is no such instruction. Modifiers that do not change the result (.rn where it
/// is the default, .approx where the result is exact) are accepted. mov, cvta, ld.param and similar
/// instructions are not lane instructions: see lower.cpp.
///
/// The destination register of a `cvt` may be wider than the destination type ("cvt.s8.s32" into a
/// .b32). The handler then sets the bits above the type to zero. Lowering adds the conversion to
/// the width of the register ("cvt.s32.s8").
const LaneInstruction* find_lane_instruction(const std::string& opcode,
                                             const std::vector<std::string>& modifiers);

// ---- lanes <-> values ----
//
// Values are C++ integers and floats, and structs with one unsigned member `bits` for types that
// C++ does not have (half.h).

template <class T>
T from_lane(LaneOf<T> lane) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(lane);
    else
        return make_from_bit_pattern<T>(lane);
}
template <class T>
LaneOf<T> to_lane(T value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<LaneOf<T>>(static_cast<std::make_unsigned_t<T>>(value));
    else
        return bit_pattern(value);
}
template <class T>
constexpr Width width_of =  // NOLINT(readability-identifier-naming): used as a function
    sizeof(T) == 8 ? Width::w64 : Width::w32;

/// Converts 32 lanes that are 0 or all ones to a mask with one bit per lane.
inline Mask make_mask(const u32* lanes) {
#if defined(__AVX512DQ__)
    const Mask low = _mm512_movepi32_mask(_mm512_load_si512(lanes));
    const Mask high = _mm512_movepi32_mask(_mm512_load_si512(lanes + 16));
    return low | high << 16;
#elif defined(__AVX2__)
    Mask mask = 0;
    for (int first = 0; first < kLanes; first += 8) {
        const __m256i eight = _mm256_load_si256(reinterpret_cast<const __m256i*>(lanes + first));
        mask |= static_cast<Mask>(_mm256_movemask_ps(_mm256_castsi256_ps(eight))) << first;
    }
    return mask;
#else
    Mask mask = 0;
    for (int l = 0; l < kLanes; ++l) mask |= (lanes[l] & 1u) << l;
    return mask;
#endif
}

// ---- handlers ----

/// The register file that contains a source: the warp's own file, the uniform file, or a file that
/// is known only at run time (anywhere).
enum class SourceFile : u8 { anywhere, own, uniform };

/// The values of a source operand in all lanes. If the source is uniform, its value is read only
/// once.
template <class T, SourceFile kSourceFile>
class Source {
public:
    Source(const Warp& w, Slot slot)
        : lanes_(w.lanes<LaneOf<T>>(kSourceFile == SourceFile::anywhere ? slot
                                    : kSourceFile == SourceFile::uniform
                                        ? Slot{slot.offset, kUniformFile}
                                        : Slot{slot.offset, kOwnFile})),
          first_value_(kSourceFile == SourceFile::uniform ? lanes_[0] : LaneOf<T>{}) {}
    T operator[](int lane) const {
        return from_lane<T>(kSourceFile == SourceFile::uniform ? first_value_ : lanes_[lane]);
    }

private:
    const LaneOf<T>* lanes_;
    LaneOf<T> first_value_;
};

inline constexpr Slot Op::*kSourceSlots[] = {&Op::a, &Op::b, &Op::c};

// The attribute forces the compiler to inline large bodies, because it cannot vectorize a loop that
// contains a call.
#define COALESCE_LANE_BODY __attribute__((always_inline))

template <class D, class Apply, class... Sources>
void write_each(Warp& w, Slot d, Apply apply, Sources... sources) {
    w.write<LaneOf<D>>(d,
                       [=](int l) COALESCE_LANE_BODY { return to_lane<D>(apply(sources[l]...)); });
}

/// Calls `apply` for each lane with the lane's sources, which have the types S, and stores the
/// results in the destination.
template <class D, class... S, class Apply>
void run_lanes(Warp& w, const Op* op, Apply apply) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        write_each<D>(w, op->d, apply, Source<S, SourceFile::anywhere>(w, op->*kSourceSlots[I])...);
    }
    (std::index_sequence_for<S...>{});
}

template <class F, class D, class... S>
const Op* run_simple(Warp& w, const Op* op) {
    run_lanes<D, S...>(w, op, [](S... s) COALESCE_LANE_BODY { return F::apply(s...); });
    return op + 1;
}

// ---- handlers that many variants share ----
//
// Rare variants share one handler, so that they need no loops of their own. A small struct,
// F::Request, says which variant to compute. The struct is stored in LaneInstruction::constant, and
// is the first argument of F::apply. If F has a member kHostRounds, the handler sets the rounding
// direction of the host's processor to Request::direction while it runs.

template <class Request>
i64 pack_request(const Request& request) {
    static_assert(sizeof(Request) <= sizeof(i64) && std::is_trivially_copyable_v<Request>);
    i64 bits = 0;
    std::memcpy(&bits, &request, sizeof request);
    return bits;
}
template <class Request>
Request unpack_request(i64 bits) {
    Request request;
    std::memcpy(static_cast<void*>(&request), &bits, sizeof request);
    return request;
}

template <class F>
auto rounding_scope(const typename F::Request& request) {
    if constexpr (requires { F::kHostRounds; })
        return ScopedRounding(request.direction);
    else
        return request;
}

template <class F, class D, class... S>
const Op* run_with_request(Warp& w, const Op* op) {
    const auto request = unpack_request<typename F::Request>(op->immediate);
    [[maybe_unused]] const auto scope = rounding_scope<F>(request);
    run_lanes<D, S...>(w, op, [=](S... s) { return F::apply(request, s...); });
    return op + 1;
}

// ---- forms: the specialized handlers that take up nearly all of the simulator's time ----
//
// The most common instructions have a separate handler (a form) for each combination of their
// operands' register files. Finding the register file of an operand at run time would cost as much
// as adding 32 numbers. In addition, a form reads a uniform operand once instead of 32 times.
//
// A form calls the handler of the next Op itself instead of returning to the scheduler's loop. This
// makes pure arithmetic 1.4 times as fast. The compiler must turn the call into a jump:
// a call would add a frame to the stack for each Op between two branches.

/// The handler of a form. If bit k of kUniform is set, source k is uniform. All other sources and
/// the destination are in the warp's own file.
template <unsigned kUniform, class F, class D, class... S>
const Op* run_form(Warp& w, const Op* op) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        write_each<D>(
            w, Slot{op->d.offset, kOwnFile},
            [](S... s) COALESCE_LANE_BODY { return F::apply(s...); }, Source < S,
            (kUniform >> I & 1) ? SourceFile::uniform
                                : SourceFile::own > (w, op->*kSourceSlots[I])...);
    }
    (std::index_sequence_for<S...>{});
    return op[1].run(w, op + 1);
}

/// Returns the handler of the form in which the sources in the mask kUniform are uniform. In two
/// rare cases, returns the general handler instead: if all sources are uniform, or if there are
/// three sources and the first is uniform.
template <unsigned kUniform, class F, class D, class... S>
constexpr Handler form_handler() {
    if constexpr (sizeof...(S) == 3 ? kUniform % 2 == 0 : kUniform + 1 < 1u << sizeof...(S))
        return run_form<kUniform, F, D, S...>;
    else
        return run_simple<F, D, S...>;
}

// ---- descriptions of handlers ----

/// Returns the description of an instruction that computes F::apply(s...) in each lane. The result
/// has type D, and the sources have the types S.
template <class F, class D, class... S>
LaneInstruction make_lane_instruction() {
    return {.run = run_simple<F, D, S...>,
            .destination_width = width_of<D>,
            .source_widths = {width_of<S>...}};
}
/// Returns the description of an instruction that computes F::apply(request, s...) in each lane.
/// The handler is the same for all requests.
template <class F, class D, class... S>
LaneInstruction make_lane_instruction(const typename F::Request& request) {
    return {.run = run_with_request<F, D, S...>,
            .destination_width = width_of<D>,
            .source_widths = {width_of<S>...},
            .constant = pack_request(request)};
}
template <class F, class D, class... S>
LaneInstruction make_instruction_with_forms() {
    static constexpr auto kForms = []<std::size_t... I>(std::index_sequence<I...>) {
        return std::array{form_handler<I, F, D, S...>()...};
    }
    (std::make_index_sequence<1 << sizeof...(S)>{});
    LaneInstruction result = make_lane_instruction<F, D, S...>();
    result.form_handlers = kForms.data();
    return result;
}

template <class T, std::size_t>
using RepeatedType = T;
/// Like make_lane_instruction, but the result and all kSources sources have type T.
template <class F, class T, int kSources, class... Request>
LaneInstruction make_lane_instruction_of_type(const Request&... request) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return make_lane_instruction<F, T, RepeatedType<T, I>...>(request...);
    }
    (std::make_index_sequence<kSources>{});
}

}  // namespace coalesce::simulator

// Recognizes what happened to a number. Only for floats and doubles.
#pragma once

#include <string>

#include "harness/problem.h"

namespace coalesce {

/// How a wrong value differs from the expected one.
enum class ValueChange {
    nan_changed,         ///< both are NaNs
    negative_zero_lost,  ///< 0.0 instead of -0.0
    subnormal_flushed,   ///< zero instead of a subnormal number
    sign_changed,        ///< the same except for its sign
    close,               ///< within one part in a hundred
    /// Infinity or zero with the same sign: the value overflowed or underflowed in a conversion.
    lost_range,
    unrelated,  ///< none of these
};

/// Returns how the value changed, for elements of 4 and 8 bytes. Other sizes are always unrelated.
ValueChange change_of(Bits expected, Bits held, std::size_t element_size);

/// Reports whether `held` is the sum of `one` and `other` as floats or doubles. If either of them
/// is a NaN, so is the sum.
bool is_sum(Bits held, Bits one, Bits other, std::size_t element_size);

/// Reports whether the bits are 0 or -0 as a float or double.
bool is_zero(Bits bits, std::size_t element_size);

/// The integer types that a kernel may convert a value to.
enum class Integer { signed_32, unsigned_32, signed_64 };
/// Returns "int", "unsigned" or "long long".
const char* name_of(Integer type);
/// Reports whether `held` is what the GPU returns when it converts `from` to that integer type and
/// back: the fraction is cut off, and the value is clamped to the range of the type.
bool is_converted(Bits held, Bits from, std::size_t element_size, Integer type);

/// Returns the bits and the number that they represent: "0x3f800000 (1)".
std::string value_text(Bits bits, std::size_t element_size);

}  // namespace coalesce
